// What differs for integers of 64 bits without a sign from those with one: their order, their division, and what they
// are cast to and from. All else is computed as int64 (narrow.hpp).
#pragma once

#include "workers/kernels/kernel.hpp"

namespace tarry {

// The value function of a node with uint64, without widening; empty = it is computed as int64. A function that knows no
// sign, and has none of its own, refuses numbers from 2^63 on: UNIMPLEMENTED.
[[nodiscard]] ValueFunction unsigned_function(const KernelSetup& s);
[[nodiscard]] Status check_unsigned(std::string_view op, const KernelContext& c);

}  // namespace tarry
