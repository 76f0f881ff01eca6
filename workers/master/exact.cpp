#include "workers/master/exact.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace tarry {
namespace {

constexpr std::int64_t kOpTime = 1, kCopyTime = 10;

bool has_references(const Node& n) {
  return std::ranges::any_of(*n.input_types, is_ref) || std::ranges::any_of(*n.output_types, is_ref);
}

// All that the nodes of `found` reach along `edges`.
using Found = std::vector<std::uint8_t>;
template <class Edges>
void close_over(const Graph& g, Found& found, Edges edges, NodeId Edge::*end) {
  std::vector<NodeId> open;
  for (const NodeId n : g.op_nodes())
    if (found[n.index()] != 0) open.push_back(n);
  while (!open.empty()) {
    const NodeId n = open.back();
    open.pop_back();
    for (const EdgeId e : edges(n))
      if (const NodeId next = g.edge(e).*end; g.is_op(next) && std::exchange(found[next.index()], 1) == 0)
        open.push_back(next);
  }
}

Found related_to_references(const Graph& g) {
  Found found(g.node_slots(), 0);
  for (const NodeId n : g.op_nodes()) found[n.index()] = has_references(g.node(n)) ? 1 : 0;
  close_over(
      g, found, [&](NodeId n) { return g.out_edges(n); }, &Edge::dst);
  close_over(
      g, found, [&](NodeId n) { return g.in_edges(n); }, &Edge::src);
  return found;
}

Attrs stripped(const Attrs& attrs, const OpDef& op) {
  std::vector<AttrEntry> kept;
  for (const auto& entry : attrs) {
    const AttrDef* a = op.find_attr(entry.first);
    if (a == nullptr || !a->default_value || !(*a->default_value == entry.second)) kept.push_back(entry);
  }
  return Attrs(std::move(kept));
}

// A Merge is processed at its first data input; its control inputs must all be there.
class Asap {
 public:
  explicit Asap(const Graph& g)
      : g_(g), starts_(g.node_slots(), 0), pending_(g.node_slots(), 0), has_data_(g.node_slots(), false) {
    for (std::size_t i = 1; i < g.edge_slots(); ++i)
      if (const Edge& e = g.edge(EdgeId{i}); e.alive && !(is_merge(e.dst) && !e.is_control()))
        ++pending_[e.dst.index()];
  }

  std::vector<std::int64_t> run() {
    open_.push_back(kSource);
    while (!open_.empty()) {
      const NodeId n = open_.front();
      open_.pop_front();
      for (const EdgeId e : g_.out_edges(n)) follow(g_.edge(e));
    }
    return std::move(starts_);
  }

 private:
  [[nodiscard]] bool is_merge(NodeId n) const {
    return g_.is_op(n) && (g_.op_name(n) == "Merge" || g_.op_name(n) == "RefMerge");
  }

  void follow(const Edge& e) {
    const bool copies = !e.is_control() && g_.node(e.src).assigned != g_.node(e.dst).assigned;
    std::int64_t& start = starts_[e.dst.index()];
    start = std::max(start, starts_[e.src.index()] + kOpTime + (copies ? kCopyTime : 0));
    if (becomes_ready(e)) open_.push_back(e.dst);
  }

  bool becomes_ready(const Edge& e) {
    int& pending = pending_[e.dst.index()];
    if (!is_merge(e.dst)) return --pending == 0;
    if (e.is_control()) return --pending == 0 && has_data_[e.dst.index()];
    const bool is_first = !has_data_[e.dst.index()];
    has_data_[e.dst.index()] = true;
    return is_first && pending == 0;
  }

  const Graph& g_;
  std::vector<std::int64_t> starts_;
  std::vector<int> pending_;
  std::vector<bool> has_data_;
  std::deque<NodeId> open_;
};

}  // namespace

void mark_reference_variables(Graph& g) {
  const Found related = related_to_references(g);
  for (const NodeId n : g.op_nodes()) g.node(n).attrs.set("_XlaHasReferenceVars", related[n.index()] != 0);
}

void strip_default_attributes(GraphSpec& g, const OpRegistry& ops) {
  for (NodeSpec& n : g.nodes)
    if (const OpDef* op = ops.find(n.op)) n.attrs = stripped(n.attrs, *op);
}

std::vector<std::int64_t> earliest_starts(const Graph& g) { return Asap(g).run(); }

}  // namespace tarry
