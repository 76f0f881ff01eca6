// For tests of what verdicts say: facts that are given one by one.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "results/told_story.hpp"
#include "results/verdicts/standing.hpp"

namespace tarry {

inline constexpr TaskId kSecondPs{3u}, kThird{4u};

// Two parameter servers and three workers, each on a host of its own; who of them trains, and how, a test says.
struct Facts {
  EventLog log;
  Contributions c;
  TaskNames tasks{{"/job:ps/replica:0/task:0", "/job:worker/replica:0/task:0", "/job:worker/replica:0/task:1",
                   "/job:ps/replica:0/task:1", "/job:worker/replica:0/task:2"},
                  {"server", "host0", "host1", "server1", "host2"}};
  Evidence e{log, c, tasks};
  std::vector<Proof> proofs;

  explicit Facts(Training training, std::int64_t required = 2, std::size_t workers = 2) {
    e.training = training;
    log.set_names({"v:0/grad_accum", "global_step", ""});
    log.ended_at = 60 * kSecond;
    for (const TaskId t : {kChief, kOther, kThird})
      if (c.workers.size() < workers) c.workers.push_back({.task = t, .steps = 5, .first_step = 0});
    if (training != Training::synchronous) return;
    c.planned_workers = static_cast<std::int64_t>(workers);
    const std::vector<std::int64_t> none(workers, 0);
    c.accumulators = {{"v:0/grad_accum", "v:0", {}, none, none, none, none, {}, required}};
  }
  Facts& at(double t, const Event& event) {
    log.add(static_cast<Nanos>(t * kSecond), event);
    return *this;
  }
  Facts& stage(double t, TaskId task, SessionStage stage) { return at(t, SessionMoved{task, stage, kNoDetail}); }
  [[nodiscard]] std::string says(std::string_view kind, std::span<const Verdict> said = {}) {
    e.proofs = proofs;
    const auto row = std::ranges::find(verdict_table(), kind, &VerdictKind::kind);
    std::string all;
    for (const std::string& text : row->judge(e, said)) all += (all.empty() ? "" : "\n") + text;
    return all;
  }
  std::string with(std::string_view kind, std::vector<Proof> all, std::span<const Verdict> said = {}) {
    proofs = std::move(all);
    return says(kind, said);
  }
};
// A process that ended at 2 s, after an aggregate at 1 s; seconds, below 0 = never.
inline Loss lost(TaskId task, double back, double next_aggregate = 7) {
  const auto nanos = [](double t) { return t < 0 ? Nanos{-1} : static_cast<Nanos>(t * kSecond); };
  return {task, Loss::Doing::computing, 2 * kSecond, nanos(back), kSecond, nanos(next_aggregate)};
}
inline Proof proof(Proof::Cause cause, double gain, TaskId task = TaskId::none(), const std::string& a = "") {
  return {.cause = cause, .task = task, .a = a, .what = "WHAT", .instead = "INSTEAD", .gain = gain};
}
inline Proof of_all(Proof p) {
  p.together = true, p.what = "WHAT OF ALL";
  return p;
}

}  // namespace tarry
