// Functions that the verdicts about load share. These verdicts are silent about a job whose messages take only the
// latency of their path: latency is no load.
#pragma once

#include <string>

#include "results/step_times.hpp"

namespace tarry {

[[nodiscard]] double share(Nanos part, Nanos whole);  // 0 when `whole` is 0
[[nodiscard]] int percent(double share);              // rounded
[[nodiscard]] StepTimes sum_of(const Loads& loads);   // over all workers

// "Workers' steps: 62 % computing, 30 % transfers, 8 % latency: compute-bound." "" without steps.
[[nodiscard]] std::string where_time_went(const Loads& loads);

}  // namespace tarry
