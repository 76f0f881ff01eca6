// The gradients of boxes that were cut out of images: of the images, and of the boxes.

#include <algorithm>
#include <cmath>

#include "workers/kernels/crop.hpp"
#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/rearrange.hpp"

namespace tarry {
namespace {

// Boxes, and which image each is of.
Status check_cut(const Shape& boxes, const Shape& of) {
  if (boxes.elements() == 0 && of.elements() == 0) return {};
  if (boxes.rank() != 2) return invalid("boxes must be 2-D{}", to_string(boxes));
  if (boxes.dims[1] != 4) return invalid("boxes must have 4 columns");
  if (of.rank() != 1) return invalid("box_index must be 1-D{}", to_string(of));
  return of.dims[0] == boxes.dims[0] ? Status() : invalid("box_index has incompatible shape");
}

Status check_count(const Shape& boxes, const Shape& gradient) {
  const std::int64_t count = boxes.elements() / 4;
  return count == gradient.dims[0] ? Status() : invalid("boxes and grads have incompatible shape");
}

Status check_crop_gradient(const Shape& gradient) {
  if (gradient.rank() != 4) return invalid("grads image must be 4-D{}", to_string(gradient));
  return gradient.dims[1] > 0 && gradient.dims[2] > 0 ? Status() : invalid("grads dimensions must be positive");
}

Status check_images_there(std::span<const std::int32_t> of, std::int64_t images) {
  if (std::ranges::all_of(of, [images](std::int32_t i) { return i >= 0 && i < images; })) return {};
  return error(Code::kOutOfRange, "box_index has values outside [0, batch_size)");
}

// One position of a crop: the four pixels around it, and how far it is from the first of them.
struct Around {
  bool is_inside;
  std::int64_t top, low, left, right, nearest_row, nearest_column;
  float down, along;

  Around(std::span<const float> box, const Dims& at, const Shape& crops, const Shape& images) {
    const CropPlace y = crop_place(box[0], box[2], at[1], crops.dims[1], images.dims[1]),
                    x = crop_place(box[1], box[3], at[2], crops.dims[2], images.dims[2]);
    is_inside = y.is_inside && x.is_inside;
    if (!is_inside) return;
    const auto whole = [](float place) { return static_cast<std::int64_t>(place); };
    top = whole(std::floor(y.place)), low = whole(std::ceil(y.place)), nearest_row = whole(std::round(y.place));
    left = whole(std::floor(x.place)), right = whole(std::ceil(x.place)), nearest_column = whole(std::round(x.place));
    down = y.place - std::floor(y.place), along = x.place - std::floor(x.place);
  }
};

// Calls `f(position in the crops, Around, gradient)` for each that lies in its image.
template <class F>
void for_each_inside(const KernelContext& c, std::size_t boxes, const Shape& images, F&& f) {
  const Shape& crops = c.shape(0);
  for (std::int64_t i = 0; i < crops.elements(); ++i) {
    const Dims at = coordinates(crops, i);
    const Around around(c.data<float>(boxes).subspan(4 * static_cast<std::size_t>(at[0]), 4), at, crops, images);
    if (around.is_inside) f(at, around, c.data<float>(0)[static_cast<std::size_t>(i)]);
  }
}

// ---- CropAndResizeGradImage (gradients, boxes, which image each is of, shape of the images) ----

Status crop_image_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_crop_gradient(c.shape(0)));
  TARRY_RETURN_IF_ERROR(check_cut(c.shape(1), c.shape(2)));
  if (c.shape(3).rank() != 1) return invalid("image_size must be 1-D{}", to_string(c.shape(3)));
  if (c.in(3).elements() != 4) return invalid("image_size must have 4 elements{}", to_string(c.shape(3)));
  if (!known(c, 3)) return shape_not_known();
  const Shape images(integers_of(c.in(3)));
  for (const std::int64_t d : images.dims)
    if (d < 0) return invalid("Expected a non-negative size, got {}", d);
  if (images.dims[1] <= 0 || images.dims[2] <= 0) return invalid("image dimensions must be positive");
  TARRY_RETURN_IF_ERROR(check_count(c.shape(1), c.shape(0)));
  if (images.dims[3] != c.shape(0).dims[3]) return invalid("image_size and grads are incompatible");
  return only(out, images);
}

template <class T>
Status crop_image_back(bool takes_nearest, KernelContext& c) {
  const Shape& images = out(c).shape();
  const auto of = c.data<std::int32_t>(2);
  TARRY_RETURN_IF_ERROR(check_images_there(of, images.dims[0]));
  std::ranges::fill(c.out<T>(0), T{0});
  for_each_inside(c, 1, images, [&](const Dims& at, const Around& a, float gradient) {
    const auto add = [&](std::int64_t row, std::int64_t column, float part) {
      const std::int64_t image = of[static_cast<std::size_t>(at[0])];
      c.out<T>(0)[static_cast<std::size_t>(flat_index(images, {image, row, column, at[3]}))] += static_cast<T>(part);
    };
    if (takes_nearest) return add(a.nearest_row, a.nearest_column, gradient);
    const float above = (1 - a.down) * gradient, below = a.down * gradient;
    add(a.top, a.left, (1 - a.along) * above);
    add(a.top, a.right, a.along * above);
    add(a.low, a.left, (1 - a.along) * below);
    add(a.low, a.right, a.along * below);
  });
  return {};
}

Behaviour make_crop_image_back(const KernelSetup& s) {
  return {[nearest = attr_or(s.attrs, "method", std::string()) == "nearest"](KernelContext& c) {
            return for_number(out(c).dtype(), [&]<class T>() { return crop_image_back<T>(nearest, c); });
          },
          crop_image_shape};
}

// ---- CropAndResizeGradBoxes (gradients, images, boxes, which image each is of) ----

Status crop_boxes_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_crop_gradient(c.shape(0)));
  const Shape& images = c.shape(1);
  if (images.rank() != 4) return invalid("input image must be 4-D{}", to_string(images));
  if (images.dims[1] <= 0 || images.dims[2] <= 0) return invalid("image dimensions must be positive");
  if (images.dims[3] != c.shape(0).dims[3]) return invalid("image, grads depth differ");
  TARRY_RETURN_IF_ERROR(check_cut(c.shape(2), c.shape(3)));
  TARRY_RETURN_IF_ERROR(check_count(c.shape(2), c.shape(0)));
  return only(out, Shape({c.shape(0).dims[0], 4}));
}

// How much the first and the last edge of a box move a position.
struct Moves {
  float first, last;
  Moves(std::int64_t at, std::int64_t size, std::int64_t in) {
    const auto whole = static_cast<float>(in - 1);
    const float share = size > 1 ? static_cast<float>(at) * (whole / static_cast<float>(size - 1)) : 0.5F * whole;
    first = size > 1 ? whole - share : share;
    last = share;
  }
};

template <class T>
Status crop_boxes_back(KernelContext& c) {
  const Shape &images = c.shape(1), &crops = c.shape(0);
  const auto of = c.data<std::int32_t>(3);
  TARRY_RETURN_IF_ERROR(check_images_there(of, images.dims[0]));
  std::ranges::fill(c.out<float>(0), 0.0F);
  for_each_inside(c, 2, images, [&](const Dims& at, const Around& a, float gradient) {
    const auto pixel = [&](std::int64_t row, std::int64_t column) {
      const std::int64_t image = of[static_cast<std::size_t>(at[0])];
      return static_cast<float>(
          c.data<T>(1)[static_cast<std::size_t>(flat_index(images, {image, row, column, at[3]}))]);
    };
    const float top_left = pixel(a.top, a.left), top_right = pixel(a.top, a.right), low_left = pixel(a.low, a.left),
                low_right = pixel(a.low, a.right);
    const float by_row = ((1 - a.along) * (low_left - top_left) + a.along * (low_right - top_right)) * gradient,
                by_column = ((1 - a.down) * (top_right - top_left) + a.down * (low_right - low_left)) * gradient;
    const Moves rows(at[1], crops.dims[1], images.dims[1]), columns(at[2], crops.dims[2], images.dims[2]);
    const auto box = c.out<float>(0).subspan(4 * static_cast<std::size_t>(at[0]), 4);
    box[0] += by_row * rows.first;
    box[1] += by_column * columns.first;
    box[2] += by_row * rows.last;
    box[3] += by_column * columns.last;
  });
  return {};
}

Status crop_boxes_values(KernelContext& c) {
  return for_number(c.in(1).dtype(), [&]<class T>() { return crop_boxes_back<T>(c); });
}

constexpr KernelRow kCropBackRows[] = {
    {"CropAndResizeGradImage", make_crop_image_back},
    {"CropAndResizeGradBoxes", behaves<crop_boxes_values, crop_boxes_shape>},
};

}  // namespace

KernelFamily crop_back_ops() { return kCropBackRows; }

}  // namespace tarry
