#include <fmt/format.h>

#include <algorithm>

#include "placer/core/text.hpp"
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

// " (the connections between worker 0 and ps 0 broke at 60.000 s)": what ended the chief's session after it had been
// ready the last time.
std::string what_broke_its_session(const Evidence& e, const Setback& s) {
  const TaskId chief = e.contributions.initialiser;
  std::string last;
  for (const LoggedEvent& event : e.log.events()) {
    const Nanos at = event.at - e.log.started_at;
    if (!chief.valid() || at > s.at) break;
    const auto* moved = std::get_if<SessionMoved>(&event.event);
    if (moved != nullptr && moved->task == chief && moved->stage == SessionStage::ready) last.clear();
    const auto* ended = std::get_if<ProcessEnded>(&event.event);
    if (ended != nullptr && ended->task == chief) last = fmt::format(" (its process ended {})", moment_in_words(at));
    const auto* c = std::get_if<ConditionChanged>(&event.event);
    if (c == nullptr || !has_word(e.log.name(c->what), e.tasks.names[chief.index()])) continue;
    if (e.log.name(c->kind) == "disconnect")
      last = fmt::format(" ({} {})", e.tasks.in_plain(e.log.name(c->what)), moment_in_words(at));
  }
  return last;
}

// A checkpoint may be one of the global step 0: what was done to the model last before that.
bool is_restored(const Evidence& e, const Setback& s) {
  bool is_restored = s.to > 0;
  for (const LoggedEvent& event : e.log.events()) {
    if (s.to > 0 || event.at - e.log.started_at > s.at) break;
    const auto* began = std::get_if<StepBegan>(&event.event);
    if (began != nullptr && (began->purpose == Purpose::init || began->purpose == Purpose::restore))
      is_restored = began->purpose == Purpose::restore;
  }
  return is_restored;
}

std::string cause(const Evidence& e, const Setback& s) {
  const char* does = is_restored(e, s) ? "restores its last checkpoint" : "initialises the model";
  if (const Loss* l = lost_server(e, s))
    return fmt::format("the process of {} had ended at {:.3f} s with all that it held, and the chief {}",
                       e.tasks.show(l->task), in_seconds(l->at), does);
  return fmt::format("a chief that starts anew{} {} over what the parameter servers hold", what_broke_its_session(e, s),
                     does);
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
  if (is_restored(e, s)) return "save checkpoints more often";
  const Nanos lost = checkpoints_lost(e, s);
  if (lost < 0) return "save checkpoints, and give the chief their folder";
  return fmt::format("find out what removed the checkpoints: they were gone at {:.3f} s", in_seconds(lost));
}

}  // namespace

Told judge_progress_lost(const Evidence& e, std::span<const Verdict>) {
  constexpr std::size_t kMost = 4;
  const auto& setbacks = e.losses.setbacks;
  if (e.training == Training::none || setbacks.empty()) return {};
  const std::size_t told = setbacks.size() > kMost ? kMost - 1 : setbacks.size();
  std::vector<std::string> parts, ways;
  for (const Setback& s : std::span(setbacks).first(told)) {
    parts.push_back(fmt::format("At {:.3f} s the global step went from {} back to {}: {}.", in_seconds(s.at), s.from,
                                s.to, cause(e, s)));
    if (const std::string way = to_do(e, s); std::ranges::count(ways, way) == 0) ways.push_back(way);
  }
  if (told < setbacks.size()) parts.push_back(fmt::format("So it did {} times more.", setbacks.size() - told));
  return {fmt::format("{} To do: {}.", join(parts, " "), join(ways, "; "))};
}

}  // namespace tarry
