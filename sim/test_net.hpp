// For tests: a transport with its clock, and what it delivers.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <limits>
#include <string>

#include "sim/runner.hpp"
#include "sim/transport.hpp"

namespace tarry {

// Messages have numbers: "1@5 2@9 " are those that were delivered, with the time.
struct Net {
  ClusterSpec cluster;
  EventHeap heap;
  Transport transport;
  std::string delivered;

  explicit Net(ClusterSpec c) : cluster(std::move(c)), transport(cluster, heap) {}
  void send(TaskId from, TaskId to, std::uint64_t bytes, std::uint64_t name, Manner manner = Manner::usual) {
    constexpr auto kMark = [](void* self, std::uint64_t n) {
      Net& net = *static_cast<Net*>(self);
      net.delivered += fmt::format("{}@{} ", n, net.heap.now());
    };
    transport.send(from, to, bytes, {kMark, this, name}, manner);
  }
  std::string run() {
    while (!heap.empty() || transport.flows_alive()) {
      if (transport.flows_alive())
        transport.advance_flows(heap.empty() ? std::numeric_limits<Nanos>::max() : heap.next_time());
      if (!heap.empty()) heap.run_next();
    }
    return delivered;
  }
  // Runs, and gives the time of the last event.
  Nanos time_of_last() {
    (void)run();
    return heap.now();
  }
};

// What is delivered when either engine computes the flows, if the two agree; else what each of them says.
inline std::string with_both_engines(ClusterSpec cluster, const std::function<void(Net&)>& send) {
  std::string told[2];
  for (const FlowsBy engine : {FlowsBy::shared, FlowsBy::simgrid}) {
    cluster.network.engine = engine;
    told[engine == FlowsBy::simgrid] = run_in_child([&] {
                                         Net net(cluster);
                                         send(net);
                                         return net.run();
                                       }).value_or("failed");
  }
  return told[0] == told[1] ? told[0] : fmt::format("shared {}simgrid {}", told[0], told[1]);
}

}  // namespace tarry
