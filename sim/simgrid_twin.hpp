// The same work done by SimGrid alone: the yardstick of `tarry bench`.
//
// REQUIRES, of each call: a process of its own (runner.hpp). Each measures its own processor time, the platform's
// set-up left out.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/cluster.hpp"

namespace tarry {

struct TwinMessage {
  Nanos sent = 0;
  HostId from, to;
  std::uint64_t bytes = 0;
};

// One flow for each message, at the time at which it was sent; ascending. Gives seconds.
[[nodiscard]] double replay_messages(const ClusterSpec& cluster, const std::vector<TwinMessage>& messages);

// One execution for each node of a graph without cycles, on one host, `rounds` times one after the other. Each node's
// successors, each once. Gives seconds.
[[nodiscard]] double execute_nodes(const std::vector<std::vector<std::uint32_t>>& successors, std::size_t rounds);

}  // namespace tarry
