#include "placer/place/groups.hpp"

#include "placer/place/errors.hpp"

namespace tarry {
namespace {

constexpr std::string_view kGroupPrefix = "loc:@";

// The keys of a node's groups: its `loc:@` entries, then its own name (rule own_name_always_joined).
std::vector<std::string_view> keys_of(const Placement& p, NodeId n) {
  std::vector<std::string_view> keys;
  if (const AttrList* entries = p.graph.node(n).attrs.get<AttrList>("_class"))
    for (const std::string& entry : entries->s)
      if (entry.starts_with(kGroupPrefix)) keys.push_back(std::string_view(entry).substr(kGroupPrefix.size()));
  if (keys.empty() || p.rules.own_name_always_joined) keys.push_back(p.graph.name(n));
  return keys;
}

bool names_xla(const DeviceName& n) { return n.type && (is_xla_type(*n.type) || n.type == kComposite); }

void exclude_xla(Placement& p) {
  TypeLists& lists = p.supported.lists();
  for (const NodeId n : p.graph.op_nodes()) {
    Member& set = p.members.set_of(n);
    if (!names_xla(set.assigned) && !names_xla(set.requested) && !names_xla(set.resource))
      set.types = lists.intern(without_xla(lists[set.types]));
  }
}

Status start_members(Placement& p, Anchors& anchors) {
  for (const NodeId n : p.graph.op_nodes()) {
    TARRY_RETURN_IF_ERROR(start_member(p, n));
    if (!p.rules.members_first) TARRY_RETURN_IF_ERROR(join_keys(p, n, anchors));
  }
  return {};
}

Status join_all_keys(Placement& p, Anchors& anchors) {
  if (!p.rules.members_first) return {};
  for (const NodeId n : p.graph.op_nodes()) TARRY_RETURN_IF_ERROR(join_keys(p, n, anchors));
  return {};
}

}  // namespace

// The first node that has a key is its anchor; later ones join it. Under soft placement a node that cannot stays out (rule names_give_way).
Status join_keys(Placement& p, NodeId n, Anchors& anchors) {
  for (const std::string_view key : keys_of(p, n)) {
    const auto [anchor, is_new] = anchors.try_emplace(std::string(key), n);
    if (is_new) continue;
    const Status s = join(p, n, anchor->second, {.key = std::string(key)});
    if (s.ok()) continue;
    if (!p.rules.names_give_way || !p.options.soft_placement) return attached(p, s, n);
    p.note(StayedOut{n, std::string(key), std::string(text_of(s))});
  }
  return {};
}

int Placement::index_of(DeviceId d) {
  name_index.resize(devices.size());
  int& index = name_index[d.index()];
  if (index == 0) index = ++names_used;
  return index;
}

Status build_groups(Placement& p) {
  Anchors anchors;
  TARRY_RETURN_IF_ERROR(start_members(p, anchors));
  if (p.rules.edges_before_names) TARRY_RETURN_IF_ERROR(join_edges(p));
  TARRY_RETURN_IF_ERROR(join_all_keys(p, anchors));
  if (!p.rules.edges_before_names) TARRY_RETURN_IF_ERROR(join_edges(p));
  if (p.rules.xla_excluded) exclude_xla(p);
  return {};
}

}  // namespace tarry
