#include <fmt/format.h>

#include <map>
#include <set>

#include "placer/core/text.hpp"
#include "results/verdict.hpp"

namespace tarry {
namespace {

// "worker 1, worker 2": whose training steps have begun and not ended.
std::string in_unfinished_steps(const Evidence& e) {
  std::map<StepId, TaskId> open;
  for (const LoggedEvent& event : e.log.events()) {
    if (const auto* began = std::get_if<StepBegan>(&event.event); began != nullptr && began->purpose == Purpose::train)
      open[began->step] = began->task;
    if (const auto* ended = std::get_if<StepEnded>(&event.event)) open.erase(ended->step);
  }
  std::vector<std::string> names;
  for (const auto& [step, task] : open) names.push_back(e.tasks.show(task));
  return join(names, ", ");
}

// "worker 0": in whose training steps aggregates are taken, which is the sync thread's to do.
std::string who_takes_in_training(const Evidence& e) {
  std::map<StepId, TaskId> training;
  std::set<std::string> who;
  for (const LoggedEvent& event : e.log.events()) {
    if (const auto* began = std::get_if<StepBegan>(&event.event); began != nullptr && began->purpose == Purpose::train)
      training[began->step] = began->task;
    if (const auto* take = std::get_if<TakeIssued>(&event.event); take != nullptr && training.contains(take->step))
      who.insert(e.tasks.show(training[take->step]));
  }
  return join(std::vector(who.begin(), who.end()), ", ");
}

std::string nobody_takes(const AccumulatorStory& a) {
  return fmt::format(
      "Nothing moves any more: {} gradients wait in the accumulator of {}, and nobody ever asked for an aggregate: the "
      "thread that takes them and hands out tokens never ran. To do: have the chief start the queue runner of "
      "SyncReplicasOptimizer (its session hook does).",
      sum(a.left), a.variable);
}

std::string synchronous(const Evidence& e) {
  const AccumulatorStory& a = e.first_accumulator();
  if (a.required == 0) return nobody_takes(a);
  const bool is_empty = e.contributions.tokens_enqueued == e.contributions.tokens_dequeued;
  const std::string waits =
      fmt::format("Nothing moves any more: {} of {} gradients wait in the accumulator of {}, the token queue is {}",
                  sum(a.left), a.required, a.variable, is_empty ? "empty" : "not empty");
  if (const std::string who = who_takes_in_training(e); !who.empty())
    return fmt::format(
        "{}. The training steps of {} take aggregates of their own: what they get, the thread that hands out tokens "
        "lacks, and each waits for gradients that nobody will push. To do: fetch no aggregated gradient in a training "
        "step; look at the gradients before they are pushed.",
        waits, who);
  return fmt::format(
      "{}, and every worker that runs waits for a token. One round has lost more workers or tokens than there are to "
      "spare.{} To do: let the missing workers return, or aggregate fewer gradients than there are workers.",
      waits, who_is_missing(e));
}

std::string stale_synchronous(const Evidence& e) {
  return fmt::format(
      "Nothing moves any more: the others are as far ahead of the slowest worker as they may be, and it does not "
      "finish its step.{} To do: let it return.",
      who_is_missing(e));
}

Told asynchronous(const Evidence& e) {
  const std::string waiting = in_unfinished_steps(e);
  if (waiting.empty()) return {};
  return {
      fmt::format("Nothing moves any more: {} in a step that waits for what nobody will give: a queue that stays "
                  "empty, or a task that is gone.{}",
                  waiting, who_is_missing(e))};
}

}  // namespace

Told judge_stuck(const Evidence& e, std::span<const Verdict>) {
  if (!e.log.is_deadlocked) return {};
  switch (e.training) {
    case Training::synchronous:
      return {synchronous(e)};
    case Training::stale_synchronous:
      return {stale_synchronous(e)};
    case Training::asynchronous:
      return asynchronous(e);
    case Training::in_graph:
    case Training::none:
      break;
  }
  return {};
}

}  // namespace tarry
