// Where the logs of two runs differ that should be the same.
#pragma once

#include <string>

#include "results/log.hpp"
#include "results/task_names.hpp"

namespace tarry {

// "event 17, at 200000000 ns in the first and at 300000000 ns in the second run. In the first:", then that event of
// each run, and up to twenty events before it, a line each; where all
// events of the shorter log are the same, "after 31 events, or in kernels, which the log does not keep."; "" = nowhere.
[[nodiscard]] std::string first_difference(const EventLog& a, const EventLog& b, const TaskNames& tasks);

}  // namespace tarry
