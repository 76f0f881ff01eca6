// enable_recv_scheduling at a worker: receives are held back until the step has come near the time at which they are needed (runtime.md B.6).
//
// Each node of a part has `_start_time`, from the master. The part's time is divided into at most 100 epochs of equal length; an epoch's mark is a ControlTrigger
// `synch_<i>_G<n>` behind the last node that starts before it. A `_Recv` that is needed in epoch e waits for the mark of epoch e - 6.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placer/core/status.hpp"
#include "placer/graph/spec.hpp"

namespace tarry {

struct TimedNode {
  std::size_t node;  // in part.nodes
  std::int64_t start;
};
// The nodes with their times, earliest first, each behind its inputs: a time that is not later than an input's is put off to one after it. A Merge does not wait
// for NextIterations. Of equal times what is ready first comes first. REQUIRES: all inputs are there; no cycles but loops.
// Fails: NOT_FOUND `No attr named '_start_time' in NodeDef:`.
[[nodiscard]] StatusOr<std::vector<TimedNode>> by_start_time(const GraphSpec& part);

// Adds marks, numbered on from `counter`, and makes receives wait for them. Fails: as by_start_time.
[[nodiscard]] Status schedule_receives(GraphSpec& part, std::uint64_t& counter);

}  // namespace tarry
