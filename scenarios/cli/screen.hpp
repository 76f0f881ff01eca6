// How standard output shows texts.
#pragma once

#include "results/report.hpp"

namespace tarry {

// Of a process: whether its standard output is a terminal, how wide that is (0 = it does not say), and what its
// environment says (null = nothing).
struct Surroundings {
  bool is_terminal = false;
  std::size_t columns_of_terminal = 0;
  const char *columns = nullptr, *no_color = nullptr, *term = nullptr;  // COLUMNS, NO_COLOR, TERM
};

// A terminal is as wide as COLUMNS says, else as it says itself, and has colours unless NO_COLOR is set to anything or
// TERM is "dumb". Elsewhere a text is the same wherever it is made: 100 letters wide, without colours.
[[nodiscard]] Shown shown_in(const Surroundings& s);

// Of this process.
[[nodiscard]] Shown shown_here();

}  // namespace tarry
