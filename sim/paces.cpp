#include "sim/paces.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/costs.hpp"

namespace tarry {
namespace {

constexpr Nanos kLongest = 100LL * 365 * 24 * 3600 * 1'000'000'000;  // a hundred years: no kernel takes longer

template <class Id>
std::int64_t percent_of(const std::map<Id, std::int64_t>& paces, Id id) {
  const auto it = paces.find(id);
  return it == paces.end() ? 100 : it->second;
}

}  // namespace

Nanos at_percent(Nanos duration, std::int64_t percent) {
  const __int128 exact = static_cast<__int128>(duration) * percent / 100;
  return static_cast<Nanos>(std::min<__int128>(exact, kLongest));
}

void Paces::set_tail(TaskId task, const std::string& op, std::optional<Tail> tail) {
  tails_.erase({task, op});
  if (tail) tails_[{task, op}].tail = *tail;
}

Nanos Paces::of(Nanos duration, CostId cost, const Site& site) {
  duration = at_percent(duration, percent_of(tasks_, site.task));
  duration = at_percent(duration, percent_of(hosts_, cluster_.tasks[site.task.index()].host));
  duration = at_percent(duration, percent_of(devices_, site.device));
  return tails_.empty() ? duration : in_tails(duration, cost, site);
}

Nanos Paces::in_tails(Nanos duration, CostId cost, const Site& site) {
  for (auto& [key, tailed] : tails_) {
    if (key.first != site.task) continue;
    const auto [it, is_new] = tailed.sites.try_emplace(cost);
    if (is_new) it->second = draws_of(key.second, site);
    if (it->second && it->second->at(site.execution).chance(1, static_cast<std::uint64_t>(tailed.tail.one_in)))
      duration = at_percent(duration, tailed.tail.percent);
  }
  return duration;
}

std::optional<Keyed> Paces::draws_of(const std::string& op, const Site& site) const {
  if (!matches_glob(site.op, op)) return std::nullopt;
  return Keyed(streams_.fork(fmt::format("{}/{}/{}", cluster_.tasks[site.task.index()].name, site.node, op)));
}

}  // namespace tarry
