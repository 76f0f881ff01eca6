// Transfers that share bandwidth: SimGrid's part of the world, and all that the rest of tarry knows of it.
//
// A flow takes the bytes of one transfer from host to host over the links of its path (each end's NIC, the link
// between), and all flows on a link share it fairly (max-min). Latency is not modelled here: who starts a flow has
// waited for it. SimGrid is loaded (flow_module.hpp) and starts with the first flow; it allows one engine a process
// (runner.hpp), a second one is a bug. It is driven from our own loop, without any actor of its own, prints nothing,
// and is never torn down: the process that ran it ends.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/cluster.hpp"

namespace tarry {

class FlowEngine;

struct FinishedFlow {
  Nanos at = 0;
  std::uint64_t flow = 0;
};

class Flows {
 public:
  explicit Flows(const ClusterSpec& cluster) : cluster_(cluster) {}

  // `flow` is the caller's own number for it. REQUIRES: bytes > 0, some link on the way has a bandwidth, and `now` is
  // the time that `advance` last reached, if flows are alive. The first flow fails as a bug when SimGrid cannot be
  // loaded.
  void start(Nanos now, HostId from, HostId to, std::uint64_t bytes, std::uint64_t flow);
  [[nodiscard]] bool alive() const;
  // REQUIRES: alive(). Runs until `until`, or to the first instant at which flows finish: those, in the order in which
  // they were started.
  [[nodiscard]] std::vector<FinishedFlow> advance(Nanos until);

 private:
  const ClusterSpec& cluster_;
  FlowEngine* engine_ = nullptr;  // lives as long as the process
};

}  // namespace tarry
