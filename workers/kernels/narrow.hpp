// Narrow types: integers of 8 and 16 bits, half and bfloat16, and integers without a sign.
//
// Kernels know float, double, int32, int64 and bool. A narrow value is computed in a wider type and cut, or rounded,
// to its own again. That is the same for one operation: integers wrap, and TensorFlow's CPU kernels compute a half as a
// float and round it. Integers without a sign are computed as int64; where the largest of 64 bits then differ, there is
// a function of their own (unsigned_ops.hpp).
#pragma once

#include "workers/tensor/tensor.hpp"

namespace tarry {

// int32, int64 or float for a narrow type; of any other type the type itself.
[[nodiscard]] DataType computed_as(DataType type);
[[nodiscard]] inline bool is_narrow(DataType type) { return computed_as(type) != type; }
[[nodiscard]] DataTypes computed_as(const DataTypes& types);

// The same values in the type that is computed with. A tensor of another type, or without data, stays as it is.
[[nodiscard]] TensorRef widened(const TensorRef& t);
// Back in the narrow type. What is in `type` already, or is none that `type` is computed as, stays as it is.
[[nodiscard]] TensorRef narrowed(const TensorRef& t, DataType type);

}  // namespace tarry
