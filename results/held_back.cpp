#include "results/held_back.hpp"

#include <algorithm>
#include <set>

#include "results/standstill.hpp"
#include "results/wait_for.hpp"
#include "results/work_done.hpp"

namespace tarry {
namespace {

// Clients that found no model when they looked last, and have not looked again since.
std::set<TaskId> who_sleeps(const EventLog& log) {
  std::set<TaskId> asleep;
  for (const LoggedEvent& event : log.events()) {
    const auto* moved = std::get_if<SessionMoved>(&event.event);
    if (moved == nullptr) continue;
    if (moved->stage == SessionStage::waiting && log.ended_at - event.at < kLongestWait)
      asleep.insert(moved->task);
    else
      asleep.erase(moved->task);
  }
  return asleep;
}

bool is_gone(const Evidence& e, TaskId task) {
  return std::ranges::any_of(e.troubles, [&](const Trouble& t) { return t.task == task && is_away(t) && t.to < 0; });
}

}  // namespace

std::vector<Trouble> held_back(const Evidence& e) {
  std::vector<Trouble> all;
  if (!e.log.is_deadlocked && e.log.goes_on_at != EventLog::kNever) return all;
  const std::set<TaskId> asleep = who_sleeps(e.log);
  const Nanos trained = training_ended(e);
  for (std::size_t i = 0; i < e.tasks.names.size(); ++i) {
    const TaskId task{i};
    if (e.tasks.is_ps(task) || e.is_worker(task) || asleep.contains(task) || is_gone(e, task)) continue;
    for (const Trouble& t : step_waits_for(e, task, e.log.ended_at - e.log.started_at).troubles)
      if (is_wrong_for_good(t) && t.from <= trained && std::ranges::count(all, t) == 0) all.push_back(t);
  }
  std::ranges::stable_sort(all, {}, &Trouble::from);
  return all;
}

}  // namespace tarry
