#include "results/verdicts/lost_server.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/verdicts/failed.hpp"

namespace tarry {
namespace {

bool was_back_at_once(const Trouble& t) {
  constexpr Nanos kAtOnce = kSecond;  // what a restart takes that is soon
  return t.back >= 0 && t.back - t.from <= kAtOnce;
}

}  // namespace

bool was_back_early(const Trouble& t) {
  return was_back_at_once(t) || (t.back >= 0 && (t.to < 0 || t.back - t.from < t.to - t.back));
}

namespace {

// Clients that were ready before it found no model while it lasted, and looked again long after there was one.
const char* look_sooner(const Evidence& e, const Trouble& t) {
  const bool was_long = t.to >= 0 && t.over - t.to > kSecond;
  const bool has_slept =
      was_long && std::ranges::any_of(e.log.events(), [&](const LoggedEvent& event) {
        const auto* moved = std::get_if<SessionMoved>(&event.event);
        const Nanos at = event.at - e.log.started_at;
        return moved != nullptr && moved->stage == SessionStage::waiting && t.from < at && at < t.over;
      });
  return has_slept ? "; let clients that find no model look again sooner (recovery_wait_secs)" : "";
}

}  // namespace

std::string cure_of_lost_server(const Evidence& e, const Trouble& t, const std::string& who) {
  if (const TaskId keeper = keeper_of_queue_closed_by(e, t); keeper.valid())
    return fmt::format("{}restart {} and {} together, since {} keeps the closed queue of tokens, and save checkpoints",
                       was_back_at_once(t) ? fmt::format("find out what ends {}, or ", who) : "", e.tasks.show(keeper),
                       who, e.tasks.show(keeper));
  if (const TaskId keeper = t.to < 0 ? keeper_of_tokens(e) : TaskId(); keeper.valid() && keeper != t.task)
    return fmt::format(
        "restart {} and {} together, since {} keeps the queue of tokens, which the chief closes with its "
        "session (from TensorFlow 2.15 on), and save checkpoints",
        e.tasks.show(keeper), who, e.tasks.show(keeper));
  return fmt::format(
      "{}, and save checkpoints{}",
      was_back_early(t) ? fmt::format("find out what ends {}", who) : fmt::format("restart {} soon", who),
      look_sooner(e, t));
}

}  // namespace tarry
