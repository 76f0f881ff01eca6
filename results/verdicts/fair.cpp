#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "results/verdict.hpp"

namespace tarry {

Told judge_fair(const Evidence& e, std::span<const Verdict> said) {
  if (e.training != Training::synchronous || !e.losses.processes.empty()) return {};
  if (std::cmp_less(e.contributions.workers.size(), e.contributions.planned_workers)) return {};
  const AccumulatorStory& a = e.first_accumulator();
  if (a.aggregates.empty() || says_any(said, {"stuck", "absent", "starved", "backup", "uneven", "over_full"}))
    return {};
  if (std::ranges::any_of(a.aggregates, &Aggregate::lacks_a_worker)) return {};
  const bool is_only = a.aggregates.size() == 1;
  const bool is_one_each = std::cmp_equal(a.required, e.contributions.workers.size());
  return {fmt::format(
      "Every worker has its share: {} of {} {} {} of {}. {} dropped{}.",
      is_only ? "the only aggregate" : fmt::format("all {} aggregates", a.aggregates.size()), a.variable,
      is_only ? "holds" : "hold", is_one_each ? "one gradient" : "gradients",
      e.contributions.workers.size() == 1 ? "the only worker"
                                          : fmt::format("each of the {} workers", e.contributions.workers.size()),
      counted(sum(a.dropped), "gradient was", "gradients were"),
      sum(a.dropped) == 0 || e.contributions.initial_tokens.empty() ? "" : " at the start, for the initial tokens")};
}

}  // namespace tarry
