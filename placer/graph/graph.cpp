#include "placer/graph/graph.hpp"

#include <algorithm>

#include "placer/core/check.hpp"
#include "placer/graph/input_text.hpp"

namespace tarry {

Graph::Graph() {
  static const auto no_types = std::make_shared<const DataTypes>();
  for (const char* name : {"_SOURCE", "_SINK"}) {
    const NameId id = names_.intern(name);
    append({.name = id, .requested_device = names_.intern(""), .input_types = no_types, .output_types = no_types});
  }
  add_control_edge(kSource, kSink);
}

std::string_view Graph::op_name(NodeId n) const {
  const OpDef* op = node(n).op;
  return op == nullptr ? std::string_view("NoOp") : std::string_view(op->name);
}

NodeId Graph::add_node(std::string_view name, const OpDef& op, std::string_view device, Attrs attrs, DataTypes inputs,
                       DataTypes outputs) {
  return add_node(names_.intern(name), op, names_.intern(device), std::move(attrs),
                  std::make_shared<const DataTypes>(std::move(inputs)),
                  std::make_shared<const DataTypes>(std::move(outputs)));
}

NodeId Graph::add_node(NameId name, const OpDef& op, NameId device, Attrs attrs, SharedTypes inputs,
                       SharedTypes outputs) {
  check(!find(name).valid(), "two nodes of one name in a graph");
  return append({.name = name,
                 .requested_device = device,
                 .op = &op,
                 .attrs = std::move(attrs),
                 .input_types = std::move(inputs),
                 .output_types = std::move(outputs)});
}

NodeId Graph::append(Node n) {
  const NodeId id{nodes_.size()};
  if (by_name_.size() <= n.name.index()) by_name_.resize(names_.size());
  by_name_[n.name] = id;
  nodes_.push_back(std::move(n));
  ++live_nodes_;
  return id;
}

void Graph::reserve(std::size_t nodes, std::size_t edges) {
  nodes_.reserve(nodes_.size() + nodes);
  edges_.reserve(edges_.size() + edges);
  names_.reserve(names_.size() + nodes);
}

EdgeId Graph::add_edge(NodeId src, int src_slot, NodeId dst, int dst_slot) {
  const EdgeId id{edges_.size()};
  Node& from = node(src);
  Node& to = node(dst);
  Edge e{.src = src, .dst = dst, .src_slot = src_slot, .dst_slot = dst_slot};
  e.previous_out = from.last_out;
  e.previous_in = to.last_in;
  (from.last_out.valid() ? edges_[from.last_out.index()].next_out : from.first_out) = id;
  (to.last_in.valid() ? edges_[to.last_in.index()].next_in : to.first_in) = id;
  from.last_out = to.last_in = id;
  edges_.push_back(e);
  ++live_edges_;
  return id;
}

void Graph::unlink_in(EdgeId id) {
  const Edge& e = edge(id);
  Node& n = node(e.dst);
  (e.previous_in.valid() ? edges_[e.previous_in.index()].next_in : n.first_in) = e.next_in;
  (e.next_in.valid() ? edges_[e.next_in.index()].previous_in : n.last_in) = e.previous_in;
}

void Graph::unlink_out(EdgeId id) {
  const Edge& e = edge(id);
  Node& n = node(e.src);
  (e.previous_out.valid() ? edges_[e.previous_out.index()].next_out : n.first_out) = e.next_out;
  (e.next_out.valid() ? edges_[e.next_out.index()].previous_out : n.last_out) = e.previous_out;
}

void Graph::remove_edge(EdgeId id) {
  check(edge(id).alive, "an edge is removed twice");
  unlink_in(id);
  unlink_out(id);
  edges_[id.index()].alive = false;
  --live_edges_;
}

void Graph::remove_node(NodeId id) {
  check(is_op(id), "only a live op can be removed");
  while (node(id).first_in.valid()) remove_edge(node(id).first_in);
  while (node(id).first_out.valid()) remove_edge(node(id).first_out);
  by_name_[node(id).name] = NodeId::none();
  node(id).alive = false;
  --live_nodes_;
}

void Graph::attach_to_source_and_sink() {
  for (std::size_t i = 2; i < nodes_.size(); ++i) {
    const NodeId n{i};
    if (!node(n).alive) continue;
    if (!node(n).first_in.valid()) add_control_edge(kSource, n);
    if (!node(n).first_out.valid()) add_control_edge(n, kSink);
  }
}

std::vector<NodeId> Graph::op_nodes() const {
  std::vector<NodeId> ids;
  ids.reserve(live_nodes_);
  for (std::size_t i = 2; i < nodes_.size(); ++i)
    if (nodes_[i].alive) ids.push_back(NodeId{i});
  return ids;
}

EdgeId Graph::input_edge(NodeId n, int slot) const {
  for (const EdgeId e : in_edges(n))
    if (edge(e).dst_slot == slot) return e;
  return EdgeId::none();
}

NodeSpec spec_of(const Graph& g, NodeId n, std::string_view device) {
  NodeSpec spec{std::string(g.name(n)), std::string(g.op_name(n)), std::string(device), {}, g.node(n).attrs};
  spec.inputs.resize(g.input_count(n));
  for (const EdgeId id : g.in_edges(n)) {
    const Edge& e = g.edge(id);
    if (e.is_control()) {
      if (e.src != kSource) spec.inputs.push_back(input_text(g.name(e.src), kControlSlot));
    } else {
      spec.inputs[e.dst_slot] = input_text(g.name(e.src), e.src_slot);
    }
  }
  return spec;
}

}  // namespace tarry
