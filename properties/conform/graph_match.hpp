// Are two graphs the same, up to names and numbers that counters make?
//
// Nodes are told apart by op, device, attributes and the part of their name before `/_<number>`; numbers of edges inside `tensor_name` do not count. Colour
// refinement tells apart what has different neighbours; what it leaves together is matched by VF2. Good for graphs of 10,000 nodes and more.
#pragma once

#include <string>

#include "placer/graph/spec.hpp"

namespace tarry {

// "" when they are the same; else what was found, naming the first few nodes that only one side has.
[[nodiscard]] std::string difference(const GraphSpec& ours, const GraphSpec& theirs);

}  // namespace tarry
