// The end of training, and what came after it: a process that begins anew when all have left trains for nobody.
#pragma once

#include <optional>

#include "results/log.hpp"

namespace tarry {

// Since the start: when all clients that ever had a session, or a training step, had left training as they were told
// to, or as their data was at its end. Nothing where one of them, or of those that began anew later, has not left by
// the end of the run.
[[nodiscard]] std::optional<Nanos> training_over(const EventLog& log);

}  // namespace tarry
