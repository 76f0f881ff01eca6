// Normalisation of channels over a batch, and of neighbouring channels, with gradients.
//
// What they refuse, and in which order, was recorded of 2.15.1 on CPU.

#include <algorithm>
#include <cmath>
#include <limits>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/every_number.hpp"

namespace tarry {
namespace {

constexpr std::size_t kOutputsOfV3 = 6;  // which takes volumes too; its gradient does not

struct Normalised {
  bool channels_first = false, is_training = true, is_volume = false;
  float epsilon = 1e-4F, factor = 1;  // factor: how much of the new mean and variance the running ones take
  [[nodiscard]] std::int64_t channels(const Shape& s) const { return channels_first ? s.dims[1] : s.dims.back(); }
};

Normalised normalised_by(const KernelSetup& s) {
  const auto format = attr_or(s.attrs, "data_format", std::string("NHWC"));
  return {format == "NCHW" || format == "NCDHW", attr_or(s.attrs, "is_training", true), format.size() == 5,
          attr_or(s.attrs, "epsilon", 1e-4F), attr_or(s.attrs, "exponential_avg_factor", 1.0F)};
}

// oneDNN has other types than half, and images only.
Status check_image(const KernelContext& c, std::size_t input, bool is_volume = false) {
  const Shape& x = c.shape(input);
  if (x.rank() == 4 || (x.rank() == 5 && is_volume && c.outputs.size() == kOutputsOfV3)) return {};
  const bool takes_volumes = c.in(input).dtype() == DataType::kHalf && c.outputs.size() == kOutputsOfV3;
  return invalid("input must be {}{}", takes_volumes ? "4 or 5-dimensional" : "4-dimensional", to_string(x));
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
  TARRY_RETURN_IF_ERROR(check_image(c, 0, n.is_volume));
  TARRY_RETURN_IF_ERROR(check_vectors(c, 1, kVectors));
  TARRY_RETURN_IF_ERROR(check_channels(n, c, 1, "scale"));
  TARRY_RETURN_IF_ERROR(check_channels(n, c, 2, "offset"));
  if (!n.is_training) {
    TARRY_RETURN_IF_ERROR(check_channels(n, c, 3, "When is_training=false, mean"));
    TARRY_RETURN_IF_ERROR(check_channels(n, c, 4, "When is_training=false, variance"));
  }
  if (n.is_training && n.factor != 1) {
    TARRY_RETURN_IF_ERROR(check_channels(n, c, 3, "When exponential_avg_factor != 1, mean"));
    TARRY_RETURN_IF_ERROR(check_channels(n, c, 4, "When exponential_avg_factor != 1, variance"));
  }
  out[0] = c.shape(0);
  for (std::size_t i = 1; i < out.size(); ++i) out[i] = i < 5 ? c.shape(1) : Shape({0});
  return {};
}

// FusedBatchNormGrad (y's gradient, x, scale, mean, variance): x's gradient, scale's, offset's, and two without a
// meaning: zeros of oneDNN's, which are empty where TensorFlow's own kernel serves, as for half.
Status batch_norm_grad_shape(const Normalised& n, const KernelContext& c, std::span<Shape> out) {
  static constexpr const char* kVectors[] = {"scale", "saved mean", "saved variance"};
  TARRY_RETURN_IF_ERROR(check_image(c, 0));
  TARRY_RETURN_IF_ERROR(check_image(c, 1));
  TARRY_RETURN_IF_ERROR(check_vectors(c, 2, kVectors));
  if (c.shape(0) != c.shape(1))
    return invalid("x and y_backprop must have same shape, but x has shape {} and y_backprop has shape {}",
                   to_string(c.shape(1)), to_string(c.shape(0)));
  TARRY_RETURN_IF_ERROR(check_channels(n, c, 2, "scale"));
  TARRY_RETURN_IF_ERROR(check_channels(n, c, 3, "reserve_space_1"));
  TARRY_RETURN_IF_ERROR(check_channels(n, c, 4, "reserve_space_2"));
  const Shape unused = c.in(0).dtype() == DataType::kHalf ? Shape({0}) : Shape();
  out[0] = c.shape(0);
  for (std::size_t i = 1; i < out.size(); ++i) out[i] = i < 3 ? c.shape(2) : unused;
  return {};
}

// Calls `f(index, channel)` for each element.
template <class F>
void for_each_element(const Normalised& n, const Shape& s, F f) {
  const std::int64_t channels = n.channels(s), inner = n.channels_first ? product(s, 2, s.dims.size()) : 1;
  for (std::int64_t i = 0; i < s.elements(); ++i)
    f(static_cast<std::size_t>(i), static_cast<std::size_t>(i / inner % channels));
}

struct Moments {
  std::vector<float> mean, variance;  // by channel
};

// Squares and sums that have no room in a float are infinite.
Moments moments_of(const Normalised& n, const KernelContext& c) {
  const auto channels = static_cast<std::size_t>(n.channels(c.shape(0)));
  std::vector<double> mean(channels), variance(channels);
  const auto x = c.data<float>(0);
  const std::size_t rows = x.size() / std::max<std::size_t>(1, channels);
  const auto count = static_cast<double>(rows);
  for_each_element(n, c.shape(0), [&](std::size_t i, std::size_t ch) { mean[ch] += x[i]; });
  for (double& m : mean) m = static_cast<float>(m) / count;
  for_each_element(n, c.shape(0), [&](std::size_t i, std::size_t ch) {
    const auto away = static_cast<float>(x[i] - mean[ch]);
    variance[ch] += away * away;
  });
  for (double& v : variance) v = static_cast<float>(v) / std::max(1.0, count);
  return {{mean.begin(), mean.end()}, {variance.begin(), variance.end()}};
}

// The mean and variance go on as running ones, the variance as that of a sample; and as they are, for the gradient.
void give_moments(const Normalised& n, const Moments& m, KernelContext& c) {
  const std::size_t count = c.data<float>(0).size() / std::max<std::size_t>(1, m.mean.size());
  const float sample = static_cast<float>(count) / static_cast<float>(std::max<std::size_t>(1, count - 1));
  for (std::size_t ch = 0; ch < m.mean.size(); ++ch) {
    const auto running = [&](float now, std::size_t input) {
      return n.factor == 1 || !n.is_training ? now : (1 - n.factor) * c.data<float>(input)[ch] + n.factor * now;
    };
    c.out<float>(1)[ch] = running(m.mean[ch], 3);
    c.out<float>(2)[ch] = running(m.variance[ch] * (n.is_training ? sample : 1), 4);
    c.out<float>(3)[ch] = m.mean[ch];
    c.out<float>(4)[ch] = m.variance[ch];
  }
}

Status batch_norm(const Normalised& n, KernelContext& c) {
  const auto vector = [&](std::size_t i) {
    return std::vector<float>(c.data<float>(i).begin(), c.data<float>(i).end());
  };
  const Moments m = n.is_training ? moments_of(n, c) : Moments{vector(3), vector(4)};
  for_each_element(n, c.shape(0), [&](std::size_t i, std::size_t ch) {
    const float scale = c.data<float>(1)[ch] / std::sqrt(m.variance[ch] + n.epsilon);
    c.out<float>(0)[i] = (c.data<float>(0)[i] - m.mean[ch]) * scale + c.data<float>(2)[ch];
  });
  give_moments(n, m, c);
  if (!c.data<float>(0).empty()) return {};
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();  // of no elements
  for (std::size_t i = 1; i < 5; ++i) std::ranges::fill(c.out<float>(i), i < 3 ? kNone : 0.0F);
  return {};
}

Behaviour make_batch_norm(const KernelSetup& s) {
  return {[n = normalised_by(s)](KernelContext& c) { return batch_norm(n, c); },
          [n = normalised_by(s)](const KernelContext& c, std::span<Shape> out) { return batch_norm_shape(n, c, out); }};
}

// By channel, of a gradient: the sum of y's gradient, and of its products with x less the mean.
struct GradientSums {
  std::vector<double> plain, centered;
};

GradientSums sums_of_gradient(const Normalised& n, const KernelContext& c) {
  const auto channels = static_cast<std::size_t>(n.channels(c.shape(1)));
  GradientSums sums{std::vector<double>(channels), std::vector<double>(channels)};
  const auto gradient = c.data<float>(0), x = c.data<float>(1), mean = c.data<float>(3);
  for_each_element(n, c.shape(1), [&](std::size_t i, std::size_t ch) {
    sums.plain[ch] += gradient[i];
    sums.centered[ch] += gradient[i] * (x[i] - mean[ch]);
  });
  return sums;
}

// Where the batch itself gave the mean and the variance, x's gradient goes through them, too.
Status batch_norm_grad(const Normalised& n, KernelContext& c) {
  const GradientSums sums = sums_of_gradient(n, c);
  const auto gradient = c.data<float>(0), x = c.data<float>(1), scale = c.data<float>(2), mean = c.data<float>(3),
             variance = c.data<float>(4);
  const std::size_t by_channel = x.size() / std::max<std::size_t>(1, sums.plain.size());
  const auto rows = static_cast<double>(by_channel);
  for_each_element(n, c.shape(1), [&](std::size_t i, std::size_t ch) {
    const float spread = variance[ch] + n.epsilon;
    const auto through =
        static_cast<float>(sums.plain[ch] / rows + (x[i] - mean[ch]) * (sums.centered[ch] / rows) / spread);
    c.out<float>(0)[i] = scale[ch] / std::sqrt(spread) * (gradient[i] - (n.is_training ? through : 0));
  });
  for (std::size_t ch = 0; ch < sums.plain.size(); ++ch) {
    c.out<float>(1)[ch] = static_cast<float>(sums.centered[ch] / std::sqrt(variance[ch] + n.epsilon));
    c.out<float>(2)[ch] = static_cast<float>(sums.plain[ch]);
  }
  for (std::size_t i = 3; i < c.outputs.size(); ++i) std::ranges::fill(c.out<float>(i), 0.0F);
  return {};
}

Behaviour make_batch_norm_grad(const KernelSetup& s) {
  return {[n = normalised_by(s)](KernelContext& c) { return batch_norm_grad(n, c); },
          [n = normalised_by(s)](const KernelContext& c, std::span<Shape> out) {
            return batch_norm_grad_shape(n, c, out);
          }};
}

Status response_norm_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(0).rank() != 4) return invalid("in must be 4-dimensional");
  return same_shape(c, out);
}

constexpr std::int64_t kFarthest = std::int64_t{1} << 40;  // no row is longer

struct ResponseNorm {
  bool is_half;
  std::int64_t radius;
  float bias, alpha, beta;

  explicit ResponseNorm(const KernelSetup& s)
      : is_half(attr_or(s.attrs, "T", DataType::kFloat) == DataType::kHalf),
        radius(std::clamp<std::int64_t>(attr_or(s.attrs, "depth_radius", std::int64_t{5}), 0, kFarthest)),
        bias(attr_or(s.attrs, "bias", 1.0F)),
        alpha(attr_or(s.attrs, "alpha", 1.0F)),
        beta(attr_or(s.attrs, "beta", 0.5F)) {}

  // The places of a row of the last dimension that belong to place `at` of it.
  [[nodiscard]] std::pair<std::size_t, std::size_t> around(std::size_t at, std::size_t depth) const {
    const auto here = static_cast<std::int64_t>(at);
    return {static_cast<std::size_t>(std::max<std::int64_t>(0, here - radius)),
            static_cast<std::size_t>(std::min(static_cast<std::int64_t>(depth), here + radius + 1))};
  }
  [[nodiscard]] float divisor(std::span<const float> row, std::size_t at) const {
    const auto [from, to] = around(at, row.size());
    float sum = 0;
    for (std::size_t k = from; k < to; ++k) sum += row[k] * row[k];
    return bias + alpha * sum;
  }
  // Squares of the whole row are added up, those of no neighbours with the factor 0, which infinite ones turn into NaN.
  [[nodiscard]] float product_divisor(std::span<const float> row, std::size_t at) const {
    const auto [from, to] = around(at, row.size());
    float sum = 0;
    for (std::size_t k = 0; k < row.size(); ++k) sum += square(row[k]) * (k >= from && k < to ? 1.0F : 0.0F);
    return bias + alpha * sum;
  }
  [[nodiscard]] float square(float x) const {
    return is_half ? static_cast<float>(Eigen::half(x) * Eigen::half(x)) : x * x;
  }
};

// Calls `f(first)` with where each row of the last dimension begins.
template <class F>
void for_each_row(const Shape& s, F f) {
  const auto depth = static_cast<std::size_t>(s.dims.back());
  for (std::size_t row = 0; std::cmp_less(row, s.elements()); row += depth) f(row, depth);
}

// LRN (input): each element is divided by a power of the squares of its neighbours in the last dimension.
Behaviour make_response_norm(const KernelSetup& s) {
  return {[norm = ResponseNorm(s)](KernelContext& c) -> Status {
            for_each_row(c.shape(0), [&](std::size_t first, std::size_t depth) {
              const auto row = c.data<float>(0).subspan(first, depth);
              for (std::size_t i = 0; i < depth; ++i)
                c.out<float>(0)[first + i] = row[i] * std::pow(norm.product_divisor(row, i), -norm.beta);
            });
            return {};
          },
          response_norm_shape};
}

// LRNGrad (gradient, input, output).
Status response_norm_grad_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(0).rank() != 4 || c.shape(1).rank() != 4) return invalid("inputs must be 4-dimensional");
  if (c.shape(0) != c.shape(1) || c.shape(0) != c.shape(2))
    return invalid("input_grads, input_image, and out_image should have the same shape");
  return same_shape(c, out);
}

Status response_norm_grad(const ResponseNorm& norm, KernelContext& c) {
  std::ranges::fill(c.out<float>(0), 0.0F);
  for_each_row(c.shape(1), [&](std::size_t first, std::size_t depth) {
    const auto row = c.data<float>(1).subspan(first, depth);
    const auto to = c.out<float>(0).subspan(first, depth);
    for (std::size_t j = 0; j < depth; ++j) {
      const float divisor = norm.divisor(row, j), gradient = c.data<float>(0)[first + j];
      const auto [from, end] = norm.around(j, depth);
      for (std::size_t k = from; k < end; ++k)
        to[k] += -2 * norm.alpha * norm.beta * row[k] * c.data<float>(2)[first + j] / divisor * gradient;
      to[j] += std::pow(divisor, -norm.beta) * gradient;
    }
  });
  return {};
}

Behaviour make_response_norm_grad(const KernelSetup& s) {
  return {[norm = ResponseNorm(s)](KernelContext& c) { return response_norm_grad(norm, c); }, response_norm_grad_shape};
}

constexpr KernelRow kNormRows[] = {
    {"FusedBatchNorm", make_batch_norm},
    {"FusedBatchNormV2", make_batch_norm},
    {"FusedBatchNormV3", make_batch_norm},
    {"FusedBatchNormGrad", make_batch_norm_grad},
    {"FusedBatchNormGradV2", make_batch_norm_grad},
    {"FusedBatchNormGradV3", make_batch_norm_grad},
    {"LRN", make_response_norm},
    {"LRNGrad", make_response_norm_grad},
};

}  // namespace

KernelFamily norm_ops() { return kNormRows; }

}  // namespace tarry
