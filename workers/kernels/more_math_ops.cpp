// Elementwise functions, their gradients, softmax and batched matrix products.

#include <algorithm>
#include <cmath>
#include <limits>

#include "workers/kernels/elements.hpp"
#include "workers/kernels/elementwise.hpp"
#include "workers/kernels/matrix.hpp"
#include "workers/kernels/narrow.hpp"
#include "workers/kernels/window.hpp"

namespace tarry {
namespace {

// Truncating division and remainder: TensorFlow's text for a zero divisor is the one of an op that should have none.
template <bool is_remainder, class T>
T truncated(T x, T y) {
  if (is_remainder) return remainder(x, y);
  if constexpr (std::is_integral_v<T>)
    return quotient(x, y);
  else
    return std::trunc(x / y);
}
template <bool is_remainder, class T>
Status truncate(KernelContext& c) {
  if (has_zero_divisor<T>(c))
    return error(Code::kInternal, "Unexpected error in binary operator (only integer div and mod should have errors)");
  return apply_binary<T, T>(c, truncated<is_remainder, T>);
}
template <bool is_remainder>
Status truncating(KernelContext& c) {
  return for_number(c.in(0).dtype(), [&]<class T>() { return truncate<is_remainder, T>(c); });
}

template <class T>
void softmax_row(std::span<const T> in, std::span<T> out, bool log) {
  const T most = *std::ranges::max_element(in);
  T sum{0};
  for (const T x : in) sum += std::exp(x - most);
  for (std::size_t i = 0; i < in.size(); ++i)
    out[i] = log ? in[i] - most - std::log(sum) : std::exp(in[i] - most) / sum;
}

// oneDNN's softmax of floats: what is no number, or infinite, makes all numbers of its row 0 and stays none.
bool is_without_sum(float x) { return std::isnan(x) || x == std::numeric_limits<float>::infinity(); }
void softmax_of_onednn(std::span<const float> in, std::span<float> out) {
  if (std::ranges::none_of(in, is_without_sum)) return softmax_row<float>(in, out, false);
  std::ranges::transform(in, out.begin(),
                         [](float x) { return is_without_sum(x) ? std::numeric_limits<float>::quiet_NaN() : 0.0F; });
}

template <class T>
void softmax_rows(KernelContext& c, bool log) {
  const auto width = static_cast<std::size_t>(c.shape(0).dims.back());
  for (std::size_t at = 0; width > 0 && at < c.data<T>(0).size(); at += width) {
    const auto in = c.data<T>(0).subspan(at, width);
    const auto to = c.out<T>(0).subspan(at, width);
    if constexpr (std::is_same_v<T, float>)
      if (!log) {
        softmax_of_onednn(in, to);
        continue;
      }
    softmax_row<T>(in, to, log);
  }
}

template <bool log>
Behaviour make_softmax(const KernelSetup&) {
  return {[](KernelContext& c) -> Status {
            if (c.in(0).dtype() == DataType::kFloat)
              softmax_rows<float>(c, log);
            else
              softmax_rows<double>(c, log);
            return {};
          },
          [](const KernelContext& c, std::span<Shape> out) -> Status {
            if (!log && is_of_onednn(c.in(0).dtype()) && c.shape(0).rank() > 5)
              return error(Code::kAborted, "Input dims must be <= 5 and >=1");
            if (c.shape(0).rank() < 1) return invalid("logits must have >= 1 dimension, got {}", to_string(c.shape(0)));
            return same_shape(c, out);
          }};
}

struct Transposed {
  bool a = false, b = false;
  std::string said = {};  // at the end of a refusal
};

// docs/rules/runtime.md#C.11.1: oneDNN multiplies floats, except for the op's third release.
Transposed transposed(const KernelSetup& s) {
  Transposed t{attr_or(s.attrs, "adj_x", false), attr_or(s.attrs, "adj_y", false)};
  if (s.inputs[0] == DataType::kFloat && s.op != "BatchMatMulV3") t.said = fmt::format(" {:d} {:d}", t.a, t.b);
  return t;
}

// The first release of the op broadcasts nothing.
Status equal_batches(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank())
    return invalid("In[0] and In[1] has different ndims: {} vs. {}", to_string(a), to_string(b));
  if (a.rank() < 2) return invalid("In[0] and In[1] ndims must be >= 2: {}", a.rank());
  for (std::size_t d = 0; d + 2 < a.dims.size(); ++d)
    if (a.dims[d] != b.dims[d])
      return invalid("In[0].dim({}) and In[1].dim({}) must be the same: {} vs {}", d, d, to_string(a), to_string(b));
  return {};
}

Status batch_shape(const KernelContext& c, std::span<Shape> out, const Transposed& t) {
  const Shape &a = c.shape(0), &b = c.shape(1);
  TARRY_RETURN_IF_ERROR(broadcast_batches(a, b, out[0]));
  const auto side = [](const Shape& s, bool last) { return s.dims[s.dims.size() - (last ? 1 : 2)]; };
  if (side(a, !t.a) != side(b, t.b))
    return invalid("Matrix size-incompatible: In[0]: {}, In[1]: {}{}", to_string(a), to_string(b), t.said);
  out[0].dims.push_back(side(a, t.a));
  out[0].dims.push_back(side(b, !t.b));
  return {};
}

template <class T>
void batch_multiply(KernelContext& c, const Transposed& t) {
  const auto matrix = [](const Shape& s, std::size_t back) { return s.dims[s.dims.size() - back]; };
  const Shape &a = c.shape(0), &b = c.shape(1), &y = out(c).shape();
  const auto batches = [](const Shape& s) { return Shape(Dims(s.dims.begin(), s.dims.end() - 2)); };
  const auto ia = broadcast_indices(batches(a), batches(y)), ib = broadcast_indices(batches(b), batches(y));
  const std::int64_t na = matrix(a, 2) * matrix(a, 1), nb = matrix(b, 2) * matrix(b, 1),
                     ny = matrix(y, 2) * matrix(y, 1);
  for (std::size_t i = 0; i < ia.size(); ++i) {
    const Eigen::Map<const Matrix<T>> ma(c.data<T>(0).data() + static_cast<std::int64_t>(ia[i]) * na, matrix(a, 2),
                                         matrix(a, 1));
    const Eigen::Map<const Matrix<T>> mb(c.data<T>(1).data() + static_cast<std::int64_t>(ib[i]) * nb, matrix(b, 2),
                                         matrix(b, 1));
    Eigen::Map<Matrix<T>> my(c.out<T>(0).data() + static_cast<std::int64_t>(i) * ny, matrix(y, 2), matrix(y, 1));
    my = (t.a ? Matrix<T>(ma.adjoint()) : Matrix<T>(ma)).lazyProduct(t.b ? Matrix<T>(mb.adjoint()) : Matrix<T>(mb));
  }
}

Behaviour make_batch_matmul(const KernelSetup& s) {
  const Transposed t = transposed(s);
  return {[t](KernelContext& c) {
            return for_number_or_complex(c.in(0).dtype(), [&]<class T>() { return batch_multiply<T>(c, t), Status(); });
          },
          [t, is_strict = s.op == "BatchMatMul"](const KernelContext& c, std::span<Shape> out) -> Status {
            if (is_strict) TARRY_RETURN_IF_ERROR(equal_batches(c.shape(0), c.shape(1)));
            return batch_shape(c, out, t);
          }};
}

// ClipByValue (t, least, most): each bound is a scalar or as large as t.
Status clip_shape(const KernelContext& c, std::span<Shape> out) {
  for (std::size_t i = 1; i <= 2; ++i)
    if (c.shape(i).rank() != 0 && c.shape(i) != c.shape(0))
      return invalid(
          "clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. input shape: "
          "{}clip_value_min shape: {}clip_value_max shape: {}",
          to_string(c.shape(0)), to_string(c.shape(1)), to_string(c.shape(2)));
  return same_shape(c, out);
}

Status clip(KernelContext& c) {
  return for_number(c.in(0).dtype(), [&]<class T>() {
    const auto bound = [&](std::size_t input, std::size_t i) {
      return c.data<T>(input)[c.shape(input).rank() == 0 ? 0 : i];
    };
    for (std::size_t i = 0; i < c.out<T>(0).size(); ++i)
      c.out<T>(0)[i] = std::max(std::min(c.data<T>(0)[i], bound(2, i)), bound(1, i));
    return Status();
  });
}

Behaviour make_sign(const KernelSetup&) {
  return {[](KernelContext& c) {
            return for_number(c.in(0).dtype(), [&]<class T>() {
              std::ranges::transform(c.data<T>(0), c.out<T>(0).begin(), [](T x) {
                return x > T{0} ? T{1} : x < T{0} ? static_cast<T>(-1) : x == T{0} ? T{0} : x;
              });
              return Status();
            });
          },
          same_shape};
}

Status softplus(KernelContext& c) {
  const auto f = []<class T>(T x) {
    const T far = std::log(std::numeric_limits<T>::epsilon()) + T{2};
    return x > -far ? x : x < far ? std::exp(x) : std::log1p(std::exp(x));
  };
  if (c.in(0).dtype() == DataType::kFloat)
    std::ranges::transform(c.data<float>(0), c.out<float>(0).begin(), f);
  else
    std::ranges::transform(c.data<double>(0), c.out<double>(0).begin(), f);
  return {};
}

// CheckNumerics passes its input on when all of it is finite.
class CheckNumericsKernel : public Kernel {
 public:
  explicit CheckNumericsKernel(const KernelSetup& s) : message_(attr_or(s.attrs, "message", std::string())) {}
  Status compute(KernelContext& c) override {
    c.outputs[0] = c.inputs[0];
    if (!c.in(0).has_data()) return {};
    const TensorRef t = widened(c.inputs[0].tensor);
    if (t->dtype() == DataType::kFloat) return check<float>(*t);
    return t->dtype() == DataType::kDouble ? check<double>(*t) : Status();
  }

 private:
  template <class T>
  Status check(const TensorBody& t) const {
    const bool inf = std::ranges::any_of(t.as<T>(), [](T x) { return std::isinf(x); }),
               nan = std::ranges::any_of(t.as<T>(), [](T x) { return std::isnan(x); });
    if (!inf && !nan) return {};
    return invalid("{} : Tensor had {} values", message_, inf && nan ? "Inf and NaN" : inf ? "Inf" : "NaN");
  }
  std::string message_;
};

// Of the activation that normalises itself.
constexpr double kSeluScale = 1.0507009873554804934193349852946, kSeluScaleAlpha = 1.7580993408473768599402175208123;

constexpr KernelRow kMoreMathRows[] = {
    {"Log1p", real([](auto x) { return std::log1p(x); })},
    {"Expm1", real([](auto x) { return std::expm1(x); })},
    {"Sin", real([](auto x) { return std::sin(x); })},
    {"Cos", real([](auto x) { return std::cos(x); })},
    {"Tan", real([](auto x) { return std::tan(x); })},
    {"Ceil", real([](auto x) { return std::ceil(x); })},
    {"Rint", real([](auto x) { return std::nearbyint(x); })},
    {"Round", elementwise([]<class T>(T x) { return std::is_integral_v<T> ? x : static_cast<T>(std::nearbyint(x)); })},
    {"Reciprocal", real([](auto x) { return decltype(x){1} / x; })},
    {"Inv", real([](auto x) { return decltype(x){1} / x; })},
    {"Erf", real([](auto x) { return std::erf(x); })},
    {"Relu6", elementwise([]<class T>(T x) { return std::clamp(x, T{0}, T{6}); })},
    {"Elu", real([](auto x) { return x < 0 ? std::expm1(x) : x; })},
    {"Softsign", real([](auto x) { return x / (decltype(x){1} + std::abs(x)); })},
    {"IsNan", predicate([](double x) { return std::isnan(x); })},
    {"IsInf", predicate([](double x) { return std::isinf(x); })},
    {"IsFinite", predicate([](double x) { return std::isfinite(x); })},
    {"Sign", make_sign},
    {"Softplus", behaves<softplus, same_shape>},
    // The first input is what the forward op gave (or took, for Softplus), the second the gradient; Relu6 and Softplus
    // have them the other way round.
    {"TanhGrad", flat_arithmetic([]<class T>(T y, T dy) { return dy * (T{1} - y * y); })},
    {"SigmoidGrad", flat_arithmetic([]<class T>(T y, T dy) { return dy * y * (T{1} - y); })},
    {"SqrtGrad", flat_arithmetic([]<class T>(T y, T dy) {
       return dy == T{0} ? T{0} : static_cast<T>(dy * static_cast<T>(0.5) / y);
     })},
    {"RsqrtGrad", flat_arithmetic([]<class T>(T y, T dy) {
       return dy == T{0} ? T{0} : static_cast<T>(static_cast<T>(-0.5) * dy * y * y * y);
     })},
    {"ReciprocalGrad", flat_arithmetic([]<class T>(T y, T dy) { return -dy * y * y; })},
    {"InvGrad", flat_arithmetic([]<class T>(T y, T dy) { return -dy * y * y; })},
    {"SoftplusGrad", strict_arithmetic([]<class T>(T dy, T x) { return dy / (static_cast<T>(std::exp(-x)) + T{1}); })},
    {"Relu6Grad",
     strict_arithmetic([]<class T>(T dy, T x) { return static_cast<T>(dy * static_cast<T>(x > T{0} && x < T{6})); })},
    {"EluGrad", strict_arithmetic([]<class T>(T dy, T y) { return y < T{0} ? (y + T{1}) * dy : dy; })},
    {"Selu", real([]<class T>(T x) {
       return x < T{0} ? static_cast<T>(kSeluScaleAlpha) * std::expm1(x) : static_cast<T>(kSeluScale) * x;
     })},
    {"SeluGrad", strict_arithmetic([]<class T>(T dy, T y) {
       const auto scale = static_cast<T>(kSeluScale), alpha = static_cast<T>(kSeluScaleAlpha);
       return y < T{0} ? dy * (y + alpha) : dy * scale;
     })},
    {"SoftsignGrad", strict_arithmetic([]<class T>(T dy, T x) {
       const T d = T{1} + (x < T{0} ? -x : x);
       return dy / (d * d);
     })},
    {"DivNoNan", arithmetic([]<class T>(T x, T y) { return y == T{0} ? T{0} : x / y; })},
    {"MulNoNan", arithmetic([]<class T>(T x, T y) { return y == T{0} ? T{0} : x * y; })},
    {"Xdivy", arithmetic([]<class T>(T x, T y) { return x == T{0} ? T{0} : x / y; })},
    {"Xlogy", arithmetic([]<class T>(T x, T y) { return x == T{0} ? T{0} : static_cast<T>(x * std::log(y)); })},
    {"Atan2", arithmetic([]<class T>(T x, T y) { return static_cast<T>(std::atan2(x, y)); })},
    {"TruncateDiv", behaves<truncating<false>, broadcast_shape>},
    {"TruncateMod", behaves<truncating<true>, broadcast_shape>},
    {"Softmax", make_softmax<false>},
    {"LogSoftmax", make_softmax<true>},
    {"BatchMatMul", make_batch_matmul},
    {"BatchMatMulV2", make_batch_matmul},
    {"BatchMatMulV3", make_batch_matmul},
    {"ClipByValue", behaves<clip, clip_shape>},
    {"CheckNumerics", make_from_setup<CheckNumericsKernel>},
};

}  // namespace

KernelFamily more_math_ops() { return kMoreMathRows; }

}  // namespace tarry
