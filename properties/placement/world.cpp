#include "placer/core/text.hpp"
#include "placer/graph/import.hpp"
#include "placer/place/place.hpp"
#include "properties/placement/judge.hpp"

namespace tarry {
namespace {

GraphSpec written_graph(const PlacementCase& c) {
  GraphSpec spec;
  spec.nodes.reserve(c.nodes.size());
  for (const CaseNode& n : c.nodes) spec.nodes.push_back(n.spec);
  return spec;
}

StatusOr<Release> release_of(std::string_view text) {
  for (const auto& [name, release] : {std::pair{"0.9", Release::r0_9},
                                      {"0.12", Release::r0_12},
                                      {"1.12", Release::r1_12},
                                      {"1.15", Release::r1_15},
                                      {"2.15", Release::r2_15}})
    if (text == name || text.starts_with(std::string(name) + ".")) return release;
  const std::vector<std::string> known = {"0.9", "0.12", "1.12", "1.15", "2.15"};
  return invalid("no rules for release '{}'{} (there are: {})", text, did_you_mean(text, known), join(known, ", "));
}

// The release whose recorded tables serve.
std::string recorded_as(Release r) {
  switch (r) {
    case Release::r0_9:
    case Release::r0_12:
      return "0.12.0";
    case Release::r1_12:
      return "1.12.0";
    case Release::r1_15:
      return "1.15.0";
    case Release::r2_15:
      return "2.15.1";
  }
  return "";
}

StatusOr<DeviceSet> device_set(const PlacementCase& c, const Rules& rules) {
  DeviceSet set(rules.lookup);
  for (const CaseDevice& d : c.devices) {
    const StatusOr<DeviceId> id = set.add(d.name, d.type);
    if (!id.ok()) return id.status();
  }
  return set;
}

}  // namespace

StatusOr<PlacementWorld> placement_world(const std::string& data, std::string_view release) {
  TARRY_ASSIGN(const Release r, release_of(release));
  TARRY_ASSIGN(ReleaseTables tables, read_release(data, recorded_as(r)));
  if (r == Release::r0_9) {
    TARRY_ASSIGN(tables.rules, rules_of("0.9"));
  }
  return PlacementWorld{std::move(tables), r};
}

StatusOr<Graph> import_case(const PlacementCase& c, const PlacementWorld& w) {
  const Rules& rules = w.tables.rules;
  return import_graph(written_graph(c), {.ops = &w.tables.ops,
                                         .oldest_order = rules.oldest_order,
                                         .controls_sorted = rules.controls_sorted,
                                         .controls_once = rules.controls_once,
                                         .colocations_known = false,
                                         .own_names = true});
}

namespace {

PlaceOptions options_of(const PlacementCase& c, const Graph& g, const DeviceSet& devices, const PlacementWorld& w) {
  PlaceOptions options{
      .soft_placement = c.soft, .local_task = c.local_task, .kernels = &w.tables.kernels, .ops = &w.tables.ops};
  if (!c.default_device.empty()) options.default_local_device = devices.find(c.default_device);
  for (const CaseNode& n : c.nodes) {
    if (n.assigned.empty()) continue;
    options.assigned_order.push_back(g.find(n.spec.name));
    options.assigned_names[options.assigned_order.back()] = n.assigned;
  }
  return options;
}

PlacementAnswer answer_of(const Status& s, const PlacementCase& c, const Graph& g) {
  if (!s.ok()) return {s.code(), std::string(text_of(s)), {}};
  PlacementAnswer answer;
  answer.place.reserve(c.nodes.size());
  for (const CaseNode& n : c.nodes)
    answer.place.push_back(static_cast<int>(g.node(g.find(n.spec.name)).assigned.value));
  return answer;
}

}  // namespace

PlacementAnswer place_imported(const PlacementCase& c, Graph& g, const PlacementWorld& w, const Rules& rules) {
  const auto devices = device_set(c, rules);
  if (!devices.ok()) return answer_of(devices.status(), c, g);
  PlaceOptions options = options_of(c, g, *devices, w);
  std::optional<KernelRegistry> own;
  if (c.kernels) options.kernels = &own.emplace(*c.kernels);
  std::optional<GraphSpec> written;
  if (rules.texts.inputs_as_written) options.written = &written.emplace(written_graph(c));
  for (const NodeId n : g.op_nodes()) g.node(n).assigned = DeviceId::none();
  return answer_of(place(g, *devices, rules, options), c, g);
}

PlacementAnswer place_imported(const PlacementCase& c, Graph& g, const PlacementWorld& w) {
  return place_imported(c, g, w, w.tables.rules);
}

AskPlacer our_placer(const PlacementWorld& w) {
  return [&w](const PlacementCase& c, Graph& g) { return place_imported(c, g, w); };
}

StatusOr<PlacementAnswer> place_case(const PlacementCase& c, const PlacementWorld& w) {
  return ask_about(c, w, our_placer(w));
}

PlacementAnswer reference_answer(const PlacementCase& c, const Graph& g, const PlacementWorld& w) {
  std::optional<KernelRegistry> own;
  const KernelRegistry* kernels = c.kernels ? &own.emplace(*c.kernels) : &w.tables.kernels;
  return reference_place(c, g, {w.release, kernels, w.tables.rules.type_priority});
}

bool same_answer(const PlacementAnswer& a, const PlacementAnswer& b, Compared what) {
  const auto is_placed = [](const PlacementAnswer& x) { return x.code == Code::kOk; };
  if (is_placed(a) != is_placed(b) || a.place != b.place) return false;
  if (what == Compared::devices) return true;
  if (a.code != b.code) return false;
  return what == Compared::codes || message_without_order(a.message) == message_without_order(b.message);
}

StatusOr<PlacementAnswer> ask_about(const PlacementCase& other, const PlacementWorld& world, const AskPlacer& ask) {
  TARRY_ASSIGN(Graph g, import_case(other, world));
  return ask(other, g);
}

std::optional<std::string> violation_of(const PlacementProperty& property, const PlacementCase& c,
                                        const PlacementWorld& world, const AskPlacer& ask) {
  auto g = import_case(c, world);
  if (!g.ok()) return std::nullopt;
  const StatusOr<PlacementAnswer> answer = ask(c, *g);
  if (!answer.ok()) return fmt::format("the placer gave no answer: {}", text_of(answer.status()));
  return property.violation({c, *g, *answer, world, ask});
}

}  // namespace tarry
