// A part of a tensor, as a Saver names it for each part of a partitioned variable: "5 4 2,3:-" is rows 2 to 4 of a
// tensor of shape [5,4] (docs/rules/runtime.md#E.6).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "placer/core/status.hpp"
#include "workers/tensor/tensor.hpp"

namespace tarry {

struct SliceExtent {
  std::int64_t start = 0, length = -1;  // length -1: all of the dimension
  friend bool operator==(const SliceExtent&, const SliceExtent&) = default;
};

struct TensorSlice {
  Shape whole;
  std::vector<SliceExtent> extents;  // of each dimension

  [[nodiscard]] SliceExtent extent(std::size_t dimension) const {  // never with the length -1
    const SliceExtent e = extents[dimension];
    return e.length < 0 ? SliceExtent{0, whole.dims[dimension]} : e;
  }
  [[nodiscard]] Shape shape() const;
  [[nodiscard]] std::string text() const;  // "2,3:-"
  friend bool operator==(const TensorSlice&, const TensorSlice&) = default;
};

// All of a tensor: "-:-".
[[nodiscard]] TensorSlice whole_slice(const Shape& shape);
// Fails, with TensorFlow's texts: INVALID_ARGUMENT for what is no such text, INTERNAL when the part is not in the
// shape.
[[nodiscard]] StatusOr<TensorSlice> parse_slice(std::string_view shape_and_slice);

// What two parts have in common; nothing where it has no elements. REQUIRES: they are of one shape.
[[nodiscard]] TensorSlice common_part(const TensorSlice& a, const TensorSlice& b);
// Puts that part from one tensor into the other. REQUIRES: both have data, of one type, and it is in both.
void copy_part(const TensorSlice& part, const TensorSlice& from, const TensorBody& source, const TensorSlice& to,
               TensorBody& target);

}  // namespace tarry
