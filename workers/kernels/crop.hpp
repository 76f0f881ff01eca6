// Where a row or a column of a box that is cut out of an image lies in the image.
#pragma once

#include <cstdint>

namespace tarry {

struct CropPlace {
  float place = 0;
  bool is_inside = false;  // outside of the image, it lies nowhere
};

// Of position `at` of `size`; the box goes from one part of the image to another, of `in` rows or columns.
[[nodiscard]] inline CropPlace crop_place(float from, float to, std::int64_t at, std::int64_t size, std::int64_t in) {
  const auto last = static_cast<float>(in - 1);
  const float scale = size > 1 ? (to - from) * last / static_cast<float>(size - 1) : 0.0F;
  const float place = size > 1 ? from * last + static_cast<float>(at) * scale : 0.5F * (from + to) * last;
  return {place, place >= 0 && place <= last};  // nowhere where it is not a number
}

}  // namespace tarry
