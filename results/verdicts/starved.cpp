#include <fmt/format.h>

#include "results/verdict.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kFewGradients = 3;  // from so many on a share means something
constexpr double kNearlyAll = 0.9;

bool is_starved(const AccumulatorStory& a, std::size_t w) {
  return a.pushed[w] >= kFewGradients &&
         static_cast<double>(a.dropped[w]) >= kNearlyAll * static_cast<double>(a.pushed[w]);
}

}  // namespace

Told judge_starved(const Evidence& e, std::span<const Verdict>) {
  Told out;
  if (e.training != Training::synchronous) return out;
  const AccumulatorStory& a = e.first_accumulator();
  for (std::size_t w = 0; w < e.contributions.workers.size(); ++w)
    if (is_starved(a, w))
      out.push_back(fmt::format(
          "{} of {} gradients that {} pushed to {} were dropped: they came with a token older than the aggregate. It "
          "is too late for {} gradients an aggregate; TensorFlow reports nothing. To do: aggregate more gradients, or "
          "take the worker out.",
          a.dropped[w], a.pushed[w], e.worker(w), a.variable, a.required));
  return out;
}

}  // namespace tarry
