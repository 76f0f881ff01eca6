// Images that change their size or colours. They have shapes only.
//
// What they refuse, and in which order, was recorded of 2.15.1 on CPU.

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"

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
  return only(out, resized(c.shape(0), {c.shape(1).dims[1], c.shape(1).dims[2]}));
}

// CropAndResize (image, boxes, which image each is of, size).
Status crop_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(0).rank() != 4) return invalid("input image must be 4-D{}", to_string(c.shape(0)));
  if (c.in(3).elements() != 2) return invalid("crop_size must have two elements{}", to_string(c.shape(3)));
  const Shape &boxes = c.shape(1), &of = c.shape(2);
  if (boxes.rank() != 2) return invalid("boxes must be 2-D{}", to_string(boxes));
  if (boxes.dims[1] != 4) return invalid("boxes must have 4 columns");
  if (of.rank() != 1) return invalid("box_index must be 1-D{}", to_string(of));
  if (of.dims[0] != boxes.dims[0]) return invalid("box_index has incompatible shape");
  if (!known(c, 3)) return shape_not_known();
  const Dims size = integers_of(c.in(3));
  if (size[0] <= 0 || size[1] <= 0) return invalid("crop dimensions must be positive");
  return only(out, Shape({c.shape(1).dims[0], size[0], size[1], c.shape(0).dims[3]}));
}

// CropAndResizeGradImage (gradients, boxes, which image each is of, shape of the images).
Status crop_grad_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(0).rank() != 4) return invalid("grads image must be 4-D{}", to_string(c.shape(0)));
  if (c.in(3).elements() != 4) return invalid("image_size must have 4 elements{}", to_string(c.shape(3)));
  if (!known(c, 3)) return shape_not_known();
  return only(out, Shape(integers_of(c.in(3))));
}

Status boxes_shape(const KernelContext& c, std::span<Shape> out) { return only(out, c.shape(2)); }

// AdjustContrastv2, AdjustHue, AdjustSaturation (images, by how much).
Behaviour make_adjust(const KernelSetup& s) {
  const char* what = s.op == "AdjustContrastv2" ? "contrast_factor" : s.op == "AdjustHue" ? "delta" : "scale";
  return {{}, [what](const KernelContext& c, std::span<Shape> out) -> Status {
            if (c.shape(1).rank() != 0) return invalid("{} must be scalar: {}", what, to_string(c.shape(1)));
            return same_shape(c, out);
          }};
}

constexpr KernelRow kImageRows[] = {
    {"ResizeArea", behaves<nullptr, resize_shape>},
    {"ResizeBicubic", behaves<nullptr, resize_shape>},
    {"ResizeBilinear", behaves<nullptr, resize_shape>},
    {"ResizeNearestNeighbor", behaves<nullptr, resize_shape>},
    {"ResizeBicubicGrad", behaves<nullptr, resize_grad_shape>},
    {"ResizeBilinearGrad", behaves<nullptr, resize_grad_shape>},
    {"ResizeNearestNeighborGrad", behaves<nullptr, resize_grad_by_size_shape>},
    {"CropAndResize", behaves<nullptr, crop_shape>},
    {"CropAndResizeGradBoxes", behaves<nullptr, boxes_shape>},
    {"CropAndResizeGradImage", behaves<nullptr, crop_grad_shape>},
    {"AdjustContrastv2", make_adjust},
    {"AdjustHue", make_adjust},
    {"AdjustSaturation", make_adjust},
    {"DrawBoundingBoxes", behaves<nullptr, same_shape>},
    {"DrawBoundingBoxesV2", behaves<nullptr, same_shape>},
    {"HSVToRGB", behaves<nullptr, same_shape>},
    {"RGBToHSV", behaves<nullptr, same_shape>},
};

}  // namespace

KernelFamily image_ops() { return kImageRows; }

}  // namespace tarry
