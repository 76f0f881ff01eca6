#include "properties/conform/partition.hpp"

#include <nlohmann/json.hpp>

#include "placer/graph/import.hpp"
#include "placer/graph/read.hpp"
#include "placer/partition/partition.hpp"
#include "properties/conform/checked.hpp"

namespace tarry {
namespace {

// "x_S0", "x_S1", ...
std::function<std::string(std::string_view)> namer(std::string_view mark) {
  return [mark = std::string(mark), next = 0](std::string_view prefix) mutable {
    return fmt::format("{}{}{}", prefix, mark, next++);
  };
}

struct Split {
  const Json& c;
  const DeviceSet& devices;
  const ReleaseTables& release;

  [[nodiscard]] bool scheduled() const { return c.at("partition").contains("start"); }

  [[nodiscard]] PartitionOptions options(bool by_task, std::string_view mark) const {
    PartitionOptions o{.kernels = &release.kernels, .ops = &release.ops, .rules = release.rules};
    o.by = by_task ? CutBy::task : CutBy::device;
    o.new_name = namer(mark);
    o.incarnation = [this](std::string_view name) {
      const DeviceId d = devices.find(name);
      return d.valid() ? devices[d].incarnation : 0;
    };
    o.scheduling_for_recvs = scheduled();
    o.cut = partition_rules_of(release.rules);
    return o;
  }

  // 0 for what the partitioner adds.
  [[nodiscard]] std::function<std::int64_t(NodeId)> start_times(const Graph& g) const {
    if (!scheduled()) return {};
    return
        [this, &g](NodeId n) { return c.at("partition").at("start").value(std::string(g.name(n)), std::int64_t{0}); };
  }
};

StatusOr<CutParts> cut(Graph& g, const DeviceSet& devices, const PartitionOptions& options) {
  TARRY_ASSIGN(auto partitions, partition(g, devices, options));
  CutParts parts;
  for (Partition& p : partitions) parts[p.location] = std::move(p.graph.nodes);
  return parts;
}

StatusOr<Graph> imported(const GraphSpec& spec, const ReleaseTables& r) {
  return import_graph(spec, {.ops = &r.ops,
                             .oldest_order = r.rules.oldest_order,
                             .controls_sorted = r.rules.controls_sorted,
                             .controls_once = r.rules.controls_once,
                             .colocations_known = false,
                             .own_names = true});
}

// What a worker does with its part.
StatusOr<CutParts> cut_again(const std::vector<NodeSpec>& nodes, const Split& split) {
  GraphSpec spec;
  spec.nodes = nodes;
  TARRY_ASSIGN(Graph g, imported(spec, split.release));
  for (const NodeId n : g.op_nodes()) g.node(n).assigned = split.devices.find(g.requested_device(n));
  PartitionOptions options = split.options(false, "_G");
  options.control_flow_added = true;
  return cut(g, split.devices, options);
}

CutParts parts_from(const Json& recorded) {
  CutParts parts;
  for (const auto& [location, nodes] : recorded.items()) parts[location] = graph_from(nodes).nodes;
  return parts;
}

CutByBoth recorded_answer(const Json& outcome) {
  CutByBoth a{.parts = parts_from(outcome.at("parts"))};
  if (outcome.contains("device_parts"))
    for (const auto& [worker, parts] : outcome.at("device_parts").items()) a.device_parts[worker] = parts_from(parts);
  return a;
}

std::string shown(const NodeSpec& n) {
  std::string out = fmt::format("{} = {} @{} (", n.name, n.op, n.device);
  for (const std::string& input : n.inputs) out += input + " ";
  out += ")";
  for (const auto& [name, value] : n.attrs) out += fmt::format(" {}={}", name, summarize(value));
  return out;
}

// The first nodes that differ, theirs and ours.
std::optional<CutDifference> difference(const CutParts& theirs, const CutParts& ours) {
  for (const auto& [location, nodes] : theirs) {
    const auto it = ours.find(location);
    if (it == ours.end()) return std::pair(location, std::string("no such partition"));
    for (std::size_t i = 0; i < std::max(nodes.size(), it->second.size()); ++i) {
      if (i < nodes.size() && i < it->second.size() && nodes[i] == it->second[i]) continue;
      return std::pair(i < nodes.size() ? shown(nodes[i]) : "nothing",
                       i < it->second.size() ? shown(it->second[i]) : "nothing");
    }
  }
  return std::nullopt;
}

std::optional<CutDifference> refusal_difference(const Json& outcome, const Status& ours) {
  const auto theirs = outcome.at("msg").get<std::string>();
  if (static_cast<int>(ours.code()) == outcome.at("code").get<int>() && text_of(ours) == theirs) return std::nullopt;
  return CutDifference(theirs, ours.ok() ? "partitions" : text_of(ours));
}

CutDifference difference(const CutByBoth& theirs, const CutByBoth& ours) {
  if (const auto d = difference(theirs.parts, ours.parts)) return *d;
  for (const auto& [worker, parts] : theirs.device_parts)
    if (const auto it = ours.device_parts.find(worker); it != ours.device_parts.end())
      if (const auto d = difference(parts, it->second)) return *d;
  return {"its partitions", "more partitions"};
}

// What the release could not place was not cut either; `conform placer` judges that.
void compare(const Json& c, const Json& outcome, const ReleaseTables& release, Agreement& agreement) {
  if (!outcome.contains("place")) return;
  const auto d = cut_difference(c, outcome, release).value_or(CutDifference());
  agreement.note(d == CutDifference(), c.at("id").get<std::string>(), d.first, d.second);
}

}  // namespace

StatusOr<CutByBoth> cut_case(const Json& c, const Json& place, const ReleaseTables& release) {
  TARRY_ASSIGN(const DeviceSet devices, devices_from(c.at("devices")));
  TARRY_ASSIGN(Graph g, imported(graph_from(c.at("nodes")), release));
  for (std::size_t i = 0; i < c.at("nodes").size(); ++i) {
    const auto device = place.at(i).get<std::size_t>();
    if (device >= devices.size())
      return invalid("case {}: node {} is placed on device {}; the case has {}, counted from 0",
                     c.at("id").get<std::string>(), i, device, devices.size());
    const NodeId n = g.find(c.at("nodes").at(i).at(0).get<std::string>());
    if (!n.valid()) return invalid("case {}: node {} is not in the graph", c.at("id").get<std::string>(), i);
    g.node(n).assigned = DeviceId{device};
  }
  const Split split{c, devices, release};
  const std::string by = c.at("partition").at("by").get<std::string>();
  PartitionOptions options = split.options(by != "device", by == "device" ? "/_" : "_S");
  options.start_time = split.start_times(g);
  CutByBoth a;
  TARRY_ASSIGN(a.parts, cut(g, devices, options));
  if (by != "both") return a;
  for (const auto& [worker, nodes] : a.parts) {
    TARRY_ASSIGN(a.device_parts[worker], cut_again(nodes, split));
  }
  return a;
}

std::optional<CutDifference> cut_difference(const Json& c, const Json& outcome, const ReleaseTables& release) {
  const auto ours = cut_case(c, outcome.at("place"), release);
  if (!outcome.contains("parts")) return refusal_difference(outcome, ours.status());
  if (!ours.ok()) return CutDifference("partitions", text_of(ours.status()));
  const CutByBoth theirs = recorded_answer(outcome);
  if (theirs == *ours) return std::nullopt;
  return difference(theirs, *ours);
}

StatusOr<Agreement> conform_partition(const std::string& folder, const std::string& tables, std::string_view release) {
  TARRY_ASSIGN(const ReleaseTables r, read_release(tables, release));
  return judge_outcomes("partition", folder, release, [&](const Json& c, const Json& outcome, Agreement& agreement) {
    compare(c, outcome, r, agreement);
  });
}

}  // namespace tarry
