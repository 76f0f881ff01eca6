// The groups of a graph: which nodes must share a device, and what each group may use (placer.md C.3).
//
// In this order: every node alone with what it asked for; reference and resource edges; `loc:@` names; XLA types dropped.
#pragma once

#include "placer/place/members.hpp"
#include "placer/place/place.hpp"
#include "placer/place/supported.hpp"

namespace tarry {

// What one placement works on.
struct Placement {
  Placement(Graph& g, const DeviceSet& d, const Rules& r, const PlaceOptions& o)
      : graph(g), devices(d), rules(r), options(o), supported(d, r, o), members(g.node_slots(), supported.lists(), o.soft_placement) {}

  Graph& graph;
  const DeviceSet& devices;
  const Rules& rules;
  const PlaceOptions& options;
  Supported supported;
  Members members;
  std::vector<int> name_index = {};  // by device: the order in which assigned names were first used, from 1; 0 = not used
  int names_used = 0;

  [[nodiscard]] int index_of(DeviceId d);
};

// No inputs and one output (control edges do not count) that is a reference or a resource.
[[nodiscard]] bool makes_resource(const Graph& g, NodeId n);

// Fails: D2-D9, D12, D13 (placer.md D.1), and UNIMPLEMENTED where C.3.3 would be needed.
[[nodiscard]] Status build_groups(Placement& p);

// A group as errors describe it: its types and devices, its members and their wishes (D.2).
[[nodiscard]] std::string group_text(Placement& p, NodeId n);

}  // namespace tarry
