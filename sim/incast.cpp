#include "sim/incast.hpp"

#include <algorithm>

namespace tarry {

Incast::Incast(const ClusterSpec& cluster) : cluster_(cluster) {
  if (!cluster.network.transport.incast.empty()) connections_.assign(cluster.hosts.size(), 0);
}

bool Incast::change(HostId to, int more) {
  if (connections_.empty() || cluster_.hosts[to.index()].nic_bandwidth == 0) return false;
  const std::int64_t before = rate(to);
  connections_[to.index()] += static_cast<std::uint32_t>(more);
  return rate(to) != before;
}

std::int64_t Incast::rate(HostId host) const {
  std::int64_t rate = 1'000'000;
  for (const IncastStep& step : cluster_.network.transport.incast)
    if (connections_[host.index()] >= step.senders) rate = step.rate;
  return rate;
}

}  // namespace tarry
