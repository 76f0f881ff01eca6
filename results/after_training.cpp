#include "results/after_training.hpp"

#include <algorithm>
#include <map>

#include "results/client_error.hpp"

namespace tarry {
namespace {

// Whose session, or training step, it is about; invalid of all other events.
TaskId client_of(const Event& event) {
  if (const auto* moved = std::get_if<SessionMoved>(&event)) return moved->task;
  const auto* began = std::get_if<StepBegan>(&event);
  return began != nullptr && began->purpose == Purpose::train ? began->task : TaskId();
}

}  // namespace

std::optional<Nanos> training_over(const EventLog& log) {
  std::map<TaskId, bool> has_left;
  for (const LoggedEvent& e : log.events())
    if (const TaskId client = client_of(e.event); client.valid()) has_left[client] = false;
  bool has_fault_told = false;
  for (const LoggedEvent& e : log.events()) {
    if (const auto* c = std::get_if<ConditionChanged>(&e.event); c != nullptr && log.name(c->kind) == "leave")
      has_fault_told = true;
    const auto* s = std::get_if<SessionMoved>(&e.event);
    if (s == nullptr || s->stage == SessionStage::closed) continue;
    has_left[s->task] = s->stage == SessionStage::left_loop && !is_end_of_data(log.name(s->detail));
    if (!has_fault_told && std::ranges::all_of(has_left, [](const auto& client) { return client.second; }))
      return e.at - log.started_at;
  }
  return std::nullopt;
}

}  // namespace tarry
