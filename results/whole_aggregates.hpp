// When a synchronous job has taken an aggregate of all its accumulators: then a global step is over.
#pragma once

#include <cstddef>
#include <vector>

#include "results/log.hpp"

namespace tarry {

// The entries of the log at which a step took from the last of all accumulators: those that a gradient was pushed to,
// or that were taken from. A step that ended between two of them took no whole aggregate.
[[nodiscard]] std::vector<std::size_t> whole_aggregates(const EventLog& log);

}  // namespace tarry
