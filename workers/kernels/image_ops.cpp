// Images that change their size or colours.
//
// What they refuse, and in which order, was recorded of 2.15.1 on CPU.

#include <algorithm>
#include <cmath>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/rearrange.hpp"
#include "workers/kernels/resample.hpp"

namespace tarry {
namespace {

Status check_image(const KernelContext& c, std::size_t input, std::string_view name) {
  if (c.shape(input).rank() == 4) return {};
  return invalid("{} must be 4-dimensional{}", name, to_string(c.shape(input)));
}

// The height and width that input `i` gives.
StatusOr<Dims> size_in(const KernelContext& c, std::size_t i, std::string_view not_positive) {
  if (c.shape(i).rank() != 1) return invalid("shape_t must be 1-dimensional{}", to_string(c.shape(i)));
  if (c.in(i).elements() != 2) return invalid("shape_t must have two elements{}", to_string(c.shape(i)));
  if (!known(c, i)) return shape_not_known();
  Dims size = integers_of(c.in(i));
  if (size[0] <= 0 || size[1] <= 0) return invalid("{}", not_positive);
  return size;
}

Shape resized(const Shape& images, const Dims& size) {
  return Shape({images.dims[0], size[0], size[1], images.dims[3]});
}

// ResizeBilinear and others (images, size).
Status resize_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_image(c, 0, "input"));
  const Shape& images = c.shape(0);
  if (images.dims[1] == 0 || images.dims[2] == 0) return invalid("input image must be of non-zero size");
  TARRY_ASSIGN(const Dims size, size_in(c, 1, "output dimensions must be positive"));
  if (images.dims[3] == 0) return invalid("image must have at least one channel");
  return only(out, resized(images, size));
}

Behaviour make_resize_nearest(const KernelSetup& s) {
  return {[scaling = scaling_of(s)](KernelContext& c) {
            const Shape &from = c.shape(0), &to = out(c).shape();
            rearrange(c, c.in(0), [&](Dims& at) {
              for (std::size_t d = 1; d < 3; ++d) at[d] = nearest(scaling, at[d], from.dims[d], to.dims[d]);
              return true;
            });
            return Status();
          },
          resize_shape};
}

Status resize_bilinear(const Scaling& s, KernelContext& c) {
  const Shape &from = c.shape(0), &to = out(c).shape();
  return for_number(c.in(0).dtype(), [&]<class T>() {
    for (std::int64_t i = 0; i < to.elements(); ++i) {
      const Dims at = coordinates(to, i);
      const Between y = between(s, at[1], from.dims[1], to.dims[1]), x = between(s, at[2], from.dims[2], to.dims[2]);
      const auto pixel = [&](std::int64_t row, std::int64_t column) {
        return static_cast<float>(
            c.data<T>(0)[static_cast<std::size_t>(flat_index(from, {at[0], row, column, at[3]}))]);
      };
      const float top = pixel(y.below, x.below) + (pixel(y.below, x.above) - pixel(y.below, x.below)) * x.part,
                  low = pixel(y.above, x.below) + (pixel(y.above, x.above) - pixel(y.above, x.below)) * x.part;
      c.out<float>(0)[static_cast<std::size_t>(i)] = top + (low - top) * y.part;
    }
    return Status();
  });
}

template <Status (*value)(const Scaling&, KernelContext&), Status (*shape)(const KernelContext&, std::span<Shape>)>
Behaviour make_resampled(const KernelSetup& s) {
  return {[scaling = scaling_of(s)](KernelContext& c) { return value(scaling, c); }, shape};
}

// ResizeNearestNeighborGrad (gradients, size of the original).
Status resize_grad_by_size_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_image(c, 0, "input"));
  TARRY_ASSIGN(const Dims size, size_in(c, 1, "shape_t's elements must be positive"));
  return only(out, resized(c.shape(0), size));
}

// ResizeBilinearGrad, ResizeBicubicGrad (gradients, original image).
Status resize_grad_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_image(c, 0, "input_grad"));
  TARRY_RETURN_IF_ERROR(check_image(c, 1, "original_image"));
  for (const Shape* s : {&c.shape(0), &c.shape(1)})
    if (s->dims[1] <= 0 || s->dims[2] <= 0) return invalid("images must be of non-zero size");
  return only(out, resized(c.shape(0), {c.shape(1).dims[1], c.shape(1).dims[2]}));
}

struct Colour {
  float a = 0, b = 0, c = 0;  // red, green, blue; or hue, saturation, value
};

// The largest and the least are found one by one: what is no number wins over those before it, not those behind it.
Colour hsv_of(const Colour& rgb) {
  float most = rgb.a, least = rgb.a;
  for (const float x : {rgb.b, rgb.c}) {
    most = x < most ? most : x;
    least = least < x ? least : x;
  }
  const float range = most - least;
  const float norm = 1.0F / (6.0F * range);
  float hue = rgb.c == most ? norm * (rgb.a - rgb.b) + 4.0F / 6.0F : 0;
  if (rgb.b == most) hue = norm * (rgb.c - rgb.a) + 2.0F / 6.0F;
  if (rgb.a == most) hue = norm * (rgb.b - rgb.c);
  if (!(range > 0)) hue = 0;
  return {hue < 0 ? hue + 1 : hue, most > 0 ? range / most : 0, most};
}

Colour rgb_of(const Colour& hsv) {
  const float turn = hsv.a * 6;
  const auto mixed = [&](float part) { return (1 - hsv.b + hsv.b * std::clamp(part, 0.0F, 1.0F)) * hsv.c; };
  return {mixed(std::abs(turn - 3) - 1), mixed(2 - std::abs(turn - 2)), mixed(2 - std::abs(turn - 4))};
}

template <class F>
Status each_colour(KernelContext& c, F f) {
  if (c.in(0).dtype() != DataType::kFloat)
    return error(Code::kUnimplemented, "tarry computes no values of type {} here", type_name(c.in(0).dtype()));
  const auto in = c.data<float>(0);
  const auto to = c.out<float>(0);
  for (std::size_t i = 0; i + 2 < in.size(); i += 3) {
    const Colour x = f(Colour{in[i], in[i + 1], in[i + 2]});
    to[i] = x.a, to[i + 1] = x.b, to[i + 2] = x.c;
  }
  return {};
}

// Here, since a shape function says that it knows no shape by the same code.
Status check_three_channels(const KernelContext& c) {
  if (c.shape(0).dims.back() == 3) return {};
  return error(Code::kFailedPrecondition, "input must have 3 channels but input only has {} channels.",
               c.shape(0).dims.back());
}
Status to_hsv(KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_three_channels(c));
  return each_colour(c, hsv_of);
}
Status to_rgb(KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_three_channels(c));
  return each_colour(c, rgb_of);
}
Status adjust_saturation(KernelContext& c) {
  return each_colour(c, [scale = c.data<float>(1)[0]](const Colour& rgb) {
    const Colour hsv = hsv_of(rgb);
    return rgb_of({hsv.a, std::clamp(hsv.b * scale, 0.0F, 1.0F), hsv.c});
  });
}

// Away from the mean of its channel in its image, or to it.
Status adjust_contrast(KernelContext& c) {
  if (c.in(0).dtype() != DataType::kFloat)
    return error(Code::kUnimplemented, "tarry computes no values of type {} here", type_name(c.in(0).dtype()));
  const Shape& s = c.shape(0);
  const auto channels = static_cast<std::size_t>(s.dims.back()),
             image = static_cast<std::size_t>(product(s, s.dims.size() - 3, s.dims.size()));
  const float factor = c.data<float>(1)[0];
  const auto in = c.data<float>(0);
  for (std::size_t at = 0; image > 0 && at < in.size(); at += image)
    for (std::size_t ch = 0; ch < channels; ++ch) {
      const std::size_t pixels = image / channels;
      float mean = 0;
      for (std::size_t i = at + ch; i < at + image; i += channels) mean += in[i] / static_cast<float>(pixels);
      for (std::size_t i = at + ch; i < at + image; i += channels) c.out<float>(0)[i] = mean + (in[i] - mean) * factor;
    }
  return {};
}

// RGBToHSV, HSVToRGB: the channels are the last dimension.
Status colours_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(0).rank() < 1) return invalid("input must be at least 1D{}", to_string(c.shape(0)));
  return same_shape(c, out);
}

// AdjustContrastv2, AdjustSaturation (images, by how much).
Behaviour make_adjust(const KernelSetup& s) {
  const char* what = s.op == "AdjustContrastv2" ? "contrast_factor" : "scale";
  Behaviour b;
  if (s.op == "AdjustContrastv2") b.value = adjust_contrast;
  if (s.op == "AdjustSaturation") b.value = adjust_saturation;
  b.shape = [what, needs_three = s.op != "AdjustContrastv2"](const KernelContext& c, std::span<Shape> out) -> Status {
    if (c.shape(0).rank() < 3) return invalid("input must be at least 3-D, got shape{}", to_string(c.shape(0)));
    if (c.shape(1).rank() != 0) return invalid("{} must be scalar: {}", what, to_string(c.shape(1)));
    if (needs_three && c.shape(0).dims.back() != 3)
      return invalid("input must have 3 channels but instead has {} channels.", c.shape(0).dims.back());
    return same_shape(c, out);
  };
  return b;
}

Status refuse_both_scalings(const KernelSetup& s) {
  const Scaling scaling = scaling_of(s);
  return scaling.half_pixels && scaling.align_corners
             ? invalid("If half_pixel_centers is True, align_corners must be False.")
             : Status();
}

constexpr KernelRow kImageRows[] = {
    {"ResizeArea", make_resampled<resize_area, resize_shape>},
    {"ResizeBicubic", make_resampled<resize_bicubic, resize_shape>, refuse_both_scalings},
    {"ResizeBilinear", make_resampled<resize_bilinear, resize_shape>, refuse_both_scalings},
    {"ResizeNearestNeighbor", make_resize_nearest, refuse_both_scalings},
    {"ResizeBicubicGrad", make_resampled<resize_bicubic_back, resize_grad_shape>, refuse_both_scalings},
    {"ResizeBilinearGrad", make_resampled<resize_bilinear_back, resize_grad_shape>, refuse_both_scalings},
    {"ResizeNearestNeighborGrad", make_resampled<resize_nearest_back, resize_grad_by_size_shape>},
    {"AdjustContrastv2", make_adjust},
    {"AdjustSaturation", make_adjust},
    {"HSVToRGB", behaves<to_rgb, colours_shape>},
    {"RGBToHSV", behaves<to_hsv, colours_shape>},
};

}  // namespace

KernelFamily image_ops() { return kImageRows; }

}  // namespace tarry
