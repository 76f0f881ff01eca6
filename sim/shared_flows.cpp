#include "sim/shared_flows.hpp"

#include <algorithm>
#include <cmath>

#include "placer/core/check.hpp"

namespace tarry {
namespace {

constexpr double kNanosPerSecond = 1e9;
constexpr double kLatest = 9.2e18;  // nanoseconds; what ends later ends then

std::uint64_t both_of(std::size_t a, std::size_t b) { return std::uint64_t{a} << 32 | b; }

Nanos rounded(double time) { return std::llround(std::min(time, kLatest)); }

// For heaps whose front is the least.
constexpr auto kEndsLater = [](const auto& a, const auto& b) {
  return a.end != b.end ? a.end > b.end : a.order > b.order;
};

}  // namespace

// ---- what there is ----

SharedFlows::SharedFlows(const ClusterSpec& cluster)
    : network_(cluster.network), hosts_(cluster.hosts), cards_(cluster.hosts) {
  for (const Card card : cards_.all()) {
    cards_out_.push_back(add_link(bandwidth_of(hosts_, card)));
    cards_in_.push_back(add_link(bandwidth_of(hosts_, card)));
  }
  for (const RackSpec& r : network_.racks) {
    trunks_out_.push_back(add_link(r.trunk.bandwidth));
    trunks_in_.push_back(add_link(r.trunk.bandwidth));
  }
  for (const PlatformLink& l : network_.platform.links)
    platform_links_.push_back(l.is_fatpipe ? FairShares::kNoLink : add_link(l.bandwidth));
}

std::uint32_t SharedFlows::add_link(std::uint64_t bandwidth) {
  if (bandwidth == 0) return FairShares::kNoLink;
  by_link_.emplace_back();
  return shares_.add_link(static_cast<double>(bandwidth));
}

std::uint32_t SharedFlows::channel_of(Card from, Card to) {
  const auto [it, is_new] = channel_numbers_.try_emplace(both_of(cards_.index(from), cards_.index(to)), 0);
  if (is_new) it->second = add_channel(from, to);
  return it->second;
}

// All cards of two hosts share their link.
std::uint32_t SharedFlows::add_channel(Card from, Card to) {
  const auto [it, is_new] = links_between_.try_emplace(both_of(from.host.index(), to.host.index()), 0);
  if (is_new) it->second = add_link(link_between(network_, from.host, to.host).bandwidth);
  return open_channel(from.host, to.host, way_between(from, to, it->second));
}

std::uint32_t SharedFlows::open_channel(HostId from, HostId to, std::vector<std::uint32_t> way) {
  const std::uint64_t fatpipe = fatpipe_between(network_, from, to);
  Channel& c = channels_.emplace_back();
  c.pipe = add_link(fatpipe);
  c.pipe_rate = static_cast<double>(fatpipe);
  if (c.pipe != FairShares::kNoLink) way.push_back(c.pipe);
  return shares_.add_channel(way);
}

std::vector<std::uint32_t> SharedFlows::way_between(Card from, Card to, std::uint32_t own) const {
  std::vector<std::uint32_t> way{own};
  if (from.host != to.host) way = {cards_out_[cards_.index(from)], own, cards_in_[cards_.index(to)]};
  const Trunks trunks = trunks_between(hosts_, from.host, to.host);
  if (trunks.out.valid()) way.push_back(trunks_out_[trunks.out.index()]);
  if (trunks.in.valid()) way.push_back(trunks_in_[trunks.in.index()]);
  if (network_.platform.is_given() && from.host != to.host)
    for (const std::uint32_t l : network_.platform.route(from.host, to.host).links) way.push_back(platform_links_[l]);
  std::erase(way, FairShares::kNoLink);
  return way;
}

std::uint32_t SharedFlows::own_link_of(HostId from, HostId to) {
  if (link_between(network_, from, to).bandwidth == 0) return FairShares::kNoLink;
  (void)channel_of(from, to);
  return links_between_.at(both_of(from.index(), to.index()));
}

// It shares the link of its pair of hosts with all others between them.
std::uint32_t SharedFlows::channel_on(const Connection& on, Card from, Card to) {
  if (on.number >= connections_.size()) connections_.resize(on.number + 1);
  Limited& c = connections_[on.number];
  if (c.channel == kNoChannel) {
    const std::uint32_t own = own_link_of(from.host, to.host);
    c = {static_cast<std::uint32_t>(channels_.size()), add_link(on.rate), on.rate};
    std::vector<std::uint32_t> way = way_between(from, to, own);
    way.push_back(c.link);
    (void)open_channel(from.host, to.host, std::move(way));
  }
  if (std::exchange(c.rate, on.rate) != on.rate) set_bandwidth(c.link, on.rate);
  return c.channel;
}

void SharedFlows::narrow(HostId from, HostId to, std::uint64_t bandwidth) {
  set_bandwidth(own_link_of(from, to), bandwidth);
}

void SharedFlows::set_card(Card card, CardSide side, std::uint64_t bandwidth) {
  set_bandwidth((side == CardSide::out ? cards_out_ : cards_in_)[cards_.index(card)], bandwidth);
}

void SharedFlows::set_bandwidth(std::uint32_t link, std::uint64_t bandwidth) {
  check(link != FairShares::kNoLink, "only the bandwidth of a link that has one changes");
  shares_.set_capacity(link, static_cast<double>(bandwidth));
  is_narrowed_ = true;
}

// ---- time ----

Nanos SharedFlows::time_now() const { return rounded(clock_); }

double SharedFlows::time_of(const Group& group, double had) const {
  return group.since + std::max(0.0, had - group.had) / group.rate;
}

void SharedFlows::settle(std::uint32_t group) {
  Group& g = by_link_[group];
  g.had += g.rate * (clock_ - g.since);
  g.since = clock_;
}

// Its place among the groups, by the flow that ends first.
void SharedFlows::order_anew(std::uint32_t group) {
  Group& g = by_link_[group];
  groups_.erase({g.next, group});
  if (g.ends.empty()) return;
  g.next = time_of(g, g.ends.begin()->first);
  groups_.emplace(g.next, group);
}

void SharedFlows::enter_end(std::uint32_t channel) {
  const Channel& c = channels_[channel];
  if (!c.flows.empty()) by_link_[c.group].ends.emplace(c.flows.front().end + c.lead, channel);
}

void SharedFlows::leave_end(std::uint32_t channel) {
  const Channel& c = channels_[channel];
  if (!c.flows.empty()) by_link_[c.group].ends.erase({c.flows.front().end + c.lead, channel});
}

// ---- flows come ----

// What ended before has no share in the time that passed since.
void SharedFlows::wake(Nanos now) {
  if (time_now() != now) share();
  clock_ = static_cast<double>(now);
}

void SharedFlows::start(Nanos now, Card from, Card to, std::uint64_t bytes, std::uint64_t flow) {
  begin(now, channel_of(from, to), bytes, flow);
}

void SharedFlows::start_on(const Connection& on, Nanos now, Card from, Card to, std::uint64_t bytes,
                           std::uint64_t flow) {
  begin(now, channel_on(on, from, to), bytes, flow);
}

void SharedFlows::begin(Nanos now, std::uint32_t channel, std::uint64_t bytes, std::uint64_t flow) {
  if (alive_ == 0) wake(now);
  ++alive_;
  Channel& c = channels_[channel];
  const bool is_shared = c.group != FairShares::kNoLink;
  if (is_shared) {
    settle(c.group);
    leave_end(channel);
  }
  const double had = is_shared ? by_link_[c.group].had - c.lead : 0;
  c.flows.push_back({had + static_cast<double>(bytes), started_++, flow});
  std::ranges::push_heap(c.flows, kEndsLater);
  touched_.push_back(channel);
  if (!is_shared) return;
  enter_end(channel);
  order_anew(c.group);
}

// ---- flows share ----

// Channels have their rates anew, if some have another number of flows than when this was last done.
void SharedFlows::share() {
  if (touched_.empty() && !is_narrowed_) return;
  for (const std::uint32_t c : touched_) {
    const std::size_t flows = channels_[c].flows.size();
    shares_.set_flows(c, flows);
    if (channels_[c].pipe != FairShares::kNoLink && flows > 0)
      shares_.set_capacity(channels_[c].pipe, channels_[c].pipe_rate * static_cast<double>(flows));
    if (channels_[c].flows.empty()) channels_[c].group = FairShares::kNoLink;
  }
  touched_.clear();
  is_narrowed_ = false;
  const FairShares::Changes& changes = shares_.solve();
  for (const std::uint32_t l : changes.links) settle(l);
  for (const FairShares::Move& m : changes.moves) join(m.channel, m.to);
  for (const std::uint32_t l : changes.links) {
    const double level = shares_.level(l);
    by_link_[l].rate = level == FairShares::kUnlimited ? 0 : level / kNanosPerSecond;
    order_anew(l);
  }
}

void SharedFlows::join(std::uint32_t channel, std::uint32_t group) {
  Channel& c = channels_[channel];
  double had = 0;
  if (c.group != FairShares::kNoLink) {
    leave_end(channel);
    had = by_link_[c.group].had - c.lead;
  }
  Group& g = by_link_[group];
  if (g.ends.empty()) g.had = 0;
  c.group = group;
  c.lead = g.had - had;
  enter_end(channel);
}

// ---- flows end ----

std::vector<FinishedFlow> SharedFlows::advance(Nanos until) {
  if (time_now() >= until) return {};
  share();
  const double next = groups_.begin()->first;
  if (rounded(next) > until) {
    clock_ = static_cast<double>(until);
    return {};
  }
  clock_ = std::max(clock_, next);
  return take_finished(rounded(next));
}

std::vector<FinishedFlow> SharedFlows::take_finished(Nanos at) {
  finished_.clear();
  while (!groups_.empty() && rounded(groups_.begin()->first) <= at) finish_group(groups_.begin()->second, at);
  std::ranges::sort(finished_, {}, &Flow::order);
  std::vector<FinishedFlow> result;
  for (const Flow& f : finished_) result.push_back({at, f.flow});
  alive_ -= finished_.size();
  return result;
}

// By the times that put the group in its place: computed anew from now, they could be rounded otherwise.
void SharedFlows::finish_group(std::uint32_t group, Nanos at) {
  Group& g = by_link_[group];
  for (double next = g.next; rounded(next) <= at; next = time_of(g, g.ends.begin()->first)) {
    const std::uint32_t channel = g.ends.begin()->second;
    Channel& c = channels_[channel];
    leave_end(channel);
    std::ranges::pop_heap(c.flows, kEndsLater);
    finished_.push_back(c.flows.back());
    c.flows.pop_back();
    touched_.push_back(channel);
    enter_end(channel);
    if (g.ends.empty()) break;
  }
  order_anew(group);
}

}  // namespace tarry
