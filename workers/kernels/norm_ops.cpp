// Normalisation of channels over a batch, and of neighbouring channels. They have shapes only.
//
// What they refuse, and in which order, was recorded of 2.15.1 on CPU.

#include "workers/kernels/dispatch.hpp"

namespace tarry {
namespace {

constexpr std::size_t kOutputsOfV3 = 6;  // which takes volumes too; its gradient does not

struct Normalised {
  bool channels_first = false, is_training = true;
  [[nodiscard]] std::int64_t channels(const Shape& s) const { return channels_first ? s.dims[1] : s.dims.back(); }
};

Normalised normalised_by(const KernelSetup& s) {
  const auto format = attr_or(s.attrs, "data_format", std::string("NHWC"));
  return {format == "NCHW" || format == "NCDHW", attr_or(s.attrs, "is_training", true)};
}

Status check_image(const KernelContext& c, std::size_t input) {
  const Shape& x = c.shape(input);
  if (x.rank() == 4 || (x.rank() == 5 && c.outputs.size() == kOutputsOfV3)) return {};
  return invalid("input must be 4-dimensional{}", to_string(x));
}

// Each named input, from `first` on, is a vector.
Status check_vectors(const KernelContext& c, std::size_t first, std::span<const char* const> names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (c.shape(first + i).rank() != 1)
      return invalid("{} must be 1-dimensional{}", names[i], to_string(c.shape(first + i)));
  return {};
}

Status check_channels(const Normalised& n, const KernelContext& c, std::size_t input, std::string_view of) {
  const std::int64_t channels = n.channels(c.shape(0));
  if (c.in(input).elements() == channels) return {};
  return invalid("{} must have the same number of elements as the channels of x, got {} and {}", of,
                 c.in(input).elements(), channels);
}

// FusedBatchNorm (x, scale, offset, mean, variance): y like x, four vectors of channels,
// and of V3 one that is empty on CPU.
Status batch_norm_shape(const Normalised& n, const KernelContext& c, std::span<Shape> out) {
  static constexpr const char* kVectors[] = {"scale", "offset", "estimated_mean", "estimated_variance"};
  TARRY_RETURN_IF_ERROR(check_image(c, 0));
  TARRY_RETURN_IF_ERROR(check_vectors(c, 1, kVectors));
  TARRY_RETURN_IF_ERROR(check_channels(n, c, 1, "scale"));
  TARRY_RETURN_IF_ERROR(check_channels(n, c, 2, "offset"));
  if (!n.is_training) {
    TARRY_RETURN_IF_ERROR(check_channels(n, c, 3, "When is_training=false, mean"));
    TARRY_RETURN_IF_ERROR(check_channels(n, c, 4, "When is_training=false, variance"));
  }
  out[0] = c.shape(0);
  for (std::size_t i = 1; i < out.size(); ++i) out[i] = i < 5 ? c.shape(1) : Shape({0});
  return {};
}

// FusedBatchNormGrad (y's gradient, x, scale, mean, variance): x's gradient, scale's, offset's, and two that are empty.
Status batch_norm_grad_shape(const KernelContext& c, std::span<Shape> out) {
  static constexpr const char* kVectors[] = {"scale", "saved mean", "saved variance"};
  TARRY_RETURN_IF_ERROR(check_image(c, 0));
  TARRY_RETURN_IF_ERROR(check_image(c, 1));
  TARRY_RETURN_IF_ERROR(check_vectors(c, 2, kVectors));
  if (c.shape(0) != c.shape(1))
    return invalid("x and y_backprop must have same shape, but x has shape {} and y_backprop has shape {}",
                   to_string(c.shape(1)), to_string(c.shape(0)));
  out[0] = c.shape(0);
  for (std::size_t i = 1; i < out.size(); ++i) out[i] = i < 3 ? c.shape(2) : Shape({0});
  return {};
}

Behaviour make_batch_norm(const KernelSetup& s) {
  return {{},
          [n = normalised_by(s)](const KernelContext& c, std::span<Shape> out) { return batch_norm_shape(n, c, out); }};
}

Status response_norm_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(0).rank() != 4) return invalid("in must be 4-dimensional");
  return same_shape(c, out);
}

// LRNGrad (gradient, input, output).
Status response_norm_grad_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(0).rank() != 4 || c.shape(1).rank() != 4) return invalid("inputs must be 4-dimensional");
  if (c.shape(0) != c.shape(1) || c.shape(0) != c.shape(2))
    return invalid("input_grads, input_image, and out_image should have the same shape");
  return same_shape(c, out);
}

constexpr KernelRow kNormRows[] = {
    {"FusedBatchNorm", make_batch_norm},
    {"FusedBatchNormV2", make_batch_norm},
    {"FusedBatchNormV3", make_batch_norm},
    {"FusedBatchNormGrad", behaves<nullptr, batch_norm_grad_shape>},
    {"FusedBatchNormGradV2", behaves<nullptr, batch_norm_grad_shape>},
    {"FusedBatchNormGradV3", behaves<nullptr, batch_norm_grad_shape>},
    {"LRN", behaves<nullptr, response_norm_shape>},
    {"LRNGrad", behaves<nullptr, response_norm_grad_shape>},
};

}  // namespace

KernelFamily norm_ops() { return kNormRows; }

}  // namespace tarry
