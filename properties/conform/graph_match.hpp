// Whether two graphs are the same, up to names and numbers that come from counters.
//
// Nodes are distinguished by op, device, attributes and the part of their name before `/_<number>`; edge numbers inside
// `tensor_name` are ignored. Colour refinement distinguishes nodes with different neighbours; the remaining classes are
// matched by VF2. Good for graphs of 10,000 nodes and more.
#pragma once

#include <string>

#include "placer/graph/spec.hpp"

namespace tarry {

// Whether nodes must have the same names. With `no`, the names in `_class` are treated as links to nodes, like inputs.
enum class MatchNames { yes, no };

// Gives "" when they are the same; else a text with the first few nodes that only one side has.
[[nodiscard]] std::string difference(const GraphSpec& ours, const GraphSpec& theirs,
                                     MatchNames names = MatchNames::yes);

}  // namespace tarry
