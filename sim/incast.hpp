// What cards take in while many send to them at once (TransportSpec::incast).
//
// A card that many connections fill overflows the queue before it, and TCP waits. The law is a table of steps: so many
// senders, that share of the card's bandwidth. Senders are tasks of other hosts with a large message under way.
#pragma once

#include <optional>
#include <vector>

#include "sim/cluster.hpp"

namespace tarry {

class Incast {
 public:
  // REQUIRES: the cluster outlives it.
  explicit Incast(const ClusterSpec& cluster);

  // So many connections to that host more (or fewer) have a message under way. What its card takes in from now on, if
  // that is another rate than before.
  [[nodiscard]] std::optional<std::uint64_t> change(HostId to, int more);

 private:
  [[nodiscard]] std::uint64_t rate_of(std::size_t host) const;

  const ClusterSpec& cluster_;
  std::vector<std::uint32_t> connections_;  // by host; empty where there is no such law
};

}  // namespace tarry
