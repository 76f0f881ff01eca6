// A run's log as a file: what `tarry run --log` writes and `tarry judge` reads.
//
// A first line says what it is, a second (JSON) has the title, the tasks and a checksum, then come the log's bytes.
#pragma once

#include <string>
#include <string_view>

#include "results/log.hpp"
#include "results/verdict.hpp"

namespace tarry {

struct StoredRun {
  std::string title;
  TaskNames tasks;
  EventLog log;
};

[[nodiscard]] std::string to_bytes(const std::string& title, const TaskNames& tasks, const EventLog& log);
// Fails: INVALID_ARGUMENT `not a log of tarry ...`, or that it is damaged (any change is noticed).
[[nodiscard]] StatusOr<StoredRun> stored_run(std::string_view bytes);

}  // namespace tarry
