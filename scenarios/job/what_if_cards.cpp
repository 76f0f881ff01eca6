// Network cards that are slower than the others'.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "results/verdicts/proved.hpp"
#include "scenarios/job/what_if_parts.hpp"
#include "sim/cards.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kOneFactor = 1'000'000;
constexpr std::string_view kSomeOthers = "some others";

std::int64_t mean_factor(const FactorLaw& law) {
  if (const auto* s = std::get_if<Switching>(&law))
    return (kOneFactor * s->ends + s->factor * s->begins) / (s->begins + s->ends);
  return mean_of(std::get<Amount>(law));
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

// What those that are slow are compared with.
struct Better {
  std::uint64_t limit = 0;
  std::string_view whose;  // "the others", "most others", "some others"
};

WhatIf with_better_card(const Job& job, const Outcome& outcome, Card card, const Better& better) {
  const HostSpec& host = job.cluster.hosts[card.host.index()];
  const std::uint64_t own = bandwidth_of(host, card.number), has = bandwidth_on_average(job, card);
  const std::string which = card_count(host) == 1 ? "card" : fmt::format("card {}", card.number);
  const std::string usual = bandwidth_in_words(from_limit(better.limit));
  WhatIf w{{.cause = Proof::Cause::slow_card,
            .a = host.name,
            .b = card_count(host) == 1 ? "" : which,
            .what = fmt::format("the network {} of {} has {}{} and those of {} {}", which,
                                with_its_tasks(job, outcome, card.host), bandwidth_in_words(has),
                                has == own ? "" : " on average", better.whose, usual),
            .instead = as_limit(own) >= better.limit ? fmt::format("with a card that{} there", kDoesNotVary)
                                                     : fmt::format("with {} there", usual)},
           job};
  w.amount = bandwidth_in_words(has) + (has == own ? "" : " on average");
  w.usual = better.whose == kSomeOthers ? fmt::format("{} have {}", kSomeOthers, usual) : "usual is " + usual;
  vary_with_all(w.job.cluster, card);
  bandwidth_of(w.job.cluster.hosts[card.host.index()], card.number) = from_limit(std::max(as_limit(own), better.limit));
  return w;
}

// Those that some task uses. Where no host has several, all cards count.
std::vector<Card> cards_in_use(const ClusterSpec& cluster) {
  if (std::ranges::all_of(cluster.hosts, [](const HostSpec& h) { return card_count(h) == 1; }))
    return CardList(cluster.hosts).all();
  return CardChoice(cluster).used();
}

class CardCandidates {
 public:
  CardCandidates(const Job& job, const Outcome& outcome)
      : job_(job), outcome_(outcome), cards_(cards_in_use(job.cluster)) {
    for (const Card card : cards_) limits_.push_back(as_limit(bandwidth_on_average(job, card)));
  }

  void add_to(std::vector<WhatIf>& out) const {
    if (cards_.empty()) return;
    std::vector<std::uint64_t> sorted = limits_;
    std::ranges::sort(sorted);
    const std::uint64_t usual = sorted[sorted.size() / 2];
    const auto is_slow = [usual](std::uint64_t limit) { return is_much_less(limit, usual); };
    const bool is_alone = std::ranges::count_if(limits_, is_slow) == 1;
    if (std::ranges::any_of(limits_, is_slow)) return add(out, all(), {usual, is_alone ? "the others" : "most others"});
    for (const bool of_servers : {false, true}) add_slow_majority(out, of_tasks_alike(of_servers), usual);
  }

 private:
  using Indices = std::vector<std::size_t>;

  [[nodiscard]] static bool is_much_less(std::uint64_t limit, std::uint64_t than) {
    return static_cast<double>(limit) < kMuchWorse * static_cast<double>(than);
  }
  [[nodiscard]] Indices all() const {
    Indices all;
    for (std::size_t c = 0; c < cards_.size(); ++c) all.push_back(c);
    return all;
  }
  // Those of hosts of servers, or of the other tasks.
  [[nodiscard]] Indices of_tasks_alike(bool of_servers) const {
    Indices alike = all();
    std::erase_if(alike, [&](std::size_t c) {
      for (std::size_t t = 0; t < job_.cluster.tasks.size(); ++t)
        if (job_.cluster.tasks[t].host == cards_[c].host && outcome_.tasks.is_ps(TaskId{t}) == of_servers) return false;
      return true;
    });
    return alike;
  }
  // Most have little, and some of the same kind of task have much more, as does some other card: one host that has more
  // than all others makes none of these slow, nor do servers that have more than all workers.
  void add_slow_majority(std::vector<WhatIf>& out, const Indices& alike, std::uint64_t usual) const {
    std::uint64_t more = 0;
    for (const std::size_t c : alike)
      if (is_much_less(usual, limits_[c]) && (more == 0 || limits_[c] < more)) more = limits_[c];
    const auto others = std::ranges::count_if(limits_, [more](std::uint64_t limit) { return limit >= more; });
    if (more > 0 && others > 1) add(out, alike, {more, kSomeOthers});
  }
  void add(std::vector<WhatIf>& out, const Indices& among, const Better& better) const {
    for (const std::size_t c : among)
      if (is_much_less(limits_[c], better.limit)) out.push_back(with_better_card(job_, outcome_, cards_[c], better));
  }

  const Job& job_;
  const Outcome& outcome_;
  const std::vector<Card> cards_;
  std::vector<std::uint64_t> limits_;  // of each card, on average
};

}  // namespace

void add_card_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome) {
  CardCandidates(job, outcome).add_to(out);
}

namespace {

// By host: how long a card of it takes for what it sends, or receives, at its full rate; or how many bytes pass.
using ByHost = std::map<HostId, double>;

void add_use(ByHost& use, std::map<Card, double>& by_card, const Job& job, Card card, std::uint64_t bytes) {
  const std::uint64_t bandwidth = bandwidth_on_average(job, card);
  if (bandwidth == 0) return;
  double& of_card = by_card[card] += static_cast<double>(bytes) / static_cast<double>(bandwidth);
  double& of_host = use[card.host];
  of_host = std::max(of_host, of_card);
}

std::set<HostId> hosts_with_most(const ByHost& all) {
  constexpr double kNearly = 0.8;
  double most = 0;
  for (const auto& [host, amount] : all) most = std::max(most, amount);
  std::set<HostId> hosts;
  for (const auto& [host, amount] : all)
    if (amount >= kNearly * most) hosts.insert(host);
  return hosts;
}

bool have_other_limits(const NetworkSpec& n) {
  return n.between_hosts.bandwidth > 0 || n.transport.window > 0 || !n.transport.incast.empty() || !n.racks.empty() ||
         !n.platform.links.empty() ||
         std::ranges::any_of(n.links, [](const LinkSpec& l) { return l.path.bandwidth > 0; });
}

}  // namespace

std::string hosts_of_most_used_cards(const Job& job, const Outcome& outcome) {
  if (have_other_limits(job.cluster.network)) return "";
  ByHost bytes, use;
  std::map<Card, double> sent, received;
  for (const Traffic& t : outcome.stats.traffic) {
    if (t.from.host == t.to.host) continue;
    bytes[t.from.host] += static_cast<double>(t.bytes), bytes[t.to.host] += static_cast<double>(t.bytes);
    add_use(use, sent, job, t.from, t.bytes), add_use(use, received, job, t.to, t.bytes);
  }
  const std::set<HostId> used = hosts_with_most(use), busiest = hosts_with_most(bytes);
  if (used.empty() || std::ranges::includes(used, busiest)) return "";
  const bool are_few = 2 * used.size() < bytes.size();
  if (!are_few && std::ranges::any_of(busiest, [&](HostId h) { return used.contains(h); })) return "";
  if (!are_few) return fmt::format("{} hosts, such as {},", used.size(), with_its_tasks(job, outcome, *used.begin()));
  std::vector<std::string> names;
  for (const HostId h : used) names.push_back(with_its_tasks(job, outcome, h));
  return names.size() == 1 ? names.front() : listed(std::move(names));
}

}  // namespace tarry
