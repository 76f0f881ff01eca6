#include "scenarios/sweep/against.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "results/evidence.hpp"

namespace tarry {
namespace {

std::optional<double> mean_of_arm(const ArmRows& rows, std::size_t measure) {
  double sum = 0, count = 0;
  for (const auto& [seed, row] : rows)
    if (row->measures[measure]) sum += *row->measures[measure], ++count;
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

bool is_better_shown(const SweepPlan& plan, const std::vector<ArmRows>& rows, std::size_t measure, std::size_t best,
                     std::size_t other) {
  const std::size_t a = std::min(best, other), b = std::max(best, other);  // as the table compares with the first arm
  return which_is_better(*plan.measures[measure], against(rows[a], rows[b], measure, plan.confidence)) ==
         (best == a ? "A is better" : "B is better");
}

// What updates are, as far as the rows know.
std::set<std::string> updates_of(const std::vector<const ArmRows*>& arms) {
  std::set<std::string> kinds;
  for (const ArmRows* arm : arms)
    for (const auto& [seed, row] : *arm)
      if (!row->update_is.empty()) kinds.insert(row->update_is);
  return kinds;
}

// "A did not reach its stop in 4 of 5"; "" where it reached it, or the other one did not either.
std::string why_not_better(const char* name, const Missed& arm, const Missed& other) {
  if (arm.runs == 0 || other.runs > 0) return "";
  return fmt::format("{} did not reach its stop in {} of {}", name, arm.runs, arm.of);
}

// The arms with a mean, those that all reached their stop if there are any.
std::vector<std::size_t> arms_that_may_be_best(const std::vector<ArmRows>& rows, std::size_t measure) {
  std::vector<std::size_t> all, whole;
  for (std::size_t a = 0; a < rows.size(); ++a) {
    if (!mean_of_arm(rows[a], measure)) continue;
    all.push_back(a);
    if (missed_of(rows[a]).runs == 0) whole.push_back(a);
  }
  return whole.empty() ? all : whole;
}

}  // namespace

Missed missed_of(const ArmRows& arm) {
  const auto missed = std::ranges::count_if(arm, [](const auto& entry) { return !entry.second->reached_stop; });
  return {static_cast<std::size_t>(missed), arm.size()};
}

bool have_same_updates(const std::vector<ArmRows>& arms) {
  std::vector<const ArmRows*> all;
  for (const ArmRows& arm : arms) all.push_back(&arm);
  return updates_of(all).size() <= 1;
}

std::vector<ArmRows> rows_by_arm(const SweepPlan& plan, const std::vector<RunRow>& rows) {
  std::vector<ArmRows> out(plan.arms.size());
  for (const RunRow& r : rows) out[r.arm].emplace(r.seed, &r);
  return out;
}

Against against(const ArmRows& other, const ArmRows& arm, std::size_t measure, double confidence) {
  Against out{{}, {}, missed_of(other), missed_of(arm), updates_of({&other, &arm}).size() <= 1};
  out.pairs =
      static_cast<std::size_t>(std::ranges::count_if(arm, [&](const auto& r) { return other.contains(r.first); }));
  std::vector<double> base, numbers, differences;
  for (const auto& [seed, row] : arm) {
    const auto same = other.find(seed);
    if (same == other.end() || !row->measures[measure] || !same->second->measures[measure]) continue;
    base.push_back(*same->second->measures[measure]);
    numbers.push_back(*row->measures[measure]);
    differences.push_back(numbers.back() - base.back());
  }
  if (base.empty()) return out;
  out.difference = mean_interval(differences, confidence);
  out.change = relative_change(base, numbers, confidence);
  return out;
}

std::string change_in_words(const Interval& i) {
  const double mean = 100 * i.mean, half = 100 * i.half;
  if (half > 1e-7 && std::isfinite(half)) {  // two digits of what is small
    const int digits = half < 0.1 ? std::min(1 - static_cast<int>(std::floor(std::log10(half))), 9) : 1;
    return fmt::format("{:+.{}f} % ± {:.{}f}", mean, digits, half, digits);
  }
  return std::abs(mean) < 0.1 && mean != 0 ? fmt::format("{:+.1g} %", mean) : fmt::format("{:+.1f} %", mean);
}

std::string in_words(const Against& a) {
  if (!a.difference) return "-";
  const std::string words =
      a.change ? change_in_words(*a.change) : (a.difference->mean > 0 ? "+" : "") + with_half_width(*a.difference);
  if (a.difference->n == a.pairs) return words;
  return fmt::format("{} ({} of {})", words, a.difference->n,
                     counted(static_cast<std::int64_t>(a.pairs), "seed", "seeds"));
}

std::string which_is_better(const Measure& measure, const Interval& difference) {
  if (measure.better == Better::neither) return "";
  if (!std::isfinite(difference.half)) return "one seed is too few";
  if (difference.mean == 0 || std::abs(difference.mean) <= difference.half) return "no difference shown";
  return (difference.mean > 0) == (measure.better == Better::more) ? "B is better" : "A is better";
}

std::string which_is_better(const Measure& measure, const Against& a) {
  if (!a.difference || measure.better == Better::neither) return "";
  if (measure.counts_updates && !a.has_same_updates) return "counts other things";
  const std::string said = which_is_better(measure, *a.difference);
  std::string why_not;
  if (said == "A is better") why_not = why_not_better("A", a.other, a.arm);
  if (said == "B is better") why_not = why_not_better("B", a.arm, a.other);
  return why_not.empty() ? said : why_not;
}

const char* says_of(const Measure& m, const Against& first) {
  const std::string said = which_is_better(m, first);
  return said == "B is better" ? "better" : said == "A is better" ? "worse" : "";
}

std::vector<std::size_t> best_arms(const SweepPlan& plan, const std::vector<ArmRows>& rows, std::size_t measure) {
  const Measure& m = *plan.measures[measure];
  std::vector<std::pair<double, std::size_t>> arms;  // best first
  for (const std::size_t a : arms_that_may_be_best(rows, measure))
    arms.emplace_back((m.better == Better::more ? -1 : 1) * *mean_of_arm(rows[a], measure), a);
  if (m.better == Better::neither || arms.empty() || (m.counts_updates && !have_same_updates(rows))) return {};
  const std::size_t best = std::ranges::min(arms).second;
  std::vector<std::size_t> out{best};
  for (const auto& [mean, a] : arms)
    if (a != best && !is_better_shown(plan, rows, measure, best, a)) out.push_back(a);
  return out;
}

}  // namespace tarry
