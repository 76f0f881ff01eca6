#include "sim/card_factors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace tarry {
namespace {

constexpr std::int64_t kUsual = 1'000'000, kLeastFactor = kUsual / 1000, kMostFactor = kUsual * 1000;  // in millionths

std::string key_of(const CardVariation& v, const ClusterSpec& cluster, Card card) {
  const HostSpec& host = cluster.hosts[card.host.index()];
  if (v.shared == CardVariation::Shared::by_all) return "";
  if (v.shared == CardVariation::Shared::by_rack && host.rack.valid())
    return "rack " + cluster.network.racks[host.rack.index()].name;
  const std::string of_host = "host " + host.name;
  if (v.shared != CardVariation::Shared::by_nobody || card.number == 0) return of_host;
  return fmt::format("{} card {}", of_host, card.number);
}

}  // namespace

CardFactors::CardFactors(const ClusterSpec& cluster, const Random& streams) : cluster_(cluster), cards_(cluster.hosts) {
  const std::vector<CardVariation>& variations = cluster.network.variations;
  if (!variations.empty()) factors_.assign(cards_.all().size(), kUsual);
  for (const CardVariation& v : variations) {
    const Random of_this = streams.fork(std::to_string(v.stream));
    Drawn& d = all_.emplace_back(Drawn{.what = v, .draws = {}, .factors = factors_, .kinds = {}});
    d.kinds.resize(cards_.all().size());
    for (const Card card : cards_.all()) d.draws.emplace_back(of_this.fork(key_of(d.what, cluster, card)));
  }
}

void CardFactors::begin(Nanos now) {
  began_ = now;
  for (Drawn& d : all_) next_ = d.next = now;
}

bool CardFactors::is_of(const CardVariation& v, Card card) const {
  return bandwidth_of(cluster_.hosts, card) > 0 && (!v.host.valid() || v.host == card.host) &&
         (!v.nic || *v.nic == card.number);
}

std::int64_t CardFactors::factor_of(Card card) const {
  std::int64_t factor = kUsual;
  for (const Drawn& d : all_) factor = times_millionths(factor, d.factors[cards_.index(card)]);
  return std::clamp(factor, kLeastFactor, kMostFactor);
}

// A law that switches goes through all intervals before this one.
std::int64_t CardFactors::factor_in(Drawn& d, std::size_t card, std::uint64_t interval) {
  Random random = d.draws[card].at(interval);
  const auto* switching = std::get_if<Switching>(&d.what.factor);
  if (switching == nullptr) return draw(std::get<Amount>(d.what.factor), interval, random);
  Kind& kind = d.kinds[card];
  std::int64_t factor = kUsual;
  for (; kind.next <= interval; ++kind.next)
    factor = next_factor(*switching, kind.next, d.draws[card].at(kind.next), kind.is_other);
  return factor;
}

void CardFactors::draw_anew(Drawn& d, std::uint64_t interval, std::vector<Card>& changed) const {
  for (std::size_t c = 0; c < d.draws.size(); ++c) {
    if (!is_of(d.what, cards_.all()[c])) continue;
    const std::int64_t factor = factor_in(d, c, interval);
    if (std::exchange(d.factors[c], factor) != factor) changed.push_back(cards_.all()[c]);
  }
}

std::vector<Card> CardFactors::look(Nanos now) {
  std::vector<Card> changed;
  next_ = std::numeric_limits<Nanos>::max();
  for (Drawn& d : all_) {
    if (now >= d.next) {
      const Nanos interval = (now - began_) / d.what.every;
      draw_anew(d, static_cast<std::uint64_t>(interval), changed);
      d.next = began_ + (interval + 1) * d.what.every;
    }
    next_ = std::min(next_, d.next);
  }
  std::ranges::sort(changed);
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  for (const Card card : changed) factors_[cards_.index(card)] = factor_of(card);
  return changed;
}

std::uint64_t CardFactors::bandwidth(Card card, std::uint64_t usual) const {
  return factors_.empty() ? usual : share_of(usual, factors_[cards_.index(card)], kUsual);
}

}  // namespace tarry
