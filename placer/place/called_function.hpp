// What a called function asks of its caller's nodes: calls of functions that return resources
// (docs/rules/placer.md#C.3.3, releases from 1.14 on).
//
// The function's body is grouped as a graph of its own. Arguments and returns that share a group in the body tie the
// caller's producers and consumers; what the body asks of such a group, they are asked for. The call node itself is
// free.
#pragma once

#include "placer/place/placement.hpp"

namespace tarry {

[[nodiscard]] bool is_call(std::string_view op);  // PartitionedCall, StatefulPartitionedCall

// A PartitionedCall or StatefulPartitionedCall of a function that has an output of type resource.
[[nodiscard]] bool needs_inspection(const Graph& g, NodeId n);

// Fails: what groups of the body fail with (docs/rules/placer.md#D5 to #D9, #D12 to #D13), docs/rules/placer.md#D14 for
// recursion, docs/rules/placer.md#D12/#D13/#D7 to #D9 between the caller's nodes, a failed merge.
[[nodiscard]] Status join_by_body(Placement& p, NodeId call);

}  // namespace tarry
