#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "placer/core/text.hpp"
#include "results/verdict.hpp"
#include "results/verdicts/never_came.hpp"
#include "results/verdicts/standing.hpp"

namespace tarry {
namespace {

// "worker 2", where the cluster has just those tasks for the ones that are missing; else how many they are.
std::string who_is_missing(const Evidence& e, std::int64_t missing) {
  std::vector<TaskId> idle;
  for (std::size_t t = 0; t < e.tasks.names.size(); ++t)
    if (const TaskId task{t}; !e.tasks.is_ps(task) && !e.is_worker(task)) idle.push_back(task);
  if (std::ssize(idle) == missing) return names_of(e, idle);
  return missing == 1 ? "one" : fmt::format("{}", missing);
}

// " Run again with worker 3 ...": "" where with all workers the same work takes nearly as long.
std::string gain_with_all(const Evidence& e) {
  for (const Proof& p : e.proofs)
    if (p.cause == Proof::Cause::absent && !p.goes_on && p.gain >= kWorthTelling) return in_words(p);
  return "";
}

std::string of_the_plan(const Evidence& e, std::int64_t missing) {
  const std::int64_t running = std::ssize(e.contributions.workers), required = e.first_accumulator().required;
  // Without it, such a graph would have one worker too few.
  const bool is_one_lost =
      std::ranges::any_of(e.losses.processes, [&](const Loss& l) { return l.back < 0 && e.is_worker(l.task); });
  const std::string waits =
      required > running
          ? fmt::format(
                "An aggregate needs {} gradients all the same: the others make those of the missing ones, with "
                "their tokens",
                required)
          : fmt::format("The others suffice for the {} of an aggregate, and use its tokens",
                        counted(required, "gradient", "gradients"));
  return fmt::format(
      "The graph is for {}, {} never began a step. {} ({}), and training goes on without {} data.{} To do: {}{}.",
      counted(e.contributions.planned_workers, "worker", "workers"), who_is_missing(e, missing), waits,
      counted(sum(e.first_accumulator().dropped), "gradient was dropped", "gradients were dropped"),
      missing == 1 ? "its" : "their", gain_with_all(e),
      missing == 1 ? "start it" : "start the workers that are missing",
      is_one_lost ? "" : fmt::format(", or build the graph for {}", counted(running, "worker", "workers")));
}

// Clients that never trained: how often they looked for a model, and whether they found one in the end.
struct Look {
  int times = 0;
  bool has_found = false;
};
std::map<TaskId, Look> looks_of(const Evidence& e) {
  std::map<TaskId, Look> looks;
  for (const LoggedEvent& event : e.log.events()) {
    const auto* s = std::get_if<SessionMoved>(&event.event);
    if (s == nullptr || e.is_worker(s->task)) continue;
    if (s->stage == SessionStage::ready) looks[s->task].has_found = true;
    if (s->stage == SessionStage::waiting) ++looks[s->task].times;
  }
  return looks;
}

// Tasks, not parameter servers, that began no step and lost a process: that may be why.
std::set<TaskId> lost_before_their_first(const Evidence& e) {
  std::set<TaskId> lost;
  for (const Loss& l : e.losses.processes)
    if (!e.tasks.is_ps(l.task) && !e.is_worker(l.task)) lost.insert(l.task);
  return lost;
}

// Tasks whose clients found a model and began no step, and those.
std::int64_t came_in_vain(const std::map<TaskId, Look>& looks, std::set<TaskId> lost) {
  for (const auto& [task, look] : looks)
    if (look.has_found) lost.insert(task);
  return std::ssize(lost);
}

// It was to come late, and its proof tells of it.
bool is_told_as_late(const Evidence& e, TaskId task) {
  return std::ranges::any_of(e.proofs,
                             [&](const Proof& p) { return p.cause == Proof::Cause::late_start && p.task == task; });
}

// Tasks of the workers' own job whose clients never came, of those that run no part of another's step.
std::vector<TaskId> stayed_away(const Evidence& e) {
  std::vector<TaskId> out = workers_that_never_came(e);
  std::erase_if(out, [&](TaskId t) { return is_told_as_late(e, t) || e.driven.contains(t); });
  return out;
}

// Workers of the plan that began no step, without those of which something else tells why. 0 before anybody has asked
// for an aggregate: all are still to begin then.
std::int64_t missing_from_the_plan(const Evidence& e, std::int64_t came_in_vain) {
  if (e.training != Training::synchronous || e.first_accumulator().required == 0) return 0;
  std::int64_t late = 0;
  for (std::size_t t = 0; t < e.tasks.names.size(); ++t)
    if (const TaskId task{t}; !e.is_worker(task) && is_told_as_late(e, task)) ++late;
  return e.contributions.planned_workers - std::ssize(e.contributions.workers) - came_in_vain - late;
}

std::string of_those_away(const Evidence& e, const std::vector<TaskId>& away) {
  const bool is_one = away.size() == 1;
  const bool may_wait = takes_own_aggregates(e.contributions);
  return fmt::format("{} never came{} the others train on without {} data.{} To do: start {}.", names_of(e, away),
                     may_wait ? ":" : fmt::format(". Nobody waits for {}:", is_one ? "it" : "them"),
                     is_one ? "its" : "their", gain_with_all(e), is_one ? "it" : "the workers that are missing");
}

// Those that never found one: the same number of looks is told once.
Told in_vain(const Evidence& e, const std::map<TaskId, Look>& looks) {
  std::map<int, std::vector<TaskId>> by_times;
  for (const auto& [task, look] : looks)
    if (!look.has_found) by_times[look.times].push_back(task);
  Told out;
  for (const auto& [times, tasks] : by_times)
    out.push_back(
        fmt::format("{} never began a step: {} looked for the model {}, and did not find it ready. Between two looks a "
                    "worker waits, "
                    "by default for 30 s. To do: start the workers after the chief has made the model, or let them "
                    "look again sooner "
                    "(recovery_wait_secs).",
                    names_of(e, tasks), tasks.size() == 1 ? "it" : "each of them",
                    times == 1 ? "once" : fmt::format("{} times", times)));
  return out;
}

}  // namespace

Told judge_absent(const Evidence& e, std::span<const Verdict> said) {
  if (e.training == Training::none || says_any(said, {"stuck"})) return {};
  Told out;
  const bool is_synchronous = e.training == Training::synchronous;
  const std::map<TaskId, Look> looks = looks_of(e);
  const std::set<TaskId> lost = lost_before_their_first(e);
  const std::vector<TaskId> away = never_came(e);
  // Whether a lost process of which nothing is known had a client that would have come is not known.
  const bool may_have_come = std::ranges::any_of(away, [&](TaskId t) { return lost.contains(t); });
  const std::int64_t missing = missing_from_the_plan(e, came_in_vain(looks, lost));
  const bool is_explained = std::ranges::any_of(looks, [](const auto& l) { return !l.second.has_found; }) ||
                            e.has_cut_off_worker() || may_have_come;
  if (missing > 0 && !is_explained && !says_any(said, {"no_aggregate"})) out.push_back(of_the_plan(e, missing));
  if (e.training == Training::asynchronous)
    if (const std::vector<TaskId> away = stayed_away(e); !away.empty()) out.push_back(of_those_away(e, away));
  if (e.training == Training::asynchronous || is_synchronous)
    std::ranges::move(in_vain(e, looks), std::back_inserter(out));
  return out;
}

}  // namespace tarry
