// Making loops that cross devices fit to be cut (docs/rules/runtime.md#B.5).
//
// A device that takes part in another's loop must know when each iteration starts and when the loop ends. So it gets a
// small loop of its own, driven by the predicate of the real one: Enter, Merge, Switch, NextIteration, all named
// `_cloop...`. Its Merge fires once an iteration and releases the receives of that iteration.
#pragma once

#include "placer/device/device_set.hpp"
#include "placer/graph/graph.hpp"
#include "placer/partition/partition.hpp"

namespace tarry {

// The attributes of an empty float constant. Such a constant starts a control loop, and stands for a control edge that
// is cut.
[[nodiscard]] Attrs empty_float_attrs();

// Whether the node is the Merge of a control loop.
[[nodiscard]] bool is_control_loop_merge(const Graph& g, NodeId n);

// First moves control-flow nodes to their neighbours' devices, whatever was requested: a Switch and an Exit to their
// data input's, an Enter (not of a reference) and a NextIteration to their first data consumer's (in 0.12 to a sole
// one's: PartitionRules). Then adds the loops. Fails: with the errors of find_frames; INVALID_ARGUMENT `A cross-device
// loop must have a pivot predicate: FRAME`.
[[nodiscard]] Status add_control_loops(Graph& g, const PartitionOptions& options);

}  // namespace tarry
