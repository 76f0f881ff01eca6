// A run's log as a file, which `tarry run --log` writes and `tarry judge` reads.
//
// The first line says that it is such a file, the second is a checksum over all that follows, the third (JSON) has the
// title, the tasks, their hosts and the proved causes; then the log's bytes follow.
#pragma once

#include <string>
#include <string_view>

#include "results/log.hpp"
#include "results/verdict.hpp"

namespace tarry {

struct StoredRun {
  std::string title;
  TaskNames tasks;
  std::vector<Proof> proofs;
  EventLog log;
};

[[nodiscard]] std::string to_bytes(const std::string& title, const TaskNames& tasks, std::span<const Proof> proofs,
                                   const EventLog& log);
// A file whose third line is `head` and whose log's bytes are `log`, with the right checksum.
[[nodiscard]] std::string sealed(std::string_view head, std::string_view log);
// Fails: INVALID_ARGUMENT `not a log of tarry ...`, or when the file is damaged (any change is detected), or
// its times are too large (EventLog::is_plausible).
[[nodiscard]] StatusOr<StoredRun> stored_run(std::string_view bytes);

}  // namespace tarry
