// Values of complex numbers: of ops that have other numbers, too, where their function for these does not serve.
#pragma once

#include "workers/kernels/kernel.hpp"

namespace tarry {

// The value function of a node with a complex input or output; empty = the op's own function serves.
[[nodiscard]] ValueFunction complex_function(const KernelSetup& s);

}  // namespace tarry
