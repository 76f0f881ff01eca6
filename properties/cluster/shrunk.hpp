// What broke a job, as small as it can be.
#pragma once

#include "properties/cluster/trial.hpp"
#include "properties/hunting/hunting.hpp"

namespace tarry {

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

// A run that broke the job, and the fingerprint of what it broke.
struct ToShrink {
  std::uint64_t number = 0;
  Schedule found;
  std::string fingerprint;
};
// The same of each of these, up to so many at a time in processes of their own. Fails likewise; as run_in_children.
[[nodiscard]] StatusOr<std::vector<ClusterFinding>> shrunk_apart(Trials& trials, const std::vector<ToShrink>& all,
                                                                 const ShrinkLimits& limits, int processes);

}  // namespace tarry
