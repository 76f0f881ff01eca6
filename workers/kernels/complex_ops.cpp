#include "workers/kernels/complex_ops.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "workers/kernels/elementwise.hpp"

namespace tarry {
namespace {

template <class F>
Status for_complex(DataType t, F&& f) {
  if (base_type(t) == DataType::kComplex64) return f.template operator()<std::complex<float>>();
  if (base_type(t) == DataType::kComplex128) return f.template operator()<std::complex<double>>();
  return error(Code::kUnimplemented, "tarry computes no complex values of type {}", type_name(t));
}

template <class F>
Status each(KernelContext& c) {
  return for_complex(c.in(0).dtype(), [&]<class T>() { return apply_unary<T, T>(c, F{}); });
}
template <class F>
Status each_pair(KernelContext& c) {
  return for_complex(c.in(0).dtype(), [&]<class T>() { return apply_binary<T, T>(c, F{}); });
}
template <class F>
Status each_comparison(KernelContext& c) {
  return for_complex(c.in(0).dtype(), [&]<class T>() { return apply_binary<T, bool>(c, F{}); });
}
// To a real number.
template <class F>
Status each_part(KernelContext& c) {
  return for_complex(c.in(0).dtype(), [&]<class T>() { return apply_unary<T, typename T::value_type>(c, F{}); });
}

using Compute = Status (*)(KernelContext&);
template <class F>
constexpr Compute unary(F) {
  return each<F>;
}
template <class F>
constexpr Compute binary(F) {
  return each_pair<F>;
}
template <class F>
constexpr Compute comparison_of(F) {
  return each_comparison<F>;
}

// A complex number becomes its real part.
template <class From>
Status cast_complex(KernelContext& c) {
  const DataType to = c.outputs[0].tensor->dtype();
  if (is_complex(to))
    return for_complex(to, [&]<class To>() {
      return apply_unary<From, To>(c, [](From x) {
        using Part = typename To::value_type;
        return To(static_cast<Part>(x.real()), static_cast<Part>(x.imag()));
      });
    });
  return for_number_or_bool(
      to, [&]<class To>() { return apply_unary<From, To>(c, [](From x) { return static_cast<To>(x.real()); }); });
}
Status cast(KernelContext& c) {
  const DataType from = c.in(0).dtype();
  if (is_complex(from)) return for_complex(from, [&]<class From>() { return cast_complex<From>(c); });
  return for_number_or_bool(from, [&]<class From>() {
    return for_complex(c.outputs[0].tensor->dtype(), [&]<class To>() {
      return apply_unary<From, To>(c, [](From x) { return To(static_cast<typename To::value_type>(x)); });
    });
  });
}

constexpr auto kIsZero = []<class T>(T x) { return x == T{0}; };

struct Row {
  std::string_view op;
  Compute compute;
};
// Three of the gradients go through the conjugate of what the op gave, as seen in 2.15.1.
constexpr Row kRows[] = {
    {"Add", binary(std::plus())},
    {"AddV2", binary(std::plus())},
    {"Sub", binary(std::minus())},
    {"Mul", binary(std::multiplies())},
    {"Div", binary(std::divides())},
    {"RealDiv", binary(std::divides())},
    {"DivNoNan", binary([]<class T>(T x, T y) { return kIsZero(y) ? T{0} : x / y; })},
    {"MulNoNan", binary([]<class T>(T x, T y) { return kIsZero(y) ? T{0} : x * y; })},
    {"Xdivy", binary([]<class T>(T x, T y) { return kIsZero(x) ? T{0} : x / y; })},
    {"Xlogy", binary([]<class T>(T x, T y) { return kIsZero(x) ? T{0} : x * std::log(y); })},
    {"SquaredDifference", binary([](auto x, auto y) { return (x - y) * std::conj(x - y); })},
    {"Pow", binary([](auto x, auto y) { return std::pow(x, y); })},
    {"Equal", comparison_of([](auto x, auto y) { return x == y; })},
    {"NotEqual", comparison_of([](auto x, auto y) { return x != y; })},
    {"Neg", unary(std::negate())},
    {"Square", unary([](auto x) { return x * x; })},
    {"Sqrt", unary([](auto x) { return std::sqrt(x); })},
    {"Rsqrt", unary([]<class T>(T x) { return T{1} / std::sqrt(x); })},
    {"Reciprocal", unary([]<class T>(T x) { return T{1} / x; })},
    {"Inv", unary([]<class T>(T x) { return T{1} / x; })},
    {"Exp", unary([](auto x) { return std::exp(x); })},
    {"Expm1", unary([]<class T>(T x) { return std::exp(x) - T{1}; })},
    {"Log", unary([](auto x) { return std::log(x); })},
    {"Log1p", unary([]<class T>(T x) { return std::log(T{1} + x); })},
    {"Sin", unary([](auto x) { return std::sin(x); })},
    {"Cos", unary([](auto x) { return std::cos(x); })},
    {"Tan", unary([](auto x) { return std::tan(x); })},
    {"Sinh", unary([](auto x) { return std::sinh(x); })},
    {"Cosh", unary([](auto x) { return std::cosh(x); })},
    {"Tanh", unary([](auto x) { return std::tanh(x); })},
    {"Asin", unary([](auto x) { return std::asin(x); })},
    {"Acos", unary([](auto x) { return std::acos(x); })},
    {"Atan", unary([](auto x) { return std::atan(x); })},
    {"Asinh", unary([](auto x) { return std::asinh(x); })},
    {"Acosh", unary([](auto x) { return std::acosh(x); })},
    {"Atanh", unary([](auto x) { return std::atanh(x); })},
    {"Sigmoid", unary([]<class T>(T x) { return T{1} / (T{1} + std::exp(-x)); })},
    {"Sign", unary([]<class T>(T x) { return kIsZero(x) ? T{0} : x / std::abs(x); })},
    {"Conj", unary([](auto x) { return std::conj(x); })},
    {"TanhGrad", binary([]<class T>(T y, T dy) { return dy * (T{1} - y * y); })},
    {"SigmoidGrad", binary([]<class T>(T y, T dy) { return dy * y * (T{1} - y); })},
    {"ReciprocalGrad", binary([](auto y, auto dy) { return -dy * std::conj(y) * std::conj(y); })},
    {"InvGrad", binary([](auto y, auto dy) { return -dy * std::conj(y) * std::conj(y); })},
    {"SqrtGrad", binary([]<class T>(T y, T dy) { return static_cast<T>(0.5) * dy / std::conj(y); })},
    {"RsqrtGrad", binary([]<class T>(T y, T dy) {
       return static_cast<T>(-0.5) * (dy * std::conj(y)) * (std::conj(y) * std::conj(y));
     })},
    {"Cast", cast},
};

// ---- ops that complex numbers alone have ----

// Complex (real, imaginary), whose shapes broadcast.
Status make_complex(KernelContext& c) {
  const auto make = [&]<class T>() {
    const Shape& shape = c.outputs[0].tensor->shape();
    const auto a = broadcast_indices(c.shape(0), shape), b = broadcast_indices(c.shape(1), shape);
    const auto to = c.out<std::complex<T>>(0);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = {c.data<T>(0)[a[i]], c.data<T>(1)[b[i]]};
    return Status();
  };
  return c.in(0).dtype() == DataType::kFloat ? make.operator()<float>() : make.operator()<double>();
}

template <class F>
constexpr MakeBehaviour part(F) {
  return behaves<each_part<F>, same_shape>;
}

constexpr KernelRow kComplexRows[] = {
    {"Complex", behaves<make_complex, broadcast_shape>},      {"Real", part([](auto x) { return x.real(); })},
    {"Imag", part([](auto x) { return x.imag(); })},          {"Angle", part([](auto x) { return std::arg(x); })},
    {"ComplexAbs", part([](auto x) { return std::abs(x); })}, {"Conj", behaves<nullptr, same_shape>},
};

}  // namespace

ValueFunction complex_function(const KernelSetup& s) {
  const Row* row = std::ranges::find(kRows, s.op, &Row::op);
  const bool has_complex = std::ranges::any_of(s.inputs, is_complex) || std::ranges::any_of(s.outputs, is_complex);
  if (row == std::end(kRows) || !has_complex) return {};
  return row->compute;
}

KernelFamily complex_ops() { return kComplexRows; }

}  // namespace tarry
