// Clients that begin, or find a model, later than they could.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "scenarios/job/what_if_parts.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;

Nanos lateness(const ClientJob& c) {
  return c.lets_others_look ? 0 : std::max(c.options.start_after, c.options.first_step_after);
}

std::string how_late(const std::string& who, Nanos late, bool is_there) {
  if (is_there) return fmt::format("{} began {:.3f} s after the worker that began first", who, in_seconds(late));
  return fmt::format(
      "{} was to begin {:.3f} s after the worker that began first, and the run was over before it made a step", who,
      in_seconds(late));
}

bool has_begun(const Outcome& outcome, TaskId task) {
  return std::ranges::any_of(outcome.log.events(), [task](const LoggedEvent& e) {
    const auto* began = std::get_if<StepBegan>(&e.event);
    return began != nullptr && began->purpose == Purpose::train && began->task == task;
  });
}

// When the first client had a model, which it had made; `first` of that client itself. Who looks earlier finds none,
// and waits.
Nanos model_was_there(const Outcome& outcome, TaskId client, Nanos first) {
  for (const LoggedEvent& e : outcome.log.events())
    if (const auto* s = std::get_if<SessionMoved>(&e.event); s != nullptr && s->stage == SessionStage::ready)
      return s->task == client ? first : std::max(first, e.at - outcome.log.started_at);
  return first;
}

WhatIf as_early_as_the_first(const Job& job, const Outcome& outcome, std::size_t client, Nanos first) {
  const TaskId task = job.clients[client].task;
  const Nanos there = model_was_there(outcome, task, first);
  const Nanos late = lateness(job.clients[client]) - first;
  const std::string who = outcome.tasks.show(task);
  const bool is_there = has_begun(outcome, task);
  WhatIf w{{.cause = Cause::late_start,
            .task = task,
            .what = how_late(who, late, is_there),
            .instead = fmt::format("with {} as early as the {}", who, there == first ? "first" : "model")},
           job};
  w.amount = fmt::format("by {:.3f} s", in_seconds(late));
  w.is_of_absent = !is_there;
  TrainOptions& options = w.job.clients[client].options;
  options.start_after = std::min(options.start_after, there);
  options.first_step_after = std::min(options.first_step_after, first);
  options.joins_gate = options.start_after == 0;
  return w;
}

// Later than the first one: all that begin together are on time, however late that is.
void add_late_starts(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome) {
  Nanos first = std::numeric_limits<Nanos>::max();
  for (const ClientJob& c : job.clients) first = std::min(first, lateness(c));
  for (std::size_t i = 0; i < job.clients.size(); ++i)
    if (lateness(job.clients[i]) > first) out.push_back(as_early_as_the_first(job, outcome, i, first));
}

// Of those that do more than slow down, by the log's clock.
Nanos first_fault(const Job& job, const Outcome& outcome) {
  Nanos first = std::numeric_limits<Nanos>::max();
  for (std::size_t i = 0; i < outcome.faults_at.size(); ++i)
    if (outcome.faults_at[i] >= 0 && !slows_down_only(key_of(job.faults[i])))
      first = std::min(first, outcome.faults_at[i]);
  return first;
}

// Workers that found no model before their first step: they look again 30 s later. Where somebody waits for a model
// after a fault, that is the fault's doing; so may it be where somebody never began.
void add_late_looks(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome) {
  if (job.start_together) return;
  const Nanos fault = first_fault(job, outcome);
  std::vector<std::string> names;
  for (const LoggedEvent& e : outcome.log.events()) {
    const auto* s = std::get_if<SessionMoved>(&e.event);
    if (s == nullptr || s->stage != SessionStage::waiting) continue;
    if (e.at >= fault) return;
    if (!job.faults.empty() && !has_begun(outcome, s->task)) continue;
    if (const std::string name = outcome.tasks.show(s->task); std::ranges::find(names, name) == names.end())
      names.push_back(name);
  }
  if (names.empty()) return;
  const std::string who = names.size() == 1 ? names[0] : listed(names);
  WhatIf& w =
      out.emplace_back(WhatIf{{.cause = Cause::polls,
                               .what = fmt::format("{} found no model ready, and waited before another look", who),
                               .instead = "with clients that look again after a second"},
                              job});
  for (ClientJob& c : w.job.clients) c.options.recovery_wait = std::min(c.options.recovery_wait, kSecond);
}

}  // namespace

void add_start_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome, Scope scope) {
  add_late_starts(out, job, outcome);
  if (scope == Scope::likely) add_late_looks(out, job, outcome);
}

}  // namespace tarry
