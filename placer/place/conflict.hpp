// Why a graph cannot be placed, reduced to a minimal conflict: nodes, edges and requests that suffice for the same
// error.
//
// It is found by taking things away and placing what is left with the real placer. The result is 1-minimal: without any
// single one of its things, that error is gone. Another minimal set may exist.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "placer/place/place.hpp"

namespace tarry {

struct Conflict {
  std::string kind;                              // the error's number in docs/rules/placer.md#D.1: "D8"
  Status error;                                  // that placing `graph` gives
  std::vector<std::string> nodes;                // "v (VariableGPU)"
  std::vector<std::string> edges;                // "v:0 -> a:0"
  std::vector<std::string> requests;             // "v asks for /cpu:0", "a has loc:@v", "v is on /job:..."
  Graph graph;                                   // what is left of the graph,
  std::map<NodeId, std::string> assigned_names;  // and what is left of PlaceOptions::assigned_names
  int trials = 0;                                // placements tried
};

// REQUIRES: `g` imported, not placed. Fails: FAILED_PRECONDITION when `g` can be placed.
[[nodiscard]] StatusOr<Conflict> minimal_conflict(const Graph& g, const DeviceSet& devices, const Rules& rules,
                                                  PlaceOptions options);

// Checks that `c` is minimal: gives something without which the same error stays ("v asks for /cpu:0"), or nullopt when
// there is no such thing. Independent of the reduction that found `c`: each remaining node, edge and request is taken
// away alone, and the rest is placed.
[[nodiscard]] std::optional<std::string> can_be_left_out(const Conflict& c, const DeviceSet& devices,
                                                         const Rules& rules, PlaceOptions options);

[[nodiscard]] std::string to_string(const Conflict& c);

}  // namespace tarry
