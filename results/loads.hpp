// What the judges of load have in common. None speaks of a job whose messages only take the latency of their path:
// latency is no load.
#pragma once

#include <string>

#include "results/step_times.hpp"

namespace tarry {

[[nodiscard]] double share(Nanos part, Nanos whole);  // 0 of nothing
[[nodiscard]] int percent(double share);              // rounded
[[nodiscard]] StepTimes sum_of(const Loads& loads);   // over all workers

// "Workers' steps: 62 % computing, 30 % transfers, 8 % latency: compute-bound." "" without steps.
[[nodiscard]] std::string where_time_went(const Loads& loads);

}  // namespace tarry
