#include "scenarios/sweep/against.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

}  // namespace

std::vector<ArmRows> rows_by_arm(const SweepPlan& plan, const std::vector<RunRow>& rows) {
  std::vector<ArmRows> out(plan.arms.size());
  for (const RunRow& r : rows) out[r.arm].emplace(r.seed, &r);
  return out;
}

Against against(const ArmRows& other, const ArmRows& arm, std::size_t measure, double confidence) {
  std::vector<double> base, numbers, differences;
  for (const auto& [seed, row] : arm) {
    const auto same = other.find(seed);
    if (same == other.end() || !row->measures[measure] || !same->second->measures[measure]) continue;
    base.push_back(*same->second->measures[measure]);
    numbers.push_back(*row->measures[measure]);
    differences.push_back(numbers.back() - base.back());
  }
  if (base.empty()) return {};
  return {mean_interval(differences, confidence), relative_change(base, numbers, confidence)};
}

std::string change_in_words(const Interval& i) {
  const std::string mean = std::abs(i.mean) < 0.001 && i.mean != 0 ? fmt::format("{:+.1g} %", 100 * i.mean)
                                                                   : fmt::format("{:+.1f} %", 100 * i.mean);
  return std::isfinite(i.half) ? fmt::format("{} ± {:.1f}", mean, 100 * i.half) : mean;
}

std::string in_words(const Against& a) {
  if (a.change) return change_in_words(*a.change);
  if (!a.difference) return "-";
  return (a.difference->mean > 0 ? "+" : "") + with_half_width(*a.difference);
}

std::string which_is_better(const Measure& measure, const Interval& change) {
  if (measure.better == Better::neither) return "";
  if (!std::isfinite(change.half)) return "one seed is too few";
  if (change.mean == 0 || std::abs(change.mean) <= change.half) return "no difference shown";
  return (change.mean > 0) == (measure.better == Better::more) ? "B is better" : "A is better";
}

std::string which_is_better(const Measure& measure, const Against& a) {
  if (!a.difference) return "";
  return which_is_better(measure, a.change ? *a.change : *a.difference);
}

std::vector<std::size_t> best_arms(const SweepPlan& plan, const std::vector<ArmRows>& rows, std::size_t measure) {
  const Better better = plan.measures[measure]->better;
  std::vector<std::pair<double, std::size_t>> arms;  // best first
  for (std::size_t a = 0; a < rows.size(); ++a)
    if (const auto mean = mean_of_arm(rows[a], measure)) arms.emplace_back(better == Better::more ? -*mean : *mean, a);
  if (better == Better::neither || arms.empty()) return {};
  const std::size_t best = std::ranges::min(arms).second;
  std::vector<std::size_t> out{best};
  for (const auto& [mean, a] : arms)
    if (a != best && !is_better_shown(plan, rows, measure, best, a)) out.push_back(a);
  return out;
}

}  // namespace tarry
