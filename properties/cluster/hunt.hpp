// Random fault schedules for one job, until one of them earns it a verdict that it must not get; the schedule is then
// shrunk.
//
// The job runs with its own seed and without its own faults; only the schedule is drawn, from (seed, number). So a
// finding is told by the scenario, the faults, and the hash of the run.
#pragma once

#include "properties/cluster/schedule.hpp"
#include "properties/hunting/hunting.hpp"
#include "results/verdict.hpp"

namespace tarry {

struct ClusterHunt {
  const Job& job;                     // without faults
  std::vector<std::string> verdicts;  // kinds that it must not get
  std::uint64_t seed = 1, runs = 1'000;
  int most_faults = 4;                 // in a schedule
  std::uint64_t most_shrinks = 2'000;  // tries
  bool keep_going = false;             // after the first finding
};

// A run that got such a verdict.
struct Broken {
  Verdict verdict;
  Hash128 hash;
};

struct ClusterFinding {
  std::uint64_t number = 0;  // of the run
  Schedule found;
  ShrunkTo<Schedule> shrunk;
  Broken broken;              // of the smallest schedule
  std::uint64_t checked = 0;  // schedules with one fault less than the smallest; none of them breaks the job
};

struct ClusterReport {
  std::uint64_t runs = 0;
  std::map<std::string, std::vector<std::uint64_t>> broken;  // by verdict: the numbers of the runs
  std::optional<ClusterFinding> counterexample;              // the first one
};

// Runs the job with these faults. nullopt = it gets none of the verdicts. Fails: as run_apart.
[[nodiscard]] StatusOr<std::optional<Broken>> try_schedule(const ClusterHunt& hunt, const Schedule& schedule);

// Fails: INVALID_ARGUMENT when the job gets one of the verdicts without any fault; as run_apart.
[[nodiscard]] StatusOr<ClusterReport> hunt(const ClusterHunt& hunt, const Progress& progress = {});

}  // namespace tarry
