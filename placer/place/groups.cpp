#include "placer/place/groups.hpp"

#include <algorithm>

#include "placer/place/errors.hpp"

namespace tarry {
namespace {

constexpr std::string_view kGroupPrefix = "loc:@";

bool names_xla(const DeviceName& n) { return n.type && (is_xla_type(*n.type) || n.type == kComposite); }

void exclude_xla(Placement& p) {
  for (const NodeId n : p.nodes) {
    Member& set = p.members.set_of(n);
    const TypeListId rest = p.supported.lists().without_xla(set.types);
    if (rest == set.types) continue;
    if (!names_xla(p.wishes[set.assigned]) && !names_xla(p.wishes[set.requested]) && !names_xla(p.wishes[set.resource])) set.types = rest;
  }
}

Status start_members(Placement& p, Anchors& anchors) {
  for (const NodeId n : p.nodes) {
    TARRY_RETURN_IF_ERROR(start_member(p, n));
    if (!p.rules.members_first) TARRY_RETURN_IF_ERROR(join_keys(p, n, anchors));
  }
  return {};
}

Status join_all_keys(Placement& p, Anchors& anchors) {
  if (!p.rules.members_first) return {};
  for (const NodeId n : p.nodes) TARRY_RETURN_IF_ERROR(join_keys(p, n, anchors));
  return {};
}

std::vector<std::string_view> loc_keys(const Placement& p, NodeId n) {
  std::vector<std::string_view> keys;
  const AttrList* entries = p.graph.node(n).attrs.get<AttrList>("_class");
  if (entries == nullptr) return keys;
  for (const std::string_view entry : entries->s)
    if (entry.starts_with(kGroupPrefix)) keys.push_back(entry.substr(kGroupPrefix.size()));
  return keys;
}

// Under soft placement a node that cannot join stays out (rule names_give_way).
Status join_key(Placement& p, NodeId n, std::string_view key, NodeId anchor) {
  const Status s = join(p, n, anchor, {.key = p.is_noted() ? std::string(key) : ""});
  if (s.ok()) return s;
  if (!p.rules.names_give_way || !p.options.soft_placement) return attached(p, s, n);
  if (p.is_noted()) p.note(StayedOut{n, std::string(key), std::string(text_of(s))});
  return {};
}

}  // namespace

NodeId& Anchors::of(std::string_view key, const Graph& g) {
  const NameId name = g.find_name(key);
  return name.valid() ? of(name) : ghosts_[std::string(key)];
}

// A node's keys are its `loc:@` entries, then its own name (rule own_name_always_joined). The first node that has a key is its anchor; later
// ones join it.
Status join_keys(Placement& p, NodeId n, Anchors& anchors) {
  bool has_keys = false;
  const auto take = [&](std::string_view key, NodeId& anchor) -> Status {
    if (anchor.valid()) return join_key(p, n, key, anchor);
    anchor = n;
    return {};
  };
  for (const std::string_view key : loc_keys(p, n)) {
    TARRY_RETURN_IF_ERROR(take(key, anchors.of(key, p.graph)));
    has_keys = true;
  }
  if (has_keys && !(p.rules.own_name_always_joined && p.rules.planted != PlantedBug::own_name_not_joined)) return {};
  return take(p.graph.name(n), anchors.of(p.graph.node(n).name));
}

int Placement::index_of(DeviceId d) {
  int& index = name_index[d];
  if (index == 0) index = ++names_used;
  return index;
}

WishId Placement::name_of(DeviceId d) {
  if (!device_names[d].valid()) device_names[d] = wishes.intern(devices[d].parsed);
  return device_names[d];
}

WishId Placement::request_of(NodeId n) {
  Request& request = requests[graph.node(n).requested_device];
  if (request.is_parsed) return request.wish;
  const auto name = parse_device_name(graph.requested_device(n));
  request = {true, name ? wishes.intern(*name) : WishId::none()};
  return request.wish;
}

Status build_groups(Placement& p) {
  Anchors anchors(p.graph);
  TARRY_RETURN_IF_ERROR(start_members(p, anchors));
  if (p.rules.edges_before_names) TARRY_RETURN_IF_ERROR(join_edges(p));
  TARRY_RETURN_IF_ERROR(join_all_keys(p, anchors));
  if (!p.rules.edges_before_names) TARRY_RETURN_IF_ERROR(join_edges(p));
  if (p.rules.xla_excluded) exclude_xla(p);
  return {};
}

}  // namespace tarry
