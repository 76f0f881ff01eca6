#include "sim/incast.hpp"

#include <algorithm>

namespace tarry {

Incast::Incast(const ClusterSpec& cluster) : cluster_(cluster), cards_(cluster.hosts) {
  if (!cluster.network.transport.incast.empty()) connections_.assign(cards_.all().size(), 0);
}

bool Incast::change(Card to, int more) {
  if (connections_.empty() || bandwidth_of(cluster_.hosts, to) == 0) return false;
  const std::int64_t before = rate(to);
  connections_[cards_.index(to)] += static_cast<std::uint32_t>(more);
  return rate(to) != before;
}

std::int64_t Incast::rate(Card card) const {
  std::int64_t rate = 1'000'000;
  for (const IncastStep& step : cluster_.network.transport.incast)
    if (connections_[cards_.index(card)] >= step.senders) rate = step.rate;
  return rate;
}

}  // namespace tarry
