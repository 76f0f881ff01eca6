// The groups of a graph: which nodes must share a device, and what each group may use (docs/rules/placer.md#C.1 to
// #C.3).
//
// Every node alone with what it asked for; reference and resource edges; `loc:@` keys; called functions; XLA types
// dropped. Which comes first is the release's (rules members_first and edges_before_names).
#pragma once

#include "placer/place/placement.hpp"

namespace tarry {

// Fails: docs/rules/placer.md#D2 to #D9, #D11 to #D15 (docs/rules/placer.md#D.1).
[[nodiscard]] Status build_groups(Placement& p);

// ---- the parts ----

// What `n` may use by itself. Fails: docs/rules/placer.md#D2 to #D6, with the node attached.
[[nodiscard]] Status start_member(Placement& p, NodeId n);

// Joins what reference and resource edges tie, and what called functions tie.
[[nodiscard]] Status join_edges(Placement& p);
[[nodiscard]] Status join_by_edge(Placement& p, NodeId src, NodeId dst, const Joined& reason);
[[nodiscard]] Status join(Placement& p, NodeId x, NodeId y, const Joined& reason);

// The nodes that have a key first: none until somebody has it. Most keys are names of nodes.
class Anchors {
 public:
  explicit Anchors(const Graph& g) : of_name_(g.name_count()) {}
  NodeId& of(NameId name) { return of_name_[name]; }
  NodeId& of(std::string_view key, const Graph& g);

 private:
  IdVector<NameId, NodeId> of_name_;
  std::map<std::string, NodeId, std::less<>> ghosts_;  // keys that are nobody's name
};
[[nodiscard]] Status join_keys(Placement& p, NodeId n, Anchors& anchors);

// No inputs and one output (control edges do not count) that is a reference or a resource.
[[nodiscard]] bool makes_resource(const Graph& g, NodeId n);

}  // namespace tarry
