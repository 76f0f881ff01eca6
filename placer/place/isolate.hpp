// The pass before placement that gives every call of a resource-returning function neighbours of its own
// (docs/rules/placer.md#C.3.3).
//
// An Identity node is inserted on each data input, on each data out-edge, and on each output without a consumer. They
// are named `<src>_<call>`, `<call>_<dst>` and `<call>`, with _0, _1, ... where the name is taken.
#pragma once

#include <map>

#include "placer/graph/graph.hpp"

namespace tarry {

// Identity is taken from `ops`, or from 2.15's registry when `ops` lacks it. REQUIRES: `ops` outlives `g`. Gives the
// added nodes, each with the call that it was added for.
std::map<NodeId, NodeId> isolate_calls(Graph& g, const OpRegistry& ops);

}  // namespace tarry
