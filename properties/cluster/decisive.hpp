// When the fate of a run was decided.
//
// The run's faults are kept up to some moment, and drawn anew after it, several times: the share of these continuations
// that break the job in the same way tells how far its fate is decided by then. Moments are looked at more closely
// where that share rises most.
#pragma once

#include "properties/cluster/hunt.hpp"

namespace tarry {

struct Fate {
  Nanos at = 0;  // since the start; faults up to this moment, and at it, are kept
  int runs = 0, broken = 0;
};
struct DecisiveMoment {
  std::vector<Fate> curve;          // in the order of time
  Nanos from = 0, to = 0;           // in between, the share rises most
  std::vector<std::string> events;  // what happened then, in words
};

struct Continuations {
  std::uint64_t seed = 1;
  int most_faults = 4;          // that are drawn after the moment
  int moments = 10, runs = 20;  // for each moment
};
// Fails: as Trials::run, and as outcome of Trials.
[[nodiscard]] StatusOr<DecisiveMoment> decisive_moment(Trials& trials, const ClusterFinding& finding,
                                                       const Continuations& how);

}  // namespace tarry
