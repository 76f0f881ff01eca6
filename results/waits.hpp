// What waited for what: the answers of wait_for.hpp and standstill.hpp, as values.
#pragma once

#include <string>
#include <vector>

#include "results/trouble.hpp"

namespace tarry {

struct WaitsFor {
  std::vector<Trouble> troubles;   // that it waits for in the end, in the order of their beginnings
  bool is_circle = false;          // there is none: it waits, through others, for itself
  bool never_taken = false;        // nobody asks for aggregates
  std::vector<TaskId> for_tokens;  // workers that wait for a token
  std::int64_t gradients = 0, required = 0;
  std::string variable;  // of the accumulator
};

struct Standstill {
  Nanos from = 0, to = -1;  // since the start; to = -1: it never ended
  Nanos usual = 0;          // the run's usual pause (standstill.hpp); 0 = there was none
  WaitsFor waits;           // in the middle of what was wrong
};

}  // namespace tarry
