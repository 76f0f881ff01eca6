// A constant as TensorFlow prints it in error texts: Tensor<type: float shape: [2,2] values: [0.5 0.5][0.5...]...>.
#pragma once

#include <string>

#include "placer/graph/attrs.hpp"

namespace tarry {

// The first three elements, in rows. A row that is cut short ends in dots ("[0.5...]"), unless `mark_cut_rows` is
// false, as in 0.12.
[[nodiscard]] std::string tensor_text(const TensorSpec& t, bool mark_cut_rows = true);

}  // namespace tarry
