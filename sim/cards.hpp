// The network cards of hosts, and through which of them two tasks exchange messages.
//
// A host has one card or several, each with a bandwidth of its own in each direction. All messages between two tasks
// keep to one card of each end, as a connection keeps to one interface of a bond. A task that has a card of its own
// (TaskSpec::nic) uses that one. For any other, the number of the card is the place of the task among those of its
// host, plus the number of the other task, modulo the number of cards: "worker/3" has the number 3, and the first task
// of a host the place 0. So an end depends on its own host and on the name of the other task alone.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/cluster.hpp"

namespace tarry {

struct Card {
  HostId host;
  std::uint32_t number = 0;  // of the cards of its host
  Card() = default;
  Card(HostId h, std::uint32_t n = 0) : host(h), number(n) {}  // NOLINT(google-explicit-constructor): the first card
  friend auto operator<=>(const Card&, const Card&) = default;
};

[[nodiscard]] inline std::uint32_t card_count(const HostSpec& host) {
  return 1 + static_cast<std::uint32_t>(host.further_nics.size());
}
// REQUIRES: the host has that card.
[[nodiscard]] inline std::uint64_t& bandwidth_of(HostSpec& host, std::uint32_t number) {
  return number == 0 ? host.nic_bandwidth : host.further_nics[number - 1];
}
[[nodiscard]] inline std::uint64_t bandwidth_of(const HostSpec& host, std::uint32_t number) {
  return number == 0 ? host.nic_bandwidth : host.further_nics[number - 1];
}
[[nodiscard]] inline std::uint64_t bandwidth_of(const std::vector<HostSpec>& hosts, Card card) {
  return bandwidth_of(hosts[card.host.index()], card.number);
}
[[nodiscard]] bool has_limited_card(const HostSpec& host);
// "server", or "server card 1" where the host has several.
[[nodiscard]] std::string name_of(const std::vector<HostSpec>& hosts, Card card);

// All cards of a cluster in one list, host by host.
class CardList {
 public:
  explicit CardList(const std::vector<HostSpec>& hosts);
  [[nodiscard]] const std::vector<Card>& all() const { return all_; }
  [[nodiscard]] std::size_t index(Card card) const { return first_[card.host.index()] + card.number; }

 private:
  std::vector<Card> all_;
  std::vector<std::size_t> first_;  // by host
};

class CardChoice {
 public:
  // REQUIRES: the cluster outlives it.
  explicit CardChoice(const ClusterSpec& cluster);
  // The card of `own` for what it exchanges with `peer`. Of two tasks of one host, which need none, the first card.
  [[nodiscard]] Card of(TaskId own, TaskId peer) const;
  // The cards of `host` that its tasks use for what they exchange with tasks of `other`, ascending; all of them, if
  // there are no two such tasks.
  [[nodiscard]] std::vector<Card> between(HostId host, HostId other) const;
  // The cards that tasks use at all, ascending.
  [[nodiscard]] std::vector<Card> used() const;

 private:
  const ClusterSpec& cluster_;
  std::vector<std::uint32_t> place_;   // by task: among those of its host
  std::vector<std::uint32_t> number_;  // by task: in its name
};

// What the cards of CardChoice::between have together; 0 = unlimited.
[[nodiscard]] std::uint64_t together(const ClusterSpec& cluster, HostId host, HostId other,
                                     const std::function<std::uint64_t(Card)>& bandwidth);

}  // namespace tarry
