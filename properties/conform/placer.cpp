#include "properties/conform/placer.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "placer/core/text.hpp"
#include "placer/graph/import.hpp"
#include "placer/graph/read.hpp"
#include "placer/place/isolate.hpp"
#include "placer/place/journal.hpp"
#include "placer/place/place.hpp"
#include "properties/conform/checked.hpp"

namespace tarry {
namespace {

using Names = std::set<std::string, std::less<>>;

// An op that the tables leave out comes from the registries of 2.15.1, and so do kernels of an op without any.
void add_missing(RecordedTables& tables, const OpDef& op, const Names& with_kernels) {
  if (std::ranges::find(tables.ops, op.name, &OpDef::name) == tables.ops.end()) tables.ops.push_back(op);
  if (with_kernels.contains(op.name)) return;
  const auto kernels = kernels_of_tf215().of(op.name);
  tables.kernels.insert(tables.kernels.end(), kernels.begin(), kernels.end());
}

Names ops_with_kernels(const RecordedTables& tables) {
  Names names;
  for (const KernelDef& k : tables.kernels) names.insert(k.op);
  return names;
}

void add_internal_ops(RecordedTables& tables) {
  const Names with_kernels = ops_with_kernels(tables);
  for (const char* name : {"_Arg", "_Retval", "_Send", "_Recv", "_HostSend", "_HostRecv"})
    add_missing(tables, *ops_of_tf215().find(name), with_kernels);
}

StatusOr<GraphSpec> written_case(const Json& c) {
  GraphSpec spec = graph_from(c.at("nodes"));
  if (!c.contains("lib")) return spec;
  TARRY_ASSIGN(GraphSpec library, parse_graph(fmt::format("library {{ {} }}", c.at("lib").get<std::string>()), "lib"));
  spec.functions = std::move(library.functions);
  return spec;
}

StatusOr<Graph> import_case(const GraphSpec& spec, const ReleaseTables& r) {
  return import_graph(spec, {.ops = &r.ops,
                             .oldest_order = r.rules.oldest_order,
                             .controls_sorted = r.rules.controls_sorted,
                             .controls_once = r.rules.controls_once,
                             .colocations_known = false,
                             .own_names = true});
}

// The nodes' places in the file, in the order of the importer.
std::vector<int> order_of(const Json& c, const Graph& g) {
  std::map<std::string_view, int> places;
  for (const Json& node : c.at("nodes"))
    places.emplace(node.at(0).get_ref<const std::string&>(), static_cast<int>(places.size()));
  std::vector<int> order;
  for (const NodeId n : g.op_nodes())
    if (const auto it = places.find(g.name(n)); it != places.end()) order.push_back(it->second);
  return order;
}

// The importer may have refused a node's name or taken it for another.
NodeId node_of(const Json& row, const Graph& g) {
  const auto name = row.at(0).get<std::string>();
  const NodeId n = g.find(name);
  if (!n.valid()) malformed("the graph has no node '{}'", name);
  return n;
}

void take_assigned(const Json& c, const Graph& g, PlaceOptions& options) {
  for (const Json& node : c.at("nodes")) {
    if (node.size() <= 5 || node.at(5).get<std::string>().empty()) continue;
    options.assigned_order.push_back(node_of(node, g));
    options.assigned_names[options.assigned_order.back()] = node.at(5).get<std::string>();
  }
}

PlaceOptions options_of(const Json& c, const Graph& g, const DeviceSet& devices, const ReleaseTables& r) {
  PlaceOptions options{.soft_placement = c.at("soft").get<bool>(), .kernels = &r.kernels, .ops = &r.ops};
  if (c.contains("default")) options.default_local_device = devices.find(c.at("default").get<std::string>());
  if (c.contains("local")) options.local_task = c.at("local").get<std::string>();
  take_assigned(c, g, options);
  return options;
}

struct Answer {
  Status status;
  std::vector<int> order, place;
  std::map<std::string, std::string> added;  // what the isolation pass added, with its device
  Journal journal;
};

void take_placement(const Json& c, const Graph& g, const DeviceSet& devices, Answer& a) {
  std::set<std::string_view> given;
  for (const Json& node : c.at("nodes")) {
    given.insert(node.at(0).get_ref<const std::string&>());
    a.place.push_back(static_cast<int>(g.node(node_of(node, g)).assigned.value));
  }
  for (const NodeId n : g.op_nodes())
    if (!given.contains(g.name(n))) a.added.emplace(g.name(n), devices[g.node(n).assigned].name);
}

Answer answer(const Json& c, const ReleaseTables& r) {
  auto w = world_of(c, r);
  if (!w.ok()) return {with_prefix(w.status(), "import: ")};
  Answer a{Status(), order_of(c, w->graph)};
  w->options.written = &w->written;
  w->options.journal = &a.journal;
  a.status = place(w->graph, w->devices, r.rules, w->options);
  if (a.status.ok()) take_placement(c, w->graph, w->devices, a);
  return a;
}

bool starts_op_types(const std::string& line) {
  return line.starts_with("Root Member(") || line == "Colocation group had the following types and devices: ";
}
bool ends_op_types(const std::string& line) { return line.empty() || line.starts_with('\t'); }

std::string shown(const Answer& a) {
  const std::string order = Json(a.order).dump();
  if (!a.status.ok())
    return fmt::format("order {}; {} {}", order, code_name(a.status.code()), message_without_order(text_of(a.status)));
  return fmt::format("order {}; placed {}{}", order, Json(a.place).dump(),
                     a.added.empty() ? "" : " added " + Json(a.added).dump());
}

Answer recorded_answer(const Json& c, const Json& outcome) {
  Answer a;
  for (std::size_t i = 0; i < c.at("nodes").size(); ++i) a.order.push_back(static_cast<int>(i));
  if (outcome.contains("order")) a.order = outcome.at("order").get<std::vector<int>>();
  if (!outcome.contains("place")) {
    a.status = Status(static_cast<Code>(outcome.at("code").get<int>()), outcome.at("msg").get<std::string>());
    return a;
  }
  a.place = outcome.at("place").get<std::vector<int>>();
  if (outcome.contains("added")) a.added = outcome.at("added").get<std::map<std::string, std::string>>();
  return a;
}

// The graph and the devices of a case, for a difference.
std::string world_text(const Json& c) {
  std::string out =
      fmt::format("{} ({}, {} placement)\n  devices: {}\n  graph:", c.at("id").get<std::string>(),
                  c.value("kind", "vector"), c.at("soft").get<bool>() ? "soft" : "hard", c.at("devices").dump());
  for (const Json& node : c.at("nodes")) out += "\n    " + node.dump();
  return out;
}

// What decided our answer: the kind of error (docs/rules/placer.md#D.1), or each node's reason for its device.
std::string rule_text(const Answer& a) {
  if (!a.status.ok()) return a.journal.failed_kind.empty() ? "before groups were made" : a.journal.failed_kind;
  static constexpr std::array kReasons = {"pre-assigned", "best device", "beside its input (B)",
                                          "beside its consumers (A)"};
  std::string out;
  for (const Decision& e : a.journal.events)
    if (const Chosen* c = std::get_if<Chosen>(&e))
      out += fmt::format("{}node {}: {}", out.empty() ? "" : "; ", c->node.value,
                         kReasons[static_cast<std::size_t>(c->why)]);
  return out;
}

}  // namespace

std::string message_without_order(std::string_view message) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(message, '\n')) lines.emplace_back(line);
  for (auto at = lines.begin(); at != lines.end();) {
    const bool op_types = starts_op_types(*at);
    const auto first = op_types ? at + 1 : at;
    const auto last =
        op_types ? std::find_if(first, lines.end(), ends_op_types)
                 : std::find_if(first, lines.end(), [](const std::string& l) { return !l.starts_with("  device='"); });
    std::sort(first, last);
    at = std::max(last, at + 1);
  }
  return join(lines, "\n");
}

// An op that the graph calls but the release does not know is a function.
StatusOr<RecordedWorld> world_of(const Json& c, const ReleaseTables& r) {
  TARRY_ASSIGN(DeviceSet devices, devices_from(c.at("devices"), r.rules.lookup));
  TARRY_ASSIGN(GraphSpec written, written_case(c));
  TARRY_ASSIGN(Graph g, import_case(written, r));
  PlaceOptions options = options_of(c, g, devices, r);
  if (c.value("isolate", false)) options.added_for = isolate_calls(g, r.ops);
  return RecordedWorld{std::move(written), std::move(g), std::move(devices), std::move(options)};
}

void judge_placement(const Json& c, const Json& outcome, const ReleaseTables& r, Agreement& agreement) {
  const Answer given = answer(c, r);
  const std::string theirs = shown(recorded_answer(c, outcome)), ours = shown(given);
  agreement.note(theirs == ours, theirs == ours ? "" : world_text(c), theirs, ours + "\n  rule:   " + rule_text(given));
}

StatusOr<ReleaseTables> read_release(const std::string& folder, std::string_view release) {
  TARRY_ASSIGN(Rules rules, rules_of(release));
  TARRY_ASSIGN(RecordedTables tables, read_tables(folder, release));
  add_internal_ops(tables);
  if (rules.priority_of("CPU") >=
      0) {  // registered priorities, with those of types that exist in tests only; before, a fixed order
    TARRY_ASSIGN(rules.type_priority, read_type_priorities(folder, release));
  }
  return ReleaseTables{std::move(rules), OpRegistry(std::move(tables.ops)), KernelRegistry(std::move(tables.kernels))};
}

StatusOr<WholeRelease> read_whole_release(const std::string& folder, std::string_view release) {
  TARRY_ASSIGN(Rules rules, rules_of(release));
  TARRY_ASSIGN(RecordedTables tables, read_tables(folder, std::string(find_release(rules.release)->recorded)));
  Names own;
  for (const OpDef& op : tables.ops) own.insert(op.name);
  const Names with_kernels = ops_with_kernels(tables);
  for (const OpDef& op : ops_of_tf215().all())
    if (!own.contains(op.name)) add_missing(tables, op, with_kernels);
  return WholeRelease{{std::move(rules), OpRegistry(std::move(tables.ops)), KernelRegistry(std::move(tables.kernels))},
                      std::move(own)};
}

StatusOr<Agreement> conform_placer(const std::string& folder, const std::string& tables, std::string_view release) {
  TARRY_ASSIGN(const ReleaseTables r, read_release(tables, release));
  return judge_outcomes("placer", folder, release, [&](const Json& c, const Json& outcome, Agreement& agreement) {
    judge_placement(c, outcome, r, agreement);
  });
}

StatusOr<Agreement> conform_placer_vectors(const std::string& folder, const std::string& tables,
                                           std::string_view release) {
  TARRY_ASSIGN(const ReleaseTables r, read_release(tables, release));
  return judge_vectors("vectors", folder, release, [&](const Json& c, const Json& outcome, Agreement& agreement) {
    judge_placement(c, outcome, r, agreement);
  });
}

}  // namespace tarry
