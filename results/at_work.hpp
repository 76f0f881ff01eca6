// What was going on when a run ended.
#pragma once

#include <map>
#include <set>

#include "results/log.hpp"

namespace tarry {

// Workers with a training step under way at the end of the run for which something was going on there: a kernel of that
// step, wherever it ran, a kernel of their queue runners, or a message from or to them.
[[nodiscard]] std::set<TaskId> at_work(const EventLog& log);
// Clients that had begun no training step since their process began, for which a kernel of a step ran at the end, and
// what that step was for: to initialise, restore or save.
[[nodiscard]] std::map<TaskId, Purpose> on_the_way_to_train(const EventLog& log);

// Whether a kernel of the task, or else a message from or to it, that the end of the run cut off began from `from` on
// and before `to` (since the start); also where nothing of the task was cut off, which tells nothing.
[[nodiscard]] bool may_have_begun(const EventLog& log, TaskId task, bool is_kernel, Nanos from, Nanos to);

}  // namespace tarry
