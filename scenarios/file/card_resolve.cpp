#include "scenarios/file/card_resolve.hpp"

#include <algorithm>

#include "scenarios/file/cost_resolve.hpp"
#include "sim/cards.hpp"

namespace tarry {
namespace {

// The cards that one place of the file lists, or the one that it has; none where it says nothing.
std::vector<std::uint64_t> cards_said(Reader& in, Position at, const std::optional<std::uint64_t>& nic,
                                      const std::vector<std::uint64_t>& nics) {
  if (nic && !nics.empty()) in.fail(at, "'nic' and 'nics' say the same: expected one of them");
  if (nics.size() > kMostCards) in.fail(at, fmt::format("a host has at most {} network cards", kMostCards));
  return nic ? std::vector{*nic} : nics;
}

std::string cards_in_words(const HostSpec& host) {
  const std::uint32_t cards = card_count(host);
  if (cards == 1) return fmt::format("host '{}' has one network card, number 0", shown(host.name));
  return fmt::format("host '{}' has {} network cards, numbers 0 to {}", shown(host.name), cards, cards - 1);
}

bool varies(const CardVariation& v, const HostSpec& host) {
  if (v.nic) return *v.nic < card_count(host) && bandwidth_of(host, *v.nic) > 0;
  return has_limited_card(host);
}

}  // namespace

std::vector<std::uint64_t> cards_of(Reader& in, const RawHost& host, const RawCluster& cluster) {
  const RawNetwork& network = cluster.network;
  if (auto own = cards_said(in, host.name.at, host.nic, host.nics); !own.empty()) return own;
  if (auto usual = cards_said(in, cluster.at, network.nic, network.nics); !usual.empty()) return usual;
  return {0};
}

std::optional<std::uint32_t> card_of_task(Reader& in, const RawTask& raw, const ClusterSpec& cluster, HostId host) {
  if (!raw.nic) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(*raw.nic);
  if (host.valid() && number >= card_count(cluster.hosts[host.index()]))
    in.fail(raw.host.at, fmt::format("no network card {}: {}", number, cards_in_words(cluster.hosts[host.index()])));
  return number;
}

CardVariation resolve_card_variation(Reader& in, const Lookup& names, const ClusterSpec& cluster,
                                     const RawCardVariation& v) {
  CardVariation out{.shared = v.shared, .every = v.every};
  if (!v.host.text.empty()) out.host = names.host_of(v.host);
  if (v.nic) out.nic = static_cast<std::uint32_t>(*v.nic);
  if (int{v.factor.has_value()} + int{!v.factors.empty()} + int{!v.trace.text.empty()} != 1)
    in.fail(v.at, "a variation of cards needs one of 'factor', 'factors' and 'trace'");
  if (!v.trace.text.empty() && (out.host.valid() || v.shared != CardVariation::Shared::by_nobody))
    in.fail(v.at, "a variation with a 'trace' has no 'host' and no 'shared': the file's lines say the host");
  if (v.factor)
    out.factor = *v.factor;
  else if (!v.factors.empty())
    out.factor = Amount{Listed{v.factors}};
  check_factor_law(in, v.at, out.factor);
  if (v.every == 0) in.fail(v.at, "'every' is 0s: no factor would last; expected a time such as 100ms");
  if (!in.ok()) return out;
  if (out.host.valid() && out.nic.value_or(0) >= card_count(cluster.hosts[out.host.index()]))
    in.fail(v.at, fmt::format("no network card {}: {}", *out.nic, cards_in_words(cluster.hosts[out.host.index()])));
  const auto can = [&](const HostSpec& h) { return varies(out, h); };
  if (in.ok() && !(out.host.valid() ? can(cluster.hosts[out.host.index()]) : std::ranges::any_of(cluster.hosts, can)))
    in.fail(v.at, "no card that could vary has a bandwidth; expected 'nic' or 'nics' in the network or at the host");
  return out;
}

}  // namespace tarry
