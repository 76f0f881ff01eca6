#include "placer/graph/graph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placer/core/check.hpp"

namespace tarry {

NameTable::NameTable(const NameTable& o) {
  for (const std::string& text : o.texts_) intern(text);
}

NameTable& NameTable::operator=(NameTable o) noexcept {
  std::swap(texts_, o.texts_);
  std::swap(ids_, o.ids_);
  return *this;
}

NameId NameTable::intern(std::string_view text) {
  if (const auto it = ids_.find(text); it != ids_.end()) return it->second;
  const NameId id{texts_.size()};
  ids_.emplace(texts_.emplace_back(text), id);
  return id;
}

NameId NameTable::find(std::string_view text) const {
  const auto it = ids_.find(text);
  return it == ids_.end() ? NameId::none() : it->second;
}

Graph::Graph() {
  static const auto no_types = std::make_shared<const DataTypes>();
  for (const char* name : {"_SOURCE", "_SINK"}) {
    Node n;
    n.name = names_.intern(name);
    n.requested_device = names_.intern("");
    n.input_types = n.output_types = no_types;
    by_name_.emplace(n.name, NodeId{nodes_.size()});
    nodes_.push_back(std::move(n));
  }
  live_nodes_ = 2;
  add_control_edge(kSource, kSink);
}

std::string_view Graph::op_name(NodeId n) const {
  const OpDef* op = node(n).op;
  return op == nullptr ? std::string_view("NoOp") : std::string_view(op->name);
}

NodeId Graph::find(std::string_view name) const {
  const auto it = by_name_.find(names_.find(name));
  return it == by_name_.end() ? NodeId::none() : it->second;
}

NodeId Graph::add_node(std::string_view name, const OpDef& op, std::string_view device, Attrs attrs, DataTypes inputs,
                       DataTypes outputs) {
  Node n;
  n.name = names_.intern(name);
  n.requested_device = names_.intern(device);
  n.op = &op;
  n.attrs = std::move(attrs);
  n.input_types = std::make_shared<const DataTypes>(std::move(inputs));
  n.output_types = std::make_shared<const DataTypes>(std::move(outputs));
  const NodeId id{nodes_.size()};
  const bool is_new = by_name_.emplace(n.name, id).second;
  check(is_new, "two nodes of one name in a graph");
  nodes_.push_back(std::move(n));
  ++live_nodes_;
  return id;
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
  by_name_.erase(node(id).name);
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
      if (e.src != kSource) spec.inputs.push_back(fmt::format("^{}", g.name(e.src)));
    } else {
      spec.inputs[e.dst_slot] = e.src_slot == 0 ? std::string(g.name(e.src)) : fmt::format("{}:{}", g.name(e.src), e.src_slot);
    }
  }
  return spec;
}

}  // namespace tarry
