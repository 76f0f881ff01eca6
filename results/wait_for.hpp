// What the next aggregate, or the next step, waits for at one moment: a graph of who waits for whom.
//
// An aggregate waits for the sync thread that takes it, for the parameter server that holds it, and for as many
// gradients as it lacks: where fewer workers than that can still bring one, for each worker that does not, and for the
// tokens that those need which have brought theirs. Tokens come from the sync thread, after the next aggregate. A
// worker waits for its own process and for the parameter servers. What nothing waits behind is a cause.
#pragma once

#include <vector>

#include "results/evidence.hpp"

namespace tarry {

// REQUIRES: some training step began. `at` is since the start.
[[nodiscard]] WaitsFor waits_for(const Evidence& e, Nanos at);
// The same for the next step of one worker that does not need the others.
[[nodiscard]] WaitsFor step_waits_for(const Evidence& e, TaskId worker, Nanos at);

// The parameter server or chief whose process ended in that time and was ready again: training begins anew then, with
// initial tokens where there are such, and those that waited go on. Null where there is none.
[[nodiscard]] const Trouble* lost_in_between(const Evidence& e, Nanos from, Nanos to);

}  // namespace tarry
