#include "scenarios/job/settled.hpp"

#include <algorithm>
#include <cstdlib>

namespace tarry {
namespace {

using Cause = Proof::Cause;

// By client, how long it waited for a model in all. Waits before the start take nothing of the run's time.
std::map<TaskId, Nanos> waits_in(const EventLog& log) {
  std::map<TaskId, Nanos> all, since;
  const auto is_over = [&](TaskId task, Nanos at) {
    if (const auto it = since.find(task); it != since.end()) all[task] += at - it->second, since.erase(it);
  };
  for (const LoggedEvent& e : log.events()) {
    if (const auto* ended = std::get_if<ProcessEnded>(&e.event)) is_over(ended->task, e.at);
    const auto* moved = std::get_if<SessionMoved>(&e.event);
    if (moved == nullptr) continue;
    is_over(moved->task, e.at);
    if (moved->stage == SessionStage::waiting && e.at >= log.started_at) since[moved->task] = e.at;
  }
  while (!since.empty()) is_over(since.begin()->first, log.ended_at);
  return all;
}

// No client looked once more, or once less.
bool are_as_long(std::map<TaskId, Nanos> a, std::map<TaskId, Nanos> b) {
  for (const auto& [task, wait] : a) b[task] -= wait;
  return std::ranges::all_of(b, [](const auto& more) { return std::abs(more.second) < kSecond; });
}

Job looking_soon(Job job) {
  for (ClientJob& c : job.clients) c.options.recovery_wait = std::min(c.options.recovery_wait, kSecond);
  return job;
}

}  // namespace

bool is_about_waits(Cause c) {
  return c == Cause::faults || c == Cause::late_start || c == Cause::polls || c == Cause::chiefs ||
         c == Cause::tokens || c == Cause::replicas;
}

Settled::Settled(const Job& job, const Outcome& outcome, Beside& beside)
    : job_(job), beside_(beside), waits_(waits_in(outcome.log)) {}

Status Settled::lessen(Proof& proof, const Job& with, const std::optional<Outcome>& ran) {
  const WorkDone& own = beside_.base();
  const bool is_a_load = !is_about_waits(proof.cause) && is_noticed(proof);
  if (waits_.empty() || !is_a_load || own.stands_still || own.done == 0) return {};
  if (ran && are_as_long(waits_, waits_in(ran->log))) return {};
  Proof soon = proof;
  soon.instead += ", and clients that look again after a second";
  if (!base_) {
    TARRY_ASSIGN(base_, beside_.run(soon, looking_soon(job_)));
  }
  TARRY_ASSIGN(const WorkDone other, beside_.run(soon, looking_soon(with)));
  if (base_->stands_still || base_->done == 0) return {};
  set_gain(soon, *base_, other);
  const auto [mine, quick] = comparable(proof.cause, own, *base_);
  const double quick_time = static_cast<double>(quick.time_for(mine.done));
  const double gain = std::max(0.0, soon.gain * quick_time / static_cast<double>(mine.time));
  if (gain > proof.gain - kNoticed) return {};
  proof.gain = gain;
  proof.instead += kWaitsLeftOut;
  return {};
}

}  // namespace tarry
