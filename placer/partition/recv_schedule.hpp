// Scheduled receives: what a worker does with a part whose nodes have start times (docs/rules/runtime.md#B.6; graph
// option enable_recv_scheduling).
//
// Nodes are put in order of time; start times are raised so that each node starts after its inputs. Time is cut into at
// most a hundred epochs; a ControlTrigger `synch_<epoch>` runs after the last node that starts before its epoch, and a
// `_Recv` waits for the trigger six epochs before its own, so that its value is asked for early enough and no earlier.
// A `_HostRecv` is not delayed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "placer/core/status.hpp"
#include "placer/graph/spec.hpp"

namespace tarry {

// The attribute that holds a node's start time, in microseconds.
inline constexpr const char* kStartTime = "_start_time";

struct TimedNode {
  std::size_t node = 0;    // index into the graph's nodes
  std::int64_t start = 0;  // microseconds, later than its inputs' starts
  friend bool operator==(const TimedNode&, const TimedNode&) = default;
};

// A topological order: among ready nodes the one that starts first comes first (ties: the one that was ready first). A
// node starts later than its inputs; a Merge waits for no NextIteration. REQUIRES: inputs are of the same graph. Fails:
// NOT_FOUND `No attr named '_start_time' in NodeDef:`.
[[nodiscard]] StatusOr<std::vector<TimedNode>> in_order_of_time(const GraphSpec& part);

// Adds the triggers and the receives' control inputs. Fails with the errors of in_order_of_time.
[[nodiscard]] Status schedule_receives(GraphSpec& part, const std::string& device,
                                       const std::function<std::string(std::string_view)>& new_name);

}  // namespace tarry
