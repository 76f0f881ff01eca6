// For the importer: asks for the memory that building a graph will read, some nodes before it does.
//
// Importing a large graph is waiting for memory. Nothing here changes anything but the time that reading takes.
#pragma once

#include "placer/core/fetch_ahead.hpp"
#include "placer/graph/graph.hpp"

namespace tarry {

class GraphAhead {
 public:
  explicit GraphAhead(const Graph& g) : g_(g) {}

  // A name that will be looked up soon, and sooner.
  void name(std::string_view text) const { g_.names_.expect(text); }
  void characters(std::string_view text) const { g_.names_.expect_characters(text); }
  // What adding an edge from a node reads: which node has the name, some time later the node, and then the edge that
  // the new one follows.
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
