#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "placer/core/text.hpp"
#include "results/verdict.hpp"

namespace tarry {
namespace {

// Longest run of aggregates from the start that one worker filled alone.
std::size_t lone_start(const AccumulatorStory& a, std::size_t& worker) {
  std::size_t n = 0;
  for (const Aggregate& g : a.aggregates) {
    if (!g.is_lone()) break;
    const auto w = static_cast<std::size_t>(std::ranges::max_element(g.by_worker) - g.by_worker.begin());
    if (n > 0 && w != worker) break;
    worker = w;
    ++n;
  }
  return n;
}

bool is_much_farther(Nanos far, Nanos near) { return far > 2 * near + 1'000'000; }
bool is_much_later(Nanos late, Nanos early) { return late > early + 1'000'000'000; }

// Why a worker could run ahead: it is nearer to the ps, it began earlier, or it computes faster.
std::string why_ahead(const Evidence& e, std::size_t w) {
  const auto& workers = e.contributions.workers;
  Nanos far = 0, late = 0;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (i == w) continue;
    far = std::max(far, workers[i].nearest_ps);
    late = std::max(late, workers[i].first_step < 0 ? e.log.ended_at - e.log.started_at : workers[i].first_step);
  }
  const WorkerStory& ahead = workers[w];
  if (is_much_later(late, ahead.first_step))
    return fmt::format("it began at {:.3f} s, the last of the others at {:.3f} s", in_seconds(ahead.first_step),
                       in_seconds(late));
  if (ahead.nearest_ps >= 0 && is_much_farther(far, ahead.nearest_ps))
    return fmt::format(
        "its messages reach the parameter server in {:.3f} s, those of the farthest worker take {:.3f} s",
        in_seconds(ahead.nearest_ps), in_seconds(far));
  return "its steps are shorter than the others'";
}

bool was_gone_for_long(const Loss& l) {
  constexpr Nanos kSoon = kSecond;
  return l.back < 0 || l.back - l.at > kSoon;
}

// Without initial tokens as many workers must train to the end as an aggregate needs gradients.
bool enough_stayed(const Evidence& e) {
  std::set<TaskId> gone;
  for (const Trouble& t : e.troubles)
    if (t.to < 0 && e.is_worker(t.task)) gone.insert(t.task);
  return std::cmp_less_equal(e.first_accumulator().required, e.contributions.workers.size() - gone.size());
}

// Each cure that fits a difference between the workers; a general one when they do not differ.
std::string how_to_even_out(const Evidence& e) {
  const auto [near, far] = std::ranges::minmax(e.contributions.workers, {}, &WorkerStory::nearest_ps);
  const auto [early, late] = std::ranges::minmax(e.contributions.workers, {}, &WorkerStory::first_step);
  std::vector<std::string> ways;
  if (near.nearest_ps >= 0 && is_much_farther(far.nearest_ps, near.nearest_ps))
    ways.push_back("put the parameter servers at equal distance from all workers, or one beside each");
  if (early.first_step >= 0 && is_much_later(late.first_step, early.first_step))
    ways.push_back("start the workers together");
  if (std::ranges::any_of(e.losses.processes, was_gone_for_long)) ways.push_back("restart lost processes soon");
  if (!e.contributions.initial_tokens.empty() && enough_stayed(e))
    ways.push_back("start without initial tokens (num_tokens=0), so that every worker waits for the first aggregate");
  if (ways.empty()) ways.push_back("make the workers' steps equally long, and keep every worker to the end");
  return join(ways, "; or ");
}

std::string who_filled(const Evidence& e, const AccumulatorStory& a, std::int64_t partial) {
  std::size_t w = 0;
  const std::size_t lone = lone_start(a, w);
  if (lone == 0)
    return fmt::format("{} of {} aggregates of {} {} some worker.", partial, a.aggregates.size(), a.variable,
                       partial == 1 ? "lacks" : "lack");
  return fmt::format("{} filled the first {} of {} by itself: {}.", e.worker(w),
                     lone == 1 ? "aggregate" : fmt::format("{} aggregates", lone), a.variable, why_ahead(e, w));
}

// Those that lack some worker. With backup workers every one does: there, those that one worker filled alone, twice or
// more.
std::int64_t uneven_aggregates(const Evidence& e, const AccumulatorStory& a) {
  if (std::cmp_less(a.required, e.contributions.workers.size())) {
    const auto lone = std::ranges::count_if(a.aggregates, &Aggregate::is_lone);
    return lone >= 2 ? lone : 0;
  }
  return std::ranges::count_if(a.aggregates, &Aggregate::lacks_a_worker);
}

}  // namespace

Told judge_uneven(const Evidence& e, std::span<const Verdict> said) {
  if (e.training != Training::synchronous || says_any(said, {"stuck", "absent"})) return {};
  const AccumulatorStory& a = e.first_accumulator();
  const auto partial = uneven_aggregates(e, a);
  if (partial == 0) return {};
  const std::size_t tokens = e.contributions.initial_tokens.size();
  const std::string spare =
      tokens == 0 ? "" : fmt::format(": {} initial tokens let a worker go on without the others", tokens);
  // What backup workers leave over, another verdict tells.
  const std::string dropped =
      std::cmp_less(a.required, e.contributions.workers.size())
          ? ""
          : fmt::format(" {} dropped in silence as stale.", counted(sum(a.dropped), "gradient was", "gradients were"));
  return {fmt::format("{} Nothing ties a token or a place in an aggregate to a worker{}.{} To do: {}.",
                      who_filled(e, a, partial), spare, dropped, how_to_even_out(e))};
}

}  // namespace tarry
