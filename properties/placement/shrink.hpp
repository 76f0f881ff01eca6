// The cases that are a little smaller than a case, for shrinking a counterexample.
//
// Large steps first: whole components, then halves, quarters, ... of the nodes, each with the nodes that read from
// them; then single things: a node, an input, a request, a key, an assignment, a device, an option. Every smaller case
// is one that the importer accepts. A failing case is 1-minimal when no smaller one fails: nothing in it can be left
// out.
#pragma once

#include <functional>
#include <vector>

#include "properties/hunting/hunting.hpp"
#include "properties/placement/case.hpp"

namespace tarry {

// Calls `each` with smaller cases, in a fixed order, until it returns true.
void for_each_smaller(const PlacementCase& c, const std::function<bool(const PlacementCase&)>& each);

using Shrunk = ShrunkTo<PlacementCase>;
// PROMISES: 1-minimal, unless `most` tries were not enough.
[[nodiscard]] Shrunk shrink(PlacementCase failing, const std::function<bool(const PlacementCase&)>& fails,
                            std::uint64_t most = 20'000);

}  // namespace tarry
