#include "sim/fair_shares.hpp"

#include <algorithm>

#include "placer/core/check.hpp"

namespace tarry {
namespace {

constexpr double kRoundingSlack = 1 + 1e-11;  // a link that is so little too full is not too full

}  // namespace

// ---- what there is ----

std::uint32_t FairShares::add_link(double capacity) {
  check(capacity > 0, "a link has a capacity");
  links_.push_back({.capacity = capacity});
  level_.push_back(kUnlimited);
  return static_cast<std::uint32_t>(links_.size() - 1);
}

std::uint32_t FairShares::add_channel(std::span<const std::uint32_t> links) {
  check(!links.empty(), "a channel crosses a link");
  Channel& c = channels_.emplace_back();
  c.links.assign(links.begin(), links.end());
  c.places.resize(links.size());
  return static_cast<std::uint32_t>(channels_.size() - 1);
}

void FairShares::set_flows(std::uint32_t channel, std::size_t flows) {
  channels_[channel].wanted = static_cast<double>(flows);
  changed_channels_.push_back(channel);
}

void FairShares::set_capacity(std::uint32_t link, double capacity) {
  links_[link].capacity = capacity;
  bind(link);
}

void FairShares::attach(std::uint32_t channel) {
  Channel& c = channels_[channel];
  for (std::size_t i = 0; i < c.links.size(); ++i) {
    std::vector<Member>& list = links_[c.links[i]].members;
    c.places[i] = static_cast<std::uint32_t>(list.size());
    list.push_back({.channel = channel});
  }
}

// The last one takes its place.
void FairShares::detach(std::uint32_t channel) {
  Channel& c = channels_[channel];
  for (std::size_t i = 0; i < c.links.size(); ++i) {
    std::vector<Member>& list = links_[c.links[i]].members;
    Channel& last = channels_[list.back().channel];
    for (std::size_t k = 0; k < last.links.size(); ++k)
      if (last.links[k] == c.links[i]) last.places[k] = c.places[i];
    list[c.places[i]] = list.back();
    list.pop_back();
  }
}

void FairShares::tell_links(const Channel& c) {
  for (std::size_t i = 0; i < c.links.size(); ++i) {
    Member& m = links_[c.links[i]].members[c.places[i]];
    m.limit = c.limit;
    m.flows = c.flows;
  }
}

void FairShares::bind(std::uint32_t link) {
  links_[link].binds = true;
  seeds_.push_back(link);
}

// Where flows go, links that are not full have room for more, and full ones share anew; where flows come, any link may
// become full.
void FairShares::take_change(std::uint32_t channel) {
  Channel& c = channels_[channel];
  if (c.wanted == c.flows) return;
  for (const std::uint32_t l : links_of(c))
    if (c.wanted > 0 || links_[l].binds)
      bind(l);
    else
      links_[l].load -= c.flows * rate(channel);
  if (c.flows == 0) attach(channel);
  c.flows = c.wanted;
  if (c.flows > 0) return tell_links(c);
  detach(channel);
  --links_[std::exchange(c.limit, kNoLink)].limited;
}

const FairShares::Changes& FairShares::solve() {
  changes_.links.clear();
  changes_.moves.clear();
  for (const std::uint32_t c : changed_channels_) take_change(c);
  changed_channels_.clear();
  while (!seeds_.empty()) fill_all();
  unbind_idle();
  return changes_;
}

// ---- filling ----

// From the lowest level upwards. Then links that were only watched may turn out to be too full.
void FairShares::fill_all() {
  floor_ = 0;
  opened_from_ = changes_.links.size();
  for (const std::uint32_t l : seeds_) open(l);
  seeds_.clear();
  while (!queue_.empty()) {
    const auto [next, l] = queue_.top();
    queue_.pop();
    if (links_[l].state == State::open && links_[l].next == next) visit(l);
  }
  close_opened();
  bind_overfull();
}

// With all links that share the channels which these links limit.
void FairShares::open(std::uint32_t link) {
  if (links_[link].state == State::closed) to_open_.push_back(link);
  while (!to_open_.empty()) {
    const std::uint32_t l = to_open_.back();
    to_open_.pop_back();
    if (links_[l].state == State::closed) open_one(l);
  }
}

void FairShares::open_one(std::uint32_t link) {
  Link& l = links_[link];
  l.state = State::open;
  l.before = std::exchange(level_[link], kUnlimited);
  changes_.links.push_back(link);
  l.next = kUnlimited;
  recompute_from_here(link);
  for (const Member& m : l.members) {
    if (m.limit != link) continue;
    for (const std::uint32_t other : links_of(channels_[m.channel])) {
      if (!links_[other].binds || other == link) continue;
      if (links_[other].state == State::closed) to_open_.push_back(other);
      if (links_[other].state == State::open) recompute_from_here(other);
    }
  }
}

// Its level may be any from now on.
void FairShares::recompute_from_here(std::uint32_t link) {
  Link& l = links_[link];
  l.is_stale = true;
  if (l.next <= floor_) return;
  l.next = floor_;
  queue_.emplace(floor_, link);
}

// The one with the lowest level is filled, unless that must be computed first and turns out to be higher.
void FairShares::visit(std::uint32_t link) {
  Link& l = links_[link];
  if (!std::exchange(l.is_stale, false)) return fill(link);
  l.next = level_for(l);
  if (l.next == kUnlimited) return;
  if (queue_.empty() || l.next <= queue_.top().first) return fill(link);
  queue_.emplace(l.next, link);
}

// The level at which it is full: its channels have at the most what other links leave them. Those that other links hold
// below the level are found in rounds, in each of which the level rises.
double FairShares::level_for(const Link& link) const {
  for (double level = floor_;;) {
    double left = link.capacity, flows = 0, least = kUnlimited;  // of those that others do not hold below the level
    for (const Member& m : link.members) {
      const double most = level_[m.limit];
      if (most <= level) {
        left -= m.flows * most;
      } else {
        flows += m.flows;
        least = std::min(least, most);
      }
    }
    if (flows == 0) return kUnlimited;
    level = std::max(level, left / flows);
    if (level < least) return level;
  }
}

void FairShares::fill(std::uint32_t link) {
  Link& l = links_[link];
  floor_ = l.next;
  l.state = State::filled;
  for (const Member& m : l.members)
    if (level_[m.limit] > floor_) limit(m.channel, link);
  level_[link] = floor_;
}

double FairShares::rate_before(const Channel& c) const {
  return level_[c.limit] == kUnlimited ? links_[c.limit].before : level_[c.limit];
}

// The channel's flows have the rate `floor_`, since this link is full at it.
void FairShares::limit(std::uint32_t channel, std::uint32_t link) {
  Channel& c = channels_[channel];
  const double more = (floor_ - rate_before(c)) * c.flows;
  for (const std::uint32_t other : links_of(c)) {
    if (other == link) continue;
    Link& o = links_[other];
    if (!o.binds)
      add_load(other, more);
    else if (o.state == State::closed)
      open(other);
    else
      o.is_stale = true;
  }
  if (c.limit == link) return;
  --links_[c.limit].limited;
  ++links_[link].limited;
  c.limit = link;
  tell_links(c);
  changes_.moves.push_back({channel, link});
}

// ---- links with room for all ----

void FairShares::add_load(std::uint32_t link, double more) {
  Link& l = links_[link];
  l.load += more;
  if (l.load <= l.capacity * kRoundingSlack || l.is_suspect) return;
  l.is_suspect = true;
  suspects_.push_back(link);
}

double FairShares::load_of(const Link& link) const {
  double load = 0;
  for (const Member& m : link.members) load += m.flows * level_[m.limit];
  return load;
}

void FairShares::bind_overfull() {
  for (const std::uint32_t l : suspects_) {
    Link& link = links_[l];
    link.is_suspect = false;
    link.load = load_of(link);
    if (link.load > link.capacity * kRoundingSlack) bind(l);
  }
  suspects_.clear();
}

void FairShares::close_opened() {
  for (std::size_t i = opened_from_; i < changes_.links.size(); ++i) links_[changes_.links[i]].state = State::closed;
}

void FairShares::unbind_idle() {
  for (const std::uint32_t l : changes_.links) {
    Link& link = links_[l];
    if (!link.binds || link.limited > 0) continue;
    link.binds = false;
    link.load = load_of(link);
  }
}

}  // namespace tarry
