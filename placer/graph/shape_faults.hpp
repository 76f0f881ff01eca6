// Why a shape that a file or an attribute says is none, in TensorFlow's words.
#pragma once

#include <string>

#include "placer/graph/types.hpp"

namespace tarry {

// As an attribute of a partly known shape is judged: no sizes without a rank, at most 254 sizes, none below -1, a
// product that int64 holds. "" = it is a shape.
[[nodiscard]] std::string fault_of_partial(const Shape& s);

// As a tensor's shape is judged, by its sizes alone: what it says of its rank does not count. "" = it is one.
[[nodiscard]] std::string fault_of_full(const Shape& s);

}  // namespace tarry
