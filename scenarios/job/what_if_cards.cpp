// Network cards that are slower than the others'.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "scenarios/job/what_if_parts.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kOneFactor = 1'000'000;

// Of lists and constants; the mean of a law counts as 1.
std::int64_t mean_factor(const Amount& factor) {
  if (const auto* constant = std::get_if<Constant>(&factor)) return constant->time;
  const auto* list = std::get_if<Listed>(&factor);
  if (list == nullptr) return kOneFactor;
  return std::accumulate(list->times.begin(), list->times.end(), std::int64_t{0}) / std::ssize(list->times);
}

// What a card has on average, where something makes it alone vary.
std::uint64_t card_of(const Job& job, HostId host) {
  std::uint64_t card = job.cluster.hosts[host.index()].nic_bandwidth;
  for (const CardVariation& v : job.cluster.network.variations)
    if (v.host == host) card = share_of(card, mean_factor(v.factor), kOneFactor);
  return card;
}

WhatIf with_usual_card(const Job& job, const Outcome& outcome, HostId host, std::uint64_t usual) {
  const std::uint64_t own = job.cluster.hosts[host.index()].nic_bandwidth, card = card_of(job, host);
  WhatIf w{{.cause = Proof::Cause::slow_card,
            .a = job.cluster.hosts[host.index()].name,
            .what = fmt::format("the network card of {} has {}{} and those of the others {}",
                                with_its_tasks(job, outcome, host), bandwidth_in_words(card),
                                card == own ? "" : " on average", bandwidth_in_words(usual)),
            .instead = fmt::format("with {} there", bandwidth_in_words(usual))},
           job};
  std::erase_if(w.job.cluster.network.variations, [host](const CardVariation& v) { return v.host == host; });
  std::uint64_t& bandwidth = w.job.cluster.hosts[host.index()].nic_bandwidth;
  bandwidth = from_limit(std::max(as_limit(own), as_limit(usual)));
  return w;
}

}  // namespace

void add_card_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome) {
  std::vector<std::uint64_t> cards;
  for (std::size_t h = 0; h < job.cluster.hosts.size(); ++h) cards.push_back(as_limit(card_of(job, HostId{h})));
  std::vector<std::uint64_t> sorted = cards;
  std::ranges::sort(sorted);
  const std::uint64_t usual = sorted[sorted.size() / 2];
  for (std::size_t h = 0; h < cards.size(); ++h)
    if (static_cast<double>(cards[h]) < kMuchWorse * static_cast<double>(usual))
      out.push_back(with_usual_card(job, outcome, HostId{h}, from_limit(usual)));
}

}  // namespace tarry
