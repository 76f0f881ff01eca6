// Images of another size: how positions of one are positions of the other, and the values of the rarer ways.
#pragma once

#include "workers/kernels/dispatch.hpp"

namespace tarry {

// How positions of an output dimension are positions of the input's.
struct Scaling {
  bool align_corners = false, half_pixels = false;
  [[nodiscard]] float scale(std::int64_t in, std::int64_t out) const {
    return align_corners && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                    : static_cast<float>(in) / static_cast<float>(out);
  }
};
[[nodiscard]] inline Scaling scaling_of(const KernelSetup& s) {
  return {attr_or(s.attrs, "align_corners", false), attr_or(s.attrs, "half_pixel_centers", false)};
}

// The position of the input that is nearest to position `at` of the output.
[[nodiscard]] std::int64_t nearest(const Scaling& s, std::int64_t at, std::int64_t in, std::int64_t out);

// Between which two positions of the input an output's lies, and how far it is from the first.
struct Between {
  std::int64_t below = 0, above = 0;
  float part = 0;
};
[[nodiscard]] Between between(const Scaling& s, std::int64_t at, std::int64_t in, std::int64_t out);

// Values of ops whose shapes fit; the output is allocated. Types other than numbers are UNIMPLEMENTED.
[[nodiscard]] Status resize_bicubic(const Scaling& s, KernelContext& c);       // images
[[nodiscard]] Status resize_area(const Scaling& s, KernelContext& c);          // images
[[nodiscard]] Status resize_bicubic_back(const Scaling& s, KernelContext& c);  // gradient, images
[[nodiscard]] Status resize_bilinear_back(const Scaling& s, KernelContext& c);
[[nodiscard]] Status resize_nearest_back(const Scaling& s, KernelContext& c);  // gradient

}  // namespace tarry
