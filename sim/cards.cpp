#include "sim/cards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace tarry {
namespace {

std::uint32_t number_in(std::string_view task) {
  std::uint32_t number = 0;
  const std::size_t at = task.find_last_of(":/") + 1;
  std::from_chars(task.data() + at, task.data() + task.size(), number);
  return number;
}

}  // namespace

bool has_limited_card(const HostSpec& host) {
  return host.nic_bandwidth > 0 || std::ranges::any_of(host.further_nics, [](std::uint64_t b) { return b > 0; });
}

std::string name_of(const std::vector<HostSpec>& hosts, Card card) {
  const HostSpec& host = hosts[card.host.index()];
  return card_count(host) == 1 ? host.name : fmt::format("{} card {}", host.name, card.number);
}

CardList::CardList(const std::vector<HostSpec>& hosts) {
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    first_.push_back(all_.size());
    for (std::uint32_t n = 0; n < card_count(hosts[h]); ++n) all_.emplace_back(HostId{h}, n);
  }
}

CardChoice::CardChoice(const ClusterSpec& cluster) : cluster_(cluster) {
  std::vector<std::uint32_t> tasks(cluster.hosts.size(), 0);
  for (const TaskSpec& t : cluster.tasks) {
    place_.push_back(tasks[t.host.index()]++);
    number_.push_back(number_in(t.name));
  }
}

Card CardChoice::of(TaskId own, TaskId peer) const {
  const TaskSpec& task = cluster_.tasks[own.index()];
  const std::uint32_t cards = card_count(cluster_.hosts[task.host.index()]);
  if (cards == 1 || cluster_.tasks[peer.index()].host == task.host) return {task.host};
  return {task.host, task.nic.value_or(place_[own.index()] + number_[peer.index()]) % cards};
}

std::vector<Card> CardChoice::between(HostId host, HostId other) const {
  std::set<Card> cards;
  for (std::size_t own = 0; own < cluster_.tasks.size(); ++own)
    for (std::size_t peer = 0; peer < cluster_.tasks.size(); ++peer)
      if (cluster_.tasks[own].host == host && cluster_.tasks[peer].host == other)
        cards.insert(of(TaskId{own}, TaskId{peer}));
  if (cards.empty())
    for (std::uint32_t n = 0; n < card_count(cluster_.hosts[host.index()]); ++n) cards.insert({host, n});
  return {cards.begin(), cards.end()};
}

std::vector<Card> CardChoice::used() const {
  std::set<Card> cards;
  for (std::size_t own = 0; own < cluster_.tasks.size(); ++own)
    for (std::size_t peer = 0; peer < cluster_.tasks.size(); ++peer)
      if (cluster_.tasks[own].host != cluster_.tasks[peer].host) cards.insert(of(TaskId{own}, TaskId{peer}));
  return {cards.begin(), cards.end()};
}

std::uint64_t together(const ClusterSpec& cluster, HostId host, HostId other,
                       const std::function<std::uint64_t(Card)>& bandwidth) {
  if (card_count(cluster.hosts[host.index()]) == 1) return bandwidth(host);
  std::uint64_t sum = 0;
  for (const Card card : CardChoice(cluster).between(host, other)) {
    const std::uint64_t one = bandwidth(card);
    if (one == 0) return 0;
    sum += one;
  }
  return sum;
}

}  // namespace tarry
