#include "properties/conform/placer.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "placer/core/text.hpp"
#include "placer/graph/import.hpp"
#include "placer/graph/read.hpp"
#include "placer/place/place.hpp"

namespace tarry {
namespace {

// Ops that the tables may leave out come from the registries of 2.15.1.
void add_internal_ops(RecordedTables& tables) {
  for (const char* name : {"_Arg", "_Retval", "_Send", "_Recv", "_HostSend", "_HostRecv"}) {
    if (std::ranges::find(tables.ops, name, &OpDef::name) != tables.ops.end()) continue;
    tables.ops.push_back(*ops_of_tf215().find(name));
    const auto kernels = kernels_of_tf215().of(name);
    tables.kernels.insert(tables.kernels.end(), kernels.begin(), kernels.end());
  }
}

StatusOr<Graph> import_case(const Json& c, const ReleaseTables& r) {
  GraphSpec spec = graph_from(c["nodes"]);
  if (c.contains("lib")) {
    TARRY_ASSIGN(GraphSpec library, parse_graph(fmt::format("library {{ {} }}", c["lib"].get<std::string>()), "lib"));
    spec.functions = std::move(library.functions);
  }
  return import_graph(spec, {.ops = &r.ops, .colocations_known = false});
}

void take_assigned(const Json& c, const Graph& g, PlaceOptions& options) {
  for (const Json& node : c["nodes"])
    if (node.size() > 5 && !node[5].get<std::string>().empty())
      options.assigned_names[g.find(node[0].get<std::string>())] = node[5].get<std::string>();
}

PlaceOptions options_of(const Json& c, const Graph& g, const DeviceSet& devices, const ReleaseTables& r) {
  PlaceOptions options{.soft_placement = c["soft"].get<bool>(), .kernels = &r.kernels, .ops = &r.ops};
  if (c.contains("default")) options.default_local_device = devices.find(c["default"].get<std::string>());
  if (c.contains("local")) options.local_task = c["local"].get<std::string>();
  take_assigned(c, g, options);
  return options;
}

struct Answer {
  Status status;
  std::vector<int> place;
};

// With recorded names, an op that the graph calls but the release does not know is a function.
Answer answer(const Json& c, const ReleaseTables& r) {
  auto devices = devices_from(c["devices"]);
  if (!devices.ok()) return {devices.status(), {}};
  auto g = import_case(c, r);
  if (!g.ok()) return {with_prefix(g.status(), "import: "), {}};
  const Status s = place(*g, *devices, r.rules, options_of(c, *g, *devices, r));
  if (!s.ok()) return {s, {}};
  std::vector<int> placed;
  for (const Json& node : c["nodes"]) placed.push_back(static_cast<int>(g->node(g->find(node[0].get<std::string>())).assigned.value));
  return {Status(), placed};
}

std::string shown(const Answer& a) {
  return a.status.ok() ? Json(a.place).dump() : fmt::format("{} {}", code_name(a.status.code()), message_without_order(text_of(a.status)));
}

Answer recorded_answer(const Json& outcome) {
  if (outcome.contains("place")) return {Status(), outcome["place"].get<std::vector<int>>()};
  return {Status(static_cast<Code>(outcome["code"].get<int>()), outcome["msg"].get<std::string>()), {}};
}

void compare(const Json& c, const Json& outcome, const ReleaseTables& r, Agreement& agreement) {
  const Answer ours = answer(c, r);
  if (ours.status.code() == Code::kUnimplemented) {
    ++agreement.skipped;
    return;
  }
  const std::string theirs_shown = shown(recorded_answer(outcome)), ours_shown = shown(ours);
  agreement.note(theirs_shown == ours_shown, c["id"].get<std::string>(), theirs_shown, ours_shown);
}

}  // namespace

std::string message_without_order(std::string_view message) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(message, '\n')) lines.emplace_back(line);
  for (auto at = lines.begin(); at != lines.end();) {
    const bool after_root = at->starts_with("Root Member(");
    const auto first = after_root ? at + 1 : at;
    const auto last = after_root ? std::find(first, lines.end(), "")
                                 : std::find_if(first, lines.end(), [](const std::string& l) { return !l.starts_with("  device='"); });
    std::sort(first, last);
    at = std::max(last, at + 1);
  }
  return join(lines, "\n");
}

StatusOr<Rules> rules_of(std::string_view release) {
  if (release.starts_with("2.15")) return rules_2_15();
  if (release.starts_with("1.15")) return rules_1_15();
  return invalid("no rules for release '{}' (there are: 1.15, 2.15)", release);
}

StatusOr<ReleaseTables> read_release(const std::string& folder, std::string_view release) {
  TARRY_ASSIGN(Rules rules, rules_of(release));
  TARRY_ASSIGN(RecordedTables tables, read_tables(folder, release));
  add_internal_ops(tables);
  TARRY_ASSIGN(rules.type_priority, read_type_priorities(folder, release));
  return ReleaseTables{std::move(rules), OpRegistry(std::move(tables.ops)), KernelRegistry(std::move(tables.kernels))};
}

StatusOr<Agreement> conform_placer(const std::string& folder, std::string_view release) {
  TARRY_ASSIGN(const ReleaseTables r, read_release(folder, release));
  std::map<std::string, Json> cases;
  TARRY_RETURN_IF_ERROR(for_each_line(recorded_file(folder, "cases.jsonl"), [&](const Json& c) {
    cases.emplace(c["id"].get<std::string>(), c);
    return Status();
  }));
  Agreement agreement{.what = fmt::format("placer {}", release)};
  TARRY_RETURN_IF_ERROR(for_each_line(recorded_file(folder, fmt::format("outcomes-{}.jsonl", release)), [&](const Json& outcome) {
    const auto it = cases.find(outcome["id"].get<std::string>());
    if (it == cases.end()) return invalid("outcome of an unknown case {}", outcome["id"].get<std::string>());
    compare(it->second, outcome, r, agreement);
    return Status();
  }));
  return agreement;
}

StatusOr<Agreement> conform_placer_vectors(const std::string& folder, std::string_view release) {
  TARRY_ASSIGN(const ReleaseTables r, read_release(folder, release));
  Agreement agreement{.what = fmt::format("vectors {}", release)};
  TARRY_RETURN_IF_ERROR(for_each_line(recorded_file(folder, fmt::format("vectors-{}.jsonl", release)), [&](const Json& row) {
    compare(row["case"], row["outcome"], r, agreement);
    return Status();
  }));
  return agreement;
}

}  // namespace tarry
