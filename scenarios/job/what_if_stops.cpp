// Workers that leave after so many steps of their own, while others wait for them.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "results/client_error.hpp"
#include "results/evidence.hpp"
#include "scenarios/job/what_if_parts.hpp"

namespace tarry {
namespace {

using i128 = __int128;

// After how many steps of its own each client leaves; 0 where they differ, or where a client has another limit or sees
// no global step.
std::int64_t equal_steps(const Job& job) {
  const std::optional<std::int64_t> steps = job.clients.empty() ? std::nullopt : job.clients.front().options.steps;
  const auto differs = [&](const ClientJob& c) {
    return c.options.steps != steps || c.options.last_global_step || c.program.global_step.empty();
  };
  return std::ranges::any_of(job.clients, differs) ? 0 : steps.value_or(0);
}

bool has_left_as_told(const EventLog& log) {
  return std::ranges::any_of(log.events(), [&](const LoggedEvent& e) {
    const auto* s = std::get_if<SessionMoved>(&e.event);
    return s != nullptr && s->stage == SessionStage::left_loop && !is_end_of_data(log.name(s->detail));
  });
}

// As many steps for all together, of which an aggregate takes one of each client, or as many as it needs.
std::int64_t same_work(const Job& job, std::int64_t steps, const Evidence& e) {
  const i128 clients = std::ssize(job.clients);
  const i128 each = e.training == Training::synchronous ? std::max(clients, i128{e.first_accumulator().required}) : 1;
  return static_cast<std::int64_t>(
      std::clamp<i128>(steps * clients / each, 1, std::numeric_limits<std::int64_t>::max()));
}

}  // namespace

void add_stop_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome) {
  const std::int64_t steps = equal_steps(job);
  if (steps == 0 || job.clients.size() < 2 || !has_left_as_told(outcome.log)) return;
  const Contributions contributions = read_contributions(outcome.log);
  const Evidence e = read_evidence(outcome.log, contributions, outcome.tasks);
  if (!e.is_stuck()) return;
  const std::int64_t last = same_work(job, steps, e);
  WhatIf w{{.cause = Proof::Cause::stops,
            .what = fmt::format("each worker leaves after {} of its own", counted(steps, "step", "steps")),
            .instead = fmt::format("with a stop at global step {} for all together", last)},
           job};
  for (ClientJob& c : w.job.clients) c.options.steps.reset(), c.options.last_global_step = last;
  out.push_back(w);
  if (job.faults.empty()) return;
  w.proof.instead += ", and without any fault", w.proof.together = true;
  w.job.faults.clear();
  out.push_back(std::move(w));
}

}  // namespace tarry
