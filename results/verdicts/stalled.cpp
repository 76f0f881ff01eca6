#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "results/verdict.hpp"
#include "results/verdicts/lost_process.hpp"

namespace tarry {
namespace {

// Who heard of the loss.
const char* heard(bool is_worker) {
  return is_worker ? "and nobody was told: the others waited for tokens"
                   : "and every step that needed it failed: all sessions were made anew";
}

std::string without_aggregates(const Evidence& e, const Loss& l) {
  const bool is_worker = e.is_worker(l.task);
  const std::string before = l.last_aggregate < 0
                                 ? std::string("there was none before")
                                 : fmt::format("the last one was at {:.3f} s", in_seconds(l.last_aggregate));
  const char* cure = is_worker ? "watch the time since the last aggregate; restart lost workers, or aggregate fewer "
                                 "gradients than there are workers"
                               : "restart it soon, and save checkpoints";
  return fmt::format("{} Until then no aggregate was complete ({}), {}. To do: {}.", loss_in_words(e, l), before,
                     heard(is_worker), cure);
}

std::string without_steps(const Evidence& e, const Loss& l) {
  return fmt::format("{} Until then no step could end, {}. To do: restart it soon, and save checkpoints.",
                     loss_in_words(e, l), heard(false));
}

// A client had not left for good by then.
bool somebody_trains_after(const Evidence& e, Nanos at) {
  std::map<TaskId, bool> has_left;
  for (const LoggedEvent& event : e.log.events())
    if (const auto* s = std::get_if<SessionMoved>(&event.event);
        s != nullptr && (event.at - e.log.started_at <= at || !has_left.contains(s->task)))
      has_left[s->task] = s->stage == SessionStage::closed;
  return std::ranges::any_of(has_left, [](const auto& client) { return !client.second; });
}

}  // namespace

Told judge_stalled(const Evidence& e, std::span<const Verdict>) {
  Told out;
  if (e.training == Training::none) return out;
  for (const Loss& l : e.losses.processes) {
    if (e.training == Training::synchronous && stood_still(l)) out.push_back(without_aggregates(e, l));
    if (e.training != Training::synchronous && !e.is_worker(l.task) && somebody_trains_after(e, l.at))
      out.push_back(without_steps(e, l));
  }
  return out;
}

}  // namespace tarry
