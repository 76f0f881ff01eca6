// What must hold unless tarry itself is wrong. Always on, in every build.
//
// A failed check is our own bug, never bad input and never an error of the modelled system. It throws Bug, which nobody
// but `main` (exit code 6) and the runner's child process catches.
#pragma once

#include <fmt/format.h>

#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>

namespace tarry {

struct Bug : std::logic_error {
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_check(const std::string& what, std::source_location where);

inline void check(bool holds, const char* what, std::source_location where = std::source_location::current()) {
  if (!holds) [[unlikely]]
    fail_check(what, where);
}

}  // namespace tarry
