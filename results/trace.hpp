// A run as a Chrome trace: open it in Perfetto (ui.perfetto.dev) or chrome://tracing.
//
// Each task is a process of the trace; its lanes are its client's steps, its devices' kernels (in several lanes where
// they overlap), the moments when it sends, and the messages that it receives, by sender. An arrow leads from the
// moment when a message is sent to its arrival, unless that is at once. Counters tell the levels of levels.hpp; faults,
// and the ends and beginnings of processes, are instants. Times are microseconds since the start of the run, in order
// on each track. Deterministic text.
#pragma once

#include <string>

#include "results/log.hpp"
#include "results/verdict.hpp"

namespace tarry {

// REQUIRES: the log kept its kernels (EventLog(true)).
[[nodiscard]] std::string to_chrome_trace(const EventLog& log, const TaskNames& tasks);

}  // namespace tarry
