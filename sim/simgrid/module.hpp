// The functions of the module (flow_module.hpp), as its sources implement them.
//
// The names are not those of sim/: the program has functions of the same purpose that call these.
#pragma once

#include "sim/flow_module.hpp"

namespace tarry::simgrid_module {

[[nodiscard]] FlowEngine* start_engine(const ClusterSpec& cluster);
[[nodiscard]] double replay_messages(const ClusterSpec& cluster, const std::vector<TwinMessage>& messages);
[[nodiscard]] std::string read_platform(const std::string& file, const std::vector<std::string>& wanted);
[[nodiscard]] double execute_nodes(const std::vector<std::vector<std::uint32_t>>& successors, std::size_t rounds);

}  // namespace tarry::simgrid_module
