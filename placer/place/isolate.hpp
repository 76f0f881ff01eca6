// The pass before placement that gives every call of a resource-returning function neighbours of its own
// (docs/rules/placer.md#C.3.3).
//
// An Identity stands on each data input, on each data edge out, and on each output that nobody reads; they are named
// `<src>_<call>`, `<call>_<dst>` and `<call>`, with _0, _1, ... where the name is taken.
#pragma once

#include <map>

#include "placer/graph/graph.hpp"

namespace tarry {

// `ops` has Identity, or 2.15's is taken; it outlives `g`. Gives the added nodes, each with the call it was added for.
std::map<NodeId, NodeId> isolate_calls(Graph& g, const OpRegistry& ops);

}  // namespace tarry
