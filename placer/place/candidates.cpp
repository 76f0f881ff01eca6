#include "placer/place/candidates.hpp"

#include <algorithm>
#include <tuple>

#include "placer/core/text.hpp"
#include "placer/place/find_kernel.hpp"
#include "placer/place/texts.hpp"

namespace tarry {
namespace {

std::vector<std::string> names_of(const DeviceSet& devices) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < devices.size(); ++i) names.push_back(devices[DeviceId{i}].name);
  return names;
}

int kernel_priority(const TypeList& list, std::string_view type) { return std::ranges::find(list, type, &SupportedType::type)->priority; }

bool is_remote(const Placement& p, const Device& d) {
  return p.rules.local_first && !p.options.local_task.empty() && task_of(d.parsed) != p.options.local_task;
}

// D16a.
Status no_such_device(const Placement& p, NodeId n) {
  std::vector<std::string> names = names_of(p.devices);
  std::ranges::sort(names);
  return invalid(
      "{{{{node {}}}}} was explicitly assigned to {} but available devices are [ {} ]. Make sure the device specification refers to a "
      "valid device.",
      p.graph.name(n), p.graph.requested_device(n), join(names, ", "));
}

// D16b.
Status no_such_kernel(Placement& p, NodeId n, const std::string& type) {
  const Graph& g = p.graph;
  return invalid(
      "Could not satisfy explicit device specification '{}' because no supported kernel for {} devices is available.{}\nOp: {}\nNode "
      "attrs: "
      "{}\nRegistered kernels:\n{}",
      g.requested_device(n), type, group_text(p, n), g.op_name(n), attrs_text(g.node(n).attrs),
      kernel_list_text(p.supported.kernels_of(g.op_name(n))));
}

// D16d.
Status group_elsewhere(Placement& p, NodeId n) {
  return invalid(
      "Could not satisfy explicit device specification '{}' because the node {} was colocated with a group of nodes that required "
      "incompatible device '{}'. All available devices [{}]. {}",
      p.graph.requested_device(n), colocation_text(p.graph, n), to_string(p.members.set_of(n).requested), join(names_of(p.devices), ", "),
      group_text(p, n));
}

// D17.
Status no_device_has_kernel(Placement& p, NodeId n) {
  std::vector<std::string> inputs;
  for (int slot = 0; slot < p.graph.input_count(n); ++slot) inputs.push_back(type_name(p.graph.input_type(n, slot)));
  return invalid("Node had no OpKernel registered to support this operation: Operation was {} and inputs were [{}].\n{}",
                 p.graph.op_name(n), join(inputs, ", "), group_text(p, n));
}

Status why_none(Placement& p, NodeId n) {
  const DeviceName& wanted = p.members.set_of(n).requested;
  if (!has_details(wanted)) return no_device_has_kernel(p, n);
  const auto own = parse_device_name(p.graph.requested_device(n));
  if (!own || *own != wanted) return group_elsewhere(p, n);
  if (p.devices.matching(wanted).empty()) return no_such_device(p, n);
  if (wanted.type) return no_such_kernel(p, n, *wanted.type);
  return invalid("Could not satisfy explicit device specification '{}{}", p.graph.requested_device(n),
                 group_text(p, n));  // D16c: no closing quote
}

// What was asked, less the type and id that nothing in `fixed` has.
DeviceName relaxed(DeviceName asked, const DeviceName& fixed, const DeviceName& also_fixed) {
  if (!fixed.type && !also_fixed.type) asked.type.reset();
  if (!fixed.id && !also_fixed.id) asked.id.reset();
  return asked;
}

}  // namespace

const std::vector<DeviceId>& Candidates::ranked(TypeListId id) {
  const auto [it, is_new] = ranked_.try_emplace(id);
  if (!is_new) return it->second;
  const TypeList& types = p_.supported.lists()[id];
  for (std::size_t i = 0; i < p_.devices.size(); ++i)
    if (supports(types, p_.devices[DeviceId{i}].type)) it->second.push_back(DeviceId{i});
  std::ranges::sort(it->second, {}, [&](DeviceId d) {
    const Device& device = p_.devices[d];
    return std::tuple(-kernel_priority(types, device.type), -p_.rules.priority_of(device.type), is_remote(p_, device),
                      std::string_view(device.name));
  });
  const auto local = std::ranges::find(it->second, p_.options.default_local_device);
  if (local != it->second.end()) std::rotate(it->second.begin(), local, local + 1);
  return it->second;
}

std::vector<DeviceId> Candidates::matching(const DeviceName& pattern, TypeListId types) {
  std::vector<DeviceId> found;
  for (const DeviceId d : ranked(types))
    if (is_specification(pattern, p_.devices[d].parsed)) found.push_back(d);
  return found;
}

std::vector<DeviceId> Candidates::softly_matching(const Member& set) {
  std::vector<DeviceId> found = matching(relaxed(set.requested, set.assigned, set.resource), set.types);
  return found.empty() ? matching(relaxed(set.requested, set.assigned, {}), set.types) : found;
}

StatusOr<const std::vector<DeviceId>*> Candidates::of(NodeId n) {
  Member& set = p_.members.set_of(n);
  if (set.candidates.empty()) set.candidates = matching(set.requested, set.types);
  if (set.candidates.empty() && p_.options.soft_placement && has_details(set.requested)) set.candidates = softly_matching(set);
  if (!set.candidates.empty()) return &set.candidates;
  const Status why = why_none(p_, n);
  return attach_node(invalid("Cannot assign a device for operation {}: {}", p_.graph.name(n), text_of(why)), p_.graph, n);
}

}  // namespace tarry
