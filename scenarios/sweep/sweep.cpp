#include "scenarios/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "placer/core/text.hpp"
#include "scenarios/sweep/interval.hpp"

namespace tarry {
namespace {

constexpr std::size_t kFirstSeeds = 5;  // before an interval is looked at; then as many again

// Those of the first `seeds` seeds that have no row, seed by seed: what is there is always of all arms.
std::vector<SweepTask> missing(const SweepPlan& plan, const std::vector<RunRow>& rows, std::size_t seeds) {
  std::set<std::pair<std::size_t, std::uint64_t>> there;
  for (const RunRow& r : rows) there.emplace(r.arm, r.seed);
  std::vector<SweepTask> out;
  for (std::size_t s = 0; s < seeds; ++s)
    for (std::size_t arm = 0; arm < plan.arms.size(); ++arm)
      if (!there.contains({arm, plan.seeds[s]})) out.push_back({arm, plan.seeds[s]});
  return out;
}

std::vector<RunRow> of_seeds(std::vector<RunRow> rows, std::span<const std::uint64_t> seeds) {
  const std::set<std::uint64_t> wanted(seeds.begin(), seeds.end());
  std::erase_if(rows, [&](const RunRow& r) { return !wanted.contains(r.seed); });
  return rows;
}

bool is_narrow(const SweepPlan& plan, const std::vector<RunRow>& rows, std::size_t arm) {
  const auto column =
      static_cast<std::size_t>(std::ranges::find(plan.measures, plan.until->of) - plan.measures.begin());
  std::vector<double> numbers;
  for (const RunRow& r : rows)
    if (r.arm == arm && r.measures[column]) numbers.push_back(*r.measures[column]);
  if (numbers.empty()) return true;  // more seeds bring none
  const Interval i = mean_interval(numbers, plan.confidence);
  return i.half <= plan.until->half_width * std::abs(i.mean);
}

bool is_enough(const SweepPlan& plan, const std::vector<RunRow>& rows) {
  return plan.until && arms_too_wide(plan, rows).empty();
}

Status run_missing(const SweepPlan& plan, const std::vector<SweepTask>& tasks, RowFile& file,
                   const SweepOptions& options) {
  Status first;
  std::size_t done = 0;
  options.compute(
      static_cast<int>(tasks.size()), [&](int n) { return request_of(plan, tasks[static_cast<std::size_t>(n)]); },
      [&](int n, const StatusOr<std::string>& answer) {
        const bool is_row = answer.ok() || answer.status().code() != Code::kResourceExhausted;
        const Status s = is_row ? file.add(row_of(plan, tasks[static_cast<std::size_t>(n)], answer)) : answer.status();
        if (first.ok()) first = s;
        if (options.watch) options.watch(++done, tasks.size());
      });
  return first;
}

}  // namespace

std::string done_in_words(const SweepPlan& plan, const std::vector<RunRow>& rows) {
  return fmt::format("{} of {} runs{} are done", of_seeds(rows, plan.seeds).size(),
                     plan.arms.size() * plan.seeds.size(), plan.until ? " at the most" : "");
}

std::vector<std::size_t> arms_too_wide(const SweepPlan& plan, const std::vector<RunRow>& rows) {
  std::vector<std::size_t> out;
  for (std::size_t arm = 0; plan.until && arm < plan.arms.size(); ++arm)
    if (!is_narrow(plan, rows, arm)) out.push_back(arm);
  return out;
}

std::string too_wide_in_words(const SweepPlan& plan, const std::vector<RunRow>& rows) {
  constexpr std::size_t kShown = 3;
  const std::vector<std::size_t> wide = arms_too_wide(plan, rows);
  if (wide.empty()) return "";
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kShown, wide.size()); ++i)
    names.push_back(fmt::format("({})", join(plan.arms[wide[i]].values, ", ")));
  if (wide.size() > kShown) names.push_back(fmt::format("{} more", wide.size() - kShown));
  return fmt::format(
      "After {} seeds the interval of {} is not as narrow as {:.4g} % of its mean to either side in {} of {} arms: "
      "{}.\n",
      plan.seeds.size(), plan.until->of->name, 100 * plan.until->half_width, wide.size(), plan.arms.size(),
      join(names, ", "));
}

StatusOr<std::vector<RunRow>> run_sweep(const SweepPlan& plan, RowFile& file, const SweepOptions& options) {
  for (std::size_t seeds = plan.until ? kFirstSeeds : plan.seeds.size();; seeds += kFirstSeeds) {
    seeds = std::min(seeds, plan.seeds.size());
    TARRY_ASSIGN(const std::vector<RunRow> before, file.rows());
    TARRY_RETURN_IF_ERROR(run_missing(plan, missing(plan, before, seeds), file, options));
    TARRY_ASSIGN(std::vector<RunRow> all, file.rows());
    std::vector<RunRow> rows = of_seeds(std::move(all), std::span(plan.seeds).first(seeds));
    if (seeds == plan.seeds.size() || is_enough(plan, rows)) return rows;
  }
}

}  // namespace tarry
