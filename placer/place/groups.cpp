#include "placer/place/groups.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "placer/core/text.hpp"
#include "placer/place/find_kernel.hpp"
#include "placer/place/texts.hpp"

namespace tarry {
namespace {

constexpr std::string_view kGroupPrefix = "loc:@";

// ---- every node alone ----

std::vector<std::string> names_of(const DeviceSet& devices) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < devices.size(); ++i) names.push_back(devices[DeviceId{i}].name);
  return names;
}

Status unknown_assigned(const Placement& p, const std::string& name) {
  return error(
      Code::kInternal,
      "Assigned device '{}' does not match any device. This error can happen when one attempts to run a tf.function with resource inputs "
      "residing on remote devices. This use case is currently not supported. Here are the devices available on this machine: [{}].If you "
      "are seeing this error when running using a tf.Session, set {}share_cluster_devices_in_session to true in the tf.ConfigProto.",
      name, join(names_of(p.devices), ", "), p.rules.experimental_in_advice ? "experimental." : "");
}

Status take_assigned(Placement& p, NodeId n, TypeListId types) {
  const Device& device = p.devices[p.graph.node(n).assigned];
  if (!supports(p.supported.lists()[types], device.type))
    return error(Code::kInternal, "Assigned device '{}' does not have registered OpKernel support for {}", device.name, p.graph.op_name(n));
  Member& member = p.members.set_of(n);
  member.assigned = member.requested = device.parsed;
  return {};
}

// The name that a session remembers becomes a device of the set, or an error.
Status resolve_assigned(Placement& p, NodeId n) {
  const auto it = p.options.assigned_names.find(n);
  if (it == p.options.assigned_names.end()) return {};
  if (!parse_device_name(it->second)) return error(Code::kInternal, "Malformed assigned device '{}'", it->second);
  const DeviceId device = p.devices.find(it->second);
  if (!device.valid()) return unknown_assigned(p, it->second);
  p.graph.node(n).assigned = device;
  return {};
}

Status no_kernel(const Placement& p, NodeId n) {
  const Graph& g = p.graph;
  std::vector<std::string> types = p.supported.device_types();
  std::ranges::sort(types);
  return invalid(
      "No OpKernel was registered to support Op '{}' used by {{{{node {}}}}}{}with these attrs: [{}]\nRegistered devices: [{}]\nRegistered "
      "kernels:\n{}",
      g.op_name(n), g.name(n), p.rules.space_before_with ? " " : "", attrs_text(g.node(n).attrs), join(types, ", "),
      kernel_list_text(p.supported.kernels_of(g.op_name(n))));
}

Status malformed_request(const Placement& p, NodeId n) {
  const Graph& g = p.graph;
  const std::string device = p.rules.device_in_debug_string ? fmt::format("requested: '{}', assigned: ''", g.requested_device(n)) : "";
  return invalid("Malformed device specification '{}' in node: {{name:'{}' id:{} op device:{{{}}} def:{{{}}}}}", g.requested_device(n),
                 g.name(n), n.value, device, node_text(g, n));
}

Status take_request(Placement& p, NodeId n, TypeListId types) {
  if (p.supported.lists()[types].empty()) return no_kernel(p, n);
  auto requested = parse_device_name(p.graph.requested_device(n));
  if (!requested) return malformed_request(p, n);
  Member& member = p.members.set_of(n);
  if (makes_resource(p.graph, n)) member.resource = *requested;
  member.requested = *std::move(requested);
  return {};
}

Status start_member(Placement& p, NodeId n) {
  TARRY_ASSIGN(const TypeListId types, p.supported.of(p.graph, n));
  p.members.set_of(n).types = types;
  TARRY_RETURN_IF_ERROR(resolve_assigned(p, n));
  return p.graph.node(n).assigned.valid() ? take_assigned(p, n, types) : take_request(p, n, types);
}

Status start_members(Placement& p) {
  for (const NodeId n : p.graph.op_nodes())
    if (const Status s = start_member(p, n); !s.ok()) return attach_node(s, p.graph, n);
  return {};
}

// ---- joining ----

Status cannot_colocate(Placement& p, NodeId x, NodeId y, const Refusal& why) {
  const std::string both = fmt::format("Cannot colocate nodes {} and {}", colocation_text(p.graph, x), colocation_text(p.graph, y));
  if (!why.devices.empty()) return invalid("{}: {}", both, why.devices);
  return invalid("{} because no device type supports both of those nodes and the other nodes colocated with them.{}{}", both,
                 group_text(p, x), group_text(p, y));
}

Status join(Placement& p, NodeId x, NodeId y) {
  const auto refusal = p.members.join(x, y);
  return refusal ? cannot_colocate(p, x, y, *refusal) : Status();
}

// ---- reference and resource edges ----

bool is_call(std::string_view op) { return op == "PartitionedCall" || op == "StatefulPartitionedCall"; }

const FunctionSpec* find_function(const Graph& g, std::string_view name) {
  const auto it = std::ranges::find(g.functions, name, [](const FunctionSpec& f) -> std::string_view { return f.signature.name; });
  return it == g.functions.end() ? nullptr : &*it;
}

bool gives_resource(const FunctionSpec& f) {
  return std::ranges::any_of(f.signature.outputs, [](const ArgDef& a) { return a.type == DataType::kResource; });
}

// C.3.3: TensorFlow would place the function's body to learn what its resources need.
bool needs_inspection(const Graph& g, NodeId n) {
  if (!g.is_op(n) || !is_call(g.op_name(n))) return false;
  const FuncRef* called = g.node(n).attrs.get<FuncRef>("f");
  const FunctionSpec* f = called == nullptr ? nullptr : find_function(g, called->name);
  return f != nullptr && gives_resource(*f);
}

bool is_dataset_of_functions(std::string_view op) {
  if (op.starts_with("Experimental")) op.remove_prefix(12);
  static constexpr std::array kOps = {"FilterDataset",
                                      "FlatMapDataset",
                                      "MapDataset",
                                      "ParallelMapDataset",
                                      "InterleaveDataset",
                                      "ParallelInterleaveDataset",
                                      "ParallelInterleaveDatasetV2",
                                      "MapAndBatchDataset",
                                      "GroupByReducerDataset",
                                      "GroupByWindowDataset",
                                      "ScanDataset",
                                      "TakeWhileDataset"};
  return std::ranges::find(kOps, op) != kOps.end();
}

bool takes_references_freely(std::string_view op) {
  return is_call(op) || op == "IdentityN" || op == "DeleteMultiDeviceIterator" || op == "ReduceDataset" || is_dataset_of_functions(op);
}

// One variant output and a name that ends in Dataset or DatasetV<number>.
bool makes_dataset(const Graph& g, NodeId n) {
  if (g.output_count(n) != 1 || g.output_type(n, 0) != DataType::kVariant) return false;
  std::string_view op = g.op_name(n);
  while (!op.empty() && std::isdigit(static_cast<unsigned char>(op.back())) != 0) op.remove_suffix(1);
  if (op.ends_with("DatasetV")) op.remove_suffix(1);
  return op.ends_with("Dataset");
}

bool ties(const Graph& g, const Edge& e) {
  const DataType type = g.input_type(e.dst, e.dst_slot);
  if (takes_references_freely(g.op_name(e.dst))) return false;
  return is_ref(type) || type == DataType::kResource || (type == DataType::kVariant && makes_dataset(g, e.src) && makes_dataset(g, e.dst));
}

std::string edge_end(const Placement& p, NodeId n) { return fmt::format("name='{}' (op='{}')", p.graph.name(n), p.graph.op_name(n)); }

Status incompatible_edge(const Placement& p, const Edge& e, const char* which, const DeviceName& src, const DeviceName& dst) {
  const std::string ends = p.rules.edge_ends_with_ops
                               ? fmt::format("{}, and the dst node is {}.", edge_end(p, e.src), edge_end(p, e.dst))
                               : fmt::format("{} , and the dst node is {}", p.graph.name(e.src), p.graph.name(e.dst));
  return invalid(
      "Cannot place the graph because a reference or resource edge connects colocation groups with incompatible {} devices: {} vs {}. The "
      "edge src node is {}",
      which, to_string(src), to_string(dst), ends);
}

// The consumer's wish gives way to the producer's (C.3.1).
Status reconcile(Placement& p, const Edge& e) {
  const Member& src = p.members.set_of(e.src);
  Member& dst = p.members.set_of(e.dst);
  const Compatibility meaning = p.rules.compatibility;
  if (!are_compatible(src.assigned, dst.assigned, meaning)) return incompatible_edge(p, e, "assigned", src.assigned, dst.assigned);
  if (!are_compatible(src.resource, dst.resource, meaning)) return incompatible_edge(p, e, "resource", src.resource, dst.resource);
  if (are_compatible(src.requested, dst.requested, meaning)) return {};
  dst.requested = ensure_specification(ensure_specification(src.requested, dst.assigned), dst.resource);
  return {};
}

Status join_edge(Placement& p, const Edge& e) {
  TARRY_RETURN_IF_ERROR(reconcile(p, e));
  const Status s = join(p, e.src, e.dst);
  if (s.ok()) return s;
  const Status wrapped = invalid(
      "Nodes were connected by a reference {}connection (requiring them to be on the same device), but the two nodes were "
      "assigned two different devices: {}",
      p.rules.resource_in_connection ? "or resource " : "", text_of(s));
  return attach_node(wrapped, p.graph, e.dst);
}

Status not_inspected(const Graph& g, NodeId n) {
  return error(
      Code::kUnimplemented,
      "tarry does not look into functions yet: node '{}' ({}) calls '{}', which returns a resource, and where it may run depends on the "
      "function's body; inline the function",
      g.name(n), g.op_name(n), g.node(n).attrs.get<FuncRef>("f")->name);
}

Status join_edges(Placement& p) {
  const Graph& g = p.graph;
  for (std::size_t i = 0; i < g.edge_slots(); ++i) {
    const Edge& e = g.edge(EdgeId{i});
    if (!e.alive || e.is_control()) continue;
    for (const NodeId end : {e.src, e.dst})
      if (needs_inspection(g, end)) return not_inspected(g, end);
    if (ties(g, e)) TARRY_RETURN_IF_ERROR(join_edge(p, e));
  }
  return {};
}

// ---- names ----

// The keys of a node's groups: its `loc:@` entries, then its own name (rule own_name_always_joined).
std::vector<std::string_view> keys_of(const Placement& p, NodeId n) {
  std::vector<std::string_view> keys;
  if (const AttrList* entries = p.graph.node(n).attrs.get<AttrList>("_class"))
    for (const std::string& entry : entries->s)
      if (entry.starts_with(kGroupPrefix)) keys.push_back(std::string_view(entry).substr(kGroupPrefix.size()));
  if (keys.empty() || p.rules.own_name_always_joined) keys.push_back(p.graph.name(n));
  return keys;
}

// The first node that has a key is its anchor; later ones join it. Under soft placement a node that cannot stays out.
Status join_names(Placement& p) {
  absl::flat_hash_map<std::string_view, NodeId> anchors;  // looked up, never iterated
  for (const NodeId n : p.graph.op_nodes()) {
    for (const std::string_view key : keys_of(p, n)) {
      const auto [anchor, is_new] = anchors.try_emplace(key, n);
      if (is_new) continue;
      const Status s = join(p, n, anchor->second);
      if (!s.ok() && !p.options.soft_placement) return attach_node(s, p.graph, n);
    }
  }
  return {};
}

// ---- XLA ----

bool names_xla(const DeviceName& n) { return n.type && is_xla_type(*n.type); }

void exclude_xla(Placement& p) {
  TypeLists& lists = p.supported.lists();
  for (const NodeId n : p.graph.op_nodes()) {
    Member& set = p.members.set_of(n);
    if (!names_xla(set.assigned) && !names_xla(set.requested) && !names_xla(set.resource))
      set.types = lists.intern(without_xla(lists[set.types]));
  }
}

}  // namespace

int Placement::index_of(DeviceId d) {
  name_index.resize(devices.size());
  int& index = name_index[d.index()];
  if (index == 0) index = ++names_used;
  return index;
}

bool makes_resource(const Graph& g, NodeId n) {
  if (g.input_count(n) != 0 || g.output_count(n) != 1) return false;
  return is_ref(g.output_type(n, 0)) || g.output_type(n, 0) == DataType::kResource;
}

Status build_groups(Placement& p) {
  TARRY_RETURN_IF_ERROR(start_members(p));
  TARRY_RETURN_IF_ERROR(join_edges(p));
  TARRY_RETURN_IF_ERROR(join_names(p));
  if (p.rules.xla_excluded) exclude_xla(p);
  return {};
}

}  // namespace tarry
