// The groups of a graph: which nodes must share a device, and what each group may use (docs/rules/placer.md#C.1 to
// #C.3).
//
// The steps: each node starts alone with its own request; then nodes are joined by reference and resource edges, by
// `loc:@` keys, and by called functions; at the end XLA device types are dropped. The order of the steps depends on the
// release (rules members_first and edges_before_names).
#pragma once

#include "placer/place/placement.hpp"

namespace tarry {

// Fails: docs/rules/placer.md#D2 to #D9, #D11 to #D15 (docs/rules/placer.md#D.1).
[[nodiscard]] Status build_groups(Placement& p);

// ---- the parts ----

// Starts the group of `n` alone: the device types and the request of the node itself. Fails: docs/rules/placer.md#D2 to
// #D6, with the node attached.
[[nodiscard]] Status start_member(Placement& p, NodeId n);

// Joins the nodes that reference and resource edges tie, and those that called functions tie.
[[nodiscard]] Status join_edges(Placement& p);
[[nodiscard]] Status join_by_edge(Placement& p, NodeId src, NodeId dst, const Joined& reason);
[[nodiscard]] Status join(Placement& p, NodeId x, NodeId y, const Joined& reason);

// Limits the groups of nodes that handle variants of host-only data to the CPU (docs/rules/placer.md#C.3.0.6).
void keep_on_host(Placement& p);

// The anchor of each colocation key: the first node that had the key; `none` until then. Most keys are names of nodes.
class Anchors {
 public:
  explicit Anchors(const Graph& g) : of_name_(g.name_count()) {}
  NodeId& of(NameId name) { return of_name_[name]; }
  NodeId& of(std::string_view key, const Graph& g);

 private:
  IdVector<NameId, NodeId> of_name_;
  std::map<std::string, NodeId, std::less<>> ghosts_;  // anchors of keys that are not the name of a node
};
[[nodiscard]] Status join_keys(Placement& p, NodeId n, Anchors& anchors);

// Whether the node has no inputs and one output, a reference or a resource (control edges do not count).
[[nodiscard]] bool makes_resource(const Graph& g, NodeId n);

}  // namespace tarry
