#include "workers/kernels/half_ops.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "workers/kernels/every_number.hpp"

namespace tarry {
namespace {

using Half = Eigen::half;

Half h(float x) { return Half(x); }
Half exp_of(Half x) { return h(std::exp(static_cast<float>(x))); }
Half log_of(Half x) { return h(std::log(static_cast<float>(x))); }
const Half kOne = h(1), kZero = h(0), kHalfOfOne = h(0.5F), kSelu = h(1.0507009873554804934193349852946F),
           kSeluBelow = h(1.7580993408473768599402175208123F);

template <class F>
Status each(KernelContext& c) {
  std::ranges::transform(c.data<Half>(0), c.out<Half>(0).begin(), F{});
  return {};
}
template <class F>
Status each_pair(KernelContext& c) {
  std::ranges::transform(c.data<Half>(0), c.data<Half>(1), c.out<Half>(0).begin(), F{});
  return {};
}
template <class F>
constexpr auto unary(F) {
  return each<F>;
}
template <class F>
constexpr auto binary(F) {
  return each_pair<F>;
}

// Eight elements at a time are computed by other steps than what is left over.
std::size_t elements_in_packets(std::size_t n) { return n / 8 * 8; }

template <class F>
Status each_packed(KernelContext& c) {
  const auto a = c.data<Half>(0), b = c.data<Half>(1);
  for (std::size_t i = 0; i < a.size(); ++i) c.out<Half>(0)[i] = F{}(a[i], b[i], i < elements_in_packets(a.size()));
  return {};
}
template <class F>
constexpr auto packed(F) {
  return each_packed<F>;
}

// A product of matrices: each product of two elements is rounded, and each sum.
ValueFunction make_half_product(const KernelSetup& s) {
  return [ta = attr_or(s.attrs, "transpose_a", false), tb = attr_or(s.attrs, "transpose_b", false)](KernelContext& c) {
    const Dims &da = c.shape(0).dims, &db = c.shape(1).dims;
    const std::int64_t inner = da[ta ? 0 : 1], rows = da[ta ? 1 : 0], columns = db[tb ? 0 : 1];
    const auto at = [](bool transposed, const Dims& d, std::int64_t row, std::int64_t column) {
      return static_cast<std::size_t>(transposed ? column * d[1] + row : row * d[1] + column);
    };
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      Half sum = kZero;
      for (std::int64_t k = 0; k < inner; ++k)
        sum = sum + c.data<Half>(0)[at(ta, da, i / columns, k)] * c.data<Half>(1)[at(tb, db, k, i % columns)];
      c.out<Half>(0)[static_cast<std::size_t>(i)] = sum;
    }
    return Status();
  };
}

Status rsqrt_half(KernelContext& c) {
  const auto in = c.data<Half>(0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const float root = std::sqrt(static_cast<float>(in[i]));
    c.out<Half>(0)[i] = i < elements_in_packets(in.size()) ? h(1 / root) : kOne / h(root);
  }
  return {};
}

Status squared_difference_half(KernelContext& c) {
  const Shape& to = c.outputs[0].tensor->shape();
  const auto of_a = broadcast_indices(c.shape(0), to), of_b = broadcast_indices(c.shape(1), to);
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    const Half difference = c.data<Half>(0)[of_a[i]] - c.data<Half>(1)[of_b[i]];
    c.out<Half>(0)[i] = difference * difference;
  }
  return {};
}

const Half kFar = h(std::log(0.0009765625F) + 2);  // of softplus: below it, the exponential is all there is

Half softplus_of(Half x) {
  if (x > -kFar) return x;
  return x < kFar ? exp_of(x) : h(std::log1p(static_cast<float>(exp_of(x))));
}

// Packets are added up element by element, then their eight sums as floats; then comes what is left over.
Half sum_of(std::span<const Half> values) {
  const std::size_t packed = elements_in_packets(values.size());
  std::array<Half, 8> lanes;
  lanes.fill(kZero);
  for (std::size_t i = 0; i < packed; ++i) lanes[i % 8] = i < 8 ? values[i] : lanes[i % 8] + values[i];
  float sum = 0;
  for (const Half x : lanes) sum += static_cast<float>(x);
  Half rest = kZero;
  for (std::size_t i = packed; i < values.size(); ++i) rest = rest + values[i];
  return h(sum) + rest;
}

// A row's differences to its largest, and their exponentials.
struct ShiftedRow {
  std::vector<Half> values, exponentials;
  Half sum = kZero;
};
ShiftedRow shifted(std::span<const Half> row) {
  ShiftedRow r;
  const Half most = *std::ranges::max_element(row);
  for (const Half x : row) {
    r.values.push_back(x - most);
    r.exponentials.push_back(exp_of(r.values.back()));
  }
  r.sum = sum_of(r.exponentials);
  return r;
}

template <bool log>
Status softmax_half(KernelContext& c) {
  const auto width = static_cast<std::size_t>(c.shape(0).dims.back());
  for (std::size_t at = 0; width > 0 && at < c.data<Half>(0).size(); at += width) {
    const ShiftedRow row = shifted(c.data<Half>(0).subspan(at, width));
    for (std::size_t i = 0; i < width; ++i)
      c.out<Half>(0)[at + i] = log ? row.values[i] - log_of(row.sum) : row.exponentials[i] * (kOne / row.sum);
  }
  return {};
}

// Outputs: each row's loss, and the gradient of the features.
Status cross_entropy_half(KernelContext& c) {
  const Shape& to = c.outputs[1].tensor->shape();
  const auto of_features = broadcast_indices(c.shape(0), to), of_labels = broadcast_indices(c.shape(1), to);
  const auto width = static_cast<std::size_t>(to.dims.back());
  for (std::size_t at = 0; width > 0 && at < of_features.size(); at += width) {
    std::vector<Half> features, parts;
    for (std::size_t i = at; i < at + width; ++i) features.push_back(c.data<Half>(0)[of_features[i]]);
    const ShiftedRow row = shifted(features);
    for (std::size_t i = 0; i < width; ++i) {
      const Half label = c.data<Half>(1)[of_labels[at + i]];
      parts.push_back(label * (log_of(row.sum) - row.values[i]));
      c.out<Half>(1)[at + i] = row.exponentials[i] / row.sum - label;
    }
    c.out<Half>(0)[at / width] = sum_of(parts);
  }
  return {};
}

struct HalfRow {
  std::string_view op;
  Status (*value)(KernelContext&);
};
constexpr HalfRow kHalfRows[] = {
    {"Sigmoid", unary([](Half x) {
       const Half e = exp_of(x);
       return std::isinf(static_cast<float>(e)) ? kOne : e / (kOne + e);
     })},
    {"Elu", unary([](Half x) { return x < kZero ? exp_of(x) - kOne : x; })},
    {"Selu", unary([](Half x) { return x < kZero ? kSeluBelow * (exp_of(x) - kOne) : kSelu * x; })},
    {"Softplus", unary([](Half x) { return softplus_of(x); })},
    {"Softsign", unary([](Half x) { return x / (kOne + (x < kZero ? -x : x)); })},
    {"SigmoidGrad",
     packed([](Half y, Half dy, bool in_packet) { return in_packet ? dy * (y * (kOne - y)) : dy * y * (kOne - y); })},
    {"SqrtGrad",
     packed([](Half y, Half dy, bool in_packet) { return in_packet ? dy * (kHalfOfOne / y) : dy * kHalfOfOne / y; })},
    {"RsqrtGrad", binary([](Half y, Half dy) { return -kHalfOfOne * (dy * y) * (y * y); })},
    {"SoftsignGrad", binary([](Half dy, Half x) {
       const Half whole = kOne + (x < kZero ? -x : x);
       return dy / (whole * whole);
     })},
    {"Rsqrt", rsqrt_half},
    {"SquaredDifference", squared_difference_half},
    {"TanhGrad", binary([](Half y, Half dy) { return dy * (kOne - y * y); })},
    {"ReciprocalGrad", binary([](Half y, Half dy) { return -dy * (y * y); })},
    {"InvGrad", binary([](Half y, Half dy) { return -dy * (y * y); })},
    {"EluGrad", binary([](Half dy, Half y) { return y < kZero ? (y + kOne) * dy : dy; })},
    {"SeluGrad", binary([](Half dy, Half y) { return y < kZero ? dy * (y + kSeluBelow) : dy * kSelu; })},
    {"SoftplusGrad", binary([](Half dy, Half x) { return dy / (exp_of(-x) + kOne); })},
    {"Softmax", softmax_half<false>},
    {"LogSoftmax", softmax_half<true>},
    {"SoftmaxCrossEntropyWithLogits", cross_entropy_half},
};

}  // namespace

ValueFunction half_function(const KernelSetup& s) {
  const auto is_half = [](DataType t) { return base_type(t) == DataType::kHalf; };
  if (!std::ranges::all_of(s.inputs, is_half) || !std::ranges::all_of(s.outputs, is_half)) return {};
  if (s.op == "MatMul") return make_half_product(s);
  const auto* const row = std::ranges::find(kHalfRows, s.op, &HalfRow::op);
  return row == std::end(kHalfRows) ? ValueFunction() : row->value;
}

}  // namespace tarry
