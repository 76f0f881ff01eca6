#include "sim/transport.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "placer/core/check.hpp"

namespace tarry {
namespace {

constexpr std::uint32_t kNoChannel = 0xffffffff;

}  // namespace

void Transport::send(TaskId from, TaskId to, std::uint64_t bytes, Continuation delivered) {
  const std::uint32_t c = channel_of(from, to);
  Channel& channel = channels_[c];
  channel.bytes += bytes;
  ++channel.messages;
  if (!parted_.empty() && is_parted(channel)) return channel.held.push_back(transfers_.take({c, bytes, delivered}));
  depart(c, bytes, delivered);
}

void Transport::depart(std::uint32_t c, std::uint64_t bytes, Continuation delivered) {
  const Channel& channel = channels_[c];
  const Nanos arrival = heap_.now() + channel.path.latency;
  if (channel.path.bandwidth == 0 || bytes < cluster_.network.small_message || bytes == 0)
    return heap_.at(arrival + transfer_time(bytes, channel.path.bandwidth), delivered);
  constexpr auto kEnter = [](void* self, std::uint64_t t) {
    static_cast<Transport*>(self)->enter_channel(static_cast<std::uint32_t>(t));
  };
  heap_.at(arrival, {kEnter, this, transfers_.take({c, bytes, delivered})});
}

std::uint32_t Transport::channel_of(TaskId from, TaskId to) {
  check(from.index() < cluster_.tasks.size() && to.index() < cluster_.tasks.size(),
        "a message of a task that the cluster doesn't have");
  auto& row = channel_of_[from.index()];
  if (row.empty()) row.assign(cluster_.tasks.size(), kNoChannel);
  std::uint32_t& channel = row[to.index()];
  if (channel == kNoChannel) channel = add_channel(from, to);
  return channel;
}

std::uint32_t Transport::add_channel(TaskId from, TaskId to) {
  const HostId from_host = cluster_.tasks[from.index()].host, to_host = cluster_.tasks[to.index()].host;
  channels_.push_back({.path = path_now(from_host, to_host), .from = from_host, .to = to_host});
  return static_cast<std::uint32_t>(channels_.size() - 1);
}

PathSpec Transport::path_now(HostId from, HostId to) const {
  PathSpec path = path_between(cluster_, from, to);
  if (const auto it = latencies_.find({from, to}); it != latencies_.end()) path.latency = it->second;
  return path;
}

void Transport::set_latency(HostId from, HostId to, std::optional<Nanos> latency) {
  if (latency)
    latencies_[{from, to}] = *latency;
  else
    latencies_.erase({from, to});
  for (Channel& c : channels_)
    if (c.from == from && c.to == to) c.path = path_now(from, to);
}

bool Transport::is_parted(const Channel& c) const { return parted_.contains({c.from, c.to}); }

void Transport::part(HostId a, HostId b) { parted_.insert({{a, b}, {b, a}}); }

void Transport::part_one_way(HostId from, HostId to) { parted_.insert({from, to}); }

void Transport::join(HostId a, HostId b) {
  parted_.erase({a, b});
  parted_.erase({b, a});
  let_go();
}

void Transport::join_one_way(HostId from, HostId to) {
  parted_.erase({from, to});
  let_go();
}

// Messages that nothing holds any more go on, channel by channel.
void Transport::let_go() {
  for (std::uint32_t c = 0; c < channels_.size(); ++c) {
    if (is_parted(channels_[c])) continue;
    for (const std::uint32_t t : std::exchange(channels_[c].held, {})) {
      const Transfer held = transfers_.give_back(t);
      depart(c, held.bytes, held.delivered);
    }
  }
}

void Transport::enter_channel(std::uint32_t transfer) {
  const std::uint32_t channel = transfers_[transfer].channel;
  channels_[channel].waiting.push_back(transfer);
  fill_channel(channel);
}

void Transport::fill_channel(std::uint32_t c) {
  Channel& channel = channels_[c];
  while (channel.in_flight < cluster_.network.transfers_per_channel && !channel.waiting.empty()) {
    const std::uint32_t transfer = channel.waiting.front();
    channel.waiting.pop_front();
    ++channel.in_flight;
    flows_.start(heap_.now(), channel.from, channel.to, transfers_[transfer].bytes, transfer);
  }
}

void Transport::advance_flows(Nanos until) {
  constexpr auto kFinish = [](void* self, std::uint64_t t) {
    static_cast<Transport*>(self)->finish(static_cast<std::uint32_t>(t));
  };
  for (const auto& [at, transfer] : flows_.advance(until))
    heap_.at(std::max(at, heap_.now()), {kFinish, this, transfer});
}

void Transport::finish(std::uint32_t transfer) {
  const Transfer done = transfers_.give_back(transfer);
  --channels_[done.channel].in_flight;
  fill_channel(done.channel);
  done.delivered();
}

std::vector<Traffic> Transport::traffic() const {
  std::map<std::pair<HostId, HostId>, Traffic> by_hosts;
  for (const Channel& c : channels_) {
    Traffic& t = by_hosts[{c.from, c.to}];
    t = {c.from, c.to, t.bytes + c.bytes, t.messages + c.messages};
  }
  std::vector<Traffic> result;
  for (const auto& [hosts, t] : by_hosts) result.push_back(t);
  return result;
}

}  // namespace tarry
