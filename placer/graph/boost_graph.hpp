// tarry's graph as Boost.Graph sees it: vertices are NodeIds, edges are EdgeIds; both ranges leave out removed ones.
//
// Include this to run a Boost.Graph algorithm on a Graph; graph_test.cpp checks the concepts.
#pragma once

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/filter_iterator.hpp>
#include <boost/iterator/iterator_facade.hpp>
#include <boost/property_map/property_map.hpp>

#include "placer/graph/graph.hpp"

namespace tarry {

// Counts ids upwards, stepping over removed ones.
template <class IdType, bool (*IsAlive)(const Graph&, IdType), std::size_t (Graph::*Slots)() const>
class LiveIdIterator : public boost::iterator_facade<LiveIdIterator<IdType, IsAlive, Slots>, IdType,
                                                     boost::forward_traversal_tag, IdType> {
 public:
  LiveIdIterator() = default;
  LiveIdIterator(const Graph* g, std::size_t at) : graph_(g), at_(at) { skip_removed(); }

 private:
  friend class boost::iterator_core_access;
  void increment() {
    ++at_;
    skip_removed();
  }
  void skip_removed() {
    while (at_ < (graph_->*Slots)() && !IsAlive(*graph_, IdType{at_})) ++at_;
  }
  bool equal(const LiveIdIterator& o) const { return at_ == o.at_; }
  IdType dereference() const { return IdType{at_}; }

  const Graph* graph_ = nullptr;
  std::size_t at_ = 0;
};

inline bool node_is_alive(const Graph& g, NodeId n) { return g.node(n).alive; }
inline bool edge_is_alive(const Graph& g, EdgeId e) { return g.edge(e).alive; }
using NodeIterator = LiveIdIterator<NodeId, node_is_alive, &Graph::node_slots>;
using EdgeIterator = LiveIdIterator<EdgeId, edge_is_alive, &Graph::edge_slots>;

struct NodeIndexMap {
  using key_type = NodeId;
  using value_type = std::size_t;
  using reference = std::size_t;
  using category = boost::readable_property_map_tag;
  friend std::size_t get(NodeIndexMap, NodeId n) { return n.index(); }
};

}  // namespace tarry

namespace boost {

template <>
struct graph_traits<tarry::Graph> {
  using vertex_descriptor = tarry::NodeId;
  using edge_descriptor = tarry::EdgeId;
  using directed_category = bidirectional_tag;
  using edge_parallel_category = allow_parallel_edge_tag;
  struct traversal_category : bidirectional_graph_tag, vertex_list_graph_tag, edge_list_graph_tag {};
  using vertex_iterator = tarry::NodeIterator;
  using edge_iterator = tarry::EdgeIterator;
  using out_edge_iterator = tarry::Graph::EdgeRange::iterator;
  using in_edge_iterator = tarry::Graph::EdgeRange::iterator;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  static vertex_descriptor null_vertex() { return tarry::NodeId::none(); }
};

template <>
struct property_map<tarry::Graph, vertex_index_t> {
  using type = tarry::NodeIndexMap;
  using const_type = tarry::NodeIndexMap;
};

}  // namespace boost

namespace tarry {

inline NodeId source(EdgeId e, const Graph& g) { return g.edge(e).src; }
inline NodeId target(EdgeId e, const Graph& g) { return g.edge(e).dst; }
inline std::pair<NodeIterator, NodeIterator> vertices(const Graph& g) { return {{&g, 0}, {&g, g.node_slots()}}; }
inline std::pair<EdgeIterator, EdgeIterator> edges(const Graph& g) { return {{&g, 0}, {&g, g.edge_slots()}}; }
inline std::size_t num_vertices(const Graph& g) {
  return g.node_slots();
}  // an upper bound of the ids, as index maps need
inline std::size_t num_edges(const Graph& g) { return g.edge_count(); }
inline auto out_edges(NodeId n, const Graph& g) { return std::pair{g.out_edges(n).begin(), g.out_edges(n).end()}; }
inline auto in_edges(NodeId n, const Graph& g) { return std::pair{g.in_edges(n).begin(), g.in_edges(n).end()}; }
inline std::size_t out_degree(NodeId n, const Graph& g) { return std::ranges::distance(g.out_edges(n)); }
inline std::size_t in_degree(NodeId n, const Graph& g) { return std::ranges::distance(g.in_edges(n)); }
inline std::size_t degree(NodeId n, const Graph& g) { return in_degree(n, g) + out_degree(n, g); }
inline NodeIndexMap get(boost::vertex_index_t, const Graph&) { return {}; }
inline std::size_t get(boost::vertex_index_t, const Graph&, NodeId n) { return n.index(); }

}  // namespace tarry
