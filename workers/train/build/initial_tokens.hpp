// Another number of initial tokens in the graph of a chief: what SyncReplicasOptimizerHook(num_tokens=N) would have
// built (docs/rules/runtime.md#F.2).
#pragma once

#include "placer/core/status.hpp"
#include "workers/train/program.hpp"

namespace tarry {

// Has the program's initial tokens op put `tokens` tokens. REQUIRES: tokens > 0. A program without such an op, one of
// another worker or of asynchronous training, stays as it is. Fails: INVALID_ARGUMENT when the op does not put a fixed
// number of equal tokens, as in a graph that was built with num_tokens=0.
[[nodiscard]] Status set_initial_tokens(ClientProgram& program, int tokens);

}  // namespace tarry
