// Flows of one cluster, by tarry's own max-min sharing (fair_shares.hpp).
//
// It does what SimGrid's engine does (sim/simgrid/engine.cpp), with the same links: a flow crosses the card of its
// sender, the trunk of that one's rack, the link of its pair of hosts, the trunk of its receiver's rack and the card of
// its receiver, as far as they are there and have a limit, and the links of a platform; on one host it crosses that
// host's link to itself. A fatpipe is a link of each channel with as much for each of its flows. A
// connection with a limit is a link of its own. Flows from one card to another are a channel, and those of such a
// connection are another one. A channel whose flow ends and whose next one begins in the same nanosecond
// keeps its rate, and nothing is computed.
//
// Time passes in fractions of nanoseconds, and ends are rounded to the nearest nanosecond, half of one upwards. Flows
// whose ends are the same nanosecond end together, in the order in which they were started.
#pragma once

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>

#include <utility>
#include <vector>

#include "sim/fair_shares.hpp"
#include "sim/flow_module.hpp"

namespace tarry {

class SharedFlows final : public FlowEngine {
 public:
  explicit SharedFlows(const ClusterSpec& cluster);
  void start(Nanos now, Card from, Card to, std::uint64_t bytes, std::uint64_t flow) override;
  void start_on(const Connection& on, Nanos now, Card from, Card to, std::uint64_t bytes, std::uint64_t flow) override;
  void narrow(HostId from, HostId to, std::uint64_t bandwidth) override;
  void set_card(Card card, CardSide side, std::uint64_t bandwidth) override;
  [[nodiscard]] bool alive() const override { return alive_ > 0; }
  [[nodiscard]] std::vector<FinishedFlow> advance(Nanos until) override;

 private:
  static constexpr std::uint32_t kNoChannel = 0xffffffff;

  struct Flow {
    double end = 0;  // the bytes that each flow of its channel has had when this one ends
    std::uint64_t order = 0, flow = 0;
  };
  struct Channel {
    std::vector<Flow> flows;  // a heap, the first one to end in front
    std::uint32_t group = FairShares::kNoLink;
    double lead = 0;  // bytes that the group's flows had more
    std::uint32_t pipe = FairShares::kNoLink;
    double pipe_rate = 0;  // of each flow
  };
  struct Limited {  // a connection
    std::uint32_t channel = kNoChannel, link = FairShares::kNoLink;
    std::uint64_t rate = 0;
  };
  // The channels that one link limits: their flows have the same rate, so they end in an order that rates don't change.
  struct Group {
    double rate = 0;                                         // bytes a nanosecond
    double had = 0, since = 0;                               // the bytes that each flow had until then
    double next = 0;                                         // when its first flow ends, if it is in groups_
    absl::btree_set<std::pair<double, std::uint32_t>> ends;  // in `had`, of channels
  };

  std::uint32_t add_link(std::uint64_t bandwidth);
  std::uint32_t channel_of(Card from, Card to);
  std::uint32_t add_channel(Card from, Card to);
  std::uint32_t open_channel(HostId from, HostId to, std::vector<std::uint32_t> way);
  [[nodiscard]] std::uint32_t own_link_of(HostId from, HostId to);
  std::uint32_t channel_on(const Connection& on, Card from, Card to);
  [[nodiscard]] std::vector<std::uint32_t> way_between(Card from, Card to, std::uint32_t own) const;
  void begin(Nanos now, std::uint32_t channel, std::uint64_t bytes, std::uint64_t flow);
  void set_bandwidth(std::uint32_t link, std::uint64_t bandwidth);
  [[nodiscard]] Nanos time_now() const;
  void wake(Nanos now);
  void share();
  void settle(std::uint32_t group);
  void join(std::uint32_t channel, std::uint32_t group);
  void order_anew(std::uint32_t group);
  void enter_end(std::uint32_t channel);
  void leave_end(std::uint32_t channel);
  void finish_group(std::uint32_t group, Nanos at);
  [[nodiscard]] double time_of(const Group& group, double had) const;
  std::vector<FinishedFlow> take_finished(Nanos at);

  NetworkSpec network_;
  std::vector<HostSpec> hosts_;
  CardList cards_;
  FairShares shares_;
  std::vector<std::uint32_t> cards_out_, cards_in_, trunks_out_, trunks_in_;  // by card and rack; kNoLink = unlimited
  std::vector<std::uint32_t> platform_links_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> channel_numbers_;  // by both cards; never walked through
  absl::flat_hash_map<std::uint64_t, std::uint32_t> links_between_;    // by both hosts; never walked through
  std::vector<Limited> connections_;                                   // by number
  std::vector<Channel> channels_;
  std::vector<Group> by_link_{Group{}};
  absl::btree_set<std::pair<double, std::uint32_t>> groups_;  // by Group::next, those with flows
  std::vector<std::uint32_t> touched_;                        // channels whose flows may have become more or fewer
  bool is_narrowed_ = false;
  std::vector<Flow> finished_;
  double clock_ = 0;  // nanoseconds
  std::uint64_t started_ = 0, alive_ = 0;
};

}  // namespace tarry
