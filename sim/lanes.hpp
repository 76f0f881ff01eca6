// What small messages take of cards, trunks and links, so that what they carry loads them.
//
// Each direction of a card, of a rack's trunk and of a pair's link is a lane, and so is each link of a platform but a
// fatpipe, which every message has for itself. It carries small messages one after the
// other, in the order in which they reach it: the cards of their senders, the trunks that they leave by, the links
// of pairs and of a platform at the time when they are sent, the trunks that they come in by and the cards of their
// receivers when they arrive. While n flows (flows.hpp) cross a lane, small messages together have the share of one
// more: each takes n + 1 times as long. All times are whole nanoseconds, but what a lane carries without a pause is
// rounded as a whole, so many tiny messages take as long as one of their size.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/cards.hpp"

namespace tarry {

class Lanes {
 public:
  explicit Lanes(const ClusterSpec& cluster);

  // What a message from card to card crosses. A lane without a limit is none.
  struct Route {
    std::uint32_t out = 0, trunk_out = 0, between = 0, trunk_in = 0, in = 0;  // 0 = none
    std::uint32_t platform = 0;                                               // its way over a platform
    [[nodiscard]] bool ends_unlimited() const { return trunk_in == 0 && in == 0; }
  };
  [[nodiscard]] Route route(Card from, Card to);
  // A link of its own for two hosts, in the one direction, where there is none. REQUIRES: nothing crossed it yet.
  void may_narrow(HostId from, HostId to, std::uint64_t bandwidth);
  // The bandwidth of that link from now on. REQUIRES: there is one.
  void set_bandwidth(HostId from, HostId to, std::uint64_t bandwidth);

  // The bandwidth of a card from now on, in one direction. REQUIRES: it has a limit.
  void set_card(Card card, CardSide side, std::uint64_t bandwidth);

  // When the last byte of a small message has left, if it is sent now. `come_in`: when it is through the trunk before
  // its receiver, if its last byte would be there now with that trunk idle. `arrive`: the same of its receiver's card,
  // for a message that has come in. REQUIRES: bytes > 0.
  Nanos leave(Nanos now, const Route& route, std::uint64_t bytes);
  Nanos come_in(Nanos now, const Route& route, std::uint64_t bytes);
  Nanos arrive(Nanos now, const Route& route, std::uint64_t bytes);
  // The time that the bytes take at the bandwidth of the receiver's card or of the trunk before it, whichever is less;
  // 0 when both are unlimited.
  [[nodiscard]] Nanos time_on_arrival(const Route& route, std::uint64_t bytes) const;
  // How long a flow waits for the small messages that are before it: when it is sent, and when it arrives.
  [[nodiscard]] Nanos wait_to_leave(Nanos now, const Route& route) const;
  [[nodiscard]] Nanos wait_on_arrival(Nanos now, const Route& route) const;

  void flow_begins(const Route& route) { count(route, 1); }
  void flow_ends(const Route& route) { count(route, -1); }
  [[nodiscard]] bool has_flows(const Route& route) const;

 private:
  struct Lane {
    std::uint64_t bandwidth = 0;
    Nanos since = 0, until = 0;  // when it began to carry without a pause, and when it is through
    std::uint64_t bytes = 0;     // since then, n + 1 times those with n flows beside them
    std::uint64_t flows = 0;
  };

  struct PlatformWay {
    std::vector<std::uint32_t> lanes;
    std::uint64_t fatpipe = 0;  // bytes per second of each message; 0 = unlimited
  };

  std::uint32_t add(std::uint64_t bandwidth);
  std::uint32_t platform_way(HostId from, HostId to);
  void set(std::uint32_t lane, std::uint64_t bandwidth);
  void count(const Route& route, int more);
  Nanos pass(std::uint32_t lane, Nanos from, std::uint64_t bytes);
  Nanos pass_at_its_end(std::uint32_t lane, Nanos now, std::uint64_t bytes);
  [[nodiscard]] Nanos wait_for(std::uint32_t lane, Nanos now) const;

  const ClusterSpec& cluster_;
  CardList cards_;
  std::vector<Lane> lanes_{Lane{}};      // the first one stands for none
  std::vector<std::uint32_t> out_, in_;  // by CardList::index
  std::vector<std::uint32_t> trunks_out_, trunks_in_;
  std::vector<std::uint32_t> platform_links_;
  std::vector<PlatformWay> platform_ways_{PlatformWay{}};  // the first one stands for none
  std::map<std::pair<HostId, HostId>, std::uint32_t> between_;
};

}  // namespace tarry
