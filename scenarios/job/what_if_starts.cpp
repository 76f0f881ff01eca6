// Clients that begin, or find a model, later than they could.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

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

// Tasks that begin a training step.
std::set<TaskId> who_trains(const Outcome& outcome) {
  std::set<TaskId> tasks;
  for (const LoggedEvent& e : outcome.log.events())
    if (const auto* began = std::get_if<StepBegan>(&e.event); began && began->purpose == Purpose::train)
      tasks.insert(began->task);
  return tasks;
}

// When the first client had a model; `first` of the client that makes it. Who looks earlier finds none, and waits.
Nanos model_was_there(const Outcome& outcome, TaskId client, Nanos first) {
  for (const LoggedEvent& e : outcome.log.events()) {
    const auto* made = std::get_if<StepBegan>(&e.event);
    const bool makes = made != nullptr && (made->purpose == Purpose::init || made->purpose == Purpose::restore);
    if (makes && made->task == client) return first;  // whoever is nearer to the servers may know of it before that one
    if (const auto* s = std::get_if<SessionMoved>(&e.event); s != nullptr && s->stage == SessionStage::ready)
      return s->task == client ? first : std::max(first, e.at - outcome.log.started_at);
  }
  return first;
}

WhatIf as_early_as_the_first(const Job& job, const Outcome& outcome, std::size_t client, Nanos first) {
  const TaskId task = job.clients[client].task;
  const Nanos there = model_was_there(outcome, task, first);
  const Nanos late = lateness(job.clients[client]) - first;
  const std::string who = outcome.tasks.show(task);
  const bool is_there = who_trains(outcome).contains(task);
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

struct EarlyLooks {
  std::vector<std::string> names;  // of who found no model
  bool all_after_faults = true;
};

// Of workers before their first step; of none where somebody waits for a model later than that, after a fault, since
// both waits would be told as one. Where somebody never began that may be the fault's doing.
EarlyLooks early_looks(const Job& job, const Outcome& outcome) {
  const Nanos fault = first_fault(job, outcome);
  const std::set<TaskId> will_train = who_trains(outcome);
  EarlyLooks looks;
  std::set<TaskId> trained;
  for (const LoggedEvent& e : outcome.log.events()) {
    if (const auto* began = std::get_if<StepBegan>(&e.event); began && began->purpose == Purpose::train)
      trained.insert(began->task);
    const auto* s = std::get_if<SessionMoved>(&e.event);
    if (s == nullptr || s->stage != SessionStage::waiting) continue;
    if (e.at >= fault && trained.contains(s->task)) return {};
    if (!job.faults.empty() && !will_train.contains(s->task)) continue;
    looks.all_after_faults &= e.at >= fault;
    const std::string name = outcome.tasks.show(s->task);
    if (std::ranges::find(looks.names, name) == looks.names.end()) looks.names.push_back(name);
  }
  return looks;
}

// They look again 30 s later.
void add_late_looks(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome) {
  if (job.start_together) return;
  const EarlyLooks looks = early_looks(job, outcome);
  if (looks.names.empty()) return;
  const std::string who = looks.names.size() == 1 ? looks.names[0] : listed(looks.names);
  WhatIf& w =
      out.emplace_back(WhatIf{{.cause = Cause::polls,
                               .b = looks.all_after_faults ? kAfterFaults : "",
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
