// Where events of a process wait while it stands still.
#pragma once

#include <vector>

#include "workers/env.hpp"

namespace tarry {

struct Park {
  bool is_closed = false;            // true: what falls due for the process is put here
  std::vector<Continuation> events;  // in the order in which they fell due; without `run`: a timer of the heap
};

}  // namespace tarry
