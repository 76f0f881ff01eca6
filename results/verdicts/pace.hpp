// What verdicts on slow workers share.
#pragma once

#include "results/evidence.hpp"

namespace tarry {

inline constexpr char kBackup[] = ", or have a backup worker (aggregate one gradient fewer than there are workers)";

// Every aggregate waits for a gradient of each worker.
[[nodiscard]] bool aggregates_of_all(const Evidence& e);
// Each worker waits for all others.
[[nodiscard]] bool workers_wait_for_all(const Evidence& e);

}  // namespace tarry
