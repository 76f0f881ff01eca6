// Behaviours of elementwise ops, over one tensor or over two that broadcast. Each takes a captureless function object,
// of which only the type is used.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "workers/kernels/dispatch.hpp"

namespace tarry {

inline Status broadcast_shape(const KernelContext& c, std::span<Shape> out) {
  return broadcast(c.shape(0), c.shape(1), out[0]);
}

template <class In, class Out, class F>
void broadcast_values(const KernelContext& c, std::span<Out> out, F f) {
  const Shape& shape = c.outputs[0].tensor->shape();
  const auto a = broadcast_indices(c.shape(0), shape), b = broadcast_indices(c.shape(1), shape);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<Out>(f(c.data<In>(0)[a[i]], c.data<In>(1)[b[i]]));
}

template <class In, class Out, class F>
Status apply_binary(KernelContext& c, F f) {
  const auto a = c.data<In>(0), b = c.data<In>(1);
  const auto out = c.out<Out>(0);
  const auto fill = [&](auto value_of) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<Out>(value_of(i));
    return Status();
  };
  const bool whole_a = a.size() == out.size(), whole_b = b.size() == out.size();
  if (whole_a && whole_b) return fill([&](std::size_t i) { return f(a[i], b[i]); });
  if (whole_a && b.size() == 1) return fill([&](std::size_t i) { return f(a[i], b[0]); });
  if (whole_b && a.size() == 1) return fill([&](std::size_t i) { return f(a[0], b[i]); });
  return broadcast_values<In>(c, out, f), Status();
}

template <class In, class Out, class F>
Status apply_unary(KernelContext& c, F f) {
  std::ranges::transform(c.data<In>(0), c.out<Out>(0).begin(), [&](In x) { return static_cast<Out>(f(x)); });
  return {};
}

template <class F>
Status arithmetic_value(KernelContext& c) {
  return for_number(c.in(0).dtype(), [&]<class T>() { return apply_binary<T, T>(c, F{}); });
}
template <class F>
Status comparison_value(KernelContext& c) {
  return for_number_or_bool(c.in(0).dtype(), [&]<class T>() { return apply_binary<T, bool>(c, F{}); });
}
template <class F>
Status elementwise_value(KernelContext& c) {
  return for_number(c.in(0).dtype(), [&]<class T>() { return apply_unary<T, T>(c, F{}); });
}
template <class F>
Status predicate_value(KernelContext& c) {
  return for_number(c.in(0).dtype(), [&]<class T>() {
    return apply_unary<T, bool>(c, [](T x) { return F{}(static_cast<double>(x)); });
  });
}
template <class F>
Status real_value(KernelContext& c) {
  if (c.in(0).dtype() == DataType::kFloat) return apply_unary<float, float>(c, F{});
  if (c.in(0).dtype() == DataType::kDouble) return apply_unary<double, double>(c, F{});
  return error(Code::kUnimplemented, "tarry computes no values of type {} here", type_name(c.in(0).dtype()));
}

// For two tensors with the same number of elements, whatever their shapes; the result has the first one's shape.
inline Status flat_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.in(0).elements() != c.in(1).elements())
    return invalid("The two arguments to a cwise op must have same number of elements, got {} and {}",
                   c.in(0).elements(), c.in(1).elements());
  return same_shape(c, out);
}
template <class F>
constexpr MakeBehaviour flat_arithmetic(F) {
  return behaves<arithmetic_value<F>, flat_shape>;
}

// For inputs that must all have the same shape.
template <class F>
Behaviour make_strict(const KernelSetup& s) {
  return {arithmetic_value<F>, equal_shapes(s)};
}
template <class F>
constexpr MakeBehaviour strict_arithmetic(F) {
  return make_strict<F>;
}

// For two tensors that broadcast; the result has their type (arithmetic) or is bool (comparison).
template <class F>
constexpr MakeBehaviour arithmetic(F) {
  return behaves<arithmetic_value<F>, broadcast_shape>;
}
template <class F>
constexpr MakeBehaviour comparison(F) {
  return behaves<comparison_value<F>, broadcast_shape>;
}
// For each element of one tensor: of any number type, of float or double only, and a predicate of any number type.
template <class F>
constexpr MakeBehaviour elementwise(F) {
  return behaves<elementwise_value<F>, same_shape>;
}
template <class F>
constexpr MakeBehaviour real(F) {
  return behaves<real_value<F>, same_shape>;
}
template <class F>
constexpr MakeBehaviour predicate(F) {
  return behaves<predicate_value<F>, same_shape>;
}

// x / y and x % y. The least integer divided by -1 wraps, where the machine would trap (and TensorFlow's process would
// end).
template <class T>
T quotient(T x, T y) {
  if constexpr (std::is_integral_v<T>)
    if (y == static_cast<T>(-1)) return static_cast<T>(T{0} - x);
  return x / y;
}
template <class T>
T remainder(T x, T y) {
  if constexpr (std::is_integral_v<T>)
    return y == static_cast<T>(-1) ? T{0} : static_cast<T>(x % y);
  else
    return std::fmod(x, y);
}

// No divisor is looked at where nothing is computed.
template <class T>
bool has_zero_divisor(const KernelContext& c) {
  if (c.outputs[0].tensor->elements() == 0) return false;
  return std::is_integral_v<T> && std::ranges::find(c.data<T>(1), T{0}) != c.data<T>(1).end();
}

}  // namespace tarry
