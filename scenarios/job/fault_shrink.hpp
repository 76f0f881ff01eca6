// Simpler faults of the same kind, or of a plainer one, for shrinking a fault to the simplest that still has its
// effect.
//
// Tasks and hosts stay the same; the moment, the duration and the amount become rounder or smaller. Generic over the
// fields of the kinds (faults/kind.hpp).
#pragma once

#include <vector>

#include "scenarios/job/fault.hpp"

namespace tarry {

// The same, as the plainest kind has it: the loss of a rack of one host is the loss of a host.
[[nodiscard]] FaultKinds with_plainest_kind(const FaultKinds& what);

// Each differs from `fault` in one thing; the largest changes come first. Empty when nothing is left to simplify;
// simplifying repeatedly always ends.
[[nodiscard]] std::vector<Fault> simpler_faults(const Fault& fault);

}  // namespace tarry
