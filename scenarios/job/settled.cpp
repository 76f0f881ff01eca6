#include "scenarios/job/settled.hpp"

#include <algorithm>

namespace tarry {
namespace {

using Cause = Proof::Cause;

// Waits before the start take nothing of the run's time.
bool waits_somewhere(const EventLog& log) {
  return std::ranges::any_of(log.events(), [&](const LoggedEvent& e) {
    const auto* moved = std::get_if<SessionMoved>(&e.event);
    return moved != nullptr && moved->stage == SessionStage::waiting && e.at >= log.started_at;
  });
}

// Such waits are what these are about.
bool is_about_waits(Cause c) {
  return c == Cause::faults || c == Cause::late_start || c == Cause::polls || c == Cause::chiefs ||
         c == Cause::tokens || c == Cause::replicas;
}

Job looking_soon(Job job) {
  for (ClientJob& c : job.clients) c.options.recovery_wait = std::min(c.options.recovery_wait, kSecond);
  return job;
}

}  // namespace

Settled::Settled(const Job& job, const Outcome& outcome, Beside& beside)
    : job_(job), beside_(beside), has_waited_(waits_somewhere(outcome.log)) {}

Status Settled::lessen(Proof& proof, const Job& with) {
  const WorkDone& own = beside_.base();
  const bool is_a_load = !is_about_waits(proof.cause) && is_noticed(proof);
  if (!has_waited_ || !is_a_load || own.stands_still || own.done == 0) return {};
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
