#include "results/verdicts/lost_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "results/verdicts/failed.hpp"
#include "results/verdicts/standing.hpp"

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
bool have_slept(const Evidence& e, const Trouble& t) {
  const bool was_long = t.to >= 0 && t.over - t.to > kSecond;
  return was_long && std::ranges::any_of(e.log.events(), [&](const LoggedEvent& event) {
           const auto* moved = std::get_if<SessionMoved>(&event.event);
           const Nanos at = event.at - e.log.started_at;
           return moved != nullptr && moved->stage == SessionStage::waiting && t.from < at && at < t.over;
         });
}

// "worker 0 keeps a closed queue of its input".
std::string input_in_words(const Evidence& e, const std::vector<TaskId>& workers) {
  if (workers.size() == 1) return fmt::format("{} keeps a closed queue of its input", e.tasks.show(workers.front()));
  return "each of these workers keeps a closed queue of its input";
}

// All that keep closed queues begin anew with the server: each keeps its own as long as its process lives.
std::string restart_all(const Evidence& e, const Trouble& t, const std::string& who, TaskId of_tokens,
                        const std::vector<TaskId>& of_input) {
  const std::string server = of_tokens.valid() ? e.tasks.show(of_tokens) : "";
  const std::string ends = was_back_at_once(t) ? fmt::format("find out what ends {}, or ", who) : "";
  if (of_input.empty())
    return fmt::format("{}restart {} and {} together, since {} keeps the closed queue of tokens{}", ends, server, who,
                       server, and_save(e));
  return fmt::format("{}restart {}{}{}{} together, since {}{}{}", ends, server.empty() ? "" : server + ", ", who,
                     of_input.size() == 1 ? " and " : ", ", names_of(e, of_input),
                     server.empty() ? "" : server + " keeps the closed queue of tokens, and ",
                     input_in_words(e, of_input), and_save(e));
}

}  // namespace

const char* look_sooner(const Evidence& e, std::span<const Trouble> troubles) {
  const bool slept = std::ranges::any_of(troubles, [&](const Trouble& t) {
    return t.kind == Trouble::Kind::gone && e.tasks.is_ps(t.task) && have_slept(e, t);
  });
  return slept ? "; let clients that find no model look again sooner (recovery_wait_secs)" : "";
}

const char* and_save(const Evidence& e) {
  std::set<TaskId> have_trained;  // before its first step a client saves what it has not trained
  for (const LoggedEvent& event : e.log.events()) {
    if (const auto* ended = std::get_if<ProcessEnded>(&event.event)) have_trained.erase(ended->task);
    const auto* began = std::get_if<StepBegan>(&event.event);
    if (began == nullptr) continue;
    if (began->purpose == Purpose::save && have_trained.contains(began->task)) return "";
    if (began->purpose == Purpose::train) have_trained.insert(began->task);
  }
  return ", and save checkpoints";
}

std::string cure_of_lost_server(const Evidence& e, const Trouble& t, const std::string& who) {
  const TaskId closed = keeper_of_queue_closed_by(e, t);
  const std::vector<TaskId> of_input = keepers_of_closed_input(e, t);
  if (closed.valid() || !of_input.empty()) return restart_all(e, t, who, closed, of_input);
  if (const TaskId keeper = t.to < 0 ? keeper_of_tokens(e) : TaskId(); keeper.valid() && keeper != t.task)
    return fmt::format(
        "restart {} and {} together, since {} keeps the queue of tokens, which the chief closes with its "
        "session (from TensorFlow 2.15 on){}",
        e.tasks.show(keeper), who, e.tasks.show(keeper), and_save(e));
  return fmt::format(
      "{}{}{}", was_back_early(t) ? fmt::format("find out what ends {}", who) : fmt::format("restart {} soon", who),
      and_save(e), look_sooner(e, {&t, 1}));
}

}  // namespace tarry
