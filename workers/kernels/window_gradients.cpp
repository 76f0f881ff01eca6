// What the gradients of a two-dimensional convolution refuse, and in which order: recorded of 2.15.1 on CPU.

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/window.hpp"

namespace tarry {
namespace {

// The three shapes of a convolution.
struct Convolved {
  Shape in, filter, out;
};

bool has_onednn(const Window& w, const KernelContext& c) {
  if (!w.padded.empty()) return false;  // with explicit paddings, TensorFlow's own kernel computes the gradients
  return c.in(2).dtype() == DataType::kFloat || c.in(2).dtype() == DataType::kBfloat16;
}

Status check_listed(const Dims& sizes) {
  for (const std::int64_t d : sizes)
    if (d < 0) return invalid("Dimension {} must be >= 0", d);
  return {};
}

std::int64_t windows_in(const Window& w, const Convolved& v, std::size_t spatial) {
  const std::size_t d = w.first_spatial() + spatial;
  const std::int64_t reach = (v.filter.dims[spatial] - 1) * w.dilations[d] + 1,
                     stride = std::max<std::int64_t>(1, w.strides[d]);
  const std::int64_t padded = v.in.dims[d] + (w.padded.empty() ? 0 : w.padded[2 * d] + w.padded[2 * d + 1]);
  return w.is_same ? (v.in.dims[d] + stride - 1) / stride : (padded - reach + stride) / stride;
}

Status check_spatial(const Window& w, const Convolved& v, std::string_view label) {
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t d = w.first_spatial() + i;
    if (const std::int64_t computed = windows_in(w, v, i); computed != v.out.dims[d])
      return invalid(
          "{}: Size of out_backprop doesn't match computed: actual = {}, computed = {} spatial_dim: {} input: {} "
          "filter: {} output: {} stride: {} dilation: {}",
          label, v.out.dims[d], computed, d, v.in.dims[d], v.filter.dims[i], v.out.dims[d], w.strides[d],
          w.dilations[d]);
  }
  return {};
}

Status check_custom(const Window& w, const Convolved& v, std::string_view label) {
  if (v.in.rank() != 4) return invalid("{}: input must be 4-dimensional", label);
  if (v.filter.rank() != 4) return invalid("{}: filter must be 4-dimensional", label);
  if (v.out.rank() != 4) return invalid("{}: out_backprop must be 4-dimensional", label);
  if (v.in.dims[0] != v.out.dims[0])
    return invalid(
        "{}: input and out_backprop must have the same batch size. Input batch: {}, outbackprop batch: {}, batch_dim: "
        "0",
        label, v.in.dims[0], v.out.dims[0]);
  if (v.filter.dims[2] == 0 || v.in.dims[w.channels()] % v.filter.dims[2] != 0)
    return invalid("{}: input depth must be evenly divisible by filter depth", label);
  if (v.filter.dims[3] != v.out.dims[w.channels()])
    return invalid("{}: filter and out_backprop must have the same out_depth", label);
  return check_spatial(w, v, label);
}

Status check_quick(const Window& w, const Convolved& v, std::string_view file) {
  if (v.in.elements() == 0 || v.filter.elements() == 0) return {};
  if (v.filter.rank() != 4) return invalid("filter must be 4-dimensional: {}", to_string(v.filter));
  const std::int64_t depth = w.channels_first ? v.in.dims[1] : v.in.dims.back(), groups = depth / v.filter.dims[2];
  if (depth % v.filter.dims[2] != 0)
    return invalid("input depth must be evenly divisible by filter depth: {} vs {}", depth, v.filter.dims[2]);
  if (v.filter.dims[3] % groups != 0)
    return invalid("output depth must be evenly divisible by number of groups: {} vs {}", v.filter.dims[3], groups);
  if (v.out.elements() == 0 || check_custom(w, v, "").ok()) return {};
  return error(Code::kAborted,
               "Operation received an exception:Status: 2, message: could not create a primitive descriptor for a "
               "convolution forward propagation primitive, in file tensorflow/core/kernels/mkl/{}",
               file);
}

// The image whose gradient is wanted: all its sizes are listed, or its height and width only.
Status image_shape(const Window& w, const KernelContext& c, Shape& to) {
  to = Shape(integers_of(c.in(0)));
  TARRY_RETURN_IF_ERROR(check_listed(to.dims));
  const Shape& filter = c.shape(1);
  if (to.rank() == 2 && filter.rank() == 4) {  // its height and width only
    const std::int64_t height = to.dims[0], width = to.dims[1], depth = filter.dims[2];
    to.dims = w.channels_first ? Dims{c.shape(2).dims[0], depth, height, width}
                               : Dims{c.shape(2).dims[0], height, width, depth};
  }
  if (to.rank() != 4 && !(has_onednn(w, c) && to.rank() == 5))
    return invalid("Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: {}", to.rank());
  return {};
}

}  // namespace

Status filter_gradient_shape(const Window& w, const KernelContext& c, std::span<Shape> out) {
  const bool is_quick = has_onednn(w, c);
  if (c.shape(1).rank() != 1 && is_quick)
    return invalid("filter_tensor must be a vector, got {}", to_string(c.shape(1)));
  if (c.shape(1).rank() != 1)
    return invalid("Conv2DCustomBackpropFilter: filter_sizes input must be 1-dim, not {}", c.shape(1).rank());
  if (!known(c, 1)) return shape_not_known();
  out[0] = Shape(integers_of(c.in(1)));
  TARRY_RETURN_IF_ERROR(check_listed(out[0].dims));
  const Convolved v{c.shape(0), out[0], c.shape(2)};
  // TensorFlow ends when oneDNN gets an image of a lower rank.
  if (is_quick && v.in.rank() >= 4) return check_quick(w, v, "mkl_conv_grad_filter_ops.cc:685");
  return check_custom(w, v, "Conv2DCustomBackpropFilter");
}

Status input_gradient_shape(const Window& w, const KernelContext& c, std::span<Shape> out) {
  const bool is_quick = has_onednn(w, c);
  if (c.shape(0).rank() != 1)
    return invalid("Conv2DBackpropInput: input_sizes input must be 1-dim, not {}", c.shape(0).rank());
  if (c.shape(2).rank() != 4)
    return invalid("input_sizes must be 4{}-dimensional, got: {}", is_quick ? " or 5" : "", c.shape(2).rank());
  if (!known(c, 0)) return shape_not_known();
  TARRY_RETURN_IF_ERROR(image_shape(w, c, out[0]));
  const Shape& filter = c.shape(1);
  const Convolved v{out[0], filter, c.shape(2)};
  if (is_quick) return check_quick(w, v, "mkl_conv_grad_input_ops.cc:545");
  TARRY_RETURN_IF_ERROR(check_custom(w, v, "Conv2DCustomBackpropInput"));
  if (v.in.dims[w.channels()] != filter.dims[2])
    return invalid(
        "Gradients for grouped convolutions are not supported on CPU. Please file a feature request if you run into "
        "this issue. Computed input depth {} doesn't match filter input depth {}",
        v.in.dims[w.channels()], filter.dims[2]);
  return {};
}

Status check_depthwise_back(const Window& w, const KernelContext& c, const Shape& in, const Shape& filter,
                            std::string_view to) {
  constexpr const char* kAxes[] = {"rows", "cols"};
  const Convolved v{in, filter, c.shape(2)};
  if (has_onednn(w, c) || v.in.rank() != 4 || v.filter.rank() != 4 || v.out.rank() != 4) return {};
  if (v.in.dims[w.channels()] * v.filter.dims[3] != v.out.dims[w.channels()])
    return invalid("DepthwiseConv2DBackprop{}: depth_multiplier * in_depth not equal to out_depth", to);
  for (std::size_t i = 0; i < 2; ++i)
    if (const auto computed = windows_in(w, v, i), actual = v.out.dims[w.first_spatial() + i]; computed != actual)
      return invalid(
          "DepthwiseConv2DBackprop{}: Number of {} of out_backprop doesn't match computed: actual = {}, computed = {}",
          to, kAxes[i], actual, computed);
  return {};
}

}  // namespace tarry
