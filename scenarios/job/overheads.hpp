// What all of a job may wait for besides its kernels, and the job without it: a row each.
#pragma once

#include <span>
#include <string>

#include "results/proof.hpp"
#include "results/step_times.hpp"
#include "results/task_names.hpp"
#include "scenarios/job/job.hpp"

namespace tarry {

struct Overhead {
  Proof::Cause cause;
  const char* what;                              // as in Proof
  const char* instead;                           // as in Proof
  bool (*is_there)(const Job& job);              // it may cost the job something
  bool (*shows)(const StepTimes& of_all_steps);  // it is likely to cost enough to be told of
  void (*take_away)(Job& job);
  // Who has much less of it than the others, if somebody has: "the trunk of rack1 has 10 Gb/s and those of the others
  // 100 Gb/s". Null: all share it.
  std::string (*odd)(const Job& job, const TaskNames& tasks) = nullptr;
  // Of a cause that has several: its name, or kAllParts. "" = the cause has none.
  const char* part = "";
};

inline constexpr char kAllParts[] = "all";

[[nodiscard]] std::span<const Overhead> overheads();

// The kernels of an op take no time.
void free_op(Job& job, const std::string& op, const std::string& device_type = "");

}  // namespace tarry
