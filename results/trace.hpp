// A run as a Chrome trace: open it in Perfetto (ui.perfetto.dev) or chrome://tracing.
//
// A process per task; lanes: its client's steps, its devices' kernels (put side by side where they overlap), and
// messages it received. Times are microseconds since the start of the run. Deterministic text.
#pragma once

#include <string>

#include "results/log.hpp"
#include "results/verdict.hpp"

namespace tarry {

// REQUIRES: the log kept its kernels (EventLog(true)).
[[nodiscard]] std::string to_chrome_trace(const EventLog& log, const TaskNames& tasks);

}  // namespace tarry
