// The end of training, and what came after it: a process that begins anew when all have left trains for nobody.
#pragma once

#include <optional>

#include "results/log.hpp"

namespace tarry {

// Since the start: when all clients that ever had a session, or a training step, had left training at their stop.
// Nothing where they never had at one time, or where a fault told one to leave before.
[[nodiscard]] std::optional<Nanos> training_over(const EventLog& log);

}  // namespace tarry
