// What the shape functions of an importing client refuse: attributes that are no shapes, constants that have none.
// Private to placer/graph.
//
// Of a node's attributes only those count that its op's shape function reads (docs/rules/placer.md#B.10). tarry infers
// no shapes: of inputs it knows those of constants and placeholders, others print as "?".
#pragma once

#include "placer/graph/graph.hpp"

namespace tarry {

// REQUIRES: the node's data inputs are connected, or come round a loop.
// Fails: INVALID_ARGUMENT with the text of 2.15.1.
[[nodiscard]] Status check_shapes(const Graph& g, NodeId n);

}  // namespace tarry
