// Elementwise arithmetic with broadcasting, comparisons, logic, casts and matrix products.

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>

#include "workers/kernels/elements.hpp"
#include "workers/kernels/elementwise.hpp"
#include "workers/kernels/every_number.hpp"
#include "workers/kernels/matrix.hpp"
#include "workers/kernels/tensor_list.hpp"
#include "workers/kernels/window.hpp"

namespace tarry {

Status broadcast(const Shape& a, const Shape& b, Shape& out) {
  const std::size_t rank = std::max(a.dims.size(), b.dims.size());
  out = Shape(Dims(rank, 1));
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

// Division and remainder, rounding to -infinity ("floor") or towards zero; integers refuse a zero divisor.
template <class F>
Status division_value(KernelContext& c) {
  return for_number(c.in(0).dtype(), [&]<class T>() {
    return has_zero_divisor<T>(c) ? invalid("Integer division by zero") : apply_binary<T, T>(c, F{});
  });
}
template <class F>
constexpr MakeBehaviour division(F) {
  return behaves<division_value<F>, broadcast_shape>;
}

constexpr auto kFloorMod = []<class T>(T x, T y) -> T {
  const T r = remainder(x, y);
  return r != 0 && (r < 0) != (y < 0) ? static_cast<T>(r + y) : r;
};
constexpr auto kFloorDiv = []<class T>(T x, T y) -> T {
  if constexpr (std::is_integral_v<T>) {
    const T q = quotient(x, y);
    return remainder(x, y) != 0 && (x < 0) != (y < 0) ? static_cast<T>(q - 1) : q;
  } else {
    return std::floor(x / y);
  }
};
constexpr auto kTruncateMod = []<class T>(T x, T y) { return remainder(x, y); };

template <class From>
Status cast_from(KernelContext& c) {
  return for_number_or_bool(c.outputs[0].tensor->dtype(),
                            [&]<class To>() { return apply_unary<From, To>(c, std::identity()); });
}

Status cast(KernelContext& c) {
  return for_number_or_bool(c.in(0).dtype(), [&]<class From>() { return cast_from<From>(c); });
}

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

// docs/rules/runtime.md#C.11.1: oneDNN multiplies floats.
Status check_matrices(const Shape& a, const Shape& b, bool by_onednn) {
  if (by_onednn && a.rank() != 2) return invalid("In[0] ndims must be >= 2");
  if (by_onednn && b.rank() != 2) return invalid("In[1] ndims must be >= 2");
  if (a.rank() != b.rank())
    return invalid("In[0] and In[1] has different ndims: {} vs. {}", to_string(a), to_string(b));
  return a.rank() == 2 ? Status() : invalid("In[0] and In[1] ndims must be == 2: {}", a.rank());
}

Status matrix_product_shape(const Shape& a, const Shape& b, bool ta, bool tb, Shape& out) {
  if (a.dims[ta ? 0 : 1] != b.dims[tb ? 1 : 0])
    return invalid("Matrix size-incompatible: In[0]: {}, In[1]: {}", to_string(a), to_string(b));
  return out = Shape({a.dims[ta ? 1 : 0], b.dims[tb ? 0 : 1]}), Status();
}

Behaviour make_matmul(const KernelSetup& s) {
  const bool ta = attr_or(s.attrs, "transpose_a", false), tb = attr_or(s.attrs, "transpose_b", false);
  return {[ta, tb](KernelContext& c) {
            return for_number_or_complex(c.in(0).dtype(), [&]<class T>() { return multiply<T>(c, ta, tb), Status(); });
          },
          [ta, tb](const KernelContext& c, std::span<Shape> out) -> Status {
            TARRY_RETURN_IF_ERROR(check_matrices(c.shape(0), c.shape(1), is_of_onednn(c.in(0).dtype())));
            return matrix_product_shape(c.shape(0), c.shape(1), ta, tb, out[0]);
          }};
}

// SparseMatMul: the same product of matrices that hold many zeros.
Behaviour make_sparse_matmul(const KernelSetup& s) {
  Behaviour b = make_matmul(s);
  b.shape = [ta = attr_or(s.attrs, "transpose_a", false), tb = attr_or(s.attrs, "transpose_b", false)](
                const KernelContext& c, std::span<Shape> out) -> Status {
    if (c.shape(0).rank() != 2) return invalid("a is not a matrix");
    if (c.shape(1).rank() != 2) return invalid("b is not a matrix");
    if (!matrix_product_shape(c.shape(0), c.shape(1), ta, tb, out[0]).ok())
      return invalid("Matrix size incompatible: a: {}, b: {}", to_string(c.shape(0)), to_string(c.shape(1)));
    return {};
  };
  return b;
}

template <class T>
Status add_all(KernelContext& c, std::span<T> sum) {
  for (std::size_t i = 0; i < c.inputs.size(); ++i)
    std::ranges::transform(sum, c.data<T>(i), sum.begin(), [](T x, T y) { return static_cast<T>(x + y); });
  return {};
}
Status add_n(KernelContext& c) {
  if (c.in(0).dtype() == DataType::kVariant) {
    TARRY_ASSIGN(TensorRef sum, sum_of(c.inputs));
    return c.give(0, std::move(sum));
  }
  return for_summed(c.in(0).dtype(), [&]<class T>() { return add_all<T>(c, c.out<T>(0)); });
}

Behaviour make_add_n(const KernelSetup& s) {
  Behaviour b{add_n, equal_shapes(s)};
  b.own_types = rounds_each(s);
  return b;
}

// Strings are joined.
Status add(KernelContext& c) {
  if (c.in(0).dtype() != DataType::kString) return arithmetic_value<std::plus<>>(c);
  const Shape& shape = c.outputs[0].tensor->shape();
  const auto ix = broadcast_indices(c.shape(0), shape), iy = broadcast_indices(c.shape(1), shape);
  for (std::size_t i = 0; i < ix.size(); ++i)
    out(c).mutable_strings()[i] = c.in(0).strings()[ix[i]] + c.in(1).strings()[iy[i]];
  return {};
}

Status logical_not(KernelContext& c) { return apply_unary<bool, bool>(c, std::logical_not()); }

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

template <class T>
Status raise(KernelContext& c) {
  if (std::is_integral_v<T> && std::ranges::any_of(c.data<T>(1), [](T y) { return y < T{0}; }))
    return invalid("Integers to negative integer powers are not allowed");
  return apply_binary<T, T>(c, power<T>);
}
Status pow_value(KernelContext& c) {
  return for_number(c.in(0).dtype(), [&]<class T>() { return raise<T>(c); });
}

Status compare_strings(KernelContext& c, bool equal) {
  const Shape& shape = c.outputs[0].tensor->shape();
  const auto ix = broadcast_indices(c.shape(0), shape), iy = broadcast_indices(c.shape(1), shape);
  for (std::size_t i = 0; i < ix.size(); ++i)
    c.out<bool>(0)[i] = (c.in(0).strings()[ix[i]] == c.in(1).strings()[iy[i]]) == equal;
  return {};
}

template <bool equal>
struct Compare {
  bool operator()(auto x, auto y) const { return (x == y) == equal; }
};

template <bool equal>
Status equal_value(KernelContext& c, bool strict) {
  Shape fits;
  if (!strict && !broadcast(c.shape(0), c.shape(1), fits).ok()) return c.out<bool>(0)[0] = !equal, Status();
  return c.in(0).dtype() == DataType::kString ? compare_strings(c, equal) : comparison_value<Compare<equal>>(c);
}
Status equal_shape(const KernelContext& c, std::span<Shape> out, bool strict) {
  Status s = broadcast_shape(c, out);
  if (!s.ok() && !strict) return only(out, Shape());
  return s;
}

// Shapes that do not fit make one false (or true) when the attribute says so.
template <bool equal>
Behaviour make_equal(const KernelSetup& s) {
  const bool strict = attr_or(s.attrs, "incompatible_shape_error", true);
  return {[strict](KernelContext& c) { return equal_value<equal>(c, strict); },
          [strict](const KernelContext& c, std::span<Shape> out) { return equal_shape(c, out, strict); }};
}

constexpr KernelRow kMathRows[] = {
    {"Add", behaves<add, broadcast_shape>},
    {"AddV2", arithmetic(std::plus())},
    {"Sub", arithmetic([](auto x, auto y) { return x - y; })},
    {"Mul", arithmetic([](auto x, auto y) { return x * y; })},
    // What is compared with NaN is NaN.
    {"Maximum", arithmetic([](auto x, auto y) { return y == y ? std::max(x, y) : y; })},
    {"Minimum", arithmetic([](auto x, auto y) { return y == y ? std::min(x, y) : y; })},
    {"SquaredDifference", arithmetic([](auto x, auto y) { return (x - y) * (x - y); })},
    {"Pow", behaves<pow_value, broadcast_shape>},
    {"RealDiv",
     arithmetic([]<class T>(T x, T y) -> T { return y == T{0} && std::is_integral_v<T> ? T{0} : quotient(x, y); })},
    {"Div", division([](auto x, auto y) { return quotient(x, y); })},
    {"FloorDiv", division(kFloorDiv)},
    {"FloorMod", division(kFloorMod)},
    {"Mod", division(kTruncateMod)},
    {"Less", comparison([](auto x, auto y) { return x < y; })},
    {"LessEqual", comparison([](auto x, auto y) { return x <= y; })},
    {"Greater", comparison([](auto x, auto y) { return x > y; })},
    {"GreaterEqual", comparison([](auto x, auto y) { return x >= y; })},
    {"Equal", make_equal<true>},
    {"NotEqual", make_equal<false>},
    {"LogicalAnd", comparison([](auto x, auto y) { return x && y; })},
    {"LogicalOr", comparison([](auto x, auto y) { return x || y; })},
    {"LogicalXor", comparison([](auto x, auto y) { return (x != 0) != (y != 0); })},
    {"LogicalNot", behaves<logical_not, same_shape>},
    {"Neg", elementwise([](auto x) { return -x; })},
    {"Square", elementwise([](auto x) { return x * x; })},
    {"Sqrt", elementwise([](auto x) { return std::sqrt(x); })},
    {"Rsqrt", elementwise([]<class T>(T x) { return T{1} / static_cast<T>(std::sqrt(x)); })},
    {"Exp", elementwise([](auto x) { return std::exp(x); })},
    {"Log", elementwise([](auto x) { return std::log(x); })},
    {"Tanh", elementwise([](auto x) { return std::tanh(x); })},
    {"Sigmoid", elementwise([]<class T>(T x) { return T{1} / (T{1} + static_cast<T>(std::exp(-x))); })},
    {"Relu", elementwise([]<class T>(T x) { return std::max(x, T{0}); })},
    {"Floor", elementwise([](auto x) { return std::floor(x); })},
    {"Abs", elementwise([](auto x) { return std::abs(x); })},
    {"Cast", behaves<cast, same_shape>},
    {"MatMul", make_matmul},
    {"SparseMatMul", make_sparse_matmul},
    {"AddN", make_add_n},
    {"ReluGrad",
     strict_arithmetic([]<class T>(T gradient, T x) { return static_cast<T>(gradient * static_cast<T>(x > T{0})); })},
};

}  // namespace

KernelFamily math_ops() { return kMathRows; }

}  // namespace tarry
