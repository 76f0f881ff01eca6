// Boxes cut out of images or drawn into them, and hues that are turned.

#include <algorithm>
#include <array>
#include <cmath>

#include "workers/kernels/crop.hpp"
#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/rearrange.hpp"

namespace tarry {
namespace {

// ---- CropAndResize (images, boxes, which image each is of, size) ----

Status check_crop_boxes(const KernelContext& c) {
  const Shape &boxes = c.shape(1), &of = c.shape(2);
  if (boxes.elements() == 0 && of.elements() == 0) return {};
  if (of.rank() != 1) return invalid("box_indices must be rank 1 but is shape {}", to_string(of));
  if (boxes.rank() != 2) return invalid("boxes must be 2-D{}", to_string(boxes));
  if (boxes.dims[1] != 4) return invalid("boxes must have 4 columns");
  return of.dims[0] == boxes.dims[0] ? Status() : invalid("box_index has incompatible shape");
}

Status crop_shape(const KernelContext& c, std::span<Shape> out) {
  const Shape& images = c.shape(0);
  if (images.rank() != 4) return invalid("input image must be 4-D{}", to_string(images));
  if (images.dims[1] <= 0 || images.dims[2] <= 0) return invalid("image dimensions must be positive");
  TARRY_RETURN_IF_ERROR(check_crop_boxes(c));
  if (c.shape(3).rank() != 1) return invalid("crop_size must be 1-D{}", to_string(c.shape(3)));
  if (c.in(3).elements() != 2) return invalid("crop_size must have two elements{}", to_string(c.shape(3)));
  if (!known(c, 3)) return shape_not_known();
  const Dims size = integers_of(c.in(3));
  if (size[0] <= 0 || size[1] <= 0) return invalid("crop dimensions must be positive");
  return only(out, Shape({c.shape(2).elements(), size[0], size[1], images.dims[3]}));
}

template <class T>
float crop_value(const KernelContext& c, const Dims& at, std::int64_t image, float y, float x, bool takes_nearest) {
  const auto pixel = [&](float row, float column) {
    return static_cast<float>(c.data<T>(0)[static_cast<std::size_t>(
        flat_index(c.shape(0), {image, static_cast<std::int64_t>(row), static_cast<std::int64_t>(column), at[3]}))]);
  };
  if (takes_nearest) return pixel(std::round(y), std::round(x));
  const float top = std::floor(y), low = std::ceil(y), left = std::floor(x), right = std::ceil(x);
  const float part = x - left;
  const float above = pixel(top, left) + (pixel(top, right) - pixel(top, left)) * part,
              below = pixel(low, left) + (pixel(low, right) - pixel(low, left)) * part;
  return above + (below - above) * (y - top);
}

struct Crop {
  bool takes_nearest = false;
  float outside = 0;
};

template <class T>
void crop_values(const Crop& crop, KernelContext& c) {
  const Shape &images = c.shape(0), &to = out(c).shape();
  for (std::int64_t i = 0; i < to.elements(); ++i) {
    const Dims at = coordinates(to, i);
    const auto box = c.data<float>(1).subspan(4 * static_cast<std::size_t>(at[0]), 4);
    const std::int64_t image = c.data<std::int32_t>(2)[static_cast<std::size_t>(at[0])];
    const CropPlace y = crop_place(box[0], box[2], at[1], to.dims[1], images.dims[1]),
                    x = crop_place(box[1], box[3], at[2], to.dims[2], images.dims[2]);
    c.out<float>(0)[static_cast<std::size_t>(i)] =
        y.is_inside && x.is_inside ? crop_value<T>(c, at, image, y.place, x.place, crop.takes_nearest) : crop.outside;
  }
}

Behaviour make_crop(const KernelSetup& s) {
  const Crop crop{attr_or(s.attrs, "method", std::string("bilinear")) == "nearest",
                  attr_or(s.attrs, "extrapolation_value", 0.0F)};
  return {[crop](KernelContext& c) -> Status {
            for (const std::int32_t image : c.data<std::int32_t>(2))
              if (image < 0 || image >= c.shape(0).dims[0])
                return error(Code::kOutOfRange, "box_index has values outside [0, batch_size)");
            for (const float x : c.data<float>(1))
              if (!std::isfinite(x)) return invalid("Boxes contains at least one element that is not finite");
            return for_number(c.in(0).dtype(), [&]<class T>() { return crop_values<T>(crop, c), Status(); });
          },
          crop_shape};
}

// ---- DrawBoundingBoxes (images, boxes of each), V2 (and colours): lines of one pixel ----

Status drawing_shape(const KernelContext& c, std::span<Shape> out) {
  const Shape &images = c.shape(0), &boxes = c.shape(1);
  if (images.rank() != 4) return invalid("The rank of the images should be 4");
  if (boxes.rank() != 3) return invalid("The rank of the boxes tensor should be 3");
  if (images.dims[0] != boxes.dims[0]) return invalid("The batch sizes should be the same");
  if (boxes.dims[2] != 4)
    return invalid("The size of the third dimension of the box must be 4. Received: {}", boxes.dims[2]);
  const std::int64_t depth = images.dims[3];
  if (depth != 1 && depth != 3 && depth != 4)
    return invalid("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)");
  if (c.inputs.size() > 2 && c.shape(2).rank() != 2)
    return invalid("colors must be a 2-D matrix{}", to_string(c.shape(2)));
  if (c.inputs.size() > 2 && c.shape(2).dims[1] < depth)
    return invalid("colors must have equal or more channels than the image provided: {}", to_string(c.shape(2)));
  return only(out, images);
}

using PictureColour = std::array<float, 4>;
constexpr PictureColour kColours[] = {{1, 1, 0, 1},       {0, 0, 1, 1},       {1, 0, 0, 1},    {0, 1, 0, 1},
                                      {0.5F, 0, 0.5F, 1}, {0.5F, 0.5F, 0, 1}, {0.5F, 0, 0, 1}, {0, 0, 0.5F, 1},
                                      {0, 1, 1, 1},       {1, 0, 1, 1}};

// The colour of the box's number; in an image of one channel all are 1.
PictureColour colour_of(const KernelContext& c, std::size_t box) {
  if (c.inputs.size() > 2 && c.in(2).elements() > 0) {
    const auto given = c.data<float>(2);
    const auto width = static_cast<std::size_t>(c.shape(2).dims[1]), row = box % (given.size() / width);
    PictureColour colour{};
    std::copy_n(given.begin() + static_cast<std::ptrdiff_t>(row * width), std::min<std::size_t>(width, 4),
                colour.begin());
    return colour;
  }
  PictureColour colour = kColours[box % std::size(kColours)];
  if (c.shape(0).dims[3] == 1) colour[0] = 1;
  return colour;
}

// A side of a box as a row or column: far outside where it is not a number.
std::int64_t side_at(float part, std::int64_t size) {
  const float at = part * static_cast<float>(size - 1);
  if (std::isnan(at)) return std::numeric_limits<std::int32_t>::min();
  return static_cast<std::int64_t>(std::clamp(at, -2.0e9F, 2.0e9F));
}

template <class Put>
void draw_box(std::span<const float> box, std::int64_t height, std::int64_t width, Put put) {
  const std::int64_t top = side_at(box[0], height), left = side_at(box[1], width), low = side_at(box[2], height),
                     right = side_at(box[3], width);
  if (top > low || left > right || top >= height || low < 0 || left >= width || right < 0) return;
  const std::int64_t last_row = std::min(low, height - 1), last_column = std::min(right, width - 1);
  for (std::int64_t row = std::max<std::int64_t>(top, 0); row <= last_row; ++row)
    for (std::int64_t column = std::max<std::int64_t>(left, 0); column <= last_column; ++column)
      if (row == top || row == low || column == left || column == right) put(row, column);
}

Status draw_boxes(KernelContext& c) {
  const Shape &images = c.shape(0), &boxes = c.shape(1);
  copy_elements(out(c), 0, c.in(0), 0, static_cast<std::size_t>(c.in(0).elements()));
  if (images.elements() == 0) return {};
  if (c.in(0).dtype() != DataType::kFloat)
    return error(Code::kUnimplemented, "tarry draws nothing into images of type {}", type_name(c.in(0).dtype()));
  for (std::int64_t i = 0; i < boxes.dims[0] * boxes.dims[1]; ++i) {
    const PictureColour colour = colour_of(c, static_cast<std::size_t>(i % boxes.dims[1]));
    draw_box(c.data<float>(1).subspan(4 * static_cast<std::size_t>(i), 4), images.dims[1], images.dims[2],
             [&](std::int64_t row, std::int64_t column) {
               for (std::int64_t ch = 0; ch < images.dims[3]; ++ch)
                 c.out<float>(0)[static_cast<std::size_t>(flat_index(images, {i / boxes.dims[1], row, column, ch}))] =
                     colour[static_cast<std::size_t>(ch)];
             });
  }
  return {};
}

// ---- AdjustHue (images, by how much of a turn) ----

// A colour as its hue in sixths of a turn from red over green and blue, and its least and largest channel.
struct Hue {
  float turn = 0, least = 0, most = 0;
};

// In sixth `sixth`, where the middle channel rises or falls.
Hue hue_between(int sixth, float least, float middle, float most) {
  if (most == least) return {0, least, most};
  const float part = (middle - least) / (most - least);
  return {static_cast<float>(sixth) + (sixth % 2 == 0 ? part : 1 - part), least, most};
}
Hue hue_of(float r, float g, float b) {
  if (r < g) {
    if (b < r) return hue_between(1, b, r, g);
    return b > g ? hue_between(3, r, g, b) : hue_between(2, r, b, g);
  }
  if (b < g) return hue_between(0, b, g, r);
  return b > r ? hue_between(4, g, r, b) : hue_between(5, g, b, r);
}

std::array<float, 3> colour_of(const Hue& h) {
  const int sixth = std::isfinite(h.turn) ? static_cast<int>(h.turn) : 0;
  float part = h.turn - static_cast<float>(sixth);
  if (sixth % 2 != 0) part = 1 - part;
  const float middle = h.least + part * (h.most - h.least);
  const std::array<float, 3> by_sixth[] = {{h.most, middle, h.least}, {middle, h.most, h.least},
                                           {h.least, h.most, middle}, {h.least, middle, h.most},
                                           {middle, h.least, h.most}, {h.most, h.least, middle}};
  return by_sixth[std::clamp(sixth, 0, 5)];
}

Status adjust_hue(KernelContext& c) {
  if (c.in(0).dtype() != DataType::kFloat)
    return error(Code::kUnimplemented, "tarry computes no values of type {} here", type_name(c.in(0).dtype()));
  const auto in = c.data<float>(0);
  const float by = c.data<float>(1)[0] * 6;
  for (std::size_t i = 0; i + 2 < in.size(); i += 3) {
    Hue h = hue_of(in[i], in[i + 1], in[i + 2]);
    h.turn = std::fmod(h.turn + by, 6.0F);
    if (h.turn < 0) h.turn += 6;
    std::ranges::copy(colour_of(h), c.out<float>(0).begin() + static_cast<std::ptrdiff_t>(i));
  }
  return {};
}

Status hue_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(0).rank() < 3) return invalid("input must be at least 3-D, got shape{}", to_string(c.shape(0)));
  if (c.shape(1).rank() != 0) return invalid("delta must be scalar: {}", to_string(c.shape(1)));
  if (c.shape(0).dims.back() != 3)
    return invalid("input must have 3 channels but instead has {} channels.", c.shape(0).dims.back());
  return same_shape(c, out);
}

constexpr KernelRow kPictureRows[] = {
    {"CropAndResize", make_crop},
    {"DrawBoundingBoxes", behaves<draw_boxes, drawing_shape>},
    {"DrawBoundingBoxesV2", behaves<draw_boxes, drawing_shape>},
    {"AdjustHue", behaves<adjust_hue, hue_shape>},
};

}  // namespace

KernelFamily picture_ops() { return kPictureRows; }

}  // namespace tarry
