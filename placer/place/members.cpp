#include "placer/place/members.hpp"

#include <utility>

namespace tarry {
namespace {

// The name is shown as far as it was merged.
Status moved(const char* which, DeviceName original, const Device& device, MergeMode mode) {
  const Status why = merge(original, device.parsed, mode);
  return error(Code::kInternal,
               "Constraining by assigned device should not cause an error. Original root's {} device name: {} node's "
               "assigned device name \"{}. "
               "Error: {}",
               which, to_string(original), device.name, text_of(why));
}

}  // namespace

Members::Members(std::size_t node_slots, TypeLists& lists, DeviceRequests& requests, const Rules& rules, bool soft)
    : items_(node_slots), lists_(lists), requests_(requests), rules_(rules), soft_(soft) {
  for (std::size_t i = 0; i < node_slots; ++i) items_[NodeId{i}].parent = NodeId{i};
}

NodeId Members::root_of(NodeId n) {
  while (items_[n].parent != n) {
    items_[n].parent = items_[items_[n].parent].parent;
    n = items_[n].parent;
  }
  return n;
}

Status Members::merge_names(Member& root, const Member& child) {
  TARRY_ASSIGN(const DeviceRequestId assigned, requests_.merged(root.assigned, child.assigned, MergeMode::hard));
  TARRY_ASSIGN(const DeviceRequestId resource, requests_.merged(root.resource, child.resource, MergeMode::hard));
  TARRY_ASSIGN(const DeviceRequestId requested, requests_.merged(root.requested, child.requested, mode()));
  root.requested = requests_.specified(requests_.specified(requested, assigned), resource);
  root.assigned = assigned;
  root.resource = resource;
  return {};
}

void Members::link(NodeId root, NodeId child) {
  items_[root].rank += items_[root].rank == items_[child].rank ? 1 : 0;
  items_[child].parent = root;
}

std::optional<Refusal> Members::check_then_link(NodeId root, NodeId child) {
  if (const Status s = merge_names(items_[root], items_[child]); !s.ok()) return Refusal{std::string(text_of(s))};
  const TypeListId types = lists_.intersect(items_[root].types, items_[child].types);
  if (lists_[types].empty()) return Refusal{};
  items_[root].types = types;
  link(root, child);
  return std::nullopt;
}

// Releases up to 1.13. 0.9 looks at the types of what was x's root, which need not be the root any more
// (docs/rules/placer.md#D8's defect).
std::optional<Refusal> Members::link_then_check(NodeId root, NodeId child, NodeId x) {
  link(root, child);
  const auto requested = requests_.merged(items_[root].requested, items_[child].requested, mode());
  if (!requested.ok()) return Refusal{std::string(text_of(requested.status()))};
  items_[root].requested = *requested;
  items_[root].types = lists_.intersect(items_[root].types, items_[child].types);
  if (lists_[items_[rules_.empty_types_noticed ? root : x].types].empty()) return Refusal{};
  return std::nullopt;
}

std::optional<Refusal> Members::join(NodeId x, NodeId y) {
  const NodeId x_root = root_of(x);
  NodeId root = x_root, child = root_of(y);
  if (root == child) return std::nullopt;
  if (items_[root].rank < items_[child].rank) std::swap(root, child);
  return rules_.separate_requests ? check_then_link(root, child) : link_then_check(root, child, x_root);
}

Status Members::limit(NodeId n, const Member& other) {
  Member& set = set_of(n);
  TARRY_ASSIGN(set.requested, requests_.merged(set.requested, other.requested, mode()));
  TARRY_ASSIGN(set.resource, requests_.merged(set.resource, other.resource, MergeMode::hard));
  const TypeListId types = lists_.intersect(set.types, other.types);
  if (!lists_[types].empty()) set.types = types;
  return {};
}

bool Members::limit_to_type(NodeId n, std::string_view type) {
  Member& set = set_of(n);
  TypeList kept;
  for (const SupportedType& t : lists_[set.types])
    if (t.type == type) kept.push_back(t);
  if (kept.empty() || kept.size() == lists_[set.types].size()) return false;
  set.types = lists_.intern(std::move(kept));
  return true;
}

Status Members::limit(NodeId n, const Device& device, DeviceRequestId name, int assigned_index) {
  Member& set = set_of(n);
  if (set.assigned_index == assigned_index) return {};
  const auto take = [&](const char* which, DeviceRequestId& request, MergeMode mode) -> Status {
    const auto merged = requests_.merged(request, name, mode);
    if (!merged.ok()) return moved(which, requests_[request], device, mode);
    request = *merged;
    return {};
  };
  TARRY_RETURN_IF_ERROR(take("assigned", set.assigned, MergeMode::hard));
  TARRY_RETURN_IF_ERROR(take("resource", set.resource, MergeMode::overriding));
  TARRY_RETURN_IF_ERROR(take("requested", set.requested, MergeMode::overriding));
  set.assigned_index = assigned_index;
  set.candidates = nullptr;
  return {};
}

}  // namespace tarry
