// Special functions, and those of angles. Eigen computes them, as in TensorFlow.

#include <limits>
#include <unsupported/Eigen/SpecialFunctions>

#include "workers/kernels/elementwise.hpp"

namespace tarry {
namespace {

namespace num = Eigen::numext;

template <class T>
T normal_quantile(T x) {
  return x < T{0} || x > T{1} ? std::numeric_limits<T>::quiet_NaN() : num::ndtri(x);
}

template <class F>
constexpr MakeBehaviour of_one(F) {
  return behaves<real_value<F>, same_shape>;
}

template <class F>
Status real_pair(KernelContext& c) {
  if (c.in(0).dtype() == DataType::kFloat) return apply_binary<float, float>(c, F{});
  if (c.in(0).dtype() == DataType::kDouble) return apply_binary<double, double>(c, F{});
  return error(Code::kUnimplemented, "tarry computes no values of type {} here", type_name(c.in(0).dtype()));
}
template <class F>
constexpr MakeBehaviour of_two(F) {
  return behaves<real_pair<F>, broadcast_shape>;
}

// Betainc (a, b, x): tensors of one shape, or scalars.
Status incomplete_beta_shape(const KernelContext& c, std::span<Shape> out) {
  constexpr const char* kNames[] = {"a", "b", "x"};
  std::size_t first = 3;
  for (std::size_t i = 0; i < 3; ++i) {
    if (c.shape(i).rank() == 0) continue;
    if (first == 3) first = i;
    if (c.shape(i) != c.shape(first))
      return invalid("Shapes of {} and {} are inconsistent: {} vs. {}", kNames[first], kNames[i],
                     to_string(c.shape(first)), to_string(c.shape(i)));
  }
  return only(out, first == 3 ? Shape() : c.shape(first));
}
template <class T>
Status incomplete_beta(KernelContext& c) {
  const auto at = [&](std::size_t input, std::size_t i) {
    return c.data<T>(input)[c.shape(input).rank() == 0 ? 0 : i];
  };
  const auto out = c.out<T>(0);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = num::betainc(at(0, i), at(1, i), at(2, i));
  return {};
}
Behaviour make_incomplete_beta(const KernelSetup& s) {
  if (s.outputs[0] == DataType::kDouble) return {incomplete_beta<double>, incomplete_beta_shape};
  return {incomplete_beta<float>, incomplete_beta_shape};
}

constexpr KernelRow kSpecialRows[] = {
    {"Acos", of_one([](auto x) { return std::acos(x); })},
    {"Acosh", of_one([](auto x) { return std::acosh(x); })},
    {"Asin", of_one([](auto x) { return std::asin(x); })},
    {"Asinh", of_one([](auto x) { return std::asinh(x); })},
    {"Atan", of_one([](auto x) { return std::atan(x); })},
    {"Atanh", of_one([](auto x) { return std::atanh(x); })},
    {"Cosh", of_one([](auto x) { return std::cosh(x); })},
    {"Sinh", of_one([](auto x) { return std::sinh(x); })},
    {"Erfc", of_one([](auto x) { return num::erfc(x); })},
    {"Lgamma", of_one([](auto x) { return num::lgamma(x); })},
    {"Digamma", of_one([](auto x) { return num::digamma(x); })},
    {"Ndtri", of_one([](auto x) { return normal_quantile(x); })},
    {"Erfinv", of_one([]<class T>(T x) {
       return normal_quantile(x * static_cast<T>(0.5) + static_cast<T>(0.5)) * static_cast<T>(M_SQRT1_2);
     })},
    {"Xlog1py", of_two([]<class T>(T x, T y) { return x == T{0} ? T{0} : static_cast<T>(x * std::log1p(y)); })},
    {"Igamma", of_two([](auto a, auto x) { return num::igamma(a, x); })},
    {"Igammac", of_two([](auto a, auto x) { return num::igammac(a, x); })},
    {"RandomGammaGrad", of_two([](auto a, auto x) { return num::gamma_sample_der_alpha(a, x); })},
    {"Zeta", of_two([](auto x, auto q) { return num::zeta(x, q); })},
    {"Polygamma", of_two([](auto n, auto x) { return num::polygamma(n, x); })},
    {"BesselI0", of_one([](auto x) { return num::bessel_i0(x); })},
    {"BesselI1", of_one([](auto x) { return num::bessel_i1(x); })},
    {"BesselJ0", of_one([](auto x) { return num::bessel_j0(x); })},
    {"BesselJ1", of_one([](auto x) { return num::bessel_j1(x); })},
    {"BesselK0", of_one([](auto x) { return num::bessel_k0(x); })},
    {"BesselK0e", of_one([](auto x) { return num::bessel_k0e(x); })},
    {"BesselK1", of_one([](auto x) { return num::bessel_k1(x); })},
    {"BesselK1e", of_one([](auto x) { return num::bessel_k1e(x); })},
    {"BesselY0", of_one([](auto x) { return num::bessel_y0(x); })},
    {"BesselY1", of_one([](auto x) { return num::bessel_y1(x); })},
    {"Betainc", make_incomplete_beta},
};

}  // namespace

KernelFamily special_ops() { return kSpecialRows; }

}  // namespace tarry
