// What was going on when a run ended, or at another moment.
#pragma once

#include <map>

#include "results/log.hpp"

namespace tarry {

// Something goes on for a step where a kernel of it runs, wherever, or a message from or to its client is on its way.
struct AtEnd {
  // Workers for whose training step something went on, or for a step of a queue runner beside it; when the training
  // step had begun, since the start.
  std::map<TaskId, Nanos> at_work;
  // Clients that had begun no training step since their process began, and for whose step something went on: what that
  // step was for (to initialise, restore, save).
  std::map<TaskId, Purpose> before_training;
  bool takes = false;  // a step that takes aggregates had begun and not ended
};
[[nodiscard]] AtEnd read_end(const EventLog& log);

// Whether a kernel of the task, or else a message from or to it, that the end of the run cut off began from `from` on
// and before `to` (since the start); also where nothing of the task was cut off, which tells nothing.
[[nodiscard]] bool may_have_begun(const EventLog& log, TaskId task, bool is_kernel, Nanos from, Nanos to);

// When the saves that were under way at `moment` were done, since the start; `moment` where there were none.
[[nodiscard]] Nanos when_saves_were_done(const EventLog& log, Nanos moment);
// Whether a save was under way at some time between the two, since the start; `to` = -1: the end of the run.
[[nodiscard]] bool has_saves_between(const EventLog& log, Nanos from, Nanos to);

}  // namespace tarry
