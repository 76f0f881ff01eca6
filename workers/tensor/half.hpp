// Numbers of 16 bits as a C++ type.
#pragma once

#include <Eigen/Core>

#include "workers/tensor/tensor.hpp"

namespace tarry {

template <>
struct TypeOf<Eigen::half> {
  static constexpr DataType value = DataType::kHalf;
};

}  // namespace tarry
