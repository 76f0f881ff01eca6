// Ops that TensorFlow computes step by step in half precision: each step rounds. Computed as floats and rounded once,
// they would differ in the last bit.
#pragma once

#include "workers/kernels/kernel.hpp"

namespace tarry {

// The value function of an op on tensors that are all half, without widening; null = it is computed as floats.
[[nodiscard]] Status (*half_function(std::string_view op))(KernelContext&);

}  // namespace tarry
