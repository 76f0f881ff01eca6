#include <fmt/format.h>

#include "results/verdict.hpp"

namespace tarry {
namespace {

// The last parameter server that was lost before the setback, with what the global step was by then; none: nobody was.
// One that was lost before training began was initialised anew before the first step.
const Loss* lost_server(const Evidence& e, const Setback& s) {
  const Loss* last = nullptr;
  for (const Loss& l : e.losses.processes)
    if (e.tasks.is_ps(l.task) && l.at >= 0 && l.at <= s.at) last = &l;
  for (const Setback& before : e.losses.setbacks)
    if (last != nullptr && before.at < s.at && before.at >= last->at) return nullptr;  // that one was for it
  return last;
}

std::string cause(const Evidence& e, const Setback& s) {
  const char* does = s.to == 0 ? "initialises the model" : "restores its last checkpoint";
  if (const Loss* l = lost_server(e, s))
    return fmt::format("the process of {} had ended at {:.3f} s with all that it held, and the chief {}",
                       e.tasks.show(l->task), in_seconds(l->at), does);
  return fmt::format("a chief that starts anew {} over what the parameter servers hold", does);
}

// When the checkpoints were gone that the chief would have restored; -1 = they never were.
Nanos checkpoints_lost(const Evidence& e, const Setback& s) {
  Nanos lost = -1;
  for (const LoggedEvent& event : e.log.events())
    if (const auto* c = std::get_if<ConditionChanged>(&event.event);
        c != nullptr && event.at - e.log.started_at <= s.at)
      if (e.log.name(c->kind) == "lose_checkpoints") lost = event.at - e.log.started_at;
  return lost;
}

std::string to_do(const Evidence& e, const Setback& s) {
  if (s.to > 0) return "save checkpoints more often";
  const Nanos lost = checkpoints_lost(e, s);
  if (lost < 0) return "save checkpoints, and give the chief their folder";
  return fmt::format("find out what removed the checkpoints: they were gone at {:.3f} s", in_seconds(lost));
}

}  // namespace

Told judge_progress_lost(const Evidence& e, std::span<const Verdict>) {
  Told out;
  if (e.training == Training::none) return out;
  for (const Setback& s : e.losses.setbacks)
    out.push_back(fmt::format("At {:.3f} s the global step went from {} back to {}: {}. To do: {}.", in_seconds(s.at),
                              s.from, s.to, cause(e, s), to_do(e, s)));
  return out;
}

}  // namespace tarry
