#include "workers/worker/step_trace.hpp"

#include <algorithm>

#include "placer/graph/import.hpp"

namespace tarry {
namespace {

struct Found {
  const Partition* part = nullptr;
  const NodeSpec* node = nullptr;
};

Found find_node(const std::vector<Partition>& parts, std::string_view name) {
  for (const Partition& p : parts)
    if (const auto n = std::ranges::find(p.graph.nodes, name, &NodeSpec::name); n != p.graph.nodes.end())
      return {&p, &*n};
  return {};
}

std::string label_of(const NodeSpec& n) { return fmt::format("{} = {}({})", n.name, n.op, fmt::join(n.inputs, ", ")); }

std::int64_t bytes_of(const NodeStats& s, std::size_t output) {
  return output < s.outputs.size()
             ? s.outputs[output].second.elements() * static_cast<std::int64_t>(type_size(s.outputs[output].first))
             : 0;
}

}  // namespace

StepTrace::StepTrace(std::shared_ptr<GraphItem> item) : item_(std::move(item)) {
  for (const Partition& p : item_->partitions) ran_.push_back({p.location, {"_SOURCE", "_SOURCE = NoOp()", {}, 0}});
}

void StepTrace::ran(std::string_view node, std::span<const Value> outputs) {
  const Found found = find_node(item_->partitions, node);
  if (found.node == nullptr) return;
  NodeStats stats{std::string(node), label_of(*found.node), {}, 0};
  for (const Value& v : outputs)
    if (v.tensor) stats.outputs.emplace_back(v.tensor->dtype(), v.tensor->shape());
  ran_.push_back({found.part->location, std::move(stats)});
}

StepStats StepTrace::stats() const {
  StepStats all;
  for (const Ran& r : ran_) {
    auto it = std::ranges::find(all, r.device, &DeviceStats::device);
    if (it == all.end()) it = all.insert(all.end(), DeviceStats{r.device, {}});
    it->nodes.push_back(r.stats);
  }
  return all;
}

// What was never measured has no size, shape or type. A constant's value stays in memory: it counts as persistent, not
// as an output's size.
CostNode StepTrace::cost_of(const Graph& g, NodeId n, std::int32_t offset, const std::string& device) const {
  CostNode c{g.is_op(n)     ? std::string(g.name(n))
             : n == kSource ? "_SOURCE"
                            : "_SINK",
             g.is_op(n) ? device : "", static_cast<std::int32_t>(n.index()) + offset};
  for (const EdgeId id : g.in_edges(n)) {
    const Edge& e = g.edge(id);
    const auto src = static_cast<std::int32_t>(e.src.index()) + offset;
    (e.is_control() ? c.control : c.preceding).push_back(src);
    if (!e.is_control()) c.ports.push_back(e.src_slot);
  }
  if (n == kSink) c.control.push_back(offset);  // the rewriting copies the edge from the source once more
  std::ranges::sort(c.control);
  if (!g.is_op(n)) return c;
  const auto ran = std::ranges::find(ran_, c.name, [](const Ran& r) { return r.stats.node; });
  c.outputs.resize(static_cast<std::size_t>(g.output_count(n)));
  c.is_final = g.op_name(n) == "_Send" || g.op_name(n) == "_HostSend";
  if (ran == ran_.end()) return c;
  const bool stays = g.op_name(n) == "Const";
  for (std::size_t i = 0; i < std::min(c.outputs.size(), ran->stats.outputs.size()); ++i)
    c.outputs[i] = {stays ? 0 : bytes_of(ran->stats, i), ran->stats.outputs[i].second, ran->stats.outputs[i].first};
  if (stays) c.persistent_bytes = bytes_of(ran->stats, 0);
  return c;
}

std::vector<CostNode> StepTrace::costs() const {
  std::vector<CostNode> all;
  if (!item_->builds_cost_model) return all;
  for (const Partition& p : item_->partitions) {
    const auto offset = static_cast<std::int32_t>(all.size());
    const StatusOr<Graph> g = import_graph(p.graph, made_by_itself());
    if (!g.ok()) continue;
    for (std::size_t i = 0; i < g->node_slots(); ++i) all.push_back(cost_of(*g, NodeId{i}, offset, p.location));
  }
  return all;
}

}  // namespace tarry
