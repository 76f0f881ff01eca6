// Causes, proved: the job is run again with each of them taken away (scenarios/job/what_if.hpp).
#pragma once

#include <functional>
#include <vector>

#include "results/proof.hpp"
#include "scenarios/job/job.hpp"

namespace tarry {

// Called every so many events, with what is being tried and simulated time; empty = nobody looks.
using ProofWatch = std::function<void(const Proof& tried, Nanos now)>;

// Runs each job of `what_ifs`, in processes of their own. Gives those that gain a hundredth or more, or go on where the
// run stands still. Fails: INTERNAL when a process dies.
[[nodiscard]] StatusOr<std::vector<Proof>> prove(const Job& job, const Outcome& outcome, const ProofWatch& watch = {});

}  // namespace tarry
