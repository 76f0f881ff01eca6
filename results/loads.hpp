// Functions that the verdicts about load share.
#pragma once

#include <string>
#include <vector>

#include "results/step_times.hpp"

namespace tarry {

[[nodiscard]] double share(Nanos part, Nanos whole);  // 0 when `whole` is 0
[[nodiscard]] int percent(double share);              // rounded
[[nodiscard]] StepTimes sum_of(const Loads& loads);   // over all workers

// How long some message from one of the tasks to another was under way, since the start: what overlaps counts once.
[[nodiscard]] Nanos time_between(const std::vector<TaskId>& tasks, const EventLog& log);

// "Workers' steps, up to their pushes: 62 % computing, 30 % transfers, 8 % latency." "" without steps. It says what is
// under way, and not what sets the pace: that is for another run to show (proof.hpp).
[[nodiscard]] std::string where_time_went(const Loads& loads);

}  // namespace tarry
