#include "sim/lanes.hpp"

#include <algorithm>

namespace tarry {

Lanes::Lanes(const ClusterSpec& cluster) : cluster_(cluster) {
  for (const HostSpec& h : cluster.hosts) {
    out_.push_back(add(h.nic_bandwidth));
    in_.push_back(add(h.nic_bandwidth));
  }
}

std::uint32_t Lanes::add(std::uint64_t bandwidth) {
  if (bandwidth == 0) return 0;
  lanes_.push_back({.bandwidth = bandwidth});
  return static_cast<std::uint32_t>(lanes_.size() - 1);
}

Lanes::Route Lanes::route(HostId from, HostId to) {
  const auto [it, is_new] = between_.try_emplace({from, to}, 0);
  if (is_new) it->second = add(link_between(cluster_.network, from, to).bandwidth);
  if (from == to) return {.between = it->second};
  return {out_[from.index()], it->second, in_[to.index()]};
}

void Lanes::may_narrow(HostId from, HostId to, std::uint64_t bandwidth) {
  if (route(from, to).between == 0) between_[{from, to}] = add(bandwidth);
}

// What it carries already takes as long as it would have.
void Lanes::set_bandwidth(Nanos now, HostId from, HostId to, std::uint64_t bandwidth) {
  Lane& l = lanes_[route(from, to).between];
  l.bandwidth = bandwidth;
  l.since = l.until = std::max(now, l.until);
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
  const Nanos card = pass(route.out, now, bytes);
  return std::max(card, pass(route.between, now, bytes));
}

Nanos Lanes::arrive(Nanos now, const Route& route, std::uint64_t bytes) {
  return std::max(now, pass(route.in, now - time_on_arrival(route, bytes), bytes));
}

Nanos Lanes::time_on_arrival(const Route& route, std::uint64_t bytes) const {
  return transfer_time(bytes, lanes_[route.in].bandwidth);
}

// ---- flows ----

Nanos Lanes::wait_for(std::uint32_t lane, Nanos now) const { return std::max<Nanos>(0, lanes_[lane].until - now); }

Nanos Lanes::wait_to_leave(Nanos now, const Route& route) const {
  return std::max(wait_for(route.out, now), wait_for(route.between, now));
}

Nanos Lanes::wait_on_arrival(Nanos now, const Route& route) const { return wait_for(route.in, now); }

void Lanes::count(const Route& route, int more) {
  for (const std::uint32_t lane : {route.out, route.between, route.in})
    lanes_[lane].flows += static_cast<std::uint64_t>(static_cast<std::int64_t>(more));
}

bool Lanes::has_flows(const Route& route) const {
  for (const std::uint32_t lane : {route.out, route.between, route.in})
    if (lane != 0 && lanes_[lane].flows > 0) return true;
  return false;
}

}  // namespace tarry
