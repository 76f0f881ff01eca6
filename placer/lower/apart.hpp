// Calls, conditionals and loops that TensorFlow does not take into the graph run as one op: it waits for all of its
// inputs, and gives all of its results when it is done (docs/rules/runtime.md#A.6.6). Private to placer/lower.
//
// Here their bodies are taken into the graph as those of others are, between nodes that wait in the same way, and a
// list of callers goes with each node of a body. Error texts name them.
#pragma once

#include "placer/lower/rewriting.hpp"

namespace tarry {

// Before `n` is rewritten: it waits for all of its inputs, its consumers wait for all of its results, and it is on the
// list of the callers that its body will have. `function` is "" where error texts do not name it. REQUIRES: `n` is a
// call, a conditional or a loop.
[[nodiscard]] Status set_apart(Rewriting& r, NodeId n, std::string_view function);

// The branches of a conditional that runs apart, and the condition and the body of a loop, run as they are: nothing in
// them is lowered, and their stateful nodes run although nothing depends on them. So do functions that they call by
// name, but not those of PartitionedCall and StatefulPartitionedCall, which run apart there.
void set_runs_whole(Graph& g, NodeId call);
[[nodiscard]] bool runs_whole(const Graph& g, NodeId call);
// A copy of a node from such a body; of what would be rewritten.
void set_in_whole(Attrs& copy);
[[nodiscard]] bool is_in_whole(const Graph& g, NodeId n);

// What a call of a branch, a condition or a body takes over from the node that it is made for.
[[nodiscard]] NewNode with_callers(NewNode call, const Graph& g, NodeId n);

// The attributes of the copy of a node from the body of `call`: who called it, and where it comes from.
void set_origin(Attrs& copy, const Graph& g, NodeId call, std::string_view function, std::string_view name);

}  // namespace tarry
