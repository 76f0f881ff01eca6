// Network cards that are slower than the others'.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "scenarios/job/what_if_parts.hpp"
#include "sim/cards.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kOneFactor = 1'000'000;

// Of lists, constants and laws that switch; the mean of another law counts as 1.
std::int64_t mean_factor(const FactorLaw& law) {
  if (const auto* s = std::get_if<Switching>(&law))
    return (kOneFactor * s->ends + s->factor * s->begins) / (s->begins + s->ends);
  const auto& factor = std::get<Amount>(law);
  if (const auto* constant = std::get_if<Constant>(&factor)) return constant->time;
  const auto* list = std::get_if<Listed>(&factor);
  if (list == nullptr) return kOneFactor;
  return std::accumulate(list->times.begin(), list->times.end(), std::int64_t{0}) / std::ssize(list->times);
}

// What a card has on average, where something makes it alone vary.
std::uint64_t bandwidth_on_average(const Job& job, Card card) {
  std::uint64_t bandwidth = bandwidth_of(job.cluster.hosts, card);
  for (const CardVariation& v : job.cluster.network.variations)
    if (v.host == card.host && v.nic.value_or(card.number) == card.number)
      bandwidth = share_of(bandwidth, mean_factor(v.factor), kOneFactor);
  return bandwidth;
}

// It varies no more by itself, and its host's other cards as before.
void vary_with_all(ClusterSpec& cluster, Card card) {
  std::vector<CardVariation> kept;
  for (const CardVariation& v : cluster.network.variations) {
    if (v.host != card.host || v.nic.value_or(card.number) != card.number) kept.push_back(v);
    if (v.host != card.host || v.nic) continue;
    for (std::uint32_t n = 0; n < card_count(cluster.hosts[card.host.index()]); ++n)
      if (n != card.number) kept.emplace_back(v).nic = n;
  }
  cluster.network.variations = std::move(kept);
}

WhatIf with_usual_card(const Job& job, const Outcome& outcome, Card card, std::uint64_t usual, bool is_alone) {
  const HostSpec& host = job.cluster.hosts[card.host.index()];
  const std::uint64_t own = bandwidth_of(host, card.number), has = bandwidth_on_average(job, card);
  const std::string which = card_count(host) == 1 ? "card" : fmt::format("card {}", card.number);
  WhatIf w{{.cause = Proof::Cause::slow_card,
            .a = host.name,
            .b = card_count(host) == 1 ? "" : which,
            .what = fmt::format("the network {} of {} has {}{} and those of {} {}", which,
                                with_its_tasks(job, outcome, card.host), bandwidth_in_words(has),
                                has == own ? "" : " on average", is_alone ? "the others" : "most others",
                                bandwidth_in_words(usual)),
            .instead = fmt::format("with {} there", bandwidth_in_words(usual))},
           job};
  w.amount = bandwidth_in_words(has);
  w.usual = bandwidth_in_words(usual);
  vary_with_all(w.job.cluster, card);
  bandwidth_of(w.job.cluster.hosts[card.host.index()], card.number) =
      from_limit(std::max(as_limit(own), as_limit(usual)));
  return w;
}

// Those that some task uses. Where no host has several, all cards count.
std::vector<Card> cards_in_use(const ClusterSpec& cluster) {
  if (std::ranges::all_of(cluster.hosts, [](const HostSpec& h) { return card_count(h) == 1; }))
    return CardList(cluster.hosts).all();
  return CardChoice(cluster).used();
}

}  // namespace

void add_card_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome) {
  const std::vector<Card> cards = cards_in_use(job.cluster);
  std::vector<std::uint64_t> limits;
  for (const Card card : cards) limits.push_back(as_limit(bandwidth_on_average(job, card)));
  if (cards.empty()) return;
  std::vector<std::uint64_t> sorted = limits;
  std::ranges::sort(sorted);
  const std::uint64_t usual = sorted[sorted.size() / 2];
  const auto is_slow = [usual](std::uint64_t limit) {
    return static_cast<double>(limit) < kMuchWorse * static_cast<double>(usual);
  };
  const bool is_alone = std::ranges::count_if(limits, is_slow) == 1;
  for (std::size_t c = 0; c < cards.size(); ++c)
    if (is_slow(limits[c])) out.push_back(with_usual_card(job, outcome, cards[c], from_limit(usual), is_alone));
}

}  // namespace tarry
