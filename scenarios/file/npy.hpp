// The head of a .npy file (NumPy's format, versions 1 to 3).
#pragma once

#include <string_view>

#include "placer/core/status.hpp"
#include "placer/graph/attrs.hpp"

namespace tarry {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

struct NpyHead {
  DataType dtype = DataType::kInvalid;
  Shape shape;
  std::size_t begin = 0;  // of the elements, in C order, little endian
};

// Fails: INVALID_ARGUMENT "what is wrong; what was expected". The elements may be fewer than the shape says.
[[nodiscard]] StatusOr<NpyHead> read_npy_head(std::string_view bytes);

}  // namespace tarry
