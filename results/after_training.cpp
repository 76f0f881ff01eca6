#include "results/after_training.hpp"

#include <algorithm>
#include <map>

namespace tarry {

std::optional<Nanos> training_over(const EventLog& log) {
  std::map<TaskId, bool> has_left;
  for (const LoggedEvent& e : log.events()) {
    if (const auto* s = std::get_if<SessionMoved>(&e.event)) has_left[s->task] = false;
    if (const auto* s = std::get_if<StepBegan>(&e.event); s != nullptr && s->purpose == Purpose::train)
      has_left[s->task] = false;
  }
  const auto have_all_left = [&] {
    return !has_left.empty() && std::ranges::all_of(has_left, [](const auto& client) { return client.second; });
  };
  std::optional<Nanos> over;
  for (const LoggedEvent& e : log.events()) {
    const auto* s = std::get_if<SessionMoved>(&e.event);
    if (s == nullptr || s->stage == SessionStage::closed) continue;
    has_left[s->task] = s->stage == SessionStage::left_loop;
    if (!over && have_all_left()) over = e.at - log.started_at;
  }
  return have_all_left() ? over : std::nullopt;
}

}  // namespace tarry
