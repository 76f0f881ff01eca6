#include "placer/place/place.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "placer/graph/import.hpp"
#include "placer/partition/partition.hpp"
#include "scenarios/cli/commands.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

struct PlaceArguments {
  std::string graph, devices = "from-graph", by = "task";
  bool soft = false, json = false, nodes = false;
};

struct Placed {
  Graph graph;
  DeviceSet devices;
};

StatusOr<Placed> place_graph(const PlaceArguments& a, const Home& home) {
  TARRY_ASSIGN(const GraphSpec spec, open_graph(a.graph, home));
  TARRY_ASSIGN(DeviceSet devices, open_devices(a.devices, spec, home));
  auto g = import_graph(spec);
  if (!g.ok()) return with_prefix(g.status(), a.graph + ": ");
  TARRY_RETURN_IF_ERROR(place(*g, devices, rules_2_15(), {.soft_placement = a.soft}));
  return Placed{*std::move(g), std::move(devices)};
}

// The bytes that a variable node holds; 0 for others and for shapes not fully known.
std::uint64_t variable_bytes(const Graph& g, NodeId n) {
  const auto* shape = g.node(n).attrs.get<Shape>("shape");
  const auto* type = g.node(n).attrs.get<DataType>("dtype");
  const std::string_view op = g.op_name(n);
  if ((op != "VariableV2" && op != "VarHandleOp" && op != "Variable") || shape == nullptr || type == nullptr || !shape->fully_known()) return 0;
  return static_cast<std::uint64_t>(shape->elements()) * type_size(*type);
}

struct DeviceSummary {
  std::uint64_t nodes = 0, variable_bytes = 0, edges_in = 0;
};

std::map<DeviceId, DeviceSummary> summarize(const Placed& p) {
  std::map<DeviceId, DeviceSummary> rows;
  for (const NodeId n : p.graph.op_nodes()) {
    DeviceSummary& row = rows[p.graph.node(n).assigned];
    ++row.nodes;
    row.variable_bytes += variable_bytes(p.graph, n);
    for (const EdgeId e : p.graph.in_edges(n)) {
      const NodeId src = p.graph.edge(e).src;
      row.edges_in += src != kSource && p.graph.node(src).assigned != p.graph.node(n).assigned ? 1 : 0;
    }
  }
  return rows;
}

void print_placement(const PlaceArguments& a, const Placed& p) {
  Json j;
  for (const auto& [device, row] : summarize(p)) {
    j["devices"].push_back({{"device", p.devices[device].name}, {"nodes", row.nodes}, {"variable_bytes", row.variable_bytes}, {"edges_from_others", row.edges_in}});
    if (!a.json) fmt::print("{:<46} {:>7} nodes {:>14} bytes of variables {:>7} edges from other devices\n", p.devices[device].name, row.nodes, row.variable_bytes, row.edges_in);
  }
  for (const NodeId n : p.graph.op_nodes()) {
    const std::string& device = p.devices[p.graph.node(n).assigned].name;
    if (a.json) j["nodes"][std::string(p.graph.name(n))] = device;
    else if (a.nodes) fmt::print("{}: ({}): {}\n", p.graph.name(n), p.graph.op_name(n), device);
  }
  if (a.json) fmt::print("{}\n", j.dump(1));
}

int run_place(const PlaceArguments& a, const Home& home) {
  const auto placed = place_graph(a, home);
  if (!placed.ok()) return refuse(placed.status());
  print_placement(a, *placed);
  return kOk;
}

struct PartCounts {
  std::uint64_t nodes = 0, sends = 0, receives = 0;
};

PartCounts count(const GraphSpec& g) {
  PartCounts c;
  for (const NodeSpec& n : g.nodes) {
    ++c.nodes;
    c.sends += n.op == "_Send" || n.op == "_HostSend" ? 1 : 0;
    c.receives += n.op == "_Recv" || n.op == "_HostRecv" ? 1 : 0;
  }
  return c;
}

int run_partition(const PlaceArguments& a, const Home& home) {
  auto placed = place_graph(a, home);
  if (!placed.ok()) return refuse(placed.status());
  std::uint64_t counter = 0;
  PartitionOptions options;
  const bool by_task = a.by == "task";
  options.location = [&](NodeId n) {
    const Device& d = placed->devices[placed->graph.node(n).assigned];
    return by_task ? task_of(d.parsed) : d.name;
  };
  options.new_name = [&](std::string_view prefix) { return fmt::format("{}_S{}", prefix, ++counter); };
  options.incarnation = [](std::string_view) { return std::uint64_t{1}; };
  const auto parts = partition(placed->graph, placed->devices, options);
  if (!parts.ok()) return refuse(parts.status());
  Json j = Json::array();
  for (const Partition& p : *parts) {
    const PartCounts c = count(p.graph);
    if (a.json) j.push_back({{"location", p.location}, {"nodes", c.nodes}, {"sends", c.sends}, {"receives", c.receives}});
    else fmt::print("{:<46} {:>7} nodes {:>6} sends {:>6} receives\n", p.location, c.nodes, c.sends, c.receives);
  }
  if (a.json) fmt::print("{}\n", j.dump(1));
  return kOk;
}

void add_graph_options(CLI::App* c, const std::shared_ptr<PlaceArguments>& a) {
  c->add_option("graph", a->graph, "A GraphDef or MetaGraphDef (.pb, .pbtxt, .zst), or the name of a graph that ships")->required();
  c->add_option("--devices", a->devices, "from-graph, a list of device names, or a scenario")->capture_default_str();
  c->add_flag("--soft", a->soft, "Soft placement: a device type or number that does not fit gives way");
  c->add_flag("--json", a->json, "JSON on stdout");
}

}  // namespace

void add_place(CommandLine& line) {
  auto a = std::make_shared<PlaceArguments>();
  CLI::App* c = add_command(line, "place", "Place a graph as TensorFlow 2.15 places it: a summary per device, or its error.",
                            "tarry place sync_softmax_w3_r3_ps1_task0 --devices 10_uneven_ps --nodes");
  add_graph_options(c, a);
  c->add_flag("--nodes", a->nodes, "Also each node and its device");
  c->callback([a, &line] { line.exit_code = run_place(*a, line.home); });
}

void add_partition(CommandLine& line) {
  auto a = std::make_shared<PlaceArguments>();
  CLI::App* c = add_command(line, "partition", "Place a graph and cut it as the master (by task) or in one go by device.",
                            "tarry partition softmax_async_ps2_task0 --by device");
  add_graph_options(c, a);
  c->add_option("--by", a->by, "task or device")->capture_default_str()->check(CLI::IsMember({"task", "device"}));
  c->callback([a, &line] { line.exit_code = run_partition(*a, line.home); });
}

}  // namespace tarry
