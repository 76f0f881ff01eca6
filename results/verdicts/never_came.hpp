// Who was to train and never came.
#pragma once

#include <vector>

#include "results/evidence.hpp"

namespace tarry {

// Tasks that serve no variables and whose clients never came.
[[nodiscard]] std::vector<TaskId> never_came(const Evidence& e);
// Of those, the tasks of the workers' own job. REQUIRES: some worker trains.
[[nodiscard]] std::vector<TaskId> workers_that_never_came(const Evidence& e);

}  // namespace tarry
