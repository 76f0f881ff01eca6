// Cures that change what the clients run, or its costs, and no key of the scenario.
//
// Each says in `cured` where to look, and fails with INVALID_ARGUMENT where the job has nothing of the kind.
#pragma once

#include "scenarios/file/cures.hpp"

namespace tarry {

// Each queue runner of examples has twice as many threads.
Status enqueue_with_twice_the_threads(CuredJob& cured);
// Each queue gives its first examples as soon as it has some (min_after_dequeue).
Status keep_nothing_back(CuredJob& cured);
// Where a cost of the scenario is that of saving.
Status save_in_no_time(CuredJob& cured);

}  // namespace tarry
