// The programs that are a little smaller than a program, for shrinking a counterexample.
//
// One shrinking step removes a fetch, a device, a training step or a control input; redirects a node's consumers to an
// earlier node (those of a whole loop to its initial value); makes a number smaller; joins two variables of a loop;
// turns a loop into a branch, or a computed value into a constant. Nodes that no fetch needs are removed. The result is
// 1-minimal: after any further shrinking step it no longer fails.
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
