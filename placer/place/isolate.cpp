#include "placer/place/isolate.hpp"

#include <algorithm>

#include "placer/place/called_function.hpp"

namespace tarry {
namespace {

class Isolation {
 public:
  Isolation(Graph& g, const OpDef& identity) : g_(g), identity_(identity) {}

  void isolate(NodeId call) {
    for (int slot = 0; slot < g_.input_count(call); ++slot) guard_input(call, slot);
    guard_outputs(call);
  }

  std::map<NodeId, NodeId> added_for;

 private:
  std::string free_name(const std::string& wanted) const {
    if (!g_.find(wanted).valid()) return wanted;
    int i = 0;
    while (g_.find(fmt::format("{}_{}", wanted, i)).valid()) ++i;
    return fmt::format("{}_{}", wanted, i);
  }

  NodeId add_identity(NodeId call, const std::string& wanted, NodeId src, int slot) {
    const DataType type = base_type(g_.output_type(src, slot));
    const NodeId n = g_.add_node(free_name(wanted), identity_, "", {{"T", type}}, {type}, {type});
    g_.add_edge(src, slot, n, 0);
    added_for.emplace(n, call);
    return n;
  }

  void guard_input(NodeId call, int slot) {
    const EdgeId id = g_.input_edge(call, slot);
    if (!id.valid()) return;
    const Edge e = g_.edge(id);
    const NodeId guard = add_identity(call, fmt::format("{}_{}", g_.name(e.src), g_.name(call)), e.src, e.src_slot);
    redirect(id, guard);
  }

  void redirect(EdgeId id, NodeId from) {
    const Edge e = g_.edge(id);
    g_.remove_edge(id);
    g_.add_edge(from, 0, e.dst, e.dst_slot);
  }

  void guard_outputs(NodeId call) {
    std::vector<EdgeId> edges;
    for (const EdgeId e : g_.out_edges(call))
      if (!g_.edge(e).is_control()) edges.push_back(e);
    std::ranges::sort(edges);
    std::vector<bool> used(static_cast<std::size_t>(g_.output_count(call)));
    for (const EdgeId id : edges) {
      const Edge e = g_.edge(id);
      used[static_cast<std::size_t>(e.src_slot)] = true;
      redirect(id, add_identity(call, fmt::format("{}_{}", g_.name(call), g_.name(e.dst)), call, e.src_slot));
    }
    for (std::size_t slot = 0; slot < used.size(); ++slot)
      if (!used[slot]) add_identity(call, std::string(g_.name(call)), call, static_cast<int>(slot));
  }

  Graph& g_;
  const OpDef& identity_;
};

}  // namespace

std::map<NodeId, NodeId> isolate_calls(Graph& g, const OpRegistry& ops) {
  const OpDef* own = ops.find("Identity");
  Isolation isolation(g, own != nullptr ? *own : *ops_of_tf215().find("Identity"));
  for (const NodeId n : g.op_nodes())
    if (needs_inspection(g, n)) isolation.isolate(n);
  return std::move(isolation.added_for);
}

}  // namespace tarry
