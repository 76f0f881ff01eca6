// The edges into a node as the partitioner copies them: data by slot, then control; those from control loops apart.
#pragma once

#include <vector>

#include "placer/graph/graph.hpp"

namespace tarry {

struct Incoming {
  std::vector<EdgeId> edges;
  NodeId loop_merge;   // of the control loop that the node is in; none outside of one
  int loop_edges = 0;  // from there

  // Forgets what was found before; keeps the room. Fails: INVALID_ARGUMENT `Incomplete graph, missing N inputs for X`.
  [[nodiscard]] Status find(const Graph& g, NodeId n);
};

}  // namespace tarry
