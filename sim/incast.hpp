// What cards take in while many send to them at once (TransportSpec::incast).
//
// A card that many connections fill overflows the queue before it, and TCP waits. The law is a table of steps: so many
// senders, that share of the card's bandwidth. Senders are tasks of other hosts with a large message under way.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/cards.hpp"

namespace tarry {

class Incast {
 public:
  // REQUIRES: the cluster outlives it.
  explicit Incast(const ClusterSpec& cluster);

  // So many connections to that card more (or fewer) have a message under way. Whether it takes in another share than
  // before.
  [[nodiscard]] bool change(Card to, int more);
  // What the card takes in now, in millionths of its bandwidth.
  [[nodiscard]] std::int64_t rate(Card card) const;

 private:
  const ClusterSpec& cluster_;
  CardList cards_;
  std::vector<std::uint32_t> connections_;  // by card; empty where there is no such law
};

}  // namespace tarry
