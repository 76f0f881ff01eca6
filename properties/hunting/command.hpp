// A placer that is a program: one JSON case a line on its stdin, one JSON answer a line on its stdout.
//
// A case has the form of the recorded cases (case.hpp), an answer is {"id": ..., "place": [...]} or {"id": ..., "code": N, "msg": "..."}. The
// program is started once, by /bin/sh, and asked again and again. When it ends, answers too late, or answers with something else, the ask fails
// (UNAVAILABLE, DEADLINE_EXCEEDED, INVALID_ARGUMENT) with what it said; the next ask starts it anew.
#pragma once

#include <memory>
#include <string>

#include "properties/placement/case.hpp"

namespace tarry {

class CommandPlacer {
 public:
  CommandPlacer(std::string command, int timeout_ms);
  ~CommandPlacer();
  CommandPlacer(const CommandPlacer&) = delete;
  CommandPlacer& operator=(const CommandPlacer&) = delete;

  [[nodiscard]] StatusOr<PlacementAnswer> ask(const PlacementCase& c);

 private:
  [[nodiscard]] Status start();
  void stop();
  [[nodiscard]] Status write_line(const std::string& line);
  [[nodiscard]] StatusOr<std::string> read_line();
  [[nodiscard]] Status fill_buffer();

  std::string command_, buffer_;
  int timeout_ms_;
  int process_ = -1, to_ = -1, from_ = -1;
};

}  // namespace tarry
