// Elementwise arithmetic with broadcasting, comparisons, logic, casts and matrix products.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "workers/kernels/dispatch.hpp"

namespace tarry {

Status broadcast(const Shape& a, const Shape& b, Shape& out) {
  const std::size_t rank = std::max(a.dims.size(), b.dims.size());
  out = Shape(std::vector<std::int64_t>(rank, 1));
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t x = i < a.dims.size() ? a.dims[a.dims.size() - 1 - i] : 1;
    const std::int64_t y = i < b.dims.size() ? b.dims[b.dims.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return invalid("Incompatible shapes: {} vs. {}", to_string(a), to_string(b));
    out.dims[rank - 1 - i] = x == 1 ? y : x;
  }
  return {};
}

std::vector<std::size_t> broadcast_indices(const Shape& in, const Shape& out) {
  std::vector<std::size_t> indices(static_cast<std::size_t>(out.elements()), 0);
  std::size_t stride = 1, repeat = 1;
  for (std::size_t i = 0; i < out.dims.size(); ++i) {
    const auto dim = static_cast<std::size_t>(out.dims[out.dims.size() - 1 - i]);
    const std::int64_t own = i < in.dims.size() ? in.dims[in.dims.size() - 1 - i] : 1;
    if (own != 1)
      for (std::size_t k = 0; k < indices.size(); ++k) indices[k] += k / repeat % dim * stride;
    repeat *= dim;
    stride *= static_cast<std::size_t>(own);
  }
  return indices;
}

namespace {

template <class In, class Out, class F>
void apply_binary(KernelContext& c, F f) {
  const auto a = c.data<In>(0), b = c.data<In>(1);
  const auto out = c.out<Out>(0);
  if (a.size() == b.size() && a.size() == out.size()) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<Out>(f(a[i], b[i]));
    return;
  }
  const Shape& shape = c.outputs[0].tensor->shape();
  const auto ia = broadcast_indices(c.shape(0), shape), ib = broadcast_indices(c.shape(1), shape);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<Out>(f(a[ia[i]], b[ib[i]]));
}

Status broadcast_shape(const KernelContext& c, std::span<Shape> out) { return broadcast(c.shape(0), c.shape(1), out[0]); }
Status same_shape(const KernelContext& c, std::span<Shape> out) {
  out[0] = c.shape(0);
  return {};
}

template <class F>
Behaviour arithmetic(F f) {
  return {[f](KernelContext& c) {
            return for_number(c.in(0).dtype(), [&]<class T>() {
              apply_binary<T, T>(c, f);
              return Status();
            });
          },
          broadcast_shape};
}

template <class F>
Behaviour comparison(F f) {
  return {[f](KernelContext& c) {
            return for_number_or_bool(c.in(0).dtype(), [&]<class T>() {
              apply_binary<T, bool>(c, f);
              return Status();
            });
          },
          broadcast_shape};
}

template <class F>
Behaviour elementwise(F f) {
  return {[f](KernelContext& c) {
            return for_number(c.in(0).dtype(), [&]<class T>() {
              std::ranges::transform(c.data<T>(0), c.out<T>(0).begin(), [&](T x) { return static_cast<T>(f(x)); });
              return Status();
            });
          },
          same_shape};
}

template <class T>
bool has_zero_divisor(const KernelContext& c) {
  return std::is_integral_v<T> && std::ranges::find(c.data<T>(1), T{0}) != c.data<T>(1).end();
}

// Division and remainder, rounding to -infinity ("floor") or towards zero; integers refuse a zero divisor.
template <class F>
Behaviour division(F f, const char* what) {
  return {[f, what](KernelContext& c) {
            return for_number(c.in(0).dtype(), [&]<class T>() -> Status {
              if (has_zero_divisor<T>(c)) return invalid("{}", what);
              apply_binary<T, T>(c, f);
              return {};
            });
          },
          broadcast_shape};
}

constexpr auto kFloorMod = []<class T>(T x, T y) -> T {
  if constexpr (std::is_integral_v<T>) {
    const T r = static_cast<T>(x % y);
    return r != 0 && (r < 0) != (y < 0) ? static_cast<T>(r + y) : r;
  } else {
    const T r = std::fmod(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
  }
};
constexpr auto kFloorDiv = []<class T>(T x, T y) -> T {
  if constexpr (std::is_integral_v<T>) {
    const T q = static_cast<T>(x / y);
    return x % y != 0 && (x < 0) != (y < 0) ? static_cast<T>(q - 1) : q;
  } else {
    return std::floor(x / y);
  }
};
constexpr auto kTruncateMod = []<class T>(T x, T y) -> T {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(x % y);
  else
    return std::fmod(x, y);
};

template <class From>
Status cast_from(KernelContext& c) {
  return for_number_or_bool(c.outputs[0].tensor->dtype(), [&]<class To>() {
    std::ranges::transform(c.data<From>(0), c.out<To>(0).begin(), [](From x) { return static_cast<To>(x); });
    return Status();
  });
}

Behaviour make_cast(const KernelSetup&) {
  return {[](KernelContext& c) { return for_number_or_bool(c.in(0).dtype(), [&]<class From>() { return cast_from<From>(c); }); }, same_shape};
}

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
void multiply(KernelContext& c, bool transpose_a, bool transpose_b) {
  const Eigen::Map<const Matrix<T>> a(c.data<T>(0).data(), c.shape(0).dims[0], c.shape(0).dims[1]);
  const Eigen::Map<const Matrix<T>> b(c.data<T>(1).data(), c.shape(1).dims[0], c.shape(1).dims[1]);
  const Shape& shape = c.outputs[0].tensor->shape();
  Eigen::Map<Matrix<T>> out(c.out<T>(0).data(), shape.dims[0], shape.dims[1]);
  const Matrix<T> x = transpose_a ? Matrix<T>(a.transpose()) : Matrix<T>(a);
  const Matrix<T> y = transpose_b ? Matrix<T>(b.transpose()) : Matrix<T>(b);
  out = x.lazyProduct(y);
}

Behaviour make_matmul(const KernelSetup& s) {
  const bool ta = attr_or(s.attrs, "transpose_a", false), tb = attr_or(s.attrs, "transpose_b", false);
  return {[ta, tb](KernelContext& c) {
            return for_number(c.in(0).dtype(), [&]<class T>() {
              multiply<T>(c, ta, tb);
              return Status();
            });
          },
          [ta, tb](const KernelContext& c, std::span<Shape> out) -> Status {
            const Shape &a = c.shape(0), &b = c.shape(1);
            if (a.rank() != 2) return invalid("In[0] and In[1] has different ndims: {} vs. {}", to_string(a), to_string(b));
            if (b.rank() != 2) return invalid("In[0] and In[1] has different ndims: {} vs. {}", to_string(a), to_string(b));
            if (a.dims[ta ? 0 : 1] != b.dims[tb ? 1 : 0]) return invalid("Matrix size-incompatible: In[0]: {}, In[1]: {}", to_string(a), to_string(b));
            out[0] = Shape({a.dims[ta ? 1 : 0], b.dims[tb ? 0 : 1]});
            return {};
          }};
}

Behaviour make_add_n(const KernelSetup&) {
  return {[](KernelContext& c) {
            return for_number(c.in(0).dtype(), [&]<class T>() {
              const auto out = c.out<T>(0);
              for (std::size_t i = 0; i < c.inputs.size(); ++i)
                std::ranges::transform(out, c.data<T>(i), out.begin(), [](T x, T y) { return static_cast<T>(x + y); });
              return Status();
            });
          },
          same_shape};
}

Behaviour make_logical_not(const KernelSetup&) {
  return {[](KernelContext& c) {
            std::ranges::transform(c.data<bool>(0), c.out<bool>(0).begin(), [](bool x) { return !x; });
            return Status();
          },
          same_shape};
}

template <class T>
T power(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    T result{1};
    for (; y > T{0}; y = static_cast<T>(y / 2), x = static_cast<T>(x * x))
      if (y % 2 != 0) result = static_cast<T>(result * x);
    return result;
  } else {
    return std::pow(x, y);
  }
}

Behaviour make_pow(const KernelSetup&) {
  return {[](KernelContext& c) {
            return for_number(c.in(0).dtype(), [&]<class T>() -> Status {
              if (std::is_integral_v<T> && std::ranges::any_of(c.data<T>(1), [](T y) { return y < T{0}; }))
                return invalid("Integers to negative integer powers are not allowed");
              apply_binary<T, T>(c, [](T x, T y) { return power(x, y); });
              return {};
            });
          },
          broadcast_shape};
}

void compare_strings(KernelContext& c, bool equal) {
  const Shape& shape = c.outputs[0].tensor->shape();
  const auto ix = broadcast_indices(c.shape(0), shape), iy = broadcast_indices(c.shape(1), shape);
  for (std::size_t i = 0; i < ix.size(); ++i) c.out<bool>(0)[i] = (c.in(0).strings()[ix[i]] == c.in(1).strings()[iy[i]]) == equal;
}

// Shapes that do not fit make one false (or true) when the attribute says so.
template <bool equal>
Behaviour make_equal(const KernelSetup& s) {
  const bool strict = attr_or(s.attrs, "incompatible_shape_error", true);
  Behaviour b = comparison([](auto x, auto y) { return (x == y) == equal; });
  return {[numbers = b.value, strict](KernelContext& c) -> Status {
            Shape fits;
            if (!strict && !broadcast(c.shape(0), c.shape(1), fits).ok()) return c.out<bool>(0)[0] = !equal, Status();
            if (c.in(0).dtype() != DataType::kString) return numbers(c);
            compare_strings(c, equal);
            return {};
          },
          [strict](const KernelContext& c, std::span<Shape> out) -> Status {
            Status s = broadcast_shape(c, out);
            if (!s.ok() && !strict) return out[0] = Shape(), Status();
            return s;
          }};
}

void add_arithmetic(KernelTable& t) {
  constexpr auto add = [](const KernelSetup&) { return arithmetic([](auto x, auto y) { return x + y; }); };
  t.add("Add", add);
  t.add("AddV2", add);
  t.add("Sub", [](const KernelSetup&) { return arithmetic([](auto x, auto y) { return x - y; }); });
  t.add("Mul", [](const KernelSetup&) { return arithmetic([](auto x, auto y) { return x * y; }); });
  t.add("Maximum", [](const KernelSetup&) { return arithmetic([](auto x, auto y) { return std::max(x, y); }); });
  t.add("Minimum", [](const KernelSetup&) { return arithmetic([](auto x, auto y) { return std::min(x, y); }); });
  t.add("SquaredDifference", [](const KernelSetup&) { return arithmetic([](auto x, auto y) { return (x - y) * (x - y); }); });
  t.add("Pow", make_pow);
  t.add("RealDiv", [](const KernelSetup&) { return arithmetic([]<class T>(T x, T y) -> T { return y == T{0} && std::is_integral_v<T> ? T{0} : x / y; }); });
  t.add("Div", [](const KernelSetup&) { return division([](auto x, auto y) { return x / y; }, "Integer division by zero"); });
  t.add("FloorDiv", [](const KernelSetup&) { return division(kFloorDiv, "Integer division by zero"); });
  t.add("FloorMod", [](const KernelSetup&) { return division(kFloorMod, "Integer division by zero"); });
  t.add("Mod", [](const KernelSetup&) { return division(kTruncateMod, "Integer division by zero"); });
}

void add_comparisons(KernelTable& t) {
  t.add("Less", [](const KernelSetup&) { return comparison([](auto x, auto y) { return x < y; }); });
  t.add("LessEqual", [](const KernelSetup&) { return comparison([](auto x, auto y) { return x <= y; }); });
  t.add("Greater", [](const KernelSetup&) { return comparison([](auto x, auto y) { return x > y; }); });
  t.add("GreaterEqual", [](const KernelSetup&) { return comparison([](auto x, auto y) { return x >= y; }); });
  t.add("Equal", make_equal<true>);
  t.add("NotEqual", make_equal<false>);
  t.add("LogicalAnd", [](const KernelSetup&) { return comparison([](auto x, auto y) { return x && y; }); });
  t.add("LogicalOr", [](const KernelSetup&) { return comparison([](auto x, auto y) { return x || y; }); });
  t.add("LogicalXor", [](const KernelSetup&) { return comparison([](auto x, auto y) { return (x != 0) != (y != 0); }); });
  t.add("LogicalNot", make_logical_not);
}

void add_elementwise(KernelTable& t) {
  t.add("Neg", [](const KernelSetup&) { return elementwise([](auto x) { return -x; }); });
  t.add("Square", [](const KernelSetup&) { return elementwise([](auto x) { return x * x; }); });
  t.add("Sqrt", [](const KernelSetup&) { return elementwise([](auto x) { return std::sqrt(x); }); });
  t.add("Rsqrt", [](const KernelSetup&) { return elementwise([]<class T>(T x) { return T{1} / static_cast<T>(std::sqrt(x)); }); });
  t.add("Exp", [](const KernelSetup&) { return elementwise([](auto x) { return std::exp(x); }); });
  t.add("Log", [](const KernelSetup&) { return elementwise([](auto x) { return std::log(x); }); });
  t.add("Tanh", [](const KernelSetup&) { return elementwise([](auto x) { return std::tanh(x); }); });
  t.add("Sigmoid", [](const KernelSetup&) { return elementwise([]<class T>(T x) { return T{1} / (T{1} + static_cast<T>(std::exp(-x))); }); });
  t.add("Relu", [](const KernelSetup&) { return elementwise([]<class T>(T x) { return std::max(x, T{0}); }); });
  t.add("Floor", [](const KernelSetup&) { return elementwise([](auto x) { return std::floor(x); }); });
  t.add("Abs", [](const KernelSetup&) { return elementwise([](auto x) { return std::abs(x); }); });
}

}  // namespace

void add_math_ops(KernelTable& t) {
  add_arithmetic(t);
  add_comparisons(t);
  add_elementwise(t);
  t.add("Cast", make_cast);
  t.add("MatMul", make_matmul);
  t.add("AddN", make_add_n);
  t.add("ReluGrad", [](const KernelSetup&) { return arithmetic([]<class T>(T gradient, T x) { return x > T{0} ? gradient : T{0}; }); });
}

}  // namespace tarry
