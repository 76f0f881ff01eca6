// The shapes of convolutions, and what of their inputs oneDNN sees.
//
// What they refuse, and in which order, was recorded of 2.15.1 on CPU.

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/window.hpp"

namespace tarry {
namespace {

// How often a window of that size fits into dimension `d`.
StatusOr<std::int64_t> windowed(const Window& w, std::size_t d, std::int64_t in, std::int64_t size) {
  const std::int64_t stride = w.strides[d], effective = (size - 1) * w.dilations[d] + 1;
  if (stride <= 0) return invalid("Stride must be > 0, but got {}", stride);
  if (w.dilations[d] < w.least_dilation)
    return invalid("Dilation rate must be >= {}, but got {}", w.least_dilation, w.dilations[d]);
  const std::int64_t padded = w.padded.empty() ? in : in + w.padded[2 * d] + w.padded[2 * d + 1];
  const std::int64_t fits = w.is_same ? (in + stride - 1) / stride : (padded - effective + stride) / stride;
  if (fits >= 0) return fits;
  return invalid("Computed output size would be negative: {} [input_size: {}, effective_filter_size: {}, stride: {}]",
                 fits, in, effective, stride);
}

constexpr const char* kNoElements = "filter must not have zero elements (i.e. all dimensions must be non-zero)";

Status check_filter(const Shape& filter, std::int64_t rank) {
  if (filter.rank() != rank) return invalid("filter must be {}-dimensional: {}", rank, to_string(filter));
  return filter.elements() == 0 ? invalid("{}", kNoElements) : Status();
}

Status depths_differ(std::int64_t input, std::int64_t filter) {
  return invalid("input and filter must have the same depth: {} vs {}", input, filter);
}
Status depths_not_divisible(std::int64_t input, std::int64_t filter) {
  return invalid("input depth must be evenly divisible by filter depth: {} vs {}", input, filter);
}
Status groups_not_divisible(std::int64_t outputs, std::int64_t groups) {
  return invalid("output depth must be evenly divisible by number of groups: {} vs {}", outputs, groups);
}

// The image that oneDNN takes an input of another rank for: the batch and the sizes at the places that the data format
// has in five dimensions, of another rank in four. Its values are the first of the input.
Shape seen_by_onednn(const Window& w, const Shape& in) {
  const bool is_volume = in.rank() == 5;
  const std::size_t first = w.first_spatial() + (is_volume && w.rank == 4 ? 1 : 0);
  const std::size_t deep = w.channels_first ? 1 : is_volume ? 4 : 3;
  if (in.rank() == w.rank || in.dims.size() < std::max(first + w.spatial(), deep + 1)) return in;
  Shape seen(Dims(static_cast<std::size_t>(w.rank), in.dims[0]));
  seen.dims[w.channels()] = in.dims[deep];
  for (std::size_t i = 0; i < w.spatial(); ++i) seen.dims[w.first_spatial() + i] = in.dims[first + i];
  return seen;
}

// Where a filter of such outputs goes.
Status set_moved(const Window& w, const Shape& in, const Shape& filter, bool is_depthwise, Shape& out) {
  out = in;
  out.dims[w.channels()] = is_depthwise ? in.dims[w.channels()] * filter.dims.back() : filter.dims.back();
  return set_spatial(w, in, filter.dims, 0, out);
}

// A filter for fewer channels than the input has is one for each group of channels; three dimensions have no groups.
Status check_depths(const Window& w, std::int64_t input, const Shape& filter, bool is_depthwise) {
  const std::int64_t of_filter = filter.dims[w.spatial()];
  if (input == of_filter) return {};
  if (w.rank == 5) return depths_differ(input, of_filter);
  if (input % of_filter != 0) return depths_not_divisible(input, of_filter);
  const std::int64_t groups = input / of_filter;
  if (groups < 1) return invalid("grouped convolution must have at least one group: 0 groups");
  const std::int64_t outputs = is_depthwise ? of_filter * filter.dims.back() : filter.dims.back();
  return outputs % groups == 0 ? Status() : groups_not_divisible(outputs, groups);
}

// An empty result has the input's shape.
Status shape_of_onednn(const Window& w, const KernelContext& c, bool is_depthwise, Shape& out) {
  const Shape &filter = c.shape(1), in = seen_by_onednn(w, c.shape(0));
  TARRY_RETURN_IF_ERROR(check_filter(filter, w.rank));
  if (in.rank() != w.rank) return invalid("input must be {}-dimensional: {}", w.rank, to_string(in));
  const std::int64_t channels = in.dims[w.channels()];
  TARRY_RETURN_IF_ERROR(check_depths(w, channels, filter, is_depthwise));
  TARRY_RETURN_IF_ERROR(set_moved(w, in, filter, is_depthwise, out));
  if (out.elements() == 0) return out = c.shape(0), Status();
  if (!is_depthwise || channels == filter.dims[2]) return {};
  return error(Code::kAborted,
               "Operation received an exception:Status: 2, message: could not create a primitive descriptor for a "
               "convolution forward propagation primitive, in file tensorflow/core/kernels/mkl/mkl_conv_ops.cc:1093");
}

// The others are computed by TensorFlow's own kernels.
Status shape_of_volumes(const Window& w, const Shape& in, const Shape& filter, Shape& out) {
  if (in.rank() != 5) return invalid("input must be 5-dimensional");
  if (filter.rank() != 5) return invalid("filter must be 5-dimensional");
  const std::int64_t channels = in.dims[w.channels()], deep = filter.dims[3];
  if (deep == 0) return invalid("filter_depth must be non-zero");
  if (channels % deep != 0)
    return invalid("Input depth must be evenly divisible by filter depth: {} vs {}", channels, deep);
  if (filter.elements() == 0) return invalid("{}", kNoElements);
  TARRY_RETURN_IF_ERROR(set_moved(w, in, filter, false, out));
  if (out.elements() == 0 || channels == deep) return {};
  return invalid("Number of channels in filter ({}) must match last dimension of input ({})", deep, channels);
}

Status shape_of_depths(const Window& w, const Shape& in, const Shape& filter, Shape& out) {
  if (in.rank() != 4) return invalid("input must be 4-dimensional{}", to_string(in));
  if (filter.rank() != 4) return invalid("filter must be 4-dimensional: {}", to_string(filter));
  const std::int64_t channels = in.dims[w.channels()];
  return channels == filter.dims[2] ? set_moved(w, in, filter, true, out) : depths_differ(channels, filter.dims[2]);
}

Status shape_of_images(const Window& w, const Shape& in, const Shape& filter, Shape& out) {
  if (in.rank() != 4) return invalid("convolution input must be 4-dimensional: {}", to_string(in));
  if (filter.rank() != 4) return invalid("convolution filter must be 4-dimensional: {}", to_string(filter));
  const std::int64_t channels = in.dims[w.channels()], deep = filter.dims[2];
  if (deep == 0) return invalid("filter depth must be stricly positive, got 0");
  if (channels % deep != 0) return depths_not_divisible(channels, deep);
  TARRY_RETURN_IF_ERROR(set_moved(w, in, filter, false, out));
  if (out.elements() == 0) return {};
  if (filter.elements() == 0) return invalid("{}", kNoElements);
  const std::int64_t groups = std::max<std::int64_t>(1, channels / deep);  // of no channels, too
  return filter.dims[3] % groups == 0 ? Status() : groups_not_divisible(filter.dims[3], groups);
}

}  // namespace

Status set_spatial(const Window& w, const Shape& in, const Dims& sizes, std::size_t first, Shape& out) {
  for (std::size_t i = 0; i < w.spatial(); ++i) {
    const std::size_t d = w.first_spatial() + i;
    TARRY_ASSIGN(out.dims[d], windowed(w, d, in.dims[d], sizes[first + i]));
  }
  return {};
}

Status convolution_shape(const Window& w, const KernelContext& c, bool is_depthwise, Shape& out) {
  const Shape &in = c.shape(0), &filter = c.shape(1);
  if (is_of_onednn(c.in(0).dtype())) return shape_of_onednn(w, c, is_depthwise, out);
  if (w.rank == 5) return shape_of_volumes(w, in, filter, out);
  return is_depthwise ? shape_of_depths(w, in, filter, out) : shape_of_images(w, in, filter, out);
}

// What TensorFlow would read behind its input, or never write, has no values.
Status convolve_forward(const Window& w, KernelContext& c, bool is_depthwise) {
  if (out(c).shape().elements() == 0) return {};
  const Shape seen = seen_by_onednn(w, c.shape(0));
  Shape moved;
  TARRY_RETURN_IF_ERROR(set_moved(w, seen, c.shape(1), is_depthwise, moved));
  if (moved.elements() == 0 || seen.elements() > c.shape(0).elements())
    return c.give(0, make_shape_only(out(c).dtype(), out(c).shape()));
  if (seen == c.shape(0)) return convolve(w, c, is_depthwise);
  MutableTensor image = make_tensor(c.in(0).dtype(), seen);
  copy_elements(*image, 0, c.in(0), 0, static_cast<std::size_t>(seen.elements()));
  Value inputs[] = {{image, nullptr}, c.inputs[1]};
  KernelContext inner = c;
  inner.inputs = inputs;
  return convolve(w, inner, is_depthwise);
}

}  // namespace tarry
