// A graph as it is computed on: dense ids and flat arrays.
//
// Node 0 is `_SOURCE`, node 1 is `_SINK`, ops start at 2 (docs/rules/placer.md#B.1). An edge joins an output slot to an
// input slot; a control edge has slot -1 at both ends. Edges are numbered in the order in which they were added (edge 0
// joins source to sink) and numbers are never reused: they show in rendezvous keys. A node's in-edges and out-edges are
// visited in the order of addition (docs/rules/placer.md#B.4). Removing a node or an edge leaves a hole in the
// numbering.
//
// boost_graph.hpp makes this type a model of Boost.Graph's BidirectionalGraph, VertexListGraph and EdgeListGraph.
#pragma once

#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "placer/core/ids.hpp"
#include "placer/core/wide_pages.hpp"
#include "placer/graph/name_table.hpp"
#include "placer/graph/spec.hpp"

namespace tarry {

inline constexpr int kControlSlot = -1;
inline constexpr NodeId kSource{0u};
inline constexpr NodeId kSink{1u};

struct Edge {
  NodeId src, dst;
  int src_slot = kControlSlot;
  int dst_slot = kControlSlot;
  EdgeId next_in, previous_in, next_out, previous_out;  // links of the edges at one node: of `dst` (in), of `src` (out)
  bool alive = true;
  [[nodiscard]] bool is_control() const { return dst_slot == kControlSlot; }
};

struct Node {
  NameId name;
  NameId requested_device;    // "" = no request
  const OpDef* op = nullptr;  // nullptr for source and sink only
  Attrs attrs;
  // Types are shared by nodes of one kind. The members that adding an edge reads stand together, so that in a large
  // graph they are one wait for memory.
  std::shared_ptr<const DataTypes> input_types;
  EdgeId first_in, last_in;
  std::shared_ptr<const DataTypes> output_types;
  EdgeId first_out, last_out;
  DeviceId assigned;  // into the device set that the placer was given; none = not placed
  bool alive = true;
};

class Graph {
 public:
  Graph();

  // REQUIRES: `op` outlives the graph (or is held by keep_alive). The caller has validated the node against its op.
  NodeId add_node(std::string_view name, const OpDef& op, std::string_view device, Attrs attrs, DataTypes inputs,
                  DataTypes outputs);
  // The same for many nodes of one kind: names are interned and types shared.
  using SharedTypes = std::shared_ptr<const DataTypes>;
  NodeId add_node(NameId name, const OpDef& op, NameId device, Attrs attrs, SharedTypes inputs, SharedTypes outputs);
  EdgeId add_edge(NodeId src, int src_slot, NodeId dst, int dst_slot);
  EdgeId add_control_edge(NodeId src, NodeId dst) { return add_edge(src, kControlSlot, dst, kControlSlot); }
  void remove_edge(EdgeId e);
  void remove_node(NodeId n);  // with its edges
  // Every op without in-edges gets one from source, every op without out-edges one to sink (docs/rules/placer.md#B.1).
  void attach_to_source_and_sink();
  void reserve(std::size_t nodes, std::size_t edges);  // for so many in addition
  void keep_alive(std::shared_ptr<const void> owner) { owners_.push_back(std::move(owner)); }

  [[nodiscard]] std::size_t node_slots() const { return nodes_.size(); }  // ids in use or removed
  [[nodiscard]] std::size_t edge_slots() const { return edges_.size(); }
  [[nodiscard]] std::size_t node_count() const { return live_nodes_; }  // source and sink counted
  [[nodiscard]] std::size_t edge_count() const { return live_edges_; }
  [[nodiscard]] const Node& node(NodeId n) const { return nodes_[n.index()]; }
  [[nodiscard]] Node& node(NodeId n) { return nodes_[n.index()]; }
  [[nodiscard]] const Edge& edge(EdgeId e) const { return edges_[e.index()]; }

  [[nodiscard]] std::string_view name(NodeId n) const { return names_[node(n).name]; }
  [[nodiscard]] std::string_view op_name(NodeId n) const;
  [[nodiscard]] std::string_view requested_device(NodeId n) const { return names_[node(n).requested_device]; }
  void set_requested_device(NodeId n, std::string_view device) { node(n).requested_device = names_.intern(device); }
  [[nodiscard]] bool is_op(NodeId n) const { return n.index() > 1 && node(n).alive; }
  [[nodiscard]] DataType input_type(NodeId n, int slot) const { return (*node(n).input_types)[slot]; }
  [[nodiscard]] DataType output_type(NodeId n, int slot) const { return (*node(n).output_types)[slot]; }
  [[nodiscard]] int input_count(NodeId n) const { return static_cast<int>(node(n).input_types->size()); }
  [[nodiscard]] int output_count(NodeId n) const { return static_cast<int>(node(n).output_types->size()); }
  [[nodiscard]] NodeId find(std::string_view name) const {
    return find(names_.find(name));
  }  // none when there is no such live node
  [[nodiscard]] NodeId find(NameId name) const {
    return name.index() < by_name_.size() ? by_name_[name] : NodeId::none();
  }

  // Names of nodes and of devices, numbered from 0.
  NameId intern(std::string_view text) { return names_.intern(text); }
  [[nodiscard]] NameId find_name(std::string_view text) const { return names_.find(text); }  // `none` if not interned
  [[nodiscard]] std::string_view text(NameId name) const { return names_[name]; }
  [[nodiscard]] std::size_t name_count() const { return names_.size(); }

  // Ranges over live ids. In- and out-edges come in order of addition; nodes and edges in ascending id.
  class EdgeRange;
  class IdRange;
  [[nodiscard]] EdgeRange in_edges(NodeId n) const;
  [[nodiscard]] EdgeRange out_edges(NodeId n) const;
  [[nodiscard]] std::vector<NodeId> op_nodes() const;
  [[nodiscard]] EdgeId input_edge(NodeId n, int slot) const;  // none when the input is missing

  Versions versions;
  std::vector<FunctionSpec> functions;
  StackTraces stack_traces;

 private:
  friend class GraphAhead;
  NodeId append(Node n);
  void unlink_in(EdgeId e);
  void unlink_out(EdgeId e);

  std::vector<Node, WidePages<Node>> nodes_;
  std::vector<Edge, WidePages<Edge>> edges_;
  NameTable names_;
  IdVector<NameId, NodeId> by_name_;  // live nodes; shorter than names_
  std::vector<std::shared_ptr<const void>> owners_;
  std::size_t live_nodes_ = 0, live_edges_ = 0;
};

// A forward range over one node's edges, following the links in the flat edge array.
class Graph::EdgeRange {
 public:
  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = EdgeId;
    using difference_type = std::ptrdiff_t;
    using pointer = const EdgeId*;
    using reference = EdgeId;
    iterator() = default;
    iterator(const Graph* g, EdgeId at, EdgeId Edge::*next) : graph_(g), at_(at), next_(next) {}
    EdgeId operator*() const { return at_; }
    iterator& operator++() {
      at_ = graph_->edge(at_).*next_;
      return *this;
    }
    iterator operator++(int) {
      iterator old = *this;
      ++*this;
      return old;
    }
    friend bool operator==(const iterator& a, const iterator& b) { return a.at_ == b.at_; }

   private:
    const Graph* graph_ = nullptr;
    EdgeId at_;
    EdgeId Edge::*next_ = nullptr;
  };

  EdgeRange(const Graph* g, EdgeId first, EdgeId Edge::*next) : graph_(g), first_(first), next_(next) {}
  [[nodiscard]] iterator begin() const { return {graph_, first_, next_}; }
  [[nodiscard]] iterator end() const { return {graph_, EdgeId::none(), next_}; }
  [[nodiscard]] bool empty() const { return !first_.valid(); }

 private:
  const Graph* graph_;
  EdgeId first_;
  EdgeId Edge::*next_;
};

inline Graph::EdgeRange Graph::in_edges(NodeId n) const { return {this, node(n).first_in, &Edge::next_in}; }
inline Graph::EdgeRange Graph::out_edges(NodeId n) const { return {this, node(n).first_out, &Edge::next_out}; }

// The node as it would be written down: inputs by name (slot 0 without ":0"), `device` as given.
[[nodiscard]] NodeSpec spec_of(const Graph& g, NodeId n, std::string_view device);

}  // namespace tarry
