#include "workers/kernels/half_ops.hpp"

#include <algorithm>
#include <cmath>

#include "workers/kernels/every_number.hpp"

namespace tarry {
namespace {

using Half = Eigen::half;

Half h(float x) { return Half(x); }
Half exp_of(Half x) { return h(std::exp(static_cast<float>(x))); }
Half log_of(Half x) { return h(std::log(static_cast<float>(x))); }
const Half kOne = h(1), kZero = h(0);

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

const Half kFar = h(std::log(0.0009765625F) + 2);  // of softplus: below it, the exponential is all there is

Half softplus_of(Half x) {
  if (x > -kFar) return x;
  return x < kFar ? exp_of(x) : h(std::log1p(static_cast<float>(exp_of(x))));
}

// A row's differences to its largest, and the sum of their exponentials.
struct ShiftedRow {
  std::vector<Half> values;
  Half sum = kZero;
};
ShiftedRow shifted(std::span<const Half> row) {
  ShiftedRow r;
  const Half most = *std::ranges::max_element(row);
  for (const Half x : row) {
    r.values.push_back(x - most);
    r.sum = r.sum + exp_of(r.values.back());
  }
  return r;
}

template <bool log>
Status softmax_half(KernelContext& c) {
  const auto width = static_cast<std::size_t>(c.shape(0).dims.back());
  for (std::size_t at = 0; width > 0 && at < c.data<Half>(0).size(); at += width) {
    const ShiftedRow row = shifted(c.data<Half>(0).subspan(at, width));
    for (std::size_t i = 0; i < width; ++i)
      c.out<Half>(0)[at + i] = log ? row.values[i] - log_of(row.sum) : exp_of(row.values[i]) / row.sum;
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
    {"Softplus", unary([](Half x) { return softplus_of(x); })},
    {"Softsign", unary([](Half x) { return x / (kOne + (x < kZero ? -x : x)); })},
    {"SigmoidGrad", binary([](Half y, Half dy) { return dy * y * (kOne - y); })},
    {"TanhGrad", binary([](Half y, Half dy) { return dy * (kOne - y * y); })},
    {"ReciprocalGrad", binary([](Half y, Half dy) { return -dy * y * y; })},
    {"InvGrad", binary([](Half y, Half dy) { return -dy * y * y; })},
    {"EluGrad", binary([](Half dy, Half y) { return y < kZero ? (y + kOne) * dy : dy; })},
    {"SeluGrad", binary([](Half dy, Half y) {
       return y < kZero ? dy * (y + h(1.7580993408473768599402175208123F)) : dy * h(1.0507009873554804934193349852946F);
     })},
    {"SoftplusGrad", binary([](Half dy, Half x) { return dy / (exp_of(-x) + kOne); })},
    {"Softmax", softmax_half<false>},
    {"LogSoftmax", softmax_half<true>},
};

}  // namespace

Status (*half_function(std::string_view op))(KernelContext&) {
  const auto* const row = std::ranges::find(kHalfRows, op, &HalfRow::op);
  return row == std::end(kHalfRows) ? nullptr : row->value;
}

}  // namespace tarry
