// A run by itself, without what is tried afterwards (acquit.hpp).
#pragma once

#include "scenarios/job/job.hpp"

namespace tarry {

// As run_here, but what still slows when it ends is not acquitted. REQUIRES and throws: as run_here.
[[nodiscard]] Outcome run_alone(const Job& job, KnownJob* known);

// The names of the cluster's tasks, and of the hosts where they are.
[[nodiscard]] TaskNames task_names(const ClusterSpec& cluster);

}  // namespace tarry
