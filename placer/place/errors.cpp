#include "placer/place/errors.hpp"

#include <algorithm>

#include "placer/core/text.hpp"
#include "placer/place/find_kernel.hpp"
#include "placer/place/texts.hpp"

namespace tarry {
namespace {

template <class... Args>
std::string filled(std::string_view text, const Args&... args) {
  return fmt::format(fmt::runtime(text), args...);
}

template <class... Args>
Status invalid_text(std::string_view text, const Args&... args) {
  return Status(Code::kInvalidArgument, filled(text, args...));
}

std::vector<std::string> sorted(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  return texts;
}

std::string kernels_text(const Placement& p, NodeId n) {
  return kernel_list_text(p.supported.kernels_of(p.graph.op_name(n)));
}
std::string group_of(Placement& p, NodeId n) { return group_text(p, p.members.root_of(n)); }

Status no_such_device(Placement& p, NodeId n) {
  note_kind(p, n, "D16a");
  return invalid_text(p.rules.texts.no_such_device, fmt::arg("node", p.graph.name(n)),
                      fmt::arg("request", p.graph.requested_device(n)),
                      fmt::arg("devices", join(sorted(names_of(p.devices)), ", ")), fmt::arg("group", group_of(p, n)));
}

Status no_such_kernel(Placement& p, NodeId n, const std::string& type) {
  note_kind(p, n, "D16b");
  return invalid_text(p.rules.texts.no_such_kernel, fmt::arg("request", p.graph.requested_device(n)),
                      fmt::arg("type", type), fmt::arg("group", group_of(p, n)), fmt::arg("op", p.graph.op_name(n)),
                      fmt::arg("attrs", attrs_text(p.graph.node(n).attrs, p.rules)),
                      fmt::arg("kernels", kernels_text(p, n)));
}

// The closing quote is missing in every release.
Status no_type_asked_for(Placement& p, NodeId n) {
  note_kind(p, n, "D16c");
  return invalid("Could not satisfy explicit device specification '{}{}", p.graph.requested_device(n), group_of(p, n));
}

Status group_elsewhere(Placement& p, NodeId n) {
  note_kind(p, n, "D16d");
  return invalid_text(p.rules.texts.group_elsewhere, fmt::arg("request", p.graph.requested_device(n)),
                      fmt::arg("node", p.graph.name(n)), fmt::arg("device", p.text(p.members.set_of(n).requested)),
                      fmt::arg("devices", join(names_of(p.devices), ", ")), fmt::arg("group", group_of(p, n)));
}

Status no_device_has_kernel(Placement& p, NodeId n) {
  note_kind(p, n, "D17");
  std::vector<std::string> inputs;
  for (int slot = 0; slot < p.graph.input_count(n); ++slot) inputs.push_back(type_name(p.graph.input_type(n, slot)));
  return invalid_text(p.rules.texts.no_device, fmt::arg("op", p.graph.op_name(n)),
                      fmt::arg("inputs", join(inputs, ", ")), fmt::arg("group", group_of(p, n)));
}

Status why_none(Placement& p, NodeId n) {
  const DeviceName wanted = p.requests[p.members.set_of(n).requested];
  if (!has_details(wanted)) return no_device_has_kernel(p, n);
  const auto own = parse_device_name(p.graph.requested_device(n));
  if (!own || *own != wanted) return group_elsewhere(p, n);
  if (p.devices.matching(wanted).empty()) return no_such_device(p, n);
  return wanted.type ? no_such_kernel(p, n, *wanted.type) : no_type_asked_for(p, n);
}

}  // namespace

std::vector<std::string> names_of(const DeviceSet& devices) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < devices.size(); ++i) names.push_back(devices[DeviceId{i}].name);
  return names;
}

void note_kind(const Placement& p, NodeId n, const char* kind) {
  if (p.options.journal == nullptr) return;
  p.options.journal->failed_at = n;
  p.options.journal->failed_kind = kind;
}

Status attached(const Placement& p, const Status& s, NodeId n) {
  return attach_node(s, p.graph, n, p.rules, p.options);
}

Status unknown_assigned(const Placement& p, const std::string& name) {
  return Status(Code::kInternal, filled(p.rules.texts.unknown_assigned, fmt::arg("assigned", name),
                                        fmt::arg("devices", join(names_of(p.devices), ", "))));
}

Status no_kernel(const Placement& p, NodeId n) {
  note_kind(p, n, "D5");
  const std::string types = join(sorted(p.supported.device_types()), p.rules.texts.type_separator);
  return invalid_text(p.rules.texts.no_kernel, fmt::arg("op", p.graph.op_name(n)), fmt::arg("node", p.graph.name(n)),
                      fmt::arg("attrs", attrs_text(p.graph.node(n).attrs, p.rules)), fmt::arg("types", types),
                      fmt::arg("kernels", kernels_text(p, n)));
}

Status malformed_request(const Placement& p, NodeId n) {
  note_kind(p, n, "D6");
  return invalid_text(p.rules.texts.malformed_request, fmt::arg("request", p.graph.requested_device(n)),
                      fmt::arg("node", p.graph.name(n)), fmt::arg("id", n.value),
                      fmt::arg("definition", definition_text(p.graph, n, p.rules, p.options)));
}

Status cannot_colocate(Placement& p, NodeId x, NodeId y, NodeId x_root, NodeId y_root, const Refusal& why) {
  note_kind(p, x, why.merge_error.empty() ? "D8" : "D7");
  if (!why.merge_error.empty())
    return invalid_text(p.rules.texts.cannot_merge, fmt::arg("x", p.graph.name(x)), fmt::arg("y", p.graph.name(y)),
                        fmt::arg("why", why.merge_error));
  return invalid_text(p.rules.texts.no_common_type, fmt::arg("x", p.graph.name(x)), fmt::arg("y", p.graph.name(y)),
                      fmt::arg("groups", group_text(p, x_root) + group_text(p, y_root)));
}

Status in_connection(const Placement& p, NodeId dst, const Status& why) {
  return attached(p, invalid_text(p.rules.texts.in_connection, fmt::arg("why", text_of(why))), dst);
}

Status incompatible_edge(const Placement& p, NodeId src, NodeId dst, const char* which, DeviceRequestId of_src,
                         DeviceRequestId of_dst) {
  note_kind(p, dst, *which == 'a' ? "D12" : "D13");
  return invalid_text(p.rules.texts.incompatible_edge, fmt::arg("which", which), fmt::arg("src_device", p.text(of_src)),
                      fmt::arg("dst_device", p.text(of_dst)), fmt::arg("src", p.graph.name(src)),
                      fmt::arg("src_op", p.graph.op_name(src)), fmt::arg("dst", p.graph.name(dst)),
                      fmt::arg("dst_op", p.graph.op_name(dst)));
}

Status cannot_assign(Placement& p, NodeId n) {
  const Status why = why_none(p, n);
  return attached(
      p, invalid_text(p.rules.texts.cannot_assign, fmt::arg("node", p.graph.name(n)), fmt::arg("why", text_of(why))),
      n);
}

}  // namespace tarry
