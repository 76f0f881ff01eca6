#include "sim/card_factors.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tarry {
namespace {

constexpr std::int64_t kUsual = 1'000'000, kLeastFactor = kUsual / 1000, kMostFactor = kUsual * 1000;  // in millionths

std::string key_of(const CardVariation& v, const ClusterSpec& cluster, const HostSpec& host) {
  if (v.shared == CardVariation::Shared::by_all) return "";
  if (v.shared == CardVariation::Shared::by_rack && host.rack.valid())
    return "rack " + cluster.network.racks[host.rack.index()].name;
  return "host " + host.name;
}

}  // namespace

CardFactors::CardFactors(const ClusterSpec& cluster, const Random& streams) : cluster_(cluster) {
  const std::vector<CardVariation>& variations = cluster.network.variations;
  if (!variations.empty()) factors_.assign(cluster.hosts.size(), kUsual);
  for (std::size_t i = 0; i < variations.size(); ++i) {
    const Random of_this = streams.fork(std::to_string(i));
    Drawn& d = all_.emplace_back(Drawn{.what = variations[i], .draws = {}, .factors = factors_});
    for (const HostSpec& h : cluster.hosts) d.draws.emplace_back(of_this.fork(key_of(d.what, cluster, h)));
  }
}

void CardFactors::begin(Nanos now) {
  began_ = now;
  for (Drawn& d : all_) next_ = d.next = now;
}

bool CardFactors::is_of(const CardVariation& v, std::size_t host) const {
  return cluster_.hosts[host].nic_bandwidth > 0 && (!v.host.valid() || v.host.index() == host);
}

std::int64_t CardFactors::factor_of(HostId host) const {
  std::int64_t factor = kUsual;
  for (const Drawn& d : all_) factor = times_millionths(factor, d.factors[host.index()]);
  return std::clamp(factor, kLeastFactor, kMostFactor);
}

void CardFactors::draw_anew(Drawn& d, std::uint64_t interval, std::vector<HostId>& changed) const {
  for (std::size_t h = 0; h < d.draws.size(); ++h) {
    if (!is_of(d.what, h)) continue;
    Random random = d.draws[h].at(interval);
    const std::int64_t factor = draw(d.what.factor, interval, random);
    if (std::exchange(d.factors[h], factor) != factor) changed.emplace_back(h);
  }
}

std::vector<HostId> CardFactors::look(Nanos now) {
  std::vector<HostId> changed;
  next_ = std::numeric_limits<Nanos>::max();
  for (Drawn& d : all_) {
    if (now >= d.next) {
      const Nanos interval = (now - began_) / d.what.every;
      draw_anew(d, static_cast<std::uint64_t>(interval), changed);
      d.next = began_ + (interval + 1) * d.what.every;
    }
    next_ = std::min(next_, d.next);
  }
  std::ranges::sort(changed);
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  for (const HostId host : changed) factors_[host.index()] = factor_of(host);
  return changed;
}

std::uint64_t CardFactors::bandwidth(HostId host, std::uint64_t usual) const {
  return factors_.empty() ? usual : share_of(usual, factors_[host.index()], kUsual);
}

}  // namespace tarry
