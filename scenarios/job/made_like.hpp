// A job in which a slow worker is made like another one.
//
// What a job says of the speed of a worker, and not of all: costs and variations that name its task, what takes a part
// of it again and again, and faults that slow its kernels down. Without these, and with what is said of another
// worker's costs in their place, the worker computes as that one does, step by step: a cost that is higher now and then
// is gone in the steps that had it, and the other steps stay as they were.
#pragma once

#include <optional>

#include "scenarios/job/job.hpp"

namespace tarry {

// The job with `worker` made like `other`. nullopt where nothing is said of its speed alone, or where that is not all:
// where times are measured, its devices are not the other's, or what slows it down slows other tasks of its host, too.
[[nodiscard]] std::optional<Job> made_like(const Job& job, TaskId worker, TaskId other);

}  // namespace tarry
