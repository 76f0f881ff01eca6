// A constant as TensorFlow prints it in error texts: Tensor<type: float shape: [2,2] values: [0.5 0.5][0.5...]...>.
#pragma once

#include <string>

#include "placer/graph/attrs.hpp"

namespace tarry {

// The first three elements, in rows.
[[nodiscard]] std::string tensor_text(const TensorSpec& t);

}  // namespace tarry
