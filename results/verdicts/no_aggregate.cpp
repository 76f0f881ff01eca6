#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "results/standstill.hpp"
#include "results/verdict.hpp"
#include "results/verdicts/input_bound.hpp"
#include "results/verdicts/lost_process.hpp"
#include "results/verdicts/standing.hpp"

namespace tarry {
namespace {

// " The first one would have been complete at 20.004 s.", where that is known.
std::string first_to_come(const Evidence& e) {
  return e.log.goes_on_at < 0
             ? ""
             : fmt::format(" The first one would have been complete at {:.3f} s.", in_seconds(e.log.goes_on_at));
}

// The same, or " At this pace the first one would be complete after 36.2 h."; "" when no gradient came.
std::string when_complete(const Evidence& e, const AccumulatorStory& a) {
  if (e.log.goes_on_at >= 0) return first_to_come(e);
  const std::int64_t left = sum(a.left);
  if (left == 0 || left >= a.required) return "";
  const double hours = in_seconds(e.log.ended_at - e.log.started_at) / static_cast<double>(left) *
                       static_cast<double>(a.required) / 3600;
  return hours < 1 ? fmt::format(" At this pace the first one would be complete after {:.1f} s.", 3600 * hours)
                   : fmt::format(" At this pace the first one would be complete after {:.1f} h.", hours);
}

// "worker 2": those of the graph's workers that began no step; where the cluster has other idle tasks, how many.
std::string who_had_not_begun(const Evidence& e, std::int64_t missing) {
  const auto job_of = [&](TaskId t) { return e.tasks.show(t).substr(0, e.tasks.show(t).find(' ')); };
  std::vector<TaskId> idle;
  for (std::size_t t = 0; t < e.tasks.names.size(); ++t)
    if (const TaskId task{t}; !e.is_worker(task) && job_of(task) == job_of(e.contributions.workers.front().task))
      idle.push_back(task);
  return std::ssize(idle) == missing ? names_of(e, idle) : counted(missing, "more worker", "more workers");
}

// "there are 2 workers", "2 of 3 workers had begun".
std::string how_many_workers(std::int64_t workers, std::int64_t missing) {
  const std::string all = counted(workers + missing, "worker", "workers");
  return missing == 0 ? fmt::format("there {} {}", workers == 1 ? "is" : "are", all)
                      : fmt::format("{} of {} had begun", workers, all);
}

// The client that takes aggregates is still busy with what comes before its first step; "" where it is not.
std::string before_anybody_asked(const Evidence& e) {
  const TaskId task = e.first_accumulator().required > 0 ? TaskId::none() : is_to_ask_for_aggregates(e);
  if (!task.valid()) return "";
  const Purpose purpose = e.at_end.before_training.at(task);
  const char* doing = purpose == Purpose::save      ? "saving a checkpoint"
                      : purpose == Purpose::restore ? "restoring a checkpoint"
                                                    : "initialising";
  return fmt::format(
      "The run ended at {:.3f} s, before anybody had asked for an aggregate: {} was {}, before its first step.{}{} To "
      "do: let it run longer.",
      in_seconds(e.log.ended_at - e.log.started_at), e.tasks.show(task), doing, lost_servers_in_words(e),
      first_to_come(e));
}

// ", none of them from worker 1": of workers in a step, where most others gave one.
std::string who_gave_none(const Evidence& e, const AccumulatorStory& a) {
  std::vector<TaskId> who;
  for (std::size_t w = 0; w < e.contributions.workers.size(); ++w)
    if (a.left[w] == 0) who.push_back(e.contributions.workers[w].task);
  const bool are_few = !who.empty() && 2 * who.size() < e.contributions.workers.size();
  return are_few ? fmt::format(", none of them from {}", names_of(e, who)) : "";
}

// Of a worker that is so slow that the job goes on with another pace of its own. Null: there is none.
const Proof* so_slow(const Evidence& e) {
  const auto p = std::ranges::find_if(
      e.proofs, [](const Proof& o) { return o.cause == Proof::Cause::slow_worker && o.goes_on && !o.together; });
  return p == e.proofs.end() ? nullptr : &*p;
}

std::string without_data(const AccumulatorStory& a) {
  return fmt::format(
      "The data of all workers was at its end before the first aggregate was complete: {} of {} gradients were there. "
      "To do: give the readers files with more records.",
      sum(a.left), a.required);
}

}  // namespace

Told judge_no_aggregate(const Evidence& e, std::span<const Verdict> said) {
  if (e.training != Training::synchronous || says_any(said, {"stuck", "failed"})) return {};
  const AccumulatorStory& a = e.first_accumulator();
  const bool is_nobody_left = e.contributions.left >= 0 && says_any(said, {"ended_early"});
  if (!a.aggregates.empty() || is_nobody_left) return {};
  if (ran_out_of_data(e)) return {without_data(a)};
  if (std::string text = before_anybody_asked(e); !text.empty()) return {std::move(text)};
  const std::int64_t workers = std::ssize(e.contributions.workers);
  const std::int64_t missing = std::max<std::int64_t>(0, e.contributions.planned_workers - workers);
  const std::string pace = missing == 0 ? when_complete(e, a) : first_to_come(e);  // those to come change the pace
  const std::string ended = fmt::format(
      "The run ended at {:.3f} s, before the first aggregate was complete: {} of {} gradients were there{}.",
      in_seconds(e.log.ended_at - e.log.started_at), sum(a.left), a.required,
      missing == 0 ? who_gave_none(e, a) : fmt::format(", and {} had begun no step", who_had_not_begun(e, missing)));
  if (const std::string first = first_examples(e); !first.empty())
    return {fmt::format("{} {} To do: {}.", ended, first, cure_of_first_examples(e))};
  const std::string longer =
      fmt::format("let it run longer, or aggregate fewer gradients ({})", how_many_workers(workers, missing));
  if (const Proof* slow = so_slow(e))
    return {
        fmt::format("{}{} The cause: {}.{} To do: look at what else its host does, or give it a smaller batch; or {}.",
                    ended, pace, slow->what, in_words(*slow), longer)};
  return {fmt::format("{}{}{} To do: {}.", ended, pace, lost_servers_in_words(e), longer)};
}

}  // namespace tarry
