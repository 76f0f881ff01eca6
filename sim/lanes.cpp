#include "sim/lanes.hpp"

#include <algorithm>
#include <array>

namespace tarry {
namespace {

std::array<std::uint32_t, 3> lanes_out(const Lanes::Route& r) { return {r.out, r.trunk_out, r.between}; }
std::array<std::uint32_t, 2> lanes_in(const Lanes::Route& r) { return {r.trunk_in, r.in}; }
std::array<std::uint32_t, 5> usual_lanes(const Lanes::Route& r) {
  return {r.out, r.trunk_out, r.between, r.trunk_in, r.in};
}

}  // namespace

Lanes::Lanes(const ClusterSpec& cluster) : cluster_(cluster), cards_(cluster.hosts) {
  for (const Card card : cards_.all()) {
    out_.push_back(add(bandwidth_of(cluster.hosts, card)));
    in_.push_back(add(bandwidth_of(cluster.hosts, card)));
  }
  for (const RackSpec& r : cluster.network.racks) {
    trunks_out_.push_back(add(r.trunk.bandwidth));
    trunks_in_.push_back(add(r.trunk.bandwidth));
  }
  for (const PlatformLink& l : cluster.network.platform.links)
    platform_links_.push_back(l.is_fatpipe ? 0 : add(l.bandwidth));
}

std::uint32_t Lanes::platform_way(HostId from, HostId to) {
  if (!cluster_.network.platform.is_given()) return 0;
  PlatformWay way{.lanes = {}, .fatpipe = fatpipe_between(cluster_.network, from, to)};
  for (const std::uint32_t link : cluster_.network.platform.route(from, to).links)
    if (platform_links_[link] != 0) way.lanes.push_back(platform_links_[link]);
  platform_ways_.push_back(std::move(way));
  return static_cast<std::uint32_t>(platform_ways_.size() - 1);
}

std::uint32_t Lanes::add(std::uint64_t bandwidth) {
  if (bandwidth == 0) return 0;
  lanes_.push_back({.bandwidth = bandwidth});
  return static_cast<std::uint32_t>(lanes_.size() - 1);
}

Lanes::Route Lanes::route(Card from, Card to) {
  const auto [it, is_new] = between_.try_emplace({from.host, to.host}, 0);
  if (is_new) it->second = add(link_between(cluster_.network, from.host, to.host).bandwidth);
  if (from.host == to.host) return {.between = it->second};
  Route route{.out = out_[cards_.index(from)], .between = it->second, .in = in_[cards_.index(to)]};
  const Trunks trunks = trunks_between(cluster_.hosts, from.host, to.host);
  if (trunks.out.valid()) route.trunk_out = trunks_out_[trunks.out.index()];
  if (trunks.in.valid()) route.trunk_in = trunks_in_[trunks.in.index()];
  route.platform = platform_way(from.host, to.host);
  return route;
}

void Lanes::may_narrow(HostId from, HostId to, std::uint64_t bandwidth) {
  if (route(from, to).between == 0) between_[{from, to}] = add(bandwidth);
}

void Lanes::set_bandwidth(HostId from, HostId to, std::uint64_t bandwidth) { set(route(from, to).between, bandwidth); }

void Lanes::set_card(Card card, CardSide side, std::uint64_t bandwidth) {
  set((side == CardSide::out ? out_ : in_)[cards_.index(card)], bandwidth);
}

// What it carries already takes as long as it would have.
void Lanes::set(std::uint32_t lane, std::uint64_t bandwidth) {
  Lane& l = lanes_[lane];
  l.bandwidth = bandwidth;
  l.since = l.until;
  l.bytes = 0;
}

Nanos Lanes::pass(std::uint32_t lane, Nanos from, std::uint64_t bytes) {
  if (lane == 0) return from;
  Lane& l = lanes_[lane];
  if (from >= l.until) {
    l.since = from;
    l.bytes = 0;
  }
  l.bytes += bytes * (l.flows + 1);
  return l.until = l.since + transfer_time(l.bytes, l.bandwidth);
}

Nanos Lanes::leave(Nanos now, const Route& route, std::uint64_t bytes) {
  const PlatformWay& platform = platform_ways_[route.platform];
  Nanos left = now + transfer_time(bytes, platform.fatpipe);
  for (const std::uint32_t lane : lanes_out(route)) left = std::max(left, pass(lane, now, bytes));
  for (const std::uint32_t lane : platform.lanes) left = std::max(left, pass(lane, now, bytes));
  return left;
}

Nanos Lanes::pass_at_its_end(std::uint32_t lane, Nanos now, std::uint64_t bytes) {
  return std::max(now, pass(lane, now - transfer_time(bytes, lanes_[lane].bandwidth), bytes));
}

Nanos Lanes::come_in(Nanos now, const Route& route, std::uint64_t bytes) {
  return pass_at_its_end(route.trunk_in, now, bytes);
}

Nanos Lanes::arrive(Nanos now, const Route& route, std::uint64_t bytes) {
  return pass_at_its_end(route.in, now, bytes);
}

Nanos Lanes::time_on_arrival(const Route& route, std::uint64_t bytes) const {
  Nanos most = 0;
  for (const std::uint32_t lane : lanes_in(route)) most = std::max(most, transfer_time(bytes, lanes_[lane].bandwidth));
  return most;
}

// ---- flows ----

Nanos Lanes::wait_for(std::uint32_t lane, Nanos now) const { return std::max<Nanos>(0, lanes_[lane].until - now); }

Nanos Lanes::wait_to_leave(Nanos now, const Route& route) const {
  Nanos most = 0;
  for (const std::uint32_t lane : lanes_out(route)) most = std::max(most, wait_for(lane, now));
  for (const std::uint32_t lane : platform_ways_[route.platform].lanes) most = std::max(most, wait_for(lane, now));
  return most;
}

Nanos Lanes::wait_on_arrival(Nanos now, const Route& route) const {
  Nanos most = 0;
  for (const std::uint32_t lane : lanes_in(route)) most = std::max(most, wait_for(lane, now));
  return most;
}

void Lanes::count(const Route& route, int more) {
  const auto add_to = [&](std::uint32_t lane) {
    lanes_[lane].flows += static_cast<std::uint64_t>(static_cast<std::int64_t>(more));
  };
  for (const std::uint32_t lane : usual_lanes(route)) add_to(lane);
  for (const std::uint32_t lane : platform_ways_[route.platform].lanes) add_to(lane);
}

bool Lanes::has_flows(const Route& route) const {
  const auto has = [this](std::uint32_t lane) { return lane != 0 && lanes_[lane].flows > 0; };
  return std::ranges::any_of(usual_lanes(route), has) || std::ranges::any_of(platform_ways_[route.platform].lanes, has);
}

}  // namespace tarry
