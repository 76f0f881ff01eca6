#include <algorithm>
#include <map>

#include "placer/core/text.hpp"
#include "placer/place/errors.hpp"

namespace tarry {
namespace {

std::vector<NodeId> nodes_of(Placement& p, NodeId root) {
  std::vector<NodeId> nodes = p.nodes;
  std::erase_if(nodes, [&](NodeId other) { return p.members.root_of(other) != root; });
  return nodes;
}

std::vector<std::string> type_names(const TypeList& list) {
  std::vector<std::string> names;
  for (const SupportedType& t : list) names.push_back(t.type);
  return names;
}

std::string root_text(Placement& p, NodeId root) {
  const Member& set = p.members.member(root);
  std::vector<std::string> candidates;
  if (set.candidates != nullptr)
    for (const DeviceId d : *set.candidates) candidates.push_back(p.devices[d].name);
  return fmt::format(
      "\nRoot Member(assigned_device_name_index_={} requested_device_name_='{}' assigned_device_name_='{}' "
      "resource_device_name_='{}' "
      "supported_device_types_=[{}] possible_devices_=[{}]",
      set.assigned_index, p.text(set.requested), p.text(set.assigned), p.text(set.resource),
      join(type_names(p.supported.lists()[set.types]), ", "), join(candidates, ", "));
}

// Looked up anew, or as the union-find keeps them: there the root has the whole group's.
std::string types_text(Placement& p, NodeId n) {
  StatusOr<TypeListId> types = p.members.member(n).types;
  if (p.rules.texts.group_state) types = p.supported.of(p.graph, n);
  std::string out;
  if (types.ok())
    for (const std::string& type : type_names(p.supported.lists()[*types])) out += type + " ";
  return out;
}

// One line an op, of several nodes the last one's: TensorFlow's order is a hash map's; ours is by name.
std::string ops_text(Placement& p, const std::vector<NodeId>& nodes) {
  std::map<std::string, std::string> lines;
  for (const NodeId n : nodes) lines[std::string(p.graph.op_name(n))] = types_text(p, n);
  std::string out;
  for (const auto& [op, types] : lines) out += fmt::format("\n{}: {}", op, types);
  return out;
}

std::string member_text(const Placement& p, NodeId n) {
  const DeviceId assigned = p.rules.texts.group_state ? p.graph.node(n).assigned : DeviceId::none();
  return fmt::format("\n  {} ({}) {}{}", p.graph.name(n), p.graph.op_name(n), p.graph.requested_device(n),
                     assigned.valid() ? " framework assigned device=" + p.devices[assigned].name : "");
}

}  // namespace

std::string group_text(Placement& p, NodeId root) {
  const Texts& t = p.rules.texts;
  const std::vector<NodeId> nodes = nodes_of(p, root);
  if (nodes.empty() || (nodes.size() == 1 && !t.group_of_one)) return "";
  std::string out = fmt::format("{}{}{}", t.group_heading, t.group_state ? root_text(p, root) : "", ops_text(p, nodes));
  if (!t.group_members) return out;
  out += t.group_members_heading;
  for (const NodeId member : nodes) out += member_text(p, member);
  return out + "\n";
}

}  // namespace tarry
