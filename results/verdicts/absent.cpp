#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "placer/core/text.hpp"
#include "results/verdict.hpp"

namespace tarry {
namespace {

// "worker 2", where the cluster has just those tasks for the ones that are missing; else how many they are.
std::string who_is_missing(const Evidence& e, std::int64_t missing) {
  std::vector<std::string> names;
  for (std::size_t t = 0; t < e.tasks.names.size(); ++t)
    if (const TaskId task{t}; !e.tasks.is_ps(task) && !e.is_worker(task)) names.push_back(e.tasks.show(task));
  if (std::ssize(names) == missing) return join(names, " and ");
  return missing == 1 ? "one" : fmt::format("{}", missing);
}

std::string of_the_plan(const Evidence& e, std::int64_t missing) {
  const std::int64_t running = std::ssize(e.contributions.workers), required = e.first_accumulator().required;
  const std::string waits =
      required > running
          ? fmt::format(
                "An aggregate needs {} gradients all the same: the others make those of the missing ones, with "
                "their tokens",
                required)
          : "Nothing waits for a worker that is missing: the others use its tokens";
  return fmt::format(
      "The graph is for {}, {} never began a step. {} ({}), and training goes on without {} data. To do: {}, or "
      "build the graph for {}.",
      counted(e.contributions.planned_workers, "worker", "workers"), who_is_missing(e, missing), waits,
      counted(sum(e.first_accumulator().dropped), "gradient was dropped", "gradients were dropped"),
      missing == 1 ? "its" : "their", missing == 1 ? "start it" : "start the workers that are missing",
      counted(running, "worker", "workers"));
}

// Clients that never trained and found no model, and how often they looked for one.
std::map<TaskId, int> looked_in_vain(const Evidence& e) {
  std::map<TaskId, int> looks;
  for (const LoggedEvent& event : e.log.events()) {
    const auto* s = std::get_if<SessionMoved>(&event.event);
    if (s == nullptr || e.is_worker(s->task)) continue;
    if (s->stage == SessionStage::ready) looks.erase(s->task);
    if (s->stage == SessionStage::waiting) ++looks[s->task];
  }
  return looks;
}

}  // namespace

Told judge_absent(const Evidence& e, std::span<const Verdict> said) {
  if (e.training == Training::none || says_any(said, {"stuck"})) return {};
  Told out;
  const std::int64_t missing = e.contributions.planned_workers - std::ssize(e.contributions.workers);
  const std::map<TaskId, int> looks = looked_in_vain(e);
  if (e.training == Training::synchronous && missing > 0 && e.losses.processes.empty() && looks.empty())
    out.push_back(of_the_plan(e, missing));
  if (e.training == Training::asynchronous || e.training == Training::synchronous)
    for (const auto& [task, times] : looks)
      out.push_back(fmt::format("{} never began a step: it looked for the model {}, and did not find it ready.",
                                e.tasks.show(task), times == 1 ? "once" : fmt::format("{} times", times)));
  return out;
}

}  // namespace tarry
