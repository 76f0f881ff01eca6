#include <fmt/format.h>

#include <algorithm>

#include "placer/core/text.hpp"
#include "results/verdict.hpp"

namespace tarry {
namespace {

// The last parameter server that was lost before the setback, with what was trained by then; none: nobody was. What is
// lost now was trained after the loss of one that was lost before that.
const Loss* lost_server(const Evidence& e, const Setback& s) {
  const Loss* last = nullptr;
  for (const Loss& l : e.losses.processes)
    if (e.tasks.is_ps(l.task) && l.at >= s.trained_from && l.at <= s.at) last = &l;
  for (const Setback& before : e.losses.setbacks)
    if (last != nullptr && before.at < s.at && before.at >= last->at) return nullptr;  // that one was for it
  return last;
}

// Whether the event is the setback.
bool is_it(const Evidence& e, const LoggedEvent& event, const Setback& s) {
  const auto* assigned = std::get_if<ScalarAssigned>(&event.event);
  return event.at - e.log.started_at == s.at && assigned != nullptr && assigned->value == s.to &&
         e.log.name(assigned->variable) == "global_step";
}

// What ended the chief's session after it had been ready the last time.
struct SessionEnd {
  bool is_process = false;  // the chief's own process ended
  std::string why;          // " (its process ended at 60.000 s)"; "" = nothing is known
};

// Whether the session of the chief had calls on what is in the words.
bool concerns(const Evidence& e, TaskId chief, std::string_view words) {
  const std::string_view host = e.tasks.host(chief);
  return has_word(words, e.tasks.names[chief.index()]) || (!host.empty() && has_word(words, host));
}

SessionEnd end_of_its_session(const Evidence& e, const Setback& s) {
  const TaskId chief = e.contributions.initialiser;
  SessionEnd last;
  for (const LoggedEvent& event : e.log.events()) {
    const Nanos at = event.at - e.log.started_at;
    if (!chief.valid() || is_it(e, event, s)) break;
    const auto* moved = std::get_if<SessionMoved>(&event.event);
    if (moved != nullptr && moved->task == chief && moved->stage == SessionStage::ready) last = {};
    const auto* ended = std::get_if<ProcessEnded>(&event.event);
    if (ended != nullptr && ended->task == chief)
      last = {true, fmt::format(" (its process ended {})", moment_in_words(at))};
    else if (ended != nullptr && e.training == Training::in_graph)  // it has a part of each step
      last = {false, fmt::format(" (the process of {} ended {})", e.tasks.show(ended->task), moment_in_words(at))};
    const auto* c = std::get_if<ConditionChanged>(&event.event);
    if (c != nullptr && e.log.name(c->kind) == "disconnect" && concerns(e, chief, e.log.name(c->what)))
      last = {false, fmt::format(" ({} {})", e.tasks.in_plain(e.log.name(c->what)), moment_in_words(at))};
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
  const SessionEnd end = end_of_its_session(e, s);
  const bool is_new_process = end.is_process || end.why.empty();
  return fmt::format(
      "{} {} over {}",
      is_new_process ? "a chief that starts anew" + end.why : fmt::format("the chief, in a new session{},", end.why),
      does, e.tasks.have_servers() ? "what the parameter servers hold" : "what was trained");
}

// " What was trained from 0.000 s to 2.400 s is lost."
std::string what_is_lost(const Setback& s) {
  if (s.trained_to <= s.trained_from) return "";
  return fmt::format(" What was trained from {:.3f} s to {:.3f} s is lost.", in_seconds(s.trained_from),
                     in_seconds(s.trained_to));
}

// When the checkpoints were gone that the chief would have restored; nullopt = they never were.
std::optional<Nanos> checkpoints_lost(const Evidence& e, const Setback& s) {
  std::optional<Nanos> lost;
  for (const LoggedEvent& event : e.log.events())
    if (const auto* c = std::get_if<ConditionChanged>(&event.event);
        c != nullptr && event.at - e.log.started_at <= s.at)
      if (e.log.name(c->kind) == "lose_checkpoints") lost = event.at - e.log.started_at;
  return lost;
}

std::string to_do(const Evidence& e, const Setback& s) {
  if (is_restored(e, s)) return "save checkpoints more often";
  const auto lost = checkpoints_lost(e, s);
  if (!lost) return "save checkpoints, and give the chief their folder";
  return fmt::format("find out what removed the checkpoints: they were gone at {:.3f} s", in_seconds(*lost));
}

}  // namespace

Told judge_progress_lost(const Evidence& e, std::span<const Verdict>) {
  constexpr std::size_t kMost = 4;
  const auto& setbacks = e.losses.setbacks;
  if (e.training == Training::none || setbacks.empty()) return {};
  const std::size_t told = setbacks.size() > kMost ? kMost - 1 : setbacks.size();
  std::vector<std::string> parts, ways;
  for (const Setback& s : std::span(setbacks).first(told)) {
    parts.push_back(fmt::format("At {:.3f} s the global step went from {} back to {}: {}.{}", in_seconds(s.at), s.from,
                                s.to, cause(e, s), what_is_lost(s)));
    if (const std::string way = to_do(e, s); std::ranges::count(ways, way) == 0) ways.push_back(way);
  }
  if (told < setbacks.size()) parts.push_back(fmt::format("So it did {} times more.", setbacks.size() - told));
  return {fmt::format("{} To do: {}.", join(parts, " "), join(ways, "; "))};
}

}  // namespace tarry
