// What a master does to a graph before it sends it, besides cutting it. It has no effect on a simulation and is done
// for exact messages only (Directory::is_exact).
#pragma once

#include <cstdint>
#include <vector>

#include "placer/graph/graph.hpp"

namespace tarry {

// Sets `_XlaHasReferenceVars` on every node: whether the node is reached from a node with reference inputs or outputs,
// or reaches one (a rewrite that 2.15.1 does even with grappler off).
void mark_reference_variables(Graph& g);

// Removes attributes that have their op's default value.
void strip_default_attributes(GraphSpec& g, const OpRegistry& ops);

// When each node can start at the earliest, in microseconds, by node id (docs/rules/runtime.md#B.6): every op takes 1,
// a tensor that changes device 10 more. REQUIRES: `g` placed.
[[nodiscard]] std::vector<std::int64_t> earliest_starts(const Graph& g);

}  // namespace tarry
