// Transfers that share bandwidth, and tarry's only interface to the two engines that compute it.
//
// A flow takes the bytes of one transfer from a card to a card of another host over the links of its path (both cards,
// the link between their hosts), and all flows on a link share it fairly (max-min). On one host there are no cards.
// Latency is not modelled here: the caller waits for it before starting a flow. The engine (flows_by) is made with the
// first flow: tarry's own (shared_flows.hpp), or SimGrid, which is then loaded (flow_module.hpp). Completion times of
// the two agree to within their rounding; which flow comes first of those that end in one nanosecond may differ.
// SimGrid allows one engine per process (runner.hpp); a second one is a bug. It is driven from tarry's own loop,
// without actors, prints nothing, and is never torn down before the process ends. Of tarry's own, each Flows has one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/cards.hpp"

namespace tarry {

class FlowEngine;

struct FinishedFlow {
  Nanos at = 0;
  std::uint64_t flow = 0;
};

// What limits the flows of one task to another, besides the links.
struct Connection {
  std::uint32_t number = 0;  // the caller's
  TaskId from, to;
  std::uint64_t rate = 0;  // of all its flows together, bytes per second; 0 = no limit
};

class Flows {
 public:
  // REQUIRES: the cluster outlives it.
  explicit Flows(const ClusterSpec& cluster);
  ~Flows();
  Flows(const Flows&) = delete;
  Flows& operator=(const Flows&) = delete;

  // `flow` is the caller's own number for it. REQUIRES: bytes > 0, some link on the way has a bandwidth, and `now` is
  // the time that `advance` last reached, if flows are alive. The first flow fails as a bug when SimGrid computes and
  // cannot be loaded.
  void start(Nanos now, Card from, Card to, std::uint64_t bytes, std::uint64_t flow);
  // The same on a connection, whose rate holds from now on. REQUIRES: the rate is a limit, of which there need be none
  // on the way; the number belongs to these two tasks, which use these two cards; the cluster's
  // connections have windows.
  void start_on(const Connection& on, Nanos now, Card from, Card to, std::uint64_t bytes, std::uint64_t flow);
  // The bandwidth from one host to the other will change. REQUIRES: no flow was started yet.
  void may_narrow(HostId from, HostId to);
  // Flows between the two have that many bytes per second together from now on, in the one direction. REQUIRES:
  // may_narrow was called for them; bandwidth > 0, and no more than that of their path.
  void narrow(HostId from, HostId to, std::uint64_t bandwidth);
  // The card has that many bytes per second in that direction from now on. REQUIRES: it has a limit; bandwidth > 0.
  void set_card(Card card, CardSide side, std::uint64_t bandwidth);
  [[nodiscard]] bool alive() const;
  // REQUIRES: alive(). Runs until `until`, or to the first instant at which flows finish, and gives these flows in the
  // order in which they were started.
  [[nodiscard]] std::vector<FinishedFlow> advance(Nanos until);

 private:
  FlowEngine& engine();
  FlowEngine* make_engine();

  const ClusterSpec& cluster_;
  std::optional<ClusterSpec> with_links_;  // the cluster, with a link of its own for each pair that may be narrowed
  std::map<std::pair<HostId, HostId>, std::uint64_t> narrowed_;
  std::map<std::pair<Card, CardSide>, std::uint64_t> cards_;  // that were set
  std::unique_ptr<FlowEngine> shared_;                        // tarry's own, where it computes
  FlowEngine* engine_ = nullptr;                              // SimGrid's lives as long as the process
};

}  // namespace tarry
