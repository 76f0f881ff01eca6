// Simpler faults of the same kind, for whoever looks for the least that still shows something.
//
// Whom a fault meets stays; when it happens, how long it lasts and how much it does become rounder or smaller. Generic
// over the fields of the kinds (faults/kind.hpp).
#pragma once

#include <vector>

#include "scenarios/job/fault.hpp"

namespace tarry {

// Each differs in one thing; the greatest leaps come first. None when nothing is left to simplify, and taking one after
// the other always ends.
[[nodiscard]] std::vector<Fault> simpler_faults(const Fault& fault);

}  // namespace tarry
