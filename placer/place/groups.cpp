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
    if (!names_xla(p.requests[set.assigned]) && !names_xla(p.requests[set.requested]) &&
        !names_xla(p.requests[set.resource]))
      set.types = rest;
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

// Under soft placement a node that cannot join stays out (rule names_give_way).
Status join_key(Placement& p, NodeId n, std::string_view key, NodeId anchor) {
  const Status s = join(p, n, anchor, {.key = p.is_noted() ? std::string(key) : ""});
  if (s.ok()) return s;
  if (!p.rules.names_give_way || !p.options.soft_placement) return attached(p, s, n);
  if (p.is_noted()) {
    p.note(StayedOut{n, std::string(key), std::string(tarry::text_of(s))});
    p.options.journal->refused.reset();
  }
  return {};
}

}  // namespace

namespace {

// The first node that has a key is its anchor; later ones join it.
Status take_key(Placement& p, NodeId n, std::string_view key, NodeId& anchor) {
  if (anchor.valid()) return join_key(p, n, key, anchor);
  anchor = n;
  return {};
}

// `any` becomes true when there is one.
Status take_loc_keys(Placement& p, NodeId n, Anchors& anchors, bool& any) {
  const AttrList* entries = p.graph.node(n).attrs.get<AttrList>("_class");
  if (entries == nullptr) return {};
  for (const std::string_view entry : entries->s) {
    if (!entry.starts_with(kGroupPrefix)) continue;
    const std::string_view key = entry.substr(kGroupPrefix.size());
    TARRY_RETURN_IF_ERROR(take_key(p, n, key, anchors.of(key, p.graph)));
    any = true;
  }
  return {};
}

}  // namespace

NodeId& Anchors::of(std::string_view key, const Graph& g) {
  const NameId name = g.find_name(key);
  return name.valid() ? of(name) : ghosts_[std::string(key)];
}

// A node's keys are its `loc:@` entries, then its own name (rule own_name_always_joined).
Status join_keys(Placement& p, NodeId n, Anchors& anchors) {
  bool has_keys = false;
  TARRY_RETURN_IF_ERROR(take_loc_keys(p, n, anchors, has_keys));
  if (has_keys && !(p.rules.own_name_always_joined && p.rules.planted != PlantedBug::own_name_not_joined)) return {};
  NodeId& anchor = anchors.of(p.graph.node(n).name);
  return anchor.valid() ? join_key(p, n, p.graph.name(n), anchor) : take_key(p, n, "", anchor);
}

int Placement::index_of(DeviceId d) {
  int& index = name_index[d];
  if (index == 0) index = ++names_used;
  return index;
}

DeviceRequestId Placement::name_of(DeviceId d) {
  if (!device_names[d].valid()) device_names[d] = requests.intern(devices[d].parsed);
  return device_names[d];
}

DeviceRequestId Placement::request_of(NodeId n) {
  Request& request = by_text[graph.node(n).requested_device];
  if (request.is_parsed) return request.id;
  const auto name = parse_device_name(graph.requested_device(n));
  request = {true, name ? requests.intern(*name) : DeviceRequestId::none()};
  return request.id;
}

Status build_groups(Placement& p) {
  Anchors anchors(p.graph);
  TARRY_RETURN_IF_ERROR(start_members(p, anchors));
  if (p.rules.edges_before_names) TARRY_RETURN_IF_ERROR(join_edges(p));
  TARRY_RETURN_IF_ERROR(join_all_keys(p, anchors));
  if (!p.rules.edges_before_names) TARRY_RETURN_IF_ERROR(join_edges(p));
  if (p.rules.host_only_kept) keep_on_host(p);
  if (p.rules.xla_excluded) exclude_xla(p);
  return {};
}

}  // namespace tarry
