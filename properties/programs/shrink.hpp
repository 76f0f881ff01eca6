// The programs that are a little smaller than a program: what a counterexample is shrunk by.
//
// A step leaves out a fetch, a device, a step, a control input; lets who reads a node read an earlier one instead (a
// whole loop: what it began with); makes a number smaller; joins two variables of a loop, makes a branch of a loop, a
// constant of what is computed. What no fetch needs any more goes. The result is 1-minimal: none of these steps can be
// taken.
#pragma once

#include <functional>

#include "properties/hunting/hunting.hpp"
#include "properties/programs/program.hpp"

namespace tarry {

// Calls `each` with smaller programs, in a fixed order, until it returns true.
void for_each_smaller(const Program& p, const std::function<bool(const Program&)>& each);

using ShrunkProgram = ShrunkTo<Program>;
// PROMISES: 1-minimal, unless `most` tries were not enough.
[[nodiscard]] ShrunkProgram shrink(Program failing, const std::function<bool(const Program&)>& fails,
                                   std::uint64_t most = 20'000);

}  // namespace tarry
