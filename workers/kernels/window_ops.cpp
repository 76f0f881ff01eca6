// Ops that move a window over an image or a volume: convolution, pooling, dilation, patches. The gradients of
// gradients have shapes only.
//
// What they refuse, and in which order, was recorded of 2.15.1 on CPU.

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/window.hpp"

namespace tarry {
namespace {

// An attribute that lists numbers; ones where it is missing.
Dims list_of(const KernelSetup& s, const char* name, std::int64_t rank) {
  const auto* list = s.attrs.get<AttrList>(name);
  return list == nullptr || list->i.empty() ? Dims(static_cast<std::size_t>(rank), 1)
                                            : Dims(list->i.begin(), list->i.end());
}

// `rates` is what the op calls its dilations.
Window window_of(const KernelSetup& s, const char* size = "ksize", const char* rates = "dilations") {
  Window w;
  const auto* strides = s.attrs.get<AttrList>("strides");
  if (strides != nullptr && !strides->i.empty()) w.rank = std::ssize(strides->i);
  w.strides = list_of(s, "strides", w.rank);
  w.dilations = list_of(s, rates, w.rank);
  w.size = list_of(s, size, w.rank);
  const auto padding = attr_or(s.attrs, "padding", std::string("VALID"));
  w.is_same = padding == "SAME";
  if (padding == "EXPLICIT") w.padded = list_of(s, "explicit_paddings", 2 * w.rank);
  const auto format = attr_or(s.attrs, "data_format", std::string("NHWC"));
  w.channels_first = format == "NCHW" || format == "NCDHW";
  return w;
}

// Each list has a number for each dimension, of which there are four or five.
Status check_window(const Window& w) {
  const auto fits = [&](const Dims& list) { return std::ssize(list) == w.rank; };
  if ((w.rank == 4 || w.rank == 5) && fits(w.strides) && fits(w.dilations) && fits(w.size) &&
      (w.padded.empty() || std::ssize(w.padded) == 2 * w.rank))
    return {};
  return invalid(
      "Sliding window: strides, dilations, sizes and paddings must be of 4 or 5 dimensions, and of the same");
}

bool is_flat(const Window& w) { return w.size[w.channels()] == 1; }

Status non_spatial() { return error(Code::kUnimplemented, "Non-spatial pooling is not yet supported. Volunteers? :)"); }

// A window may not lie in the padding alone.
Status check_padding(const Window& w) {
  constexpr const char* kSides[] = {"Top", "Bottom", "Left", "Right"};
  if (w.padded.empty() || w.rank != 4) return {};
  for (std::size_t side = 0; side < 4; ++side) {
    const std::size_t d = w.first_spatial() + side / 2;
    const std::int64_t padding = w.padded[2 * w.first_spatial() + side];
    if (padding >= w.size[d])
      return invalid("{} padding {} needs to be smaller than the window size {}", kSides[side], padding, w.size[d]);
  }
  return {};
}

constexpr const char* kOneOfBoth = "{} supports exactly one of pooling across depth or pooling across {}width/height.";

// Over channels only where a window has several: whole windows, side by side.
Status set_pooled_channels(const Window& w, const Shape& in, Shape& out) {
  const std::size_t deep = w.channels();
  for (std::size_t i = 0; i < w.spatial(); ++i)
    if (w.size[w.first_spatial() + i] != 1)
      return w.rank == 5 ? error(Code::kUnimplemented, kOneOfBoth, "AvgPooling3D", "depth/")
                         : error(Code::kUnimplemented, kOneOfBoth, "MaxPooling", "");
  if (in.dims[deep] % w.size[deep] != 0)
    return error(Code::kUnimplemented,
                 "Depthwise max pooling requires the depth window to evenly divide the input depth");
  if (w.strides[deep] != w.size[deep])
    return error(Code::kUnimplemented, "Depthwise max pooling requires the depth window to equal the depth stride");
  return out.dims[deep] /= w.size[deep], Status();
}

Status set_pooled(const Window& w, const Shape& in, Shape& out) {
  TARRY_RETURN_IF_ERROR(check_padding(w));
  out = in;
  return is_flat(w) ? set_spatial(w, in, w.size, w.first_spatial(), out) : set_pooled_channels(w, in, out);
}

Status refused_by_onednn(const char* who, const char* where) {
  return error(Code::kAborted,
               "{} received an exception:Status: 2, message: could not create a descriptor for a "
               "pooling forward propagation primitive, in file tensorflow/core/kernels/mkl/{}",
               who, where);
}

// Where no window fits, oneDNN counts one, because its division goes towards 0, unless the stride is short.
bool counts_so(const Window& w, const Shape& in, const Shape& out) {
  if (in.elements() == 0) return true;
  for (std::size_t d = w.first_spatial(); d < w.first_spatial() + w.spatial(); ++d)
    if (out.dims[d] == 0 && w.size[d] - in.dims[d] < w.strides[d]) return false;
  return true;
}

// What oneDNN pools has no batches and, for the largest, no channels in its window.
template <bool is_max>
Status pool_shape(const Window& w, const KernelContext& c, std::span<Shape> out) {
  const Shape& in = c.shape(0);
  const bool is_quick = is_of_onednn(c.in(0).dtype()) && (!is_max || is_flat(w));
  if (is_quick && in.rank() != 4 && in.rank() != 5) return invalid("Input must be 4 or 5-dimensional");
  if (is_quick && in.rank() != w.rank)
    return is_max ? refused_by_onednn("Compute", "mkl_maxpooling_op.cc:211")
                  : refused_by_onednn("Operation", "mkl_avgpooling_op.cc:183");
  if (in.rank() != w.rank)
    return invalid("tensor_in_shape must have {} spatial dimensions. {} {}", w.spatial(), in.rank(),
                   w.channels_first ? 1 : 0);
  TARRY_RETURN_IF_ERROR(set_pooled(w, in, out[0]));
  if (!is_max && !is_flat(w) && !is_quick) return non_spatial();
  for (std::size_t i = 0; !is_max && !is_flat(w) && i < w.spatial(); ++i) out[0].dims[w.first_spatial() + i] = 0;
  return is_max && is_quick && w.rank == 4 && !counts_so(w, in, out[0])
             ? refused_by_onednn("Compute", "mkl_maxpooling_op.cc:211")
             : Status();
}

Status check_pooled_dimensions(const Window& w) {
  if (w.size[0] != 1 || w.strides[0] != 1)
    return error(Code::kUnimplemented, "Pooling is not yet supported on the batch dimension.");
  const std::size_t row = w.first_spatial();
  if (!is_flat(w) && (w.size[row] != 1 || w.size[row + 1] != 1))
    return error(Code::kUnimplemented, kOneOfBoth, "MaxPooling", "");
  return {};
}

// MaxPoolV2 (input, ksize, strides).
StatusOr<Window> window_in(const Window& form, const KernelContext& c) {
  Window w = form;
  w.size = integers_of(c.in(1));
  w.strides = integers_of(c.in(2));
  if (w.size.size() != 4) return invalid("Sliding window ksize field must specify 4 dimensions");
  if (w.strides.size() != 4) return invalid("Sliding window stride field must specify 4 dimensions");
  if (std::ranges::any_of(w.size, [](std::int64_t n) { return n < 1; }))
    return invalid("Sliding window ksize must be positive.");
  return w;
}

Status pool_by_inputs_shape(const Window& form, const KernelContext& c, std::span<Shape> out) {
  if (!known(c, 1) || !known(c, 2)) return shape_not_known();
  TARRY_ASSIGN(const Window w, window_in(form, c));
  TARRY_RETURN_IF_ERROR(check_pooled_dimensions(w));
  if (c.shape(0).rank() != 4)
    return invalid("tensor_in_shape must have 2 spatial dimensions. {} {}", c.shape(0).rank(),
                   w.channels_first ? 1 : 0);
  return set_pooled(w, c.shape(0), out[0]);
}

Status pool_by_inputs(const Window& form, KernelContext& c) {
  TARRY_ASSIGN(const Window w, window_in(form, c));
  return pool_largest(w, c);
}

// MaxPoolWithArgmax (input): the largest elements, and where they are.
Status pool_with_places_shape(const Window& w, const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_pooled_dimensions(w));
  if (c.shape(0).rank() != 4 || w.rank != 4) return invalid("tensor_in must be 4-dimensional (2)");
  if (c.shape(0).elements() == 0) return invalid("tensor_in must not be empty (2)");
  TARRY_RETURN_IF_ERROR(set_pooled(w, c.shape(0), out[0]));
  return out[1] = out[0], Status();
}

// MaxPoolGrad, MaxPool3DGrad (the pool's input, its output, the output's gradient): like the input.
Status max_pool_grad_shape(const Window& w, const KernelContext& c, std::span<Shape> out) {
  constexpr const char* kNames[] = {"tensor_in", "tensor_out", "out_backprop"};
  for (std::size_t i = 0; i < 3; ++i)
    if (c.shape(i).rank() != w.rank) return invalid("{} must be {}-dimensional", kNames[i], w.rank);
  Shape pooled;
  TARRY_RETURN_IF_ERROR(set_pooled(w, c.shape(0), pooled));
  if (c.shape(1) != pooled)
    return invalid("Expected orig_output shape to be {}, but got {}", to_string(pooled), to_string(c.shape(1)));
  if (c.shape(2) != pooled)
    return invalid("Expected grad shape to be {}, but got {}", to_string(pooled), to_string(c.shape(2)));
  return same_shape(c, out);
}

// Dilation2D (input, filter [height, width, channels]).
Status dilation_shape(const Window& w, const KernelContext& c, std::span<Shape> out) {
  const Shape &in = c.shape(0), &filter = c.shape(1);
  if (in.rank() != 4 || w.rank != 4) return invalid("input must be 4-dimensional{}", to_string(in));
  if (filter.rank() != 3) return invalid("filter must be 3-dimensional: {}", to_string(filter));
  if (in.dims[3] != filter.dims[2])
    return invalid("input and filter must have the same depth: {} vs {}", in.dims[3], filter.dims[2]);
  out[0] = in;
  return set_spatial(w, in, filter.dims, 0, out[0]);
}

// ExtractImagePatches (images): each window's elements become channels.
Status patches_shape(const Window& w, const KernelContext& c, std::span<Shape> out) {
  const Shape& in = c.shape(0);
  if (in.rank() != 4 || w.rank != 4) return invalid("input must be 4-dimensional{}", to_string(in));
  out[0] = in;
  out[0].dims[3] *= w.size[1] * w.size[2];
  return set_spatial(w, in, w.size, 1, out[0]);
}

using ShapeByWindow = Status (*)(const Window&, const KernelContext&, std::span<Shape>);
using ValueByWindow = Status (*)(const Window&, KernelContext&);

// `value` is one function or none: the sanitizers take no address of a function for a constant.
template <ShapeByWindow shape, ValueByWindow... value>
Behaviour make_windowed_by(Window w) {
  ValueFunction values;
  if constexpr (sizeof...(value) > 0)
    if (check_window(w).ok()) values = [w](KernelContext& c) { return (value(w, c), ...); };
  return {std::move(values), [w = std::move(w)](const KernelContext& c, std::span<Shape> out) -> Status {
            TARRY_RETURN_IF_ERROR(check_window(w));
            return shape(w, c, out);
          }};
}
template <ShapeByWindow shape, ValueByWindow... value>
Behaviour make_windowed(const KernelSetup& s) {
  return make_windowed_by<shape, value...>(window_of(s));
}
Window window_of_dilation(const KernelSetup& s) {
  Window w = window_of(s, "ksize", "rates");
  w.least_dilation = 0;
  return w;
}
Behaviour make_dilation(const KernelSetup& s) {
  return make_windowed_by<dilation_shape, dilate>(window_of_dilation(s));
}
template <std::size_t input>
Status dilation_back_shape(const Window& w, const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(dilation_shape(w, c, out));
  if (c.shape(2) != out[0]) return invalid("out_backprop has incompatible size.");
  return only(out, c.shape(input));
}
template <std::size_t input>
Status dilation_back_by(const Window& w, KernelContext& c) {
  return dilate_back(w, c, input == 1);
}
template <std::size_t input>
Behaviour make_dilation_back(const KernelSetup& s) {
  return make_windowed_by<dilation_back_shape<input>, dilation_back_by<input>>(window_of_dilation(s));
}
Behaviour make_patches(const KernelSetup& s) {
  return make_windowed_by<patches_shape, take_patches>(window_of(s, "ksizes", "rates"));
}

template <bool with_batch>
Status places_by(const Window& w, KernelContext& c) {
  return pool_places(w, c, with_batch);
}
Behaviour make_pool_with_places(const KernelSetup& s) {
  return attr_or(s.attrs, "include_batch_in_index", false) ? make_windowed<pool_with_places_shape, places_by<true>>(s)
                                                           : make_windowed<pool_with_places_shape, places_by<false>>(s);
}

// MaxPoolGradWithArgmax (input, gradient, places): each gradient goes to its place.
Status back_to_places_shape(const Window& w, const KernelContext& c, std::span<Shape> out) {
  const std::int64_t rank = c.shape(0).rank();
  if (rank != w.rank) return invalid("tensor_in_shape must have 2 spatial dimensions. {} {}", rank, rank - 2);
  Shape pooled;
  TARRY_RETURN_IF_ERROR(set_pooled(w, c.shape(0), pooled));
  const std::size_t bad = c.shape(1) != pooled ? 1 : 2;
  if (c.shape(bad) == pooled) return only(out, c.shape(0));
  return invalid("Expected {} shape to be {}, but got {}", bad == 1 ? "grad" : "argmax", to_string(pooled),
                 to_string(c.shape(bad)));
}
template <bool with_batch>
Status back_to_places(const Window&, KernelContext& c) {
  return pool_back_to_places(c, with_batch);
}
template <bool with_batch>
constexpr MakeBehaviour kBackToPlaces = make_windowed<back_to_places_shape, back_to_places<with_batch>>;
Behaviour make_back_to_places(const KernelSetup& s) {
  return (attr_or(s.attrs, "include_batch_in_index", false) ? kBackToPlaces<true> : kBackToPlaces<false>)(s);
}

template <bool is_depthwise>
Status convolved_shape(const Window& w, const KernelContext& c, std::span<Shape> out) {
  return convolution_shape(w, c, is_depthwise, out[0]);
}
template <bool is_depthwise>
Status convolve_seen(const Window& w, KernelContext& c) {
  return convolve_forward(w, c, is_depthwise);
}

// Like an input.
template <std::size_t input>
Status shape_like(const KernelContext& c, std::span<Shape> out) {
  return only(out, c.shape(input));
}
template <std::size_t input>
constexpr MakeBehaviour kLike = behaves<nullptr, shape_like<input>>;

// As an input lists it.
template <std::size_t input>
Status listed_shape(const KernelContext& c, std::span<Shape> out) {
  if (!known(c, input)) return shape_not_known();
  return only(out, Shape(integers_of(c.in(input))));
}

template <std::size_t input>
Status convolved_back_shape(const Window& w, const KernelContext& c, std::span<Shape> out) {
  return input == 1 ? filter_gradient_shape(w, c, out) : input_gradient_shape(w, c, out);
}

template <std::size_t input>
Status listed_by_window(const Window&, const KernelContext& c, std::span<Shape> out) {
  return listed_shape<input>(c, out);
}
template <std::size_t input, bool is_depthwise>
Status gradient_by(const Window& w, KernelContext& c) {
  return convolve_back(w, c, is_depthwise, input == 1);
}
template <std::size_t input, bool is_depthwise>
constexpr MakeBehaviour kConvolvedBack = make_windowed<listed_by_window<input>, gradient_by<input, is_depthwise>>;

// Neither gradient of a depthwise convolution knows dilations.
template <std::size_t input>
Status depthwise_back_shape(const Window& w, const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(listed_shape<input>(c, out));
  return input == 1 ? check_depthwise_back(w, c, c.shape(0), out[0], "Filter")
                    : check_depthwise_back(w, c, out[0], c.shape(1), "Input");
}
template <std::size_t input>
Behaviour make_depthwise_back(const KernelSetup& s) {
  Window w = window_of(s);
  w.dilations = Dims(w.dilations.size(), 1);
  return make_windowed_by<depthwise_back_shape<input>, gradient_by<input, true>>(std::move(w));
}

// AvgPoolGrad (the input's sizes, the output's gradient).
Status mean_grad_shape(const Window& w, const KernelContext& c, std::span<Shape> out) {
  const bool is_quick = is_of_onednn(c.in(1).dtype());
  if (!is_quick && (c.shape(0).rank() != 1 || c.shape(0).elements() != w.rank))
    return invalid("out_backprop must be 1-dimensional and {} elements", w.rank);
  if (!is_quick && c.shape(1).rank() != w.rank) return invalid("out_backprop must be {}-dimensional", w.rank);
  if (!known(c, 0)) return shape_not_known();
  out[0] = Shape(integers_of(c.in(0)));
  for (const std::int64_t d : out[0].dims)
    if (d < 0) return invalid("Expected a non-negative size, got {}", d);
  if (!is_quick && !is_flat(w)) return non_spatial();
  if (out[0].rank() != w.rank) return refused_by_onednn("Compute", "mkl_avgpooling_op.cc:382");
  Shape pooled;
  return c.shape(1).elements() == 0 ? Status() : set_pooled(w, out[0], pooled);
}

// Where the two do not fit each other, there is a shape only.
Status mean_grad(const Window& w, KernelContext& c) {
  Shape pooled;
  const Shape& in = out(c).shape();
  const bool fits = is_flat(w) && set_pooled(w, in, pooled).ok() && c.shape(1) == pooled;
  return fits ? pool_mean_back(w, c) : c.give(0, make_shape_only(out(c).dtype(), in));
}

constexpr KernelRow kWindowRows[] = {
    {"Conv2D", make_windowed<convolved_shape<false>, convolve_seen<false>>, refuse_convolution},
    {"Conv2DBackpropFilter", make_windowed<convolved_back_shape<1>, gradient_by<1, false>>, refuse_convolution},
    {"Conv2DBackpropFilterV2", kLike<1>},
    {"Conv2DBackpropInput", make_windowed<convolved_back_shape<0>, gradient_by<0, false>>, refuse_convolution},
    {"Conv2DBackpropInputV2", kLike<0>},
    {"Conv3D", make_windowed<convolved_shape<false>, convolve_seen<false>>, refuse_convolution_of_volumes},
    {"Conv3DBackpropFilter", kLike<1>},
    {"Conv3DBackpropFilterV2", kConvolvedBack<1, false>},
    {"Conv3DBackpropInput", kLike<0>},
    {"Conv3DBackpropInputV2", kConvolvedBack<0, false>},
    {"DepthwiseConv2dNative", make_windowed<convolved_shape<true>, convolve_seen<true>>, refuse_convolution},
    {"DepthwiseConv2dNativeBackpropFilter", make_depthwise_back<1>, refuse_convolution},
    {"DepthwiseConv2dNativeBackpropInput", make_depthwise_back<0>, refuse_convolution},
    {"AvgPool", make_windowed<pool_shape<false>, pool_mean>, refuse_pool},
    {"AvgPoolGrad", make_windowed<mean_grad_shape, mean_grad>, refuse_pool},
    {"AvgPool3D", make_windowed<pool_shape<false>, pool_mean>, refuse_pool},
    {"AvgPool3DGrad", make_windowed<mean_grad_shape, mean_grad>, refuse_pool},
    {"MaxPool", make_windowed<pool_shape<true>, pool_largest>, refuse_pool},
    {"MaxPoolV2", make_windowed<pool_by_inputs_shape, pool_by_inputs>},
    {"MaxPool3D", make_windowed<pool_shape<true>, pool_largest>, refuse_pool},
    {"MaxPoolGrad", make_windowed<max_pool_grad_shape, pool_largest_back>, refuse_pool},
    {"MaxPoolGradV2", kLike<0>},
    {"MaxPool3DGrad", make_windowed<max_pool_grad_shape, pool_largest_back>, refuse_pool},
    {"MaxPoolGradGrad", kLike<1>},
    {"MaxPoolGradGradV2", kLike<1>},
    {"MaxPool3DGradGrad", kLike<1>},
    {"MaxPoolWithArgmax", make_pool_with_places},
    {"MaxPoolGradWithArgmax", make_back_to_places, refuse_pool},
    {"MaxPoolGradGradWithArgmax", kLike<2>},
    {"Dilation2D", make_dilation, refuse_dilation},
    {"Dilation2DBackpropFilter", make_dilation_back<1>, refuse_dilation},
    {"Dilation2DBackpropInput", make_dilation_back<0>, refuse_dilation},
    {"ExtractImagePatches", make_patches, refuse_patches},
};

}  // namespace

KernelFamily window_ops() { return kWindowRows; }

}  // namespace tarry
