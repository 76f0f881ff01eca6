#include "placer/place/rules.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "placer/core/text.hpp"

namespace tarry {
namespace {

// ---- 2.15, in full ----

constexpr Texts kTexts2_15 = {
    .definition = "{{{{node {node}}}}} = {op}[{attrs}]({inputs})",
    .attached = "{{{{node {node}}}}}",
    .unknown_assigned =
        "Assigned device '{assigned}' does not match any device. This error can happen when one attempts to run a "
        "tf.function with resource "
        "inputs residing on remote devices. This use case is currently not supported. Here are the devices available "
        "on this machine: "
        "[{devices}].If you are seeing this error when running using a tf.Session, set "
        "share_cluster_devices_in_session to true in the "
        "tf.ConfigProto.",
    .no_kernel =
        "No OpKernel was registered to support Op '{op}' used by {{{{node {node}}}}} with these attrs: "
        "[{attrs}]\nRegistered devices: "
        "[{types}]\nRegistered kernels:\n{kernels}",
    .type_separator = ", ",
    .malformed_request =
        "Malformed device specification '{request}' in node: {{name:'{node}' id:{id} op device:{{requested: "
        "'{request}', assigned: ''}} "
        "def:{{{definition}}}}}",
    .cannot_merge = "Cannot colocate nodes {{{{colocation_node {x}}}}} and {{{{colocation_node {y}}}}}: {why}",
    .no_common_type =
        "Cannot colocate nodes {{{{colocation_node {x}}}}} and {{{{colocation_node {y}}}}} because no device type "
        "supports both of those "
        "nodes and the other nodes colocated with them.{groups}",
    .in_connection =
        "Nodes were connected by a reference or resource connection (requiring them to be on the same device), but the "
        "two nodes were "
        "assigned two different devices: {why}",
    .cannot_assign = "Cannot assign a device for operation {node}: {why}",
    .incompatible_edge =
        "Cannot place the graph because a reference or resource edge connects colocation groups with incompatible "
        "{which} devices: "
        "{src_device} vs {dst_device}. The edge src node is name='{src}' (op='{src_op}'), and the dst node is "
        "name='{dst}' (op='{dst_op}').",
    .no_such_device =
        "{{{{node {node}}}}} was explicitly assigned to {request} but available devices are [ {devices} ]. Make sure "
        "the device specification "
        "refers to a valid device.",
    .no_such_kernel =
        "Could not satisfy explicit device specification '{request}' because no supported kernel for {type} devices is "
        "available.{group}\n"
        "Op: {op}\nNode attrs: {attrs}\nRegistered kernels:\n{kernels}",
    .group_elsewhere =
        "Could not satisfy explicit device specification '{request}' because the node {{{{colocation_node {node}}}}} "
        "was colocated with a "
        "group of nodes that required incompatible device '{device}'. All available devices [{devices}]. {group}",
    .no_device =
        "Node had no OpKernel registered to support this operation: Operation was {op} and inputs were "
        "[{inputs}].\n{group}",
    .ambiguous_kernel =
        "Multiple OpKernel registrations match NodeDef at the same priority '{{{{node {node}}}}}': '{first}' and "
        "'{second}'",
    .wrong_constraint =
        "OpKernel '{op}' has constraint on attr '{attr}' not in NodeDef '[{attrs}]', KernelDef: '{kernel}'",
    .group_heading = "\nColocation Debug Info:\nColocation group had the following types and supported devices: ",
    .group_members_heading = "\n\nColocation members, user-requested devices, and framework assigned devices, if any:",
    .placed_line = "{node}: ({op}): {device}",
};

// ---- what the texts were before ----

void set_texts_of_1_15(Texts& t) {
  t.no_kernel =  // 2.2.0: a blank before "with"
      "No OpKernel was registered to support Op '{op}' used by {{{{node {node}}}}}with these attrs: "
      "[{attrs}]\nRegistered devices: "
      "[{types}]\nRegistered kernels:\n{kernels}";
  t.malformed_request =  // 2.2.0: requested and assigned devices
      "Malformed device specification '{request}' in node: {{name:'{node}' id:{id} op device:{{}} "
      "def:{{{definition}}}}}";
  t.unknown_assigned =  // 2.1: not experimental any more
      "Assigned device '{assigned}' does not match any device. This error can happen when one attempts to run a "
      "tf.function with resource "
      "inputs residing on remote devices. This use case is currently not supported. Here are the devices available on "
      "this machine: "
      "[{devices}].If you are seeing this error when running using a tf.Session, set "
      "experimental.share_cluster_devices_in_session to true "
      "in the tf.ConfigProto.";
  t.attached_call = true;
  t.ambiguous_kernel =
      "Multiple OpKernel registrations match NodeDef '{{{{node {node}}}}}': '{first}' and '{second}'";  // 2.1.0
  t.in_connection =  // 2.5.0: "or resource"
      "Nodes were connected by a reference connection (requiring them to be on the same device), but the two nodes "
      "were assigned two "
      "different devices: {why}";
  t.incompatible_edge =  // between 2.8.0 and 2.10.0: names and ops
      "Cannot place the graph because a reference or resource edge connects colocation groups with incompatible "
      "{which} devices: "
      "{src_device} vs {dst_device}. The edge src node is {src} , and the dst node is {dst}";
}

void set_node_texts_of_1_12(Texts& t) {
  t.attached = "{definition}";  // 1.13.1: the name only
  t.attached_plain_when_named = t.attached_call = false;
  t.inputs_as_written = true;
  t.unknown_assigned = "Assigned device '{assigned}' does not match any device";
  t.no_kernel =
      "No OpKernel was registered to support Op '{op}' with these attrs.  Registered devices: [{types}], Registered "
      "kernels:\n{kernels}";
  t.type_separator = ",";
  t.malformed_request = "Malformed device specification '{request}'";
  t.ambiguous_kernel = "Multiple OpKernel registrations match NodeDef '{definition}': '{first}' and '{second}'";
  t.wrong_constraint =
      "OpKernel '{op}' has constraint on attr '{attr}' not in NodeDef '{definition}', KernelDef: '{kernel}'";
}

void set_texts_of_1_12(Texts& t) {
  t.attrs_by_text = false;
  set_node_texts_of_1_12(t);
  t.no_such_device =
      "Operation was explicitly assigned to {request} but available devices are [ {devices} ]. Make sure the device "
      "specification refers "
      "to a valid device.";
  t.no_such_kernel =
      "Could not satisfy explicit device specification '{request}' because no supported kernel for {type} devices is "
      "available.{group}\n"
      "Registered kernels:\n{kernels}";
  t.group_elsewhere =
      "Could not satisfy explicit device specification '{request}' because the node {{{{colocation_node {node}}}}} was "
      "colocated with a "
      "group of nodes that required incompatible device '{device}'{group}";
  t.no_device =
      "Node had no OpKernel registered to support this operation: Operation was {op} and inputs were {inputs}{group}";
  t.group_of_one = t.group_state = false;
  t.group_heading = "\nColocation Debug Info:\nColocation group had the following types and devices: ";
  t.group_members_heading = "\n\nColocation members and user-requested devices:";
  t.placed_line = "{node}: ({op}){device}";
}

void set_texts_of_0_12(Texts& t) {
  t.definition = "{node} = {op}[{attrs}]({inputs})";  // 1.12: {{node n}}
  t.attached = "Node: {definition}";
  t.cut_rows_marked = false;
  t.cannot_merge =
      "Cannot colocate nodes '{x}' and '{y}: {why}";  // 1.12: {{colocation_node n}}; the second name's quote stays open
  t.no_common_type =
      "Cannot colocate nodes '{x}' and '{y}' because no device type supports both of those nodes and the other nodes "
      "colocated with "
      "them.{groups}";
  t.cannot_assign = "Cannot assign a device to node '{node}': {why}";  // 1.2: "for operation"
  t.no_such_device =                                                   // 1.2: "explicitly assigned"
      "Could not satisfy explicit device specification '{request}' because no devices matching that specification are "
      "registered in this "
      "process; available devices: {devices}{group}";
  t.no_such_kernel =  // 1.6: registered kernels
      "Could not satisfy explicit device specification '{request}' because no supported kernel for {type} devices is "
      "available.{group}";
  t.group_elsewhere =
      "Could not satisfy explicit device specification '{request}' because the node was colocated with a group of "
      "nodes that required "
      "incompatible device '{device}'{group}";
  t.group_members = false;  // 1.7
}

void set_texts_of_0_9(Texts& t) {
  t.no_kernel = "No OpKernel was registered to support Op '{op}' with these attrs";  // 0.11: kernels; 0.12: devices
  t.no_common_type =                                                                 // 0.11: a full stop and the groups
      "Cannot colocate nodes '{x}' and '{y}' because no device type supports both of those nodes and the other nodes "
      "colocated with them";
  t.placed_line = "{node}: {device}";  // 0.12: the op
}

}  // namespace

// ---- the releases, newest first; each says what it lacks of the one before ----

Rules rules_2_15() {
  Rules r;
  r.texts = kTexts2_15;
  return r;
}

Rules session_rules_2_15() {
  Rules r = rules_2_15();
  r.types_inferred = true;
  return r;
}

Rules rules_1_15() {
  Rules r = rules_2_15();
  r.release = "1.15";
  r.compatibility = Compatibility::nested;
  r.own_name_always_joined = r.xla_excluded = r.dataset_edges = r.host_only_kept = false;
  r.local_first = r.composite_devices = false;
  r.calls_turn_at = {3, 7, 17, 37, 79};
  set_texts_of_1_15(r.texts);
  return r;
}

Rules rules_1_12() {
  Rules r = rules_1_15();
  r.release = "1.12";
  r.controls_sorted = false;
  r.edges_before_names = r.separate_requests = r.names_give_way = r.functions_inspected = false;
  r.free_ops = FreeOps::calls;
  r.other_inputs_checked = true;
  r.kernel_priorities = r.default_kernels = r.remote_kernels = r.default_device = false;
  r.group_follows = false;
  set_texts_of_1_12(r.texts);
  return r;
}

Rules rules_0_12() {
  Rules r = rules_1_12();
  r.release = "0.12";
  r.names = NameStyle::without_device;
  r.lookup = DeviceLookup::as_written;
  r.oldest_order = true;
  r.controls_once = false;
  r.members_first = r.edges_by_id = false;
  r.free_ops = FreeOps::none;
  r.other_inputs_checked = false;
  r.beside_same_device = r.many_consumers = r.assigned_logged = false;
  r.overrides_always_logged = true;
  r.type_priority = {{"GPU", -2}, {"CPU", -3}};  // any other type first, then GPU, then CPU (docs/rules/placer.md#A.7)
  set_texts_of_0_12(r.texts);
  return r;
}

Rules rules_0_9() {
  Rules r = rules_0_12();
  r.release = "0.9";
  r.resource_edges = r.empty_types_noticed = false;
  set_texts_of_0_9(r.texts);
  return r;
}

std::span<const ReleaseRules> releases() {
  static constexpr ReleaseRules kReleases[] = {{"2.15", rules_2_15, "2.15.1"},
                                               {"1.15", rules_1_15, "1.15.0"},
                                               {"1.12", rules_1_12, "1.12.0"},
                                               {"0.12", rules_0_12, "0.12.0"},
                                               {"0.9", rules_0_9, "0.12.0"}};
  return kReleases;
}

const ReleaseRules* find_release(std::string_view name) {
  const auto is_it = [&](const ReleaseRules& r) {
    return name == r.name || name.starts_with(std::string(r.name) + ".");
  };
  const auto found = std::ranges::find_if(releases(), is_it);
  return found == releases().end() ? nullptr : &*found;
}

std::string release_names() {
  std::vector<std::string> names;
  for (const ReleaseRules& r : releases()) names.emplace_back(r.name);
  return join(names, ", ");
}

StatusOr<Rules> rules_of(std::string_view release) {
  if (const ReleaseRules* found = find_release(release)) return found->rules();
  return invalid("no rules for release '{}' (there are: {})", release, release_names());
}

}  // namespace tarry
