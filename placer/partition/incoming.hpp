// The edges into a node as the partitioner copies them: data edges by slot, then control edges. Edges from the Merge of
// a control loop are counted separately.
#pragma once

#include <vector>

#include "placer/graph/graph.hpp"

namespace tarry {

struct Incoming {
  std::vector<EdgeId> edges;
  NodeId loop_merge;   // the Merge of the node's control loop; `none` outside of control loops
  int loop_edges = 0;  // edges from `loop_merge`

  // Replaces what an earlier call found (the memory is reused). Fails: INVALID_ARGUMENT `Incomplete graph, missing N
  // inputs for X`.
  [[nodiscard]] Status find(const Graph& g, NodeId n);
};

}  // namespace tarry
