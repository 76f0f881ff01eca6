// A recorded run's config, and the job that it describes. Private to properties/conform.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/job/job.hpp"

namespace tarry {

struct RecordedVariable {
  std::string name;
  int ps = 0;
};

struct RecordedConfig {
  int workers = 0, replicas = 0, ps = 0, aggregates = 0;
  std::optional<int> num_tokens;
  std::vector<RecordedVariable> vars;  // in order of creation; at least one
  bool is_async = false, is_resource = false, old_runner = false, polls = false, has_filters = true;
  int chief = 0;
  std::vector<std::vector<double>> latency;  // [worker][ps], seconds one way
  std::vector<std::vector<double>> compute;  // seconds, [worker][push]; empty = drawn uniformly around `mean_compute`
  double mean_compute = 0, jitter = 0;       // seconds; `jitter` is a fraction of the mean
  double ps_latency = 0;                     // between parameter servers, seconds one way
  std::vector<bool> absent;
  std::vector<double> late, hold;  // seconds
};

// Fails: INVALID_ARGUMENT with the name of the key.
[[nodiscard]] StatusOr<RecordedConfig> read_config(const nlohmann::json& config);

// Our worker w stands for recorded worker order[w].
[[nodiscard]] std::vector<int> worker_order(const RecordedConfig& c);

// Variables are on the same servers as in the recording. `chief_start`: how long after the others' first check the
// chief's session is created; used when the config polls.
[[nodiscard]] StatusOr<Job> make_job(const RecordedConfig& c, const std::string& graphs_folder, Nanos chief_start);

// For each recorded worker, the first one with the same latencies, compute times and start: such workers are
// interchangeable.
[[nodiscard]] std::vector<int> equal_workers(const RecordedConfig& c);

}  // namespace tarry
