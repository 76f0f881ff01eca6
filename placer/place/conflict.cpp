#include "placer/place/conflict.hpp"

#include <algorithm>
#include <functional>

#include "placer/core/text.hpp"
#include "placer/place/journal.hpp"

namespace tarry {
namespace {

// What may be taken away: of a node, itself, its request, its assigned device, or one `_class` entry.
enum class What { node, edge, request, assigned, key };
struct Thing {
  What what;
  NodeId node;
  EdgeId edge;
  std::string key;
};

struct World {
  Graph graph;
  std::map<NodeId, std::string> assigned_names;
};

void drop_key(Graph& g, NodeId n, const std::string& key) {
  AttrList keys = *g.node(n).attrs.get<AttrList>("_class");
  std::erase(keys.s, key);
  if (keys.s.empty())
    g.node(n).attrs.erase("_class");
  else
    g.node(n).attrs.set("_class", keys);
}

void take_away(World& w, const Thing& t) {
  switch (t.what) {
    case What::node:
      w.assigned_names.erase(t.node);
      return w.graph.remove_node(t.node);
    case What::edge:
      return w.graph.remove_edge(t.edge);
    case What::request:
      return w.graph.set_requested_device(t.node, "");
    case What::assigned:
      w.assigned_names.erase(t.node);
      w.graph.node(t.node).assigned = DeviceId::none();
      return;
    case What::key:
      return drop_key(w.graph, t.node, t.key);
  }
}

std::vector<Thing> nodes_of(const World& w) {
  std::vector<Thing> things;
  for (const NodeId n : w.graph.op_nodes()) things.push_back({What::node, n, {}, ""});
  return things;
}

void add_requests(const World& w, NodeId n, std::vector<Thing>& things) {
  if (!w.graph.requested_device(n).empty()) things.push_back({What::request, n, {}, ""});
  if (w.graph.node(n).assigned.valid() || w.assigned_names.contains(n)) things.push_back({What::assigned, n, {}, ""});
  std::vector<std::string> keys;
  if (const AttrList* entries = w.graph.node(n).attrs.get<AttrList>("_class")) keys = entries->s;
  std::ranges::sort(keys);
  const auto rest = std::unique(keys.begin(), keys.end());
  keys.erase(rest, keys.end());
  for (std::string& key : keys) things.push_back({What::key, n, {}, std::move(key)});
}

std::vector<Thing> edges_and_requests_of(const World& w) {
  std::vector<Thing> things;
  for (const NodeId n : w.graph.op_nodes()) {
    add_requests(w, n, things);
    for (const EdgeId e : w.graph.in_edges(n))
      if (w.graph.edge(e).src != kSource) things.push_back({What::edge, {}, e, ""});
  }
  return things;
}

std::string end_of(const Graph& g, NodeId n, int slot) {
  return slot == kControlSlot ? std::string(g.name(n)) : fmt::format("{}:{}", g.name(n), slot);
}

std::string text_of(const Graph& g, const Edge& e) {
  return fmt::format("{}{} -> {}", e.is_control() ? "^" : "", end_of(g, e.src, e.src_slot),
                     end_of(g, e.dst, e.dst_slot));
}

std::string device_of(const World& w, NodeId n, const DeviceSet& devices) {
  const auto it = w.assigned_names.find(n);
  return it != w.assigned_names.end() ? it->second : devices[w.graph.node(n).assigned].name;
}

std::string text_of(const World& w, const Thing& t, const DeviceSet& devices) {
  const Graph& g = w.graph;
  switch (t.what) {
    case What::node:
      return fmt::format("{} ({})", g.name(t.node), g.op_name(t.node));
    case What::edge:
      return text_of(g, g.edge(t.edge));
    case What::request:
      return fmt::format("{} asks for {}", g.name(t.node), g.requested_device(t.node));
    case What::assigned:
      return fmt::format("{} is on {}", g.name(t.node), device_of(w, t.node, devices));
    case What::key:
      return fmt::format("{} has {}", g.name(t.node), t.key);
  }
  return "";
}

class Reduction {
 public:
  Reduction(World world, const DeviceSet& devices, const Rules& rules, PlaceOptions options)
      : world_(std::move(world)), devices_(devices), rules_(rules), options_(std::move(options)) {
    options_.journal = &journal_;
  }

  StatusOr<Conflict> run() {
    if (try_place(world_).ok())
      return error(Code::kFailedPrecondition, "the graph can be placed: there is no conflict");
    kind_ = journal_.failed_kind;
    while (reduce_nodes() || reduce(edges_and_requests_of(world_), 1)) {
    }
    return result();
  }

 private:
  Status try_place(const World& world) {
    Graph copy = world.graph;
    options_.assigned_names = world.assigned_names;
    journal_ = {};
    ++trials_;
    return place(copy, devices_, rules_, options_);
  }

  bool still_fails(const World& world) { return !try_place(world).ok() && journal_.failed_kind == kind_; }

  // First in large pieces: most of a graph has nothing to do with its conflict.
  bool reduce_nodes() {
    bool changed = false;
    for (std::size_t piece = std::max<std::size_t>(nodes_of(world_).size() / 2, 1); piece > 0; piece /= 2)
      changed |= reduce(nodes_of(world_), piece);
    return changed;
  }

  bool reduce(const std::vector<Thing>& things, std::size_t piece) {
    bool changed = false;
    for (std::size_t first = 0; first < things.size(); first += piece) {
      World smaller = world_;
      for (std::size_t i = first; i < std::min(first + piece, things.size()); ++i) take_away(smaller, things[i]);
      if (!still_fails(smaller)) continue;
      world_ = std::move(smaller);
      changed = true;
    }
    return changed;
  }

  StatusOr<Conflict> result() {
    Conflict c{.kind = kind_, .error = try_place(world_), .graph = world_.graph};
    c.assigned_names = world_.assigned_names;
    for (const Thing& t : nodes_of(world_)) c.nodes.push_back(text_of(world_, t, devices_));
    for (const Thing& t : edges_and_requests_of(world_))
      (t.what == What::edge ? c.edges : c.requests).push_back(text_of(world_, t, devices_));
    c.trials = trials_;
    return c;
  }

  World world_;
  const DeviceSet& devices_;
  const Rules& rules_;
  PlaceOptions options_;
  Journal journal_;
  std::string kind_;
  int trials_ = 0;
};

}  // namespace

StatusOr<Conflict> minimal_conflict(const Graph& g, const DeviceSet& devices, const Rules& rules,
                                    PlaceOptions options) {
  World world{g, options.assigned_names};
  return Reduction(std::move(world), devices, rules, std::move(options)).run();
}

std::optional<std::string> can_be_left_out(const Conflict& c, const DeviceSet& devices, const Rules& rules,
                                           PlaceOptions options) {
  const World whole{c.graph, c.assigned_names};
  std::vector<Thing> things = nodes_of(whole);
  std::ranges::copy(edges_and_requests_of(whole), std::back_inserter(things));
  for (const Thing& t : things) {
    World rest = whole;
    take_away(rest, t);
    Journal journal;
    options.journal = &journal;
    options.assigned_names = rest.assigned_names;
    if (!place(rest.graph, devices, rules, options).ok() && journal.failed_kind == c.kind)
      return text_of(whole, t, devices);
  }
  return std::nullopt;
}

std::string to_string(const Conflict& c) {
  std::string out = fmt::format(
      "minimal conflict: without any one of these there is no error of this kind ({} placements tried)\n  error:  {}\n",
      c.trials, split(tarry::text_of(c.error), '\n').front());
  for (const auto& [heading, lines] :
       {std::pair{"nodes", &c.nodes}, std::pair{"edges", &c.edges}, std::pair{"requests", &c.requests}})
    if (!lines->empty()) out += fmt::format("  {}:  {}\n", heading, join(*lines, "\n          "));
  return out;
}

}  // namespace tarry
