// A job in which a slow worker is made like another one.
//
// What a job says of the speed of a worker, and not of all: costs and variations that name its task, the rates of its
// devices, what takes a part of it again and again, and faults that slow its kernels down. Without these, and with what
// is said of another worker in their place, the worker computes as that one does, step by step: a cost that is higher
// now and then is gone in the steps that had it, and the other steps stay as they were. What it draws it draws itself,
// by the other one's laws, and factors that were measured of it step by step (a list, a trace) are its own with the
// other one's mean: what the other one had at the same time would be its luck, and no cause.
#pragma once

#include <optional>

#include "scenarios/job/job.hpp"

namespace tarry {

// The job with `worker` made like `other`. nullopt where nothing is said of its speed alone, or where that is not all:
// where times are measured, or drawn by host or rack, where the number of its GPUs, its threads or what it is fed are
// not the other's, or where what slows one of them down slows all tasks of a host. Where one client runs
// the parts of all workers, these are different nodes: what is said of the other one alone may be of none of them.
// `steps`: so many of lists and traces count for their means, those that the worker came by; 0 = all.
[[nodiscard]] std::optional<Job> made_like(const Job& job, TaskId worker, TaskId other, std::int64_t steps = 0);

// `task` computes as fast as `other`: its CPU, and as many of its GPUs as that one has. Memories and copy engines stay.
void copy_rates(TaskSpec& task, const TaskSpec& other);

}  // namespace tarry
