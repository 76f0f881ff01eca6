// What a called function asks of its caller's nodes: calls of functions that return resources
// (docs/rules/placer.md#C.3.3, releases from 1.14 on).
//
// The function's body is grouped as a graph of its own. Where arguments and returns share a group in the body, the
// producers and consumers of these in the caller share a group too, and take over the device requests of the body's
// group. The call node itself is not tied.
#pragma once

#include "placer/place/placement.hpp"

namespace tarry {

[[nodiscard]] bool is_call(std::string_view op);  // PartitionedCall, StatefulPartitionedCall

// Fails: INVALID_ARGUMENT where a PartitionedCall or StatefulPartitionedCall names a function that the graph's library
// lacks, whether a step needs the node or not (docs/rules/runtime.md#A.6.8).
[[nodiscard]] Status check_calls(const Graph& g);

// A PartitionedCall or StatefulPartitionedCall of a function that has an output of type resource.
[[nodiscard]] bool needs_inspection(const Graph& g, NodeId n);

// Fails: with the errors of grouping the body (docs/rules/placer.md#D5 to #D9, #D12 to #D13); docs/rules/placer.md#D14
// for recursion; docs/rules/placer.md#D12/#D13/#D7 to #D9 between the caller's nodes; with a failed merge of device
// names (placer/device/merge.hpp).
[[nodiscard]] Status join_by_body(Placement& p, NodeId call);

}  // namespace tarry
