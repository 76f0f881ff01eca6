// For the importer: prefetches the memory that building a graph will read, some nodes before it is read.
//
// Importing a large graph mostly waits for memory. Prefetching changes nothing but the time that reading takes.
#pragma once

#include "placer/core/fetch_ahead.hpp"
#include "placer/graph/graph.hpp"

namespace tarry {

class GraphAhead {
 public:
  explicit GraphAhead(const Graph& g) : g_(g) {}

  // For a name that will be looked up: first its place in the table; then, shortly before the look-up, its characters.
  void name(std::string_view text) const { g_.names_.expect(text); }
  void characters(std::string_view text) const { g_.names_.expect_characters(text); }
  // For an edge that will be added from a node, in this order, some time apart: which node has the name, the node, and
  // the last edge out of the node.
  void node(NameId name) const {
    if (name.index() < g_.by_name_.size()) fetch_ahead(&g_.by_name_[name]);
  }
  void node(NodeId src) const { fetch_ahead(&g_.node(src).output_types); }
  void last_edge(NodeId src) const {
    if (const EdgeId last = g_.node(src).last_out; last.valid()) fetch_ahead(&g_.edges_[last.index()].next_out);
  }

 private:
  const Graph& g_;
};

}  // namespace tarry
