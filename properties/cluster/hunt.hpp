// A search for faults under which a job breaks what it must keep to; what is found is shrunk.
//
// The job runs with its own seed and without its own faults; only the schedule of faults differs from run to run. So a
// finding is told by the scenario, the faults, and the hash of the run. What is found does not depend on how many
// processes look.
#pragma once

#include "properties/cluster/marked.hpp"
#include "properties/cluster/strategy.hpp"
#include "properties/hunting/hunting.hpp"

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

struct ClusterFinding {
  std::string hazard;               // what is broken, and by which kinds of faults to whom: each is found once
  std::uint64_t number = 0;         // of the first run
  std::vector<std::uint64_t> runs;  // all that broke the job in this way, as far as they were looked at
  Schedule found;
  ShrunkTo<Schedule> shrunk;
  Breach broken;                  // by the smallest schedule
  std::vector<Verdict> verdicts;  // of its run
  Hash128 hash;
  Healed healed;  // of a hunt that heals: the faults of that run, and when it ends
  // Schedules with one fault less than the smallest; none of them breaks the job in the same way. 0: neither tries nor
  // time were enough to know.
  std::uint64_t checked = 0;
  bool is_cut_short = false;  // the time was up before it was as small as it can be
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

// "law nothing_left by kill ps/#", "stuck by kill ps/#": what is broken, and by which kinds of faults to whom.
[[nodiscard]] std::string hazard_of(const Breach& broken, const Schedule& schedule, const ClusterSpec& cluster);

struct ShrinkLimits {
  std::uint64_t most = 2'000;             // tries
  std::function<bool()> is_time_up = {};  // asked before each try and within it
  ShrinkWatch watch = {};
};
// The smallest schedule under which the job breaks something with this fingerprint, as it does under `found`; where the
// time was up before, the smallest so far. Fails: INTERNAL when it does not again.
[[nodiscard]] StatusOr<ClusterFinding> shrunk(Trials& trials, std::uint64_t number, const Schedule& found,
                                              const std::string& fingerprint, const ShrinkLimits& limits = {});

}  // namespace tarry
