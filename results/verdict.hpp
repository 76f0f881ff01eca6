// What a run shows, in words: the symptom, its cause, and what to do.
//
// A verdict is a kind (stable, for `expect` and `--json`) and a text that names workers, accumulators and tokens.
// Judges are pure functions of a stored log and never look at the scenario.
#pragma once

#include <string>
#include <vector>

#include "results/contributions.hpp"

namespace tarry {

struct Verdict {
  std::string kind;  // see verdict_kinds()
  std::string text;
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

struct TaskNames {  // by TaskId: "/job:worker/replica:0/task:1" is shown as "worker 1"
  std::vector<std::string> names;
  [[nodiscard]] std::string show(TaskId t) const;
};

// absent: workers never started, and nobody waits for them. backup: fewer gradients are aggregated than there are
// workers. uneven: a worker filled aggregates by itself while others' gradients were dropped. starved: all pushes of a
// worker were dropped. fair: every worker has the same share. stuck: nothing moves any more. asynchronous: no
// aggregates, steps per worker. failed: a client left its loop with an error. not_started: no training step ran.
// credit_law_broken: our own rules are broken. over_full: aggregates hold more than was asked for. stalled: a process
// was lost and no aggregate was complete until it was back. went_on: one was lost and training went on. progress_lost:
// the global step went back. in_graph: one client runs the parts of all workers. stale_synchronous: how far ahead
// workers were, and of what was allowed. ps_imbalance, network_bound, straggler: see bottlenecks.hpp.
[[nodiscard]] std::vector<Verdict> judge(const EventLog& log, const Contributions& c, const TaskNames& tasks);
[[nodiscard]] const std::vector<std::string>& verdict_kinds();

}  // namespace tarry
