// Neural-network ops of dense layers: biases, losses and activations with a slope.

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "workers/kernels/every_number.hpp"

namespace tarry {
namespace {

Status bias_add_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(0).rank() < 2) return invalid("Input tensor must be at least 2D: {}", to_string(c.shape(0)));
  if (c.shape(1).rank() != 1) return invalid("Biases must be 1D: {}", to_string(c.shape(1)));
  return same_shape(c, out);
}

// Channels are the last dimension (NHWC) or the second (NCHW).
struct Channels {
  std::size_t count = 0, inner = 0;
};
Channels channels_of(const Shape& s, bool channels_first) {
  const std::size_t at = channels_first ? 1 : s.dims.size() - 1;
  std::size_t inner = 1;
  for (std::size_t i = at + 1; i < s.dims.size(); ++i) inner *= static_cast<std::size_t>(s.dims[i]);
  return {static_cast<std::size_t>(s.dims[at]), inner};
}

bool is_channels_first(const KernelSetup& s) { return attr_or(s.attrs, "data_format", std::string("NHWC")) == "NCHW"; }

Behaviour make_bias_add(const KernelSetup& s) {
  const bool first = is_channels_first(s);
  return {[first](KernelContext& c) -> Status {
            const Channels ch = channels_of(c.shape(0), first);
            if (c.in(1).elements() != static_cast<std::int64_t>(ch.count))
              return invalid("Must provide as many biases as the last dimension of the input tensor: {} vs. {}",
                             to_string(c.shape(1)), to_string(c.shape(0)));
            return for_number(c.in(0).dtype(), [&]<class T>() {
              const auto in = c.data<T>(0), bias = c.data<T>(1);
              const auto out = c.out<T>(0);
              for (std::size_t i = 0; i < in.size(); ++i)
                out[i] = static_cast<T>(in[i] + bias[i / ch.inner % ch.count]);
              return Status();
            });
          },
          bias_add_shape};
}

Behaviour make_bias_add_grad(const KernelSetup& s) {
  const bool first = is_channels_first(s);
  return {[first](KernelContext& c) {
            const Channels ch = channels_of(c.shape(0), first);
            return for_number(c.in(0).dtype(), [&]<class T>() {
              const auto in = c.data<T>(0);
              std::vector<SumOf<T>> sums(c.out<T>(0).size(), SumOf<T>{});
              for (std::size_t i = 0; i < in.size(); ++i) sums[i / ch.inner % ch.count] += in[i];
              std::ranges::transform(sums, c.out<T>(0).begin(), [](SumOf<T> x) { return static_cast<T>(x); });
              return Status();
            });
          },
          [first](const KernelContext& c, std::span<Shape> out) -> Status {
            if (c.shape(0).rank() < 2) return invalid("Input tensor must be at least 2D: {}", to_string(c.shape(0)));
            return only(out, Shape({static_cast<std::int64_t>(channels_of(c.shape(0), first).count)}));
          }};
}

template <class T>
T probabilities(std::span<const T> logits, std::span<T> out) {
  const T largest = *std::ranges::max_element(logits);
  T sum{0};
  for (std::size_t i = 0; i < logits.size(); ++i) sum += out[i] = std::exp(logits[i] - largest);
  for (T& v : out) v /= sum;
  return sum;
}

Status check_labels(const Dims& labels, std::int64_t classes) {
  if (labels.empty()) return {};
  const auto [least, most] = std::ranges::minmax(labels);
  if (least >= 0 && most < classes) return {};
  return invalid("Received a label value of {} which is outside the valid range of [0, {}).  Label values: {}",
                 least < 0 ? least : most, classes, fmt::join(labels, " "));
}

// Loss and its gradient for every row, each with an integer label.
template <class T>
Status sparse_cross_entropy(KernelContext& c) {
  const auto classes = static_cast<std::size_t>(c.shape(0).dims[1]);
  const auto labels = integers_of(c.in(1));
  TARRY_RETURN_IF_ERROR(check_labels(labels, c.shape(0).dims[1]));
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const auto gradient = c.out<T>(1).subspan(row * classes, classes);
    const auto logits = c.data<T>(0).subspan(row * classes, classes);
    const T largest = *std::ranges::max_element(logits), sum = probabilities<T>(logits, gradient);
    const auto label = static_cast<std::size_t>(labels[row]);
    c.out<T>(0)[row] = std::log(sum) - (logits[label] - largest);
    gradient[label] -= T{1};
  }
  return {};
}

Status cross_entropy_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(0).rank() != 2) return invalid("logits must be 2-D, but got shape {}", to_string(c.shape(0)));
  if (c.shape(1).rank() != 1) return invalid("labels must be 1-D, but got shape {}", to_string(c.shape(1)));
  if (c.shape(1).dims[0] != c.shape(0).dims[0])
    return invalid("logits and labels must have the same first dimension, got logits shape {} and labels shape {}",
                   to_string(c.shape(0)), to_string(c.shape(1)));
  if (c.shape(0).dims[1] == 0)
    return invalid("Must have at least one class, but got logits shape {}", to_string(c.shape(0)));
  out[0] = Shape({c.shape(0).dims[0]});
  out[1] = c.shape(0);
  return {};
}

template <class T>
std::vector<T> spread(std::span<const T> values, const std::vector<std::size_t>& at) {
  std::vector<T> out(at.size());
  std::ranges::transform(at, out.begin(), [&](std::size_t i) { return values[i]; });
  return out;
}

// The same with a distribution over the classes as label.
template <class T>
Status cross_entropy(KernelContext& c) {
  const Shape& both = c.outputs[1].tensor->shape();
  const auto classes = static_cast<std::size_t>(both.dims[1]);
  if (classes == 0) return {};
  const std::vector<T> all_logits = spread<T>(c.data<T>(0), broadcast_indices(c.shape(0), both)),
                       all_labels = spread<T>(c.data<T>(1), broadcast_indices(c.shape(1), both));
  for (std::size_t row = 0; row < static_cast<std::size_t>(both.dims[0]); ++row) {
    const auto logits = std::span(all_logits).subspan(row * classes, classes),
               labels = std::span(all_labels).subspan(row * classes, classes);
    const auto gradient = c.out<T>(1).subspan(row * classes, classes);
    const T most = *std::ranges::max_element(logits);
    T sum = 0, loss = 0;
    for (const T x : logits) sum += std::exp(x - most);
    for (std::size_t i = 0; i < classes; ++i) {
      loss += labels[i] * (std::log(sum) - (logits[i] - most));
      gradient[i] = std::exp(logits[i] - most) / sum - labels[i];
    }
    c.out<T>(0)[row] = loss;
  }
  return {};
}

Status dense_cross_entropy_shape(const KernelContext& c, std::span<Shape> out) {
  if (!broadcast(c.shape(0), c.shape(1), out[1]).ok())
    return invalid("logits and labels must be broadcastable: logits_size={} labels_size={}", to_string(c.shape(0)),
                   to_string(c.shape(1)));
  if (out[1].rank() != 2)
    return invalid("logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional");
  out[0] = Shape({out[1].dims[0]});
  return {};
}

Behaviour make_cross_entropy(const KernelSetup& s) {
  if (s.outputs[0] == DataType::kDouble) return {cross_entropy<double>, dense_cross_entropy_shape};
  return {cross_entropy<float>, dense_cross_entropy_shape};
}

// LeakyRelu (features), LeakyReluGrad (gradients, features).
template <bool gradient>
Behaviour make_leaky_relu(const KernelSetup& s) {
  const float given = attr_or(s.attrs, "alpha", 0.2F);
  const bool is_half = attr_or(s.attrs, "T", DataType::kFloat) == DataType::kHalf;
  return {[alpha = is_half ? static_cast<float>(Eigen::half(given)) : given](KernelContext& c) {
            return for_number(c.in(0).dtype(), [&]<class T>() {
              const auto by = c.data<T>(gradient ? 1 : 0);
              for (std::size_t i = 0; i < by.size(); ++i)
                c.out<T>(0)[i] =
                    by[i] > T{0} ? c.data<T>(0)[i] : static_cast<T>(static_cast<T>(alpha) * c.data<T>(0)[i]);
              return Status();
            });
          },
          equal_shapes(s)};
}

Behaviour make_sparse_cross_entropy(const KernelSetup& s) {
  if (s.outputs[0] == DataType::kDouble) return {sparse_cross_entropy<double>, cross_entropy_shape};
  if (s.outputs[0] == DataType::kFloat) return {sparse_cross_entropy<float>, cross_entropy_shape};
  return {{}, cross_entropy_shape};
}

constexpr KernelRow kNnRows[] = {
    {"BiasAdd", make_bias_add},
    {"BiasAddGrad", make_bias_add_grad},
    {"SparseSoftmaxCrossEntropyWithLogits", make_sparse_cross_entropy},
    {"SoftmaxCrossEntropyWithLogits", make_cross_entropy},
    {"LeakyRelu", make_leaky_relu<false>},
    {"LeakyReluGrad", make_leaky_relu<true>},
};

}  // namespace

KernelFamily nn_ops() { return kNnRows; }

}  // namespace tarry
