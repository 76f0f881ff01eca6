// What a master does to a graph before it sends it, beyond cutting it: of no effect in a simulation, and all there in
// exact messages.
#pragma once

#include <cstdint>
#include <vector>

#include "placer/graph/graph.hpp"

namespace tarry {

// Every node says by `_XlaHasReferenceVars` whether it is reached from a node with reference inputs or outputs, or
// reaches one (a rewrite that 2.15.1 leaves with grappler off).
void mark_reference_variables(Graph& g);

// Attributes that are at their op's default are not sent.
void strip_default_attributes(GraphSpec& g, const OpRegistry& ops);

// When each node can start at the earliest, in microseconds, by node id (docs/rules/runtime.md#B.6): every op takes 1,
// a tensor that changes device 10 more. REQUIRES: `g` placed.
[[nodiscard]] std::vector<std::int64_t> earliest_starts(const Graph& g);

}  // namespace tarry
