// Ops that TensorFlow computes step by step in half precision: each step rounds. Computed as floats and rounded once,
// they would differ in the last bit.
#pragma once

#include "workers/kernels/kernel.hpp"

namespace tarry {

// The value function of a node whose tensors are all half, without widening; empty = it is computed as floats.
[[nodiscard]] ValueFunction half_function(const KernelSetup& s);

}  // namespace tarry
