#include <fmt/format.h>

#include <algorithm>

#include "results/verdict.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kFewGradients = 3;  // from so many on a share means something
constexpr double kNearlyAll = 0.9;

bool is_starved(const AccumulatorStory& a, std::size_t w) {
  return a.pushed[w] >= kFewGradients &&
         static_cast<double>(a.dropped[w]) >= kNearlyAll * static_cast<double>(a.pushed[w]);
}

// Its part of a step takes at most a quarter longer than that of the median worker.
bool is_as_fast(const Loads& loads, const Evidence& e, std::size_t w) {
  constexpr Nanos kMuchLonger = 5, kOfThat = 4;
  std::vector<Nanos> of_others;
  for (const auto& [task, times] : loads.workers)
    if (task != e.contributions.workers[w].task) of_others.push_back(times.median());
  const auto own = loads.workers.find(e.contributions.workers[w].task);
  if (of_others.empty() || own == loads.workers.end()) return false;
  std::ranges::sort(of_others);
  return kOfThat * own->second.median() <= kMuchLonger * of_others[(of_others.size() - 1) / 2];
}

}  // namespace

Told judge_starved(const Evidence& e, std::span<const Verdict>) {
  Told out;
  if (e.training != Training::synchronous) return out;
  const AccumulatorStory& a = e.first_accumulator();
  const Loads loads = read_loads(e.log);
  for (std::size_t w = 0; w < e.contributions.workers.size(); ++w)
    if (is_starved(a, w))
      out.push_back(fmt::format(
          "{} of {} gradients that {} pushed to {} were dropped: they came with a token older than the aggregate. It "
          "is too late for {} gradients an aggregate; TensorFlow reports nothing.{} To do: aggregate more gradients{}.",
          a.dropped[w], a.pushed[w], e.worker(w), a.variable, a.required,
          is_as_fast(loads, e, w)
              ? " Its steps are no longer than those of the others: of equal workers some come last."
              : "",
          is_as_fast(loads, e, w) ? "" : ", or take the worker out"));
  return out;
}

}  // namespace tarry
