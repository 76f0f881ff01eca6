#include "sim/incast.hpp"

#include <algorithm>

namespace tarry {

Incast::Incast(const ClusterSpec& cluster) : cluster_(cluster) {
  if (!cluster.network.transport.incast.empty()) connections_.assign(cluster.hosts.size(), 0);
}

std::optional<std::uint64_t> Incast::change(HostId to, int more) {
  if (connections_.empty() || cluster_.hosts[to.index()].nic_bandwidth == 0) return std::nullopt;
  const std::uint64_t before = rate_of(to.index());
  connections_[to.index()] += static_cast<std::uint32_t>(more);
  const std::uint64_t now = rate_of(to.index());
  return now == before ? std::nullopt : std::optional(now);
}

std::uint64_t Incast::rate_of(std::size_t host) const {
  std::int64_t rate = 1'000'000;
  for (const IncastStep& step : cluster_.network.transport.incast)
    if (connections_[host] >= step.senders) rate = step.rate;
  return share_of(cluster_.hosts[host].nic_bandwidth, rate, 1'000'000);
}

}  // namespace tarry
