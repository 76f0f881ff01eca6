// What differs between releases of the placer, as data (design: releases are data). The releases themselves: rules.cpp.
//
// Each field is one rule, which the algorithm reads in one place. The value given here is that of 2.15. A release in a
// field's comment is the first that has this value ("1.1: ..."), unless the comment says "up to". The releases are
// those of docs/rules/placer.md#C.5, for which released wheels were probed.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "placer/device/device_set.hpp"
#include "placer/device/merge.hpp"

namespace tarry {

// Error texts as format strings of {fmt}; the arguments' names say what goes in. docs/rules/placer.md#D.
struct Texts {
  // How a node is shown: `definition` in full, `attached` behind the text of an error about the node. {node} is its
  // name, {definition} the filled-in `definition`; {op}, {attrs} and {inputs} come from its NodeDef.
  std::string_view definition, attached;
  bool attached_plain_when_named = true;  // 1.13.1: "[[n]]" behind a text that names a node already
  bool attached_call = false;      // 1.14, 1.15: shows what the isolation pass added as the call it was added for
  bool attrs_by_text = true;       // 1.15 (1.12 not): {attrs} sorted with their values; before, by name
  bool inputs_as_written = false;  // up to 1.12: {inputs} as the graph's file has them ("in:0")
  bool cut_rows_marked = true;     // after 0.12: "[0.5 0.5][0.5...]..." where 0.12 prints "[0.5 0.5][0.5]..."

  std::string_view unknown_assigned;  // docs/rules/placer.md#D3: {assigned}, {devices} in insertion order
  std::string_view no_kernel;  // docs/rules/placer.md#D5: {op} {node} {attrs} {types} (of the device set) {kernels}
  std::string_view type_separator;     // between the {types} of docs/rules/placer.md#D5
  std::string_view malformed_request;  // docs/rules/placer.md#D6: {request} {node} {id} {definition}
  std::string_view cannot_merge;       // docs/rules/placer.md#D7: {x} {y} {why}
  std::string_view no_common_type;     // docs/rules/placer.md#D8: {x} {y} {groups}
  std::string_view in_connection;      // docs/rules/placer.md#D9: {why}
  std::string_view cannot_assign;      // docs/rules/placer.md#D10: {node} {why}
  std::string_view incompatible_edge;  // docs/rules/placer.md#D12, #D13: {which} {src_device} {dst_device} {src}
                                       // {src_op} {dst} {dst_op}
  std::string_view no_such_device;     // docs/rules/placer.md#D16a: {node} {request} {devices} (sorted) {group}
  std::string_view no_such_kernel;     // docs/rules/placer.md#D16b: {request} {type} {group} {op} {attrs} {kernels}
  std::string_view
      group_elsewhere;  // docs/rules/placer.md#D16d: {request} {node} {device} {devices} (insertion order) {group}
  std::string_view no_device;         // docs/rules/placer.md#D17: {op} {inputs} {group}
  std::string_view ambiguous_kernel;  // docs/rules/placer.md#B.9: {node} {definition} {first} {second}
  std::string_view wrong_constraint;  // docs/rules/placer.md#B.9: {op} {attr} {attrs} {definition} {kernel}

  // How a group is described (docs/rules/placer.md#D.2).
  bool group_of_one = true;   // 1.14: shown for a single node as well
  bool group_state = true;    // 1.14: with the state of the group's root, and each op's own device types
  bool group_members = true;  // 1.7: with its members
  std::string_view group_heading, group_members_heading;

  std::string_view placed_line;  // docs/rules/placer.md#C.6, INFO log: {node} {op} {device}
};

// Which ops need not share a device with the producers of their reference and resource inputs.
enum class FreeOps { none, calls, calls_and_datasets };

// Planted mistakes that the hunt has to find (properties/placement/planted_test.cpp), each made in one place of the
// algorithm.
enum class PlantedBug {
  none,
  own_name_not_joined,       // a node with keys leaves its own name's group
  reference_edge_ignored,    // only resource edges tie nodes
  request_of_resource_lost,  // a request for a resource gives way like any other
  tie_broken_backwards,      // among equal devices, the last by name wins
  ids_compared_as_numbers,   // GPU:2 before GPU:10
  default_device_ignored,
  soft_gives_up_job,  // soft placement also takes devices of other jobs
  hard_is_soft,
  kernel_priority_ignored,
  preassigned_moves,
  group_does_not_follow,   // other members may go elsewhere than the member placed first
  generator_beside_first,  // a generator follows its first consumer although others are elsewhere
};

struct Rules {
  std::string release = "2.15";
  PlantedBug planted = PlantedBug::none;

  // Names.
  NameStyle names = NameStyle::with_device;           // 1.1: /device:CPU:0, before /CPU:0
  DeviceLookup lookup = DeviceLookup::canonical;      // 1.4: before, only exactly the name that a device was given
  Compatibility compatibility = Compatibility::wide;  // 2.2.0: names without a common field are compatible

  // The importer's order of nodes and edges (docs/rules/placer.md#B.2).
  bool oldest_order = false;    // up to 1.8: the node that became ready last is built first
  bool controls_sorted = true;  // 1.15 (1.12 not): control inputs by name; before, as written
  bool controls_once = true;    // 1.12 (0.12 not): each control input once

  // Groups.
  bool members_first = true;                       // 1.3: all nodes are looked at before any two are joined
  bool edges_by_id = true;                         // 1.3: by id; before, node by node and in-edge by in-edge
  bool edges_before_names = true;                  // 1.14: reference edges before `loc:@` keys
  bool resource_edges = true;                      // 0.12: before, reference edges only
  bool dataset_edges = true;                       // 2.1: a variant edge between two datasets ties as a resource does
  FreeOps free_ops = FreeOps::calls_and_datasets;  // 1.10: calls; 1.14: a few datasets; 1.15: a registry
  bool other_inputs_checked = false;               // 1.10 to 1.13: docs/rules/placer.md#D11
  bool separate_requests = true;       // 1.14: assigned, resource, requested names apart; groups checked, then joined
  bool names_give_way = true;          // 1.14: under soft placement an impossible `loc:@` key is ignored
  bool own_name_always_joined = true;  // 2.2.0: a node with loc:@ keys joins its own name's group as well
  bool xla_excluded = true;            // 2.1.0: XLA types leave a group that did not ask for them
  bool host_only_kept = true;          // after 2.1.0, in 2.15.1: docs/rules/placer.md#C.3.0.6
  bool types_inferred = false;         // before, by a session: docs/rules/placer.md#C.3.0.6.3
  bool empty_types_noticed = true;     // 0.11: groups without a common type are refused; before, not when the other
                                       // group's root stays root (docs/rules/placer.md#D8's defect)
  bool functions_inspected = true;     // 1.14: docs/rules/placer.md#C.3.3
  // TensorFlow keeps the calls to look into in a hash set of addresses. The set is iterated newest first, and its order
  // is reversed whenever it grows: before the n-th call is inserted, for these n (the sizes of libstdc++'s sets that
  // fit the recordings; collisions, which would differ from run to run, are not modelled).
  std::vector<std::size_t> calls_turn_at = {14, 30, 60, 128};

  // Kernels.
  bool kernel_priorities = true;  // 1.13
  bool default_kernels = true;  // 1.15.0 (not 1.14, 2.0 has it): a kernel for DEFAULT serves a device type without one
  bool remote_kernels = true;   // 1.15.0 (not 2.0.0): a type requested on another task needs no kernel here
  bool composite_devices = true;  // 2.3.0: a device of type COMPOSITE serves every op that some other type serves

  // Candidates.
  bool local_first = true;     // 2.3.0: of equal priority, local devices before remote ones
  bool default_device = true;  // 1.13.1: the default local device comes first if it is a candidate

  // Assignment.
  bool group_follows = true;  // 1.14: a group is limited to the device of each member that is placed
  bool beside_same_device =
      true;  // 1.0: before, any candidate of the same type allowed a node beside its neighbour (CanAssign)
  bool many_consumers = true;            // 1.0: before, a generator had exactly one out-edge
  bool overrides_always_logged = false;  // up to 1.3: D-i is logged even when placements are not
  bool assigned_logged = true;           // 1.0: pre-assigned nodes are logged, too

  // The device types' priorities, higher first (docs/rules/placer.md#A.7). A type that is not here has -1. 0.12 and
  // before had a fixed order.
  std::map<std::string, int, std::less<>> type_priority = {{"GPU", 210}, {"CPU", 70}, {"XLA_CPU", 50}, {"XLA_GPU", 50}};

  Texts texts;

  [[nodiscard]] int priority_of(std::string_view type) const {
    const auto it = type_priority.find(type);
    return it == type_priority.end() ? -1 : it->second;
  }
};

[[nodiscard]] Rules rules_2_15();
// The same, where a session has inferred types before it places its graph.
[[nodiscard]] Rules session_rules_2_15();
[[nodiscard]] Rules rules_1_15();
[[nodiscard]] Rules rules_1_12();
[[nodiscard]] Rules rules_0_12();
[[nodiscard]] Rules rules_0_9();  // follows docs/rules/placer.md alone: no recordings exist

// The releases that tarry knows: one row for each; its rules are a function above.
struct ReleaseRules {
  std::string_view name;  // "1.15"
  Rules (*rules)();
  std::string_view recorded;  // "1.15.0": the version whose op and kernel tables it uses, and whose recorded answers it
                              // is tested against
};
[[nodiscard]] std::span<const ReleaseRules> releases();  // the newest first
// `name` is "1.15" or "1.15.0"; nullptr when tarry does not know the release.
[[nodiscard]] const ReleaseRules* find_release(std::string_view name);
[[nodiscard]] std::string release_names();  // "2.15, 1.15, ..."

// The rules of a release, "1.15" or "1.15.0". Fails: INVALID_ARGUMENT, with the names of the known releases.
[[nodiscard]] StatusOr<Rules> rules_of(std::string_view release);

}  // namespace tarry
