// Parts of what_if.cpp, a file each: jobs without faults, without an imbalance of parameter servers, and without what
// makes devices slow besides the kernels of a slow worker.
#pragma once

#include <vector>

#include "scenarios/job/what_if.hpp"

namespace tarry {

// Adds to `out` the job without the faults of each whom they are about; without all of them, where there are several.
void add_fault_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome);

// Adds to `out` the job with its variables spread by bytes, and with bytes split evenly, where the parameter servers
// send unequal amounts.
void add_imbalance_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome);

// Adds to `out` the job without each interference, without the kernels of each parameter server (and of all, where
// there are several) that computes for a tenth of the run or longer, and with copies between GPUs and their host that
// take no time, where these take a tenth of the run or longer.
void add_device_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome);

}  // namespace tarry
