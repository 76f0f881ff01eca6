#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "results/verdict.hpp"

namespace tarry {
namespace {

// It holds accumulators, or a queue.
bool has_part(const Evidence& e, TaskId server) {
  return std::ranges::any_of(e.log.events(), [&](const LoggedEvent& event) {
    const auto* g = std::get_if<GradientPushed>(&event.event);
    const auto* q = std::get_if<Enqueued>(&event.event);
    return (g != nullptr && g->task == server) || (q != nullptr && q->task == server);
  });
}

// A process that has a part in training.
bool lost_somebody(const Evidence& e) {
  return std::ranges::any_of(e.losses.processes,
                             [&](const Loss& l) { return !e.tasks.is_ps(l.task) || has_part(e, l.task); });
}

// After the second aggregate: for an initial token a worker gives a gradient before it gives one of the second.
std::int64_t dropped_later(const Evidence& e, const AccumulatorStory& a) {
  if (a.aggregates.size() < 2) return 0;
  return std::ranges::count_if(e.log.events(), [&](const LoggedEvent& event) {
    const auto* g = std::get_if<GradientPushed>(&event.event);
    return g != nullptr && !g->accepted && event.at - e.log.started_at > a.aggregates[1].at &&
           e.log.name(g->accumulator) == a.name;
  });
}

// "4 gradients were dropped at the start, for the initial tokens"
std::string drops_in_words(const Evidence& e, const AccumulatorStory& a) {
  const std::int64_t all = sum(a.dropped), later = dropped_later(e, a);
  const std::string dropped = counted(all, "gradient was dropped", "gradients were dropped");
  if (all == later || e.contributions.initial_tokens.empty()) return dropped;
  return later == 0
             ? dropped + " at the start, for the initial tokens"
             : fmt::format("{}: {} at the start, for the initial tokens, and {} later", dropped, all - later, later);
}

}  // namespace

Told judge_fair(const Evidence& e, std::span<const Verdict> said) {
  if (e.training != Training::synchronous || lost_somebody(e)) return {};
  if (std::cmp_less(e.contributions.workers.size(), e.contributions.planned_workers)) return {};
  const AccumulatorStory& a = e.first_accumulator();
  if (a.aggregates.empty() || says_any(said, {"stuck", "absent", "starved", "backup", "uneven", "over_full"}))
    return {};
  if (std::ranges::any_of(a.aggregates, &Aggregate::lacks_a_worker)) return {};
  const bool is_only = a.aggregates.size() == 1;
  const bool is_one_each = std::cmp_equal(a.required, e.contributions.workers.size());
  return {fmt::format("Every worker has its share: {} of {} {} {} of {}. {}.",
                      is_only ? "the only aggregate" : fmt::format("all {} aggregates", a.aggregates.size()),
                      a.variable, is_only ? "holds" : "hold", is_one_each ? "one gradient" : "gradients",
                      e.contributions.workers.size() == 1
                          ? "the only worker"
                          : fmt::format("each of the {} workers", e.contributions.workers.size()),
                      drops_in_words(e, a))};
}

}  // namespace tarry
