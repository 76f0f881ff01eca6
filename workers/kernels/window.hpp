// A window that moves over an image or a volume: how it moves, and what the ops compute that move one.
#pragma once

#include "workers/kernels/kernel.hpp"

namespace tarry {

struct Window {
  Dims strides, dilations, size;  // in the order of the data format, as all lists here
  Dims padded;                    // explicit paddings, two for each dimension; empty = none
  bool is_same = false, channels_first = false;
  std::int64_t rank = 4;
  std::int64_t least_dilation = 1;

  [[nodiscard]] std::size_t channels() const { return channels_first ? 1 : static_cast<std::size_t>(rank - 1); }
  [[nodiscard]] std::size_t first_spatial() const { return channels_first ? 2 : 1; }
  [[nodiscard]] std::size_t spatial() const { return static_cast<std::size_t>(rank - 2); }
};

// oneDNN computes these types in TensorFlow, with texts of its own.
[[nodiscard]] inline bool is_of_onednn(DataType t) { return t == DataType::kFloat || t == DataType::kBfloat16; }

// Sets the spatial dimensions of `out` for windows of the sizes in `sizes`, from its element `first` on.
[[nodiscard]] Status set_spatial(const Window& w, const Shape& in, const Dims& sizes, std::size_t first, Shape& out);

// A convolution (input, filter [size..., channels, outputs]), which may be depthwise (outputs of each channel): its
// shape, and its values.
[[nodiscard]] Status convolution_shape(const Window& w, const KernelContext& c, bool is_depthwise, Shape& out);
[[nodiscard]] Status convolve_forward(const Window& w, KernelContext& c, bool is_depthwise);

// The values of ops whose shapes fit (float or double; others are UNIMPLEMENTED). Inputs and outputs are those of the
// op; the outputs are allocated and zero.
[[nodiscard]] Status convolve(const Window& w, KernelContext& c, bool is_depthwise);  // input, filter
// One of three is wanted, from the two others: the gradient of the input (sizes, filter, gradient) or of the filter
// (input, sizes, gradient). Where the three do not fit each other, the output has a shape only.
[[nodiscard]] Status convolve_back(const Window& w, KernelContext& c, bool is_depthwise, bool to_filter);
[[nodiscard]] Status pool_largest(const Window& w, KernelContext& c);
[[nodiscard]] Status pool_mean(const Window& w, KernelContext& c);
// The second output is where the largest are: row, column and channel as one number, in front of them the batch's
// entry if `with_batch`.
[[nodiscard]] Status pool_places(const Window& w, KernelContext& c, bool with_batch);
[[nodiscard]] Status pool_back_to_places(KernelContext& c, bool with_batch);  // input, gradient, such places
[[nodiscard]] Status pool_largest_back(const Window& w, KernelContext& c);    // input, output, gradient
[[nodiscard]] Status take_patches(const Window& w, KernelContext& c);         // each window's elements, as channels
[[nodiscard]] Status pool_mean_back(const Window& w, KernelContext& c);       // sizes, gradient
// The largest sum of an element of the window and one of the filter (input, filter), and the gradient of either (input,
// filter, gradient), which goes to what the first of the largest sums is made of.
[[nodiscard]] Status dilate(const Window& w, KernelContext& c);
[[nodiscard]] Status dilate_back(const Window& w, KernelContext& c, bool to_filter);

// The shapes of the gradients of a two-dimensional convolution (inputs as for `convolve_back`). Fails as TensorFlow
// does, whose texts depend on the type: INVALID_ARGUMENT, or ABORTED where oneDNN refuses what does not fit.
[[nodiscard]] Status filter_gradient_shape(const Window& w, const KernelContext& c, std::span<Shape> out);
// A depthwise one's, of such an image and filter; without dilations. Only TensorFlow's own kernel says what does not
// fit.
[[nodiscard]] Status check_depthwise_back(const Window& w, const KernelContext& c, const Shape& in, const Shape& filter,
                                          std::string_view to);
// What a convolution of images, or a gradient of one, refuses of its attributes when its kernel is made.
[[nodiscard]] Status refuse_convolution(const KernelSetup& s);
[[nodiscard]] Status refuse_convolution_of_volumes(const KernelSetup& s);
// The same of a pool or of its gradient, of patches, and of a dilation.
[[nodiscard]] Status refuse_pool(const KernelSetup& s);
[[nodiscard]] Status refuse_patches(const KernelSetup& s);
[[nodiscard]] Status refuse_dilation(const KernelSetup& s);
[[nodiscard]] Status input_gradient_shape(const Window& w, const KernelContext& c, std::span<Shape> out);

}  // namespace tarry
