#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "placer/core/text.hpp"
#include "results/verdict.hpp"

namespace tarry {
namespace {

std::string of_the_plan(const Evidence& e, std::int64_t missing) {
  const std::int64_t running = std::ssize(e.contributions.workers);
  return fmt::format(
      "The graph is for {} workers, {} never began a step. Nothing waits for a worker that is missing: the others use "
      "its tokens ({} of their gradients were dropped) and training goes on without its data. To do: start it, or "
      "build the graph for {} workers.",
      e.contributions.planned_workers, missing == 1 ? "one" : fmt::format("{}", missing),
      sum(e.first_accumulator().dropped), running);
}

// Clients that never trained, and how often they looked for a model.
std::map<TaskId, int> looked_in_vain(const Evidence& e) {
  std::map<TaskId, int> looks;
  for (const LoggedEvent& event : e.log.events())
    if (const auto* s = std::get_if<SessionMoved>(&event.event); s != nullptr && !e.is_worker(s->task))
      looks[s->task] += s->stage == SessionStage::waiting;
  return looks;
}

}  // namespace

Told judge_absent(const Evidence& e, std::span<const Verdict> said) {
  if (e.training == Training::none || says_any(said, {"stuck"})) return {};
  Told out;
  const std::int64_t missing = e.contributions.planned_workers - std::ssize(e.contributions.workers);
  const std::map<TaskId, int> looks = looked_in_vain(e);
  const bool looked = std::ranges::any_of(looks, [](const auto& l) { return l.second > 0; });
  if (e.training == Training::synchronous && missing > 0 && e.losses.processes.empty() && !looked)
    out.push_back(of_the_plan(e, missing));
  if (e.training == Training::asynchronous || (e.training == Training::synchronous && looked))
    for (const auto& [task, times] : looks)
      if (times > 0)
        out.push_back(fmt::format("{} never began a step: it looked for the model {}, and did not find it ready.",
                                  e.tasks.show(task), times == 1 ? "once" : fmt::format("{} times", times)));
  return out;
}

}  // namespace tarry
