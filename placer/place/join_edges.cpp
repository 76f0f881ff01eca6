#include <algorithm>
#include <array>
#include <cctype>

#include "placer/place/called_function.hpp"
#include "placer/place/errors.hpp"
#include "placer/place/groups.hpp"

namespace tarry {
namespace {

// ---- which edges tie ----

bool is_dataset_of_functions(std::string_view op) {
  if (op.starts_with("Experimental")) op.remove_prefix(12);
  static constexpr std::array kOps = {"FilterDataset",
                                      "FlatMapDataset",
                                      "MapDataset",
                                      "ParallelMapDataset",
                                      "ParallelMapDatasetV2",
                                      "ParallelFilterDataset",
                                      "InterleaveDataset",
                                      "ParallelInterleaveDataset",
                                      "ParallelInterleaveDatasetV2",
                                      "ParallelInterleaveDatasetV3",
                                      "ParallelInterleaveDatasetV4",
                                      "LegacyParallelInterleaveDatasetV2",
                                      "MapAndBatchDataset",
                                      "GroupByReducerDataset",
                                      "GroupByWindowDataset",
                                      "ScanDataset",
                                      "TakeWhileDataset"};
  return std::ranges::find(kOps, op) != kOps.end();
}

bool is_free(std::string_view op, FreeOps which) {
  if (which == FreeOps::none) return false;
  if (is_call(op) || which == FreeOps::calls) return is_call(op);
  return op == "IdentityN" || op == "DeleteMultiDeviceIterator" || op == "ReduceDataset" || op == "RpcServerRegister" ||
         is_dataset_of_functions(op);
}

// One variant output and a name that ends in Dataset or DatasetV<number>.
bool makes_dataset(const Graph& g, NodeId n) {
  if (g.output_count(n) != 1 || g.output_type(n, 0) != DataType::kVariant) return false;
  std::string_view op = g.op_name(n);
  while (!op.empty() && std::isdigit(static_cast<unsigned char>(op.back())) != 0) op.remove_suffix(1);
  if (op.ends_with("DatasetV")) op.remove_suffix(1);
  return op.ends_with("Dataset");
}

bool is_shared(DataType type, const Rules& rules) {
  if (is_ref(type)) return rules.planted != PlantedBug::reference_edge_ignored;
  return type == DataType::kResource && rules.resource_edges;
}

bool ties(const Placement& p, const Edge& e) {
  const Graph& g = p.graph;
  const DataType type = g.input_type(e.dst, e.dst_slot);
  if (!is_shared(type, p.rules) &&
      !(p.rules.dataset_edges && type == DataType::kVariant && makes_dataset(g, e.src) && makes_dataset(g, e.dst)))
    return false;
  return !is_free(g.op_name(e.dst), p.rules.free_ops);
}

bool differs_from_composite(const DeviceName& src, const DeviceName& dst) {
  return src.type == kComposite && dst.type && dst.type != kComposite;
}

// docs/rules/placer.md#C.3.6: a resource on several devices does not tie its consumers on one of them.
bool spreads(const Placement& p, const Member& src, const Member& dst) {
  const auto differs = [&](DeviceRequestId a, DeviceRequestId b) {
    return a != b && differs_from_composite(p.requests[a], p.requests[b]);
  };
  return p.rules.composite_devices && (differs(src.assigned, dst.assigned) || differs(src.resource, dst.resource) ||
                                       differs(src.requested, dst.requested));
}

// ---- whose request gives way ----

void take_over(Placement& p, NodeId src, NodeId dst, DeviceRequestId request) {
  Member& group = p.members.set_of(dst);
  if (p.is_noted())
    p.note(Overridden{src, dst, p.requests[group.requested], p.requests[p.members.set_of(src).requested]});
  group.requested = request;
}

// docs/rules/placer.md#C.3.1: what is assigned, or asked of a resource, must fit; any other request of the consumer's
// group gives way to the producer's.
Status reconcile_requests(Placement& p, NodeId src_node, NodeId dst_node) {
  const Member &src = p.members.set_of(src_node), &dst = p.members.set_of(dst_node);
  if (!p.requests.compatible(src.assigned, dst.assigned))
    return incompatible_edge(p, src_node, dst_node, "assigned", src.assigned, dst.assigned);
  if (!p.requests.compatible(src.resource, dst.resource))
    return incompatible_edge(p, src_node, dst_node, "resource", src.resource, dst.resource);
  if (!p.requests.compatible(src.requested, dst.requested))
    take_over(p, src_node, dst_node,
              p.requests.specified(p.requests.specified(src.requested, dst.assigned), dst.resource));
  return {};
}

// docs/rules/placer.md#D11: before dst follows src, its other references and resources must fit src as well.
Status check_other_inputs(const Placement& p, NodeId src, NodeId dst, Members& members) {
  const DeviceRequestId request = members.set_of(src).requested;
  for (const EdgeId id : p.graph.in_edges(dst)) {
    const Edge& e = p.graph.edge(id);
    if (e.is_control() || e.src == src || !is_shared(p.graph.input_type(dst, e.dst_slot), p.rules)) continue;
    const DeviceRequestId other = members.set_of(e.src).requested;
    if (other == kNoDeviceRequest || p.requests.compatible(other, request)) continue;
    note_kind(p, dst, "D11");
    return attached(
        p,
        invalid("Could not colocate node with its resource and reference inputs; devices {} and {} are not compatible.",
                p.text(other), p.text(request)),
        dst);
  }
  return {};
}

// Up to 1.13 a group has one request, and the more specific of two that fit counts for both
// (docs/rules/placer.md#C.1.2).
Status reconcile_names(Placement& p, NodeId src_node, NodeId dst_node) {
  Member &src = p.members.set_of(src_node), &dst = p.members.set_of(dst_node);
  if (src.requested == kNoDeviceRequest || dst.requested == kNoDeviceRequest) return {};
  if (!p.requests.compatible(src.requested, dst.requested)) {
    if (p.rules.other_inputs_checked) TARRY_RETURN_IF_ERROR(check_other_inputs(p, src_node, dst_node, p.members));
    take_over(p, src_node, dst_node, src.requested);
  } else if (is_specification(p.requests[src.requested], p.requests[dst.requested])) {
    src.requested = dst.requested;
  } else {
    dst.requested = src.requested;
  }
  return {};
}

Status join_edge(Placement& p, EdgeId id) {
  const Edge& e = p.graph.edge(id);
  return join_by_edge(p, e.src, e.dst, {.edge = id});
}

// ---- the order of edges ----

std::vector<EdgeId> edges_by_id(const Graph& g) {
  std::vector<EdgeId> edges;
  edges.reserve(g.edge_count());
  for (std::size_t i = 0; i < g.edge_slots(); ++i)
    if (g.edge(EdgeId{i}).alive && !g.edge(EdgeId{i}).is_control()) edges.push_back(EdgeId{i});
  return edges;
}

std::vector<EdgeId> edges_by_node(const Graph& g) {
  std::vector<EdgeId> edges;
  for (const NodeId n : g.op_nodes())
    for (const EdgeId e : g.in_edges(n))
      if (!g.edge(e).is_control()) edges.push_back(e);
  return edges;
}

// The call that an edge begins or ends at and whose function must be looked into; none for other edges.
NodeId inspected_end(const Placement& p, const Edge& e) {
  if (!p.rules.functions_inspected) return NodeId::none();
  for (const NodeId end : {e.src, e.dst})
    if (needs_inspection(p.graph, end)) return end;
  return NodeId::none();
}

// Rule calls_turn_at.
std::vector<NodeId> turned(const std::vector<NodeId>& calls, const std::vector<std::size_t>& turns) {
  std::vector<NodeId> oldest_first;
  for (const NodeId call : calls) {
    if (std::ranges::find(turns, oldest_first.size() + 1) != turns.end()) std::ranges::reverse(oldest_first);
    oldest_first.push_back(call);
  }
  std::ranges::reverse(oldest_first);
  return oldest_first;
}

}  // namespace

Status join(Placement& p, NodeId x, NodeId y, const Joined& reason) {
  const NodeId x_root = p.members.root_of(x), y_root = p.members.root_of(y);
  const auto refusal = p.members.join(x, y);
  if (refusal && p.is_noted()) p.options.journal->refused = Joined{x, y, reason.edge, reason.key, reason.call};
  if (refusal) return cannot_colocate(p, x, y, x_root, y_root, *refusal);
  if (x_root != y_root) p.note(Joined{x, y, reason.edge, reason.key, reason.call});
  return {};
}

Status join_by_edge(Placement& p, NodeId src, NodeId dst, const Joined& reason) {
  if (spreads(p, p.members.set_of(src), p.members.set_of(dst))) return {};
  TARRY_RETURN_IF_ERROR(p.rules.separate_requests ? reconcile_requests(p, src, dst) : reconcile_names(p, src, dst));
  const Status s = join(p, src, dst, reason);
  return s.ok() ? s : in_connection(p, dst, s);
}

Status join_edges(Placement& p) {
  std::vector<NodeId> calls;
  for (const EdgeId id : p.rules.edges_by_id ? edges_by_id(p.graph) : edges_by_node(p.graph)) {
    const Edge& e = p.graph.edge(id);
    if (const NodeId call = inspected_end(p, e); call.valid()) {
      if (std::ranges::find(calls, call) == calls.end()) calls.push_back(call);
    } else if (ties(p, e)) {
      TARRY_RETURN_IF_ERROR(join_edge(p, id));
    }
  }
  for (const NodeId call : turned(calls, p.rules.calls_turn_at)) TARRY_RETURN_IF_ERROR(join_by_body(p, call));
  return {};
}

}  // namespace tarry
