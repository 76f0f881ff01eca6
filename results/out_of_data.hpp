// Workers whose data was at its end long before that of others.
#pragma once

#include <vector>

#include "results/log.hpp"

namespace tarry {

struct OutOfData {
  TaskId task;
  Nanos at = 0;            // since the start: its client left
  std::int64_t steps = 0;  // that its process had made
};

// Those that left for good as their data was at its end, and the others made more than a tenth of their steps later. Of
// an asynchronous job only those that had made a tenth less steps than another worker: with as much data the faster one
// comes to its end first. In the order in which they left.
[[nodiscard]] std::vector<OutOfData> out_of_data(const EventLog& log);

}  // namespace tarry
