#include <fmt/format.h>

#include <algorithm>

#include "results/verdict.hpp"

namespace tarry {

Told judge_over_full(const Evidence& e, std::span<const Verdict>) {
  if (e.training != Training::synchronous) return {};
  const AccumulatorStory& a = e.first_accumulator();
  const auto n = std::ranges::count_if(a.over_accepted, [](std::int64_t over) { return over > 0; });
  if (n == 0) return {};
  return {
      fmt::format("{} of {} aggregates of {} {} more gradients than the {} asked for: these arrived while the next "
                  "take was still on its way from the chief.",
                  n, a.aggregates.size(), a.variable, n == 1 ? "holds" : "hold", a.required)};
}

}  // namespace tarry
