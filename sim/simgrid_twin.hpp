// The same work done by SimGrid alone, with which `tarry bench` compares tarry.
//
// REQUIRES: each call runs in a process of its own (runner.hpp). Each gives the processor time that it took, without
// setting up the platform.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/cards.hpp"

namespace tarry {

struct TwinMessage {
  Nanos sent = 0;
  Card from, to;
  std::uint64_t bytes = 0;
};

// Runs one flow per message, started when the message was sent. REQUIRES: ascending times. Gives seconds.
[[nodiscard]] double replay_messages(const ClusterSpec& cluster, const std::vector<TwinMessage>& messages);

// Runs one execution per node of an acyclic graph, on one host, `rounds` times one after the other. `successors`: those
// of each node, each once. Gives seconds.
[[nodiscard]] double execute_nodes(const std::vector<std::vector<std::uint32_t>>& successors, std::size_t rounds);

}  // namespace tarry
