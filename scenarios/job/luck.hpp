// Workers that were slow by chance.
//
// Where costs are random, one of several equal workers draws the longest times, and a run without them is shorter; but
// there is nothing to look at, and with another seed it is another worker. So a worker of which the job says nothing
// that it does not say of most is slow by chance, unless its steps take at least half as much longer with other seeds,
// too. What is said of a worker: a cost, a variation, an interference or a fault that makes its kernels longer, and its
// devices. Where times are measured nobody is slow by chance.
#pragma once

#include <set>

#include "scenarios/job/prove.hpp"

namespace tarry {

// Of those that are slow in `all` (what_if.hpp). Runs the job with other seeds where there is somebody to ask about, at
// most five times; where an instant of such a run has no end, nobody else is. Fails: as Beside::run.
[[nodiscard]] StatusOr<std::set<TaskId>> slow_by_chance(const std::vector<WhatIf>& all, const Job& job, Beside& beside);

}  // namespace tarry
