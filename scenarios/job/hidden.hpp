// Causes that hide each other: without one of them alone the work takes as long, since all wait for the other as well.
#pragma once

#include <vector>

#include "scenarios/job/prove.hpp"
#include "scenarios/job/what_if.hpp"

namespace tarry {

// Slow workers are no cause beside the faults, the variations or the interference that make them slow.
void leave_out_effects(std::vector<WhatIf>& all);

// Of causes that gain less than a verdict tells (kWorthTelling) apart, those that are bad alone, with all others taken
// away, each with the gain of the run without all of them. None where that gains no more than they do one by one, by as
// much as a verdict tells, or where there are so many to try that it would take more than ten runs. `idle` have their
// gains. Fails: as Beside::run.
[[nodiscard]] StatusOr<std::vector<Proof>> hidden_causes(const Job& job, Beside& beside, std::vector<WhatIf> idle);

}  // namespace tarry
