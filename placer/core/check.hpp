// Checks of what must hold unless tarry itself is wrong. They are on in every build.
//
// A failed check is our own bug, never bad input and never an error of the modelled system. It throws Bug, which only
// `main` (exit code 6) and the runner's child process catch.
#pragma once

#include <stdexcept>
#include <string>

namespace tarry {

struct Bug : std::logic_error {
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_check(const std::string& what, const char* file, int line);

// The built-ins give the caller's file and line (std::source_location is missing in clang 14 with GCC's library).
inline void check(bool holds, const char* what, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (!holds) [[unlikely]]
    fail_check(what, file, line);
}

}  // namespace tarry
