// A run as a Chrome trace: open it in Perfetto (ui.perfetto.dev) or chrome://tracing.
//
// Each task is a process of the trace; its lanes are its client's steps, its devices' kernels (in several lanes where
// they overlap), and the messages that it received. Times are microseconds since the start of the run. Deterministic
// text.
#pragma once

#include <string>

#include "results/log.hpp"
#include "results/verdict.hpp"

namespace tarry {

// REQUIRES: the log kept its kernels (EventLog(true)).
[[nodiscard]] std::string to_chrome_trace(const EventLog& log, const TaskNames& tasks);

}  // namespace tarry
