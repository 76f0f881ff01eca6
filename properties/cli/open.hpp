// Reads the arguments of commands that work on one graph.
#pragma once

#include "placer/device/device_set.hpp"
#include "placer/graph/graph.hpp"
#include "placer/graph/spec.hpp"
#include "scenarios/cli/commands.hpp"

namespace tarry {

// The graph of an argument: a file, or the name of a shipped graph.
[[nodiscard]] StatusOr<GraphSpec> open_graph(const std::string& graph, const Home& home);

// `from-graph`, a list of full device names, or a scenario, whose cluster's devices are taken.
[[nodiscard]] StatusOr<DeviceSet> open_devices(const std::string& devices, const GraphSpec& graph, const Home& home);

// For suggestions.
[[nodiscard]] std::vector<std::string> node_names(const Graph& g);

}  // namespace tarry
