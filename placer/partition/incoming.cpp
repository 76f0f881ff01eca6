#include "placer/partition/incoming.hpp"

#include "placer/partition/control_loops.hpp"

namespace tarry {

Status Incoming::find(const Graph& g, NodeId n) {
  edges.assign(g.input_count(n), EdgeId::none());
  loop_merge = NodeId::none();
  loop_edges = 0;
  int data = 0;
  for (const EdgeId id : g.in_edges(n)) {
    const Edge& e = g.edge(id);
    if (!e.is_control()) {
      edges[e.dst_slot] = id;
      ++data;
    } else if (!g.is_op(e.src)) {
      continue;
    } else if (is_control_loop_merge(g, e.src)) {
      loop_merge = e.src;
      ++loop_edges;
    } else {
      edges.push_back(id);
    }
  }
  if (data == g.input_count(n)) return {};
  return invalid("Incomplete graph, missing {} inputs for {}", g.input_count(n) - data, g.name(n));
}

}  // namespace tarry
