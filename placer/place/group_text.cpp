#include <algorithm>
#include <map>

#include "placer/core/text.hpp"
#include "placer/place/groups.hpp"

namespace tarry {
namespace {

std::vector<NodeId> nodes_of(Placement& p, NodeId n) {
  const NodeId root = p.members.root_of(n);
  std::vector<NodeId> nodes = p.graph.op_nodes();
  std::erase_if(nodes, [&](NodeId other) { return p.members.root_of(other) != root; });
  return nodes;
}

std::vector<std::string> type_names(const TypeList& list) {
  std::vector<std::string> names;
  for (const SupportedType& t : list) names.push_back(t.type);
  return names;
}

std::string root_text(Placement& p, NodeId n) {
  const Member& set = p.members.set_of(n);
  std::vector<std::string> candidates;
  for (const DeviceId d : set.candidates) candidates.push_back(p.devices[d].name);
  return fmt::format(
      "Root Member(assigned_device_name_index_={} requested_device_name_='{}' assigned_device_name_='{}' resource_device_name_='{}' "
      "supported_device_types_=[{}] possible_devices_=[{}]\n",
      set.assigned_index, to_string(set.requested), to_string(set.assigned), to_string(set.resource),
      join(type_names(p.supported.lists()[set.types]), ", "), join(candidates, ", "));
}

// One line an op: TensorFlow's order is a hash map's; ours is by name.
std::string ops_text(Placement& p, const std::vector<NodeId>& nodes) {
  std::map<std::string, std::string> lines;
  for (const NodeId n : nodes) {
    const auto types = p.supported.of(p.graph, n);
    std::string& line = lines[std::string(p.graph.op_name(n))] = "";
    if (types.ok())
      for (const std::string& type : type_names(p.supported.lists()[*types])) line += type + " ";
  }
  std::string out;
  for (const auto& [op, types] : lines) out += fmt::format("{}: {}\n", op, types);
  return out;
}

std::string member_text(const Placement& p, NodeId n) {
  const DeviceId assigned = p.graph.node(n).assigned;
  return fmt::format("\n  {} ({}) {}{}", p.graph.name(n), p.graph.op_name(n), p.graph.requested_device(n),
                     assigned.valid() ? " framework assigned device=" + p.devices[assigned].name : "");
}

}  // namespace

std::string group_text(Placement& p, NodeId n) {
  const std::vector<NodeId> nodes = nodes_of(p, n);
  std::string out = "\nColocation Debug Info:\nColocation group had the following types and supported devices: \n";
  out += root_text(p, n) + ops_text(p, nodes);
  out += "\nColocation members, user-requested devices, and framework assigned devices, if any:";
  for (const NodeId member : nodes) out += member_text(p, member);
  return out + "\n";
}

}  // namespace tarry
