// Are two graphs the same, up to names and numbers that counters make?
//
// Nodes are told apart by op, device, attributes and the part of their name before `/_<number>`; numbers of edges
// inside `tensor_name` do not count. Colour refinement tells apart what has different neighbours; what it leaves
// together is matched by VF2. Good for graphs of 10,000 nodes and more.
#pragma once

#include <string>

#include "placer/graph/spec.hpp"

namespace tarry {

// Whether nodes must have the same names. Without, the names in `_class` are links to nodes like inputs.
enum class MatchNames { yes, no };

// "" when they are the same; else what was found, naming the first few nodes that only one side has.
[[nodiscard]] std::string difference(const GraphSpec& ours, const GraphSpec& theirs,
                                     MatchNames names = MatchNames::yes);

}  // namespace tarry
