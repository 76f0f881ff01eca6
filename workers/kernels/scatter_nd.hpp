// Coordinates: a tensor [..., depth] whose rows each name an element of another tensor, or a slice of it.
#pragma once

#include <string>
#include <vector>

#include "workers/kernels/kernel.hpp"

namespace tarry {

// Where the rows of indices point in `params`, in slices. Those before a bad row are in `at` when it fails with
// INVALID_ARGUMENT: TensorFlow's text, which prints the bad row (`text` stands before the shape, `behind` behind it);
// where there are several, the first, or the last if `says_last`.
[[nodiscard]] Status find_slices(const TensorBody& indices, const Shape& params, const char* text,
                                 const std::string& behind, std::vector<std::size_t>& at, bool says_last = false);
[[nodiscard]] StatusOr<std::vector<std::size_t>> slices_at(const TensorBody& indices, const Shape& params,
                                                           const char* text, const std::string& behind = "");

// Whether there is a row of updates for each row of indices, as wide as what an index leaves of `to`. `said_from` is
// the dimension of the updates from which a row begins, as the refusal tells it: 2.15.1 tells the indices' depth when
// a variable is updated.
[[nodiscard]] Status check_scattered(const Shape& indices, const Shape& updates, const Shape& to,
                                     std::size_t said_from);

// Whether slices of `to` can be updated so. A vector of indices wants a row of updates for each of its numbers.
[[nodiscard]] Status check_slices(const Shape& indices, const Shape& updates, const Shape& to);

}  // namespace tarry
