// A search for faults under which a job breaks what it must keep to; what is found is shrunk.
//
// The job runs with its own seed and without its own faults; only the schedule of faults differs from run to run. So a
// finding is told by the scenario, the faults, and the hash of the run. What is found does not depend on how many
// processes look.
#pragma once

#include "properties/cluster/marked.hpp"
#include "properties/cluster/shrunk.hpp"
#include "properties/cluster/strategy.hpp"

namespace tarry {

// Which faults may be drawn: all, or those from which the protocol is meant to recover by itself (heal.hpp).
enum class Budget : std::uint8_t { unlimited, recoverable };

struct ClusterHunt {
  const Job& job;  // without faults
  const Must& must;
  StrategyOptions strategy;
  std::uint64_t runs = 1'000;
  int processes = 1;
  std::uint64_t most_shrinks = 2'000;            // tries, for each finding
  bool keep_going = false;                       // after the first finding: then each hazard is found once
  std::set<std::string> known = {};              // hazards that are no findings
  std::uint64_t check_share = kUsualCheckShare;  // percent of the runs that are run twice; not of those that heal
  bool makes_known_runs = false;                 // also those whose events are known: the same is found
  Budget budget = Budget::unlimited;
  bool heals = false;  // after its faults a run is healed, and held against that (heal.hpp)
  // Asked before each run and now and then within it, also of those that shrink: such a run is given up. Empty = never.
  std::function<bool()> is_time_up;
  ShrinkWatch watch = {};  // empty = nobody looks
};

struct ClusterReport {
  std::uint64_t runs = 0;
  std::uint64_t left = 0;                // of a sweep: schedules that were not tried; 0 where there is no end of them
  std::uint64_t different = 0;           // of a sweep: so many come first, the others repeat what the run looks like
  std::uint64_t broken = 0;              // runs that broke something
  std::uint64_t known = 0;               // of those: runs of hazards that are known
  std::uint64_t not_shrunk = 0;          // of those: runs for which there was no time to find the hazard
  std::vector<ClusterFinding> findings;  // one for each hazard, in the order of their runs
  std::uint64_t features = 0;            // different things that runs showed
  MarkCounts marks = {};
};

// Fails: INVALID_ARGUMENT when the job breaks something without any fault, or an instant of a run has no end; as
// run_in_children.
[[nodiscard]] StatusOr<ClusterReport> hunt(const ClusterHunt& hunt, const Progress& progress = {});

}  // namespace tarry
