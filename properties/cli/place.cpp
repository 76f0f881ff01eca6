#include "placer/place/place.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "placer/core/text.hpp"
#include "placer/place/conflict.hpp"
#include "placer/place/explain.hpp"
#include "properties/cli/placed.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

// ---- the summary per device ----

// The bytes that a variable node holds; 0 for others and for shapes not fully known.
std::uint64_t variable_bytes(const Graph& g, NodeId n) {
  const auto* shape = g.node(n).attrs.get<Shape>("shape");
  const auto* type = g.node(n).attrs.get<DataType>("dtype");
  const std::string_view op = g.op_name(n);
  if ((op != "VariableV2" && op != "VarHandleOp" && op != "Variable") || shape == nullptr || type == nullptr ||
      !shape->fully_known())
    return 0;
  return static_cast<std::uint64_t>(shape->elements()) * type_size(*type);
}

// The shape of an output, where the graph tells it: `_output_shapes`, a constant, a reference variable.
const Shape* output_shape(const Graph& g, NodeId n, int slot) {
  const Attrs& attrs = g.node(n).attrs;
  if (const AttrList* shapes = attrs.get<AttrList>("_output_shapes");
      shapes != nullptr && static_cast<std::size_t>(slot) < shapes->shape.size())
    return &shapes->shape[static_cast<std::size_t>(slot)];
  if (const auto* tensor = attrs.get<std::shared_ptr<const TensorSpec>>("value")) return &(*tensor)->shape;
  return g.op_name(n).starts_with("Variable") ? attrs.get<Shape>("shape") : nullptr;
}

struct DeviceSummary {
  std::uint64_t nodes = 0, variable_bytes = 0, edges_in = 0, bytes_in = 0, edges_of_unknown_size = 0;
};

void count_cut_edge(const Graph& g, const Edge& e, DeviceSummary& row) {
  ++row.edges_in;
  if (e.is_control()) return;
  const Shape* shape = output_shape(g, e.src, e.src_slot);
  if (shape == nullptr || !shape->fully_known())
    ++row.edges_of_unknown_size;
  else
    row.bytes_in +=
        static_cast<std::uint64_t>(shape->elements()) * type_size(base_type(g.output_type(e.src, e.src_slot)));
}

std::map<DeviceId, DeviceSummary> summarize(const Graph& g) {
  std::map<DeviceId, DeviceSummary> rows;
  for (const NodeId n : g.op_nodes()) {
    DeviceSummary& row = rows[g.node(n).assigned];
    ++row.nodes;
    row.variable_bytes += variable_bytes(g, n);
    for (const EdgeId id : g.in_edges(n)) {
      const Edge& e = g.edge(id);
      if (e.src != kSource && g.node(e.src).assigned != g.node(n).assigned) count_cut_edge(g, e, row);
    }
  }
  return rows;
}

Json to_json(const std::string& device, const DeviceSummary& row) {
  return {{"device", device},
          {"nodes", row.nodes},
          {"variable_bytes", row.variable_bytes},
          {"edges_from_others", row.edges_in},
          {"bytes_from_others", row.bytes_in},
          {"edges_of_unknown_size", row.edges_of_unknown_size}};
}

void print_placement(const PlaceArguments& a, const Placed& p) {
  Json j;
  for (const auto& [device, row] : summarize(p.graph)) {
    const std::string& name = p.devices[device].name;
    if (a.json)
      j["devices"].push_back(to_json(name, row));
    else
      fmt::print(
          "{:<46} {:>7} nodes {:>14} bytes of variables {:>7} edges from other devices, {} bytes ({} edges of unknown "
          "size)\n",
          name, row.nodes, row.variable_bytes, row.edges_in, row.bytes_in, row.edges_of_unknown_size);
  }
  for (const NodeId n : p.graph.op_nodes()) {
    const std::string& device = p.devices[p.graph.node(n).assigned].name;
    if (a.json)
      j["nodes"][std::string(p.graph.name(n))] = device;
    else if (a.nodes)
      fmt::print("{}: ({}): {}\n", p.graph.name(n), p.graph.op_name(n), device);
  }
  if (a.json) fmt::print("{}\n", j.dump(1));
}

// ---- other views ----

void print_dot(const Placed& p) {
  fmt::print("digraph placement {{\n");
  std::map<DeviceId, std::vector<NodeId>> by_device;
  for (const NodeId n : p.graph.op_nodes()) by_device[p.graph.node(n).assigned].push_back(n);
  for (const auto& [device, nodes] : by_device) {
    fmt::print("  subgraph cluster_{} {{\n    label=\"{}\";\n", device.value, p.devices[device].name);
    for (const NodeId n : nodes)
      fmt::print("    \"{}\" [label=\"{}\\n{}\"];\n", p.graph.name(n), p.graph.name(n), p.graph.op_name(n));
    fmt::print("  }}\n");
  }
  for (const NodeId n : p.graph.op_nodes())
    for (const EdgeId e : p.graph.in_edges(n))
      if (const NodeId src = p.graph.edge(e).src; src != kSource)
        fmt::print("  \"{}\" -> \"{}\"{};\n", p.graph.name(src), p.graph.name(n),
                   p.graph.edge(e).is_control() ? " [style=dashed]" : "");
  fmt::print("}}\n");
}

Json to_json(const Explanation& e) {
  Json removed = Json::array();
  for (const auto& [device, reason] : e.removed) removed.push_back({{"device", device}, {"reason", reason}});
  return {{"node", e.node},
          {"op", e.op},
          {"request", e.request},
          {"group", e.group},
          {"conceded", e.conceded},
          {"group_request", e.group_request},
          {"relaxed", e.relaxed != Relaxed::no},
          {"candidates", e.candidates},
          {"removed", removed},
          {"choice", e.choice},
          {"device", e.device},
          {"refused", e.refused},
          {"error", e.error}};
}

int run_explain(const PlaceArguments& a, const Placed& p) {
  const NodeId n = p.graph.find(a.explain);
  if (!n.valid())
    return refuse(error(Code::kNotFound, "--explain: the graph has no node '{}'{}", a.explain,
                        did_you_mean(a.explain, node_names(p.graph))));
  Explanation e = explain(p.graph, p.devices, p.rules, *p.journal, n);
  e.error = text_of(p.status);
  const auto device = a.why_not.empty() ? DeviceId::none() : p.devices.find(a.why_not);
  if (!a.why_not.empty() && !device.valid()) return refuse(invalid("--why-not: there is no device '{}'", a.why_not));
  if (a.json)
    fmt::print("{}\n", to_json(e).dump(1));
  else
    fmt::print("{}{}", to_string(e), device.valid() ? why_not(e, p.devices[device].name) + "\n" : "");
  if (!a.json && !p.status.ok())
    fmt::print("`--conflict` shows the fewest nodes, edges and requests of the graph that cannot be placed.\n");
  return p.status.ok() ? kOk : kBadInput;
}

int run_conflict(const PlaceArguments& a, const Placed& p) {
  const auto conflict = minimal_conflict(p.imported, p.devices, p.rules, p.options(a.soft));
  if (!conflict.ok()) return refuse(conflict.status());
  if (a.json)
    fmt::print("{}\n", Json{{"error", text_of(conflict->error)},
                            {"nodes", conflict->nodes},
                            {"edges", conflict->edges},
                            {"requests", conflict->requests},
                            {"trials", conflict->trials}}
                           .dump(1));
  else
    fmt::print("{}", to_string(*conflict));
  return kOk;
}

std::string device_of(const Placed& p, std::string_view node) {
  if (!p.status.ok()) return "nowhere: " + std::string(split(text_of(p.status), '\n').front());
  const NodeId n = p.graph.find(node);
  return n.valid() ? to_string(p.devices[p.graph.node(n).assigned].parsed) : "";
}

// Nodes whose device another release would have chosen differently.
int run_diff(PlaceArguments a, const Placed& p, const Home& home) {
  const std::string first = a.rules;
  a.rules = a.diff;
  const auto other = place_graph(a, home);
  if (!other.ok()) return refuse(other.status());
  int differ = 0;
  Json rows = Json::array();
  for (const NodeSpec& n : p.spec.nodes) {
    const std::string ours = device_of(p, n.name), theirs = device_of(*other, n.name);
    if (ours == theirs) continue;
    ++differ;
    if (a.json)
      rows.push_back({{"node", n.name}, {first, ours}, {a.diff, theirs}});
    else
      fmt::print("{} ({}): {} {}, {} {}\n", n.name, n.op, first, ours, a.diff, theirs);
  }
  if (a.json)
    fmt::print("{}\n", Json{{"differ", differ}, {"of", p.spec.nodes.size()}, {"nodes", rows}}.dump(1));
  else
    fmt::print("{} of {} nodes differ\n", differ, p.spec.nodes.size());
  return kOk;
}

int run_place(const PlaceArguments& a, const Home& home) {
  if (a.dot && a.json) return refuse(invalid("--dot and --json are two forms of one answer; give one of them"));
  const auto placed = place_graph(a, home);
  if (!placed.ok()) return refuse(placed.status());
  if (const std::string tables = tables_text(*placed); !tables.empty() && !a.json && !a.dot) fmt::print("{}\n", tables);
  if (!a.diff.empty()) return run_diff(a, *placed, home);
  if (!a.explain.empty()) return run_explain(a, *placed);
  if (a.conflict) return run_conflict(a, *placed);
  if (!placed->status.ok()) return refuse(placed->status);
  if (a.dot)
    print_dot(*placed);
  else
    print_placement(a, *placed);
  return kOk;
}

}  // namespace

void add_place(CommandLine& line) {
  auto a = std::make_shared<PlaceArguments>();
  CLI::App* c = &line.command;
  add_graph_options(c, a);
  c->add_flag("--nodes", a->nodes, "Print each node and its device");
  c->add_flag("--dot", a->dot, "Print the placed graph for Graphviz, a cluster for each device");
  c->add_option("--explain", a->explain, "Say why this node has its device, or why it has none");
  c->add_option("--why-not", a->why_not, "With --explain: say why the node is not on this device")->needs("--explain");
  c->add_flag("--conflict", a->conflict,
              "When the graph cannot be placed: a minimal set of nodes, edges and requests that still conflicts");
  c->add_option("--diff", a->diff, "Print the nodes that another release places elsewhere");
  c->callback([a, &line] { line.exit_code = run_place(*a, line.home); });
}

}  // namespace tarry
