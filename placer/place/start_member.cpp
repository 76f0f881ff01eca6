#include "placer/place/errors.hpp"
#include "placer/place/groups.hpp"

namespace tarry {
namespace {

Status take_assigned(Placement& p, NodeId n, TypeListId types) {
  const Device& device = p.devices[p.graph.node(n).assigned];
  if (!supports(p.supported.lists()[types], device.type))
    return error(Code::kInternal, "Assigned device '{}' does not have registered OpKernel support for {}", device.name,
                 p.graph.op_name(n));
  Member& member = p.members.set_of(n);
  member.requested = p.name_of(p.graph.node(n).assigned);
  if (p.rules.separate_requests) member.assigned = member.requested;
  return {};
}

// The name that a session remembers becomes a device of the set, or an error.
Status resolve_assigned(Placement& p, NodeId n) {
  const auto it = p.options.assigned_names.find(n);
  if (it == p.options.assigned_names.end() || p.rules.planted == PlantedBug::preassigned_moves) return {};
  if (!parse_device_name(it->second)) return error(Code::kInternal, "Malformed assigned device '{}'", it->second);
  const DeviceId device = p.devices.find(it->second);
  if (!device.valid()) return unknown_assigned(p, it->second);
  p.graph.node(n).assigned = device;
  return {};
}

Status take_request(Placement& p, NodeId n, TypeListId types) {
  if (p.supported.lists()[types].empty()) return no_kernel(p, n);
  const DeviceRequestId requested = p.request_of(n);
  if (!requested.valid()) return malformed_request(p, n);
  Member& member = p.members.set_of(n);
  if (p.rules.separate_requests && makes_resource(p.graph, n) &&
      p.rules.planted != PlantedBug::request_of_resource_lost)
    member.resource = requested;
  member.requested = requested;
  return {};
}

void note_alone(const Placement& p, NodeId n, TypeListId types) {
  if (!p.is_noted()) return;
  Alone alone{n, {}};
  for (const SupportedType& t : p.supported.lists()[types]) alone.types.push_back(t.type);
  p.note(std::move(alone));
}

Status look_at(Placement& p, NodeId n) {
  TARRY_ASSIGN(const TypeListId types, p.supported.of(p.graph, n));
  p.members.set_of(n).types = types;
  note_alone(p, n, types);
  TARRY_RETURN_IF_ERROR(resolve_assigned(p, n));
  return p.graph.node(n).assigned.valid() ? take_assigned(p, n, types) : take_request(p, n, types);
}

}  // namespace

bool makes_resource(const Graph& g, NodeId n) {
  if (g.input_count(n) != 0 || g.output_count(n) != 1) return false;
  return is_ref(g.output_type(n, 0)) || g.output_type(n, 0) == DataType::kResource;
}

Status start_member(Placement& p, NodeId n) {
  const Status s = look_at(p, n);
  if (s.ok()) return s;
  if (p.options.journal != nullptr) {
    p.options.journal->failed_at = n;
    if (p.options.journal->failed_kind.empty())
      p.options.journal->failed_kind = s.code() == Code::kInternal ? "D2-D4" : "B.9";
  }
  return attached(p, s, n);
}

}  // namespace tarry
