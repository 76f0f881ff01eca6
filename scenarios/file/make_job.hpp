// Makes a job that can run from a scenario.
#pragma once

#include <optional>
#include <string>

#include "scenarios/file/spec.hpp"
#include "scenarios/job/job.hpp"

namespace tarry {

struct RunOptions {
  std::string graphs_folder;
  bool keep_kernels = false;
  std::optional<std::uint64_t> seed;  // replaces the scenario's seed
};

// Fails: with the errors of load_program; INVALID_ARGUMENT for programs that do not fit the cluster.
[[nodiscard]] StatusOr<Job> make_job(const Scenario& scenario, const RunOptions& options);

// What computes this job's flows ("simgrid 3.32", "shared"), or "" when no link has a limit.
[[nodiscard]] std::string flow_engine(const Job& job);

}  // namespace tarry
