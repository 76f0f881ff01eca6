// Whose session waited for which task: a master asks all tasks that its session may use for their devices, and waits
// until each has answered (docs/rules/runtime.md#E.1).
//
// The log tells of such a wait every ten seconds: "CreateSession still waiting for response from worker: NAME". With
// device filters a session uses its own task and the parameter servers, so that no session waits for another worker.
#pragma once

#include <vector>

#include "results/log.hpp"
#include "results/task_names.hpp"

namespace tarry {

struct SessionWait {
  TaskId client, awaited;
  Nanos from = 0, to = -1;  // since the start; to = -1: to the end of the run
  [[nodiscard]] bool holds_at(Nanos t) const { return from <= t && (to < 0 || t < to); }
  friend bool operator==(const SessionWait&, const SessionWait&) = default;
};

// In the order of their beginnings. A wait of less than ten seconds is in no log.
[[nodiscard]] std::vector<SessionWait> read_session_waits(const EventLog& log, const TaskNames& tasks);

}  // namespace tarry
