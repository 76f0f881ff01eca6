// Elements of tensors in the texts that ops make of them.
#pragma once

#include <string>

#include "workers/tensor/tensor.hpp"

namespace tarry {

// Element `i` of a tensor as TensorFlow writes it: a real number in as few of 6 or 9 digits (15 or 17) as give it
// again, a truth value as 0 or 1, a string with escapes, any other type as "?". REQUIRES: the tensor has data.
[[nodiscard]] std::string element_text(const TensorBody& t, std::size_t i);
// A text in the escapes of C. Bytes that are not ASCII stay.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace tarry
