#include "scenarios/sweep/ending.hpp"

#include <algorithm>

namespace tarry {
namespace {

bool has_ended_by(const Evidence& e, TaskId task, Trouble::Kind kind) {
  return std::ranges::any_of(e.troubles,
                             [&](const Trouble& t) { return t.task == task && t.kind == kind && t.to < 0; });
}

bool has_goal(const ClientJob& c) { return c.options.steps || c.options.last_global_step; }

// Its queue was closed long before that, and it is not back.
bool was_cut_short(const Evidence& e, TaskId task) {
  bool cut_short = false;
  for (const LoggedEvent& event : e.log.events()) {
    const auto* cut = std::get_if<CutShort>(&event.event);
    if (cut != nullptr && cut->task == task) cut_short = !is_nearly_done(*cut, e.contributions.global_step);
    const auto* moved = std::get_if<SessionMoved>(&event.event);
    if (moved != nullptr && moved->task == task && moved->stage == SessionStage::looping) cut_short = false;
  }
  return cut_short;
}

bool did_its_steps(const Evidence& e, const ClientJob& c) {
  const auto& goal = c.options.last_global_step;
  return (goal && e.contributions.global_step >= *goal) ||
         (has_ended_by(e, c.task, Trouble::Kind::left) && !was_cut_short(e, c.task));
}

bool did_all_steps(const Job& job, const Evidence& e) {
  const auto is_lost = [&](const ClientJob& c) {
    return has_ended_by(e, c.task, Trouble::Kind::gone) || has_ended_by(e, c.task, Trouble::Kind::failed);
  };
  return e.cut_short.empty() &&
         std::ranges::any_of(job.clients, [&](const ClientJob& c) { return did_its_steps(e, c); }) &&
         std::ranges::all_of(job.clients, [&](const ClientJob& c) { return did_its_steps(e, c) || is_lost(c); });
}

bool took_aggregates(const Evidence& e, std::int64_t wanted) {
  const auto& all = e.contributions.accumulators;
  return !all.empty() &&
         std::ranges::all_of(all, [&](const AccumulatorStory& a) { return std::ssize(a.aggregates) >= wanted; });
}

bool did_what_stop_asks(const Job& job, const Evidence& e) {
  const bool asks_steps = !job.clients.empty() && std::ranges::all_of(job.clients, has_goal);
  if (asks_steps && did_all_steps(job, e)) return true;
  if (job.stop.aggregates) return took_aggregates(e, *job.stop.aggregates);
  if (asks_steps || !job.stop.time) return !asks_steps;
  return e.log.ended_at - e.log.started_at >= *job.stop.time;
}

}  // namespace

bool is_of_standing_still(std::string_view kind) {
  return std::ranges::any_of(verdict_table(),
                             [&](const VerdictKind& k) { return k.kind == kind && k.exit_code == kDeadlock; });
}

Ending ending_of(const Job& job, const Evidence& e, std::span<const Verdict> said) {
  const bool stands_still =
      e.log.is_deadlocked || std::ranges::any_of(said, [](const Verdict& v) { return is_of_standing_still(v.kind); });
  return {stands_still, did_what_stop_asks(job, e), job.stop.time};
}

}  // namespace tarry
