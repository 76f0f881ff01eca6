// Images through a projection, and pieces of images.

#include <algorithm>
#include <cmath>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/rearrange.hpp"

namespace tarry {
namespace {

// ---- ImageProjectiveTransformV2 (images, eight numbers for each or for all, size), V3 (and what fills the rest) ----

Status warped_shape(const KernelContext& c, std::span<Shape> out) {
  const Shape &images = c.shape(0), &by = c.shape(1), &size = c.shape(2);
  if (images.rank() != 4) return invalid("Input images must have rank 4");
  if (by.rank() != 2 || (by.dims[0] != images.dims[0] && by.dims[0] != 1) || by.dims[1] != 8)
    return invalid("Input transform should be num_images x 8 or 1 x 8");
  if (size.rank() != 1) return invalid("output shape must be 1-dimensional{}", to_string(size));
  if (size.dims[0] != 2) return invalid("output shape must have two elements{}", to_string(size));
  if (!known(c, 2)) return shape_not_known();
  const Dims at = integers_of(c.in(2));
  if (at[0] <= 0 || at[1] <= 0) return invalid("output dimensions must be positive");
  if (c.inputs.size() > 3) TARRY_RETURN_IF_ERROR(check_input(c, {3, "fill_value must be a scalar{}"}));
  return only(out, Shape({images.dims[0], at[0], at[1], images.dims[3]}));
}

enum class Outside { reflect, wrap, constant, nearest };

struct Warp {
  Outside outside = Outside::constant;
  bool is_bilinear = false;
};

Warp warp_of(const KernelSetup& s) {
  const auto mode = attr_or(s.attrs, "fill_mode", std::string("CONSTANT"));
  Warp to{Outside::constant, attr_or(s.attrs, "interpolation", std::string()) == "BILINEAR"};
  if (mode == "REFLECT") to.outside = Outside::reflect;
  if (mode == "WRAP") to.outside = Outside::wrap;
  if (mode == "NEAREST") to.outside = Outside::nearest;
  return to;
}

// How often a length goes into a distance, as a whole number.
float whole_times(float distance, std::int64_t length) {
  return static_cast<float>(static_cast<std::int64_t>(distance / static_cast<float>(length)));
}

// Mirrored at both edges: [dcba|abcd|dcba].
float reflected(float at, std::int64_t size) {
  const auto length = static_cast<float>(size), twice = 2 * length;
  if (at < 0) {
    if (at < twice) at += twice * whole_times(-at, 2 * size);
    return at < -length ? at + twice : -at - 1;
  }
  at -= twice * whole_times(at, 2 * size);
  return at >= length ? twice - at - 1 : at;
}

// Beyond an edge the image begins anew: [abcd|abcd|abcd].
float wrapped(float at, std::int64_t size) {
  const auto length = static_cast<float>(size);
  return at < 0 ? at + length * (whole_times(-at, size - 1) + 1) : at - length * whole_times(at, size - 1);
}

// Where an image could be; not so far off that whole numbers end.
bool is_place(float at) { return std::abs(at) < 1e15F; }

float place_inside(Outside outside, float at, std::int64_t size) {
  const auto last = static_cast<float>(size - 1);
  if (outside == Outside::constant) return at;
  if (outside != Outside::nearest && (at < 0 || at > last)) {
    if (size <= 1) return 0;
    at = outside == Outside::reflect ? reflected(at, size) : wrapped(at, size);
  }
  return std::min(std::max(at, 0.0F), last);
}

template <class T>
struct WarpedImage {
  const KernelContext& c;
  const Warp& warp;
  T fill;

  [[nodiscard]] T pixel(const Dims& at, float row, float column) const {
    const Shape& s = c.shape(0);
    if (!(row >= 0 && row < static_cast<float>(s.dims[1]) && column >= 0 && column < static_cast<float>(s.dims[2])))
      return fill;
    const auto y = static_cast<std::int64_t>(row), x = static_cast<std::int64_t>(column);
    return c.data<T>(0)[static_cast<std::size_t>(flat_index(s, {at[0], y, x, at[3]}))];
  }
  [[nodiscard]] T mixed(const Dims& at, float y, float x) const {
    const float top = std::floor(y), left = std::floor(x), low = top + 1, right = left + 1;
    const auto line = [&](float row) {
      return (right - x) * static_cast<float>(pixel(at, row, left)) +
             (x - left) * static_cast<float>(pixel(at, row, right));
    };
    return static_cast<T>((low - y) * line(top) + (y - top) * line(low));
  }
  [[nodiscard]] T value(const Dims& at) const {
    const Shape& s = c.shape(0);
    const auto by = c.data<float>(1).subspan(c.shape(1).dims[0] == 1 ? 0 : 8 * static_cast<std::size_t>(at[0]), 8);
    const auto column = static_cast<float>(at[2]), row = static_cast<float>(at[1]);
    const float depth = by[6] * column + by[7] * row + 1;
    const float at_x = (by[0] * column + by[1] * row + by[2]) / depth,
                at_y = (by[3] * column + by[4] * row + by[5]) / depth;
    if (depth == 0 || !is_place(at_x) || !is_place(at_y)) return fill;
    const float x = place_inside(warp.outside, at_x, s.dims[2]), y = place_inside(warp.outside, at_y, s.dims[1]);
    return warp.is_bilinear ? mixed(at, y, x) : pixel(at, std::round(y), std::round(x));
  }
};

Behaviour make_warp(const KernelSetup& s) {
  return {[warp = warp_of(s)](KernelContext& c) {
            return for_number(c.in(0).dtype(), [&]<class T>() {
              const WarpedImage<T> image{c, warp, c.inputs.size() > 3 ? static_cast<T>(c.data<float>(3)[0]) : T{0}};
              for (std::int64_t i = 0; i < out(c).elements(); ++i)
                c.out<T>(0)[static_cast<std::size_t>(i)] = image.value(coordinates(out(c).shape(), i));
              return Status();
            });
          },
          warped_shape};
}

// ---- ExtractGlimpse, ExtractGlimpseV2 (images, size, offsets) ----

Status glimpse_shape(const KernelContext& c, std::span<Shape> out) {
  const Shape &images = c.shape(0), &size = c.shape(1), &at = c.shape(2);
  if (images.rank() != 4)
    return invalid("input must be 4-dimensional (batch_size, height, width, depth){}", to_string(images));
  if (size != Shape({2})) return invalid("input must be a vector of size 2 (height, width){}", to_string(size));
  if (!known(c, 1)) return shape_not_known();
  if (at.rank() != 2) return invalid("input must be a matrix{}", to_string(at));
  if (at.dims[0] != images.dims[0]) return invalid("first dimension should be batch{}", to_string(at));
  if (at.dims[1] != 2) return invalid("second dimension should be of size 2 (y,x){}", to_string(at));
  const Dims sides = integers_of(c.in(1));
  return only(out, Shape({images.dims[0], sides[0], sides[1], images.dims[3]}));
}

struct Glimpse {
  bool is_normalized = true, is_centered = true, is_zero_outside = false, is_second = false;

  // Where it begins.
  [[nodiscard]] std::int64_t begin(float offset, std::int64_t image, std::int64_t size) const {
    const auto whole = static_cast<float>(image), own = static_cast<float>(size);
    float at = is_normalized ? offset * whole : offset;
    const bool is_of_first = !is_normalized && !is_second;
    if (is_centered) at = (is_normalized || is_of_first ? at / 2 : at) + whole / 2;
    if (is_of_first || (is_normalized && is_centered)) at -= own / 2;
    return std::isnan(at) ? -2'000'000'000 : static_cast<std::int64_t>(std::clamp(at, -2.0e9F, 2.0e9F));
  }
};

Status extract_glimpse(const Glimpse& g, KernelContext& c) {
  const Shape &images = c.shape(0), &to = out(c).shape();
  bool is_outside = false;
  rearrange(c, c.in(0), [&](Dims& at) {
    for (std::size_t d = 1; d < 3; ++d) {
      const float offset = c.data<float>(2)[2 * static_cast<std::size_t>(at[0]) + d - 1];
      at[d] += g.begin(offset, images.dims[d], to.dims[d]);
      if (at[d] < 0 || at[d] >= images.dims[d]) return is_outside = true, false;
    }
    return true;
  });
  if (is_outside && !g.is_zero_outside)
    return error(Code::kUnimplemented, "tarry does not know the noise outside of images");
  return {};
}

Behaviour make_glimpse(const KernelSetup& s) {
  const Glimpse g{attr_or(s.attrs, "normalized", true), attr_or(s.attrs, "centered", true),
                  attr_or(s.attrs, "noise", std::string("uniform")) == "zero", s.op == "ExtractGlimpseV2"};
  return {[g](KernelContext& c) { return extract_glimpse(g, c); }, glimpse_shape};
}

constexpr KernelRow kWarpRows[] = {
    {"ImageProjectiveTransformV2", make_warp},
    {"ImageProjectiveTransformV3", make_warp},
    {"ExtractGlimpse", make_glimpse},
    {"ExtractGlimpseV2", make_glimpse},
};

}  // namespace

KernelFamily warp_ops() { return kWarpRows; }

}  // namespace tarry
