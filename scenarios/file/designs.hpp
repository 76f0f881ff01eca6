// The job of a scenario in another design: other choices of whoever built it, to be compared with its own.
#pragma once

#include <vector>

#include "scenarios/file/make_job.hpp"
#include "scenarios/job/what_if.hpp"

namespace tarry {

// Those that the scenario can have: one chief in place of several; no initial tokens; of a job that `build` makes, one
// more parameter server, and one gradient fewer in an aggregate (a backup worker), or as many as there are workers
// where it asks for more; a graph for the workers that the cluster has, where it is built for more and they all wait
// for each other; with all workers that are absent. Fails: as make_job.
[[nodiscard]] StatusOr<std::vector<WhatIf>> other_designs(const Scenario& scenario, const RunOptions& options);
// Of those, the ones of which a verdict may tell: one chief, as many gradients in an aggregate as there are workers,
// a graph for the workers that there are, and all workers.
[[nodiscard]] StatusOr<std::vector<WhatIf>> likely_designs(const Scenario& scenario, const RunOptions& options);

}  // namespace tarry
