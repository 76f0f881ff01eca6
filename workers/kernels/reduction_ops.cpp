// Sums, means, products, extremes over axes; L2Loss.

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "workers/kernels/every_number.hpp"

namespace tarry {
namespace {

// Which dimensions of `rank` the axes name.
Status reduced_dims(const Dims& axes, std::int64_t rank, std::vector<bool>& reduced) {
  reduced.assign(static_cast<std::size_t>(rank), false);
  for (const std::int64_t axis : axes) {
    if (axis < -rank || axis >= rank)
      return invalid("Invalid reduction dimension ({} for input with {} dimension(s)", axis, rank);
    const auto d = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
    if (reduced[d]) return invalid("Invalid reduction arguments: Axes contains duplicate dimension: {}", d);
    reduced[d] = true;
  }
  return {};
}

Status reduction_shape(const KernelContext& c, std::span<Shape> out, bool keep) {
  if (!c.in(1).has_data()) return shape_not_known();
  std::vector<bool> reduced;
  TARRY_RETURN_IF_ERROR(reduced_dims(integers_of(c.in(1)), c.shape(0).rank(), reduced));
  for (std::size_t d = 0; d < reduced.size(); ++d) {
    if (!reduced[d])
      out[0].dims.push_back(c.shape(0).dims[d]);
    else if (keep)
      out[0].dims.push_back(1);
  }
  return {};
}

// For each element of the input, the output element that it goes to.
std::vector<std::size_t> targets(const Shape& in, const std::vector<bool>& reduced) {
  std::vector<std::size_t> to(static_cast<std::size_t>(in.elements()), 0);
  std::size_t repeat = 1, stride = 1;
  for (std::size_t d = in.dims.size(); d-- > 0;) {
    const auto dim = static_cast<std::size_t>(in.dims[d]);
    if (!reduced[d]) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += i / repeat % dim * stride;
      stride *= dim;
    }
    repeat *= dim;
  }
  return to;
}

template <class T>
Status add_up(KernelContext& c) {
  std::vector<bool> reduced;
  TARRY_RETURN_IF_ERROR(reduced_dims(integers_of(c.in(1)), c.shape(0).rank(), reduced));
  const auto to = targets(c.shape(0), reduced);
  const auto in = c.data<T>(0);
  std::vector<SumOf<T>> sums(c.out<T>(0).size(), SumOf<T>{});
  for (std::size_t i = 0; i < in.size(); ++i) sums[to[i]] = static_cast<SumOf<T>>(sums[to[i]] + in[i]);
  std::ranges::transform(sums, c.out<T>(0).begin(), [](SumOf<T> x) { return static_cast<T>(x); });
  return {};
}

template <class T, class F>
Status reduce(KernelContext& c, T start, F fold) {
  std::vector<bool> reduced;
  TARRY_RETURN_IF_ERROR(reduced_dims(integers_of(c.in(1)), c.shape(0).rank(), reduced));
  const auto to = targets(c.shape(0), reduced);
  const auto in = c.data<T>(0);
  const auto out = c.out<T>(0);
  std::ranges::fill(out, start);
  for (std::size_t i = 0; i < in.size(); ++i) out[to[i]] = fold(out[to[i]], in[i]);
  return {};
}

template <class Fold>
Behaviour reduction(const KernelSetup& s, int start, Fold fold) {
  const bool keep = attr_or(s.attrs, "keep_dims", false);
  return {[start, fold](KernelContext& c) {
            return for_number_or_bool(c.in(0).dtype(), [&]<class T>() {
              return reduce<T>(c, static_cast<T>(start), [&](T x, T y) { return static_cast<T>(fold(x, y)); });
            });
          },
          [keep](const KernelContext& c, std::span<Shape> out) { return reduction_shape(c, out, keep); }};
}

template <class T>
Status mean(KernelContext& c) {
  TARRY_RETURN_IF_ERROR(add_up<T>(c));
  const auto out = c.out<T>(0);
  if (out.empty()) return {};
  const std::int64_t count = c.in(0).elements() / static_cast<std::int64_t>(out.size());
  const auto each = static_cast<T>(count);
  for (T& v : out) v = each == T{0} && !std::is_floating_point_v<T> ? v : static_cast<T>(v / each);  // of nothing: NaN
  return {};
}

// The largest of no numbers is the least of the type; the least of none is its largest, or infinity.
template <class T>
T extreme_of_none(bool largest) {
  using Limits = std::numeric_limits<T>;
  const T most = Limits::has_infinity ? Limits::infinity() : Limits::max();
  return !largest ? most : Limits::has_infinity ? static_cast<T>(-most) : Limits::lowest();
}
double narrow_extreme_of_none(DataType type, bool largest) {
  double value = 0;
  (void)for_every_number(type,
                         [&]<class T>() { return value = static_cast<double>(extreme_of_none<T>(largest)), Status(); });
  return value;
}

template <bool largest>
Behaviour make_extreme(const KernelSetup& s) {
  const bool keep = attr_or(s.attrs, "keep_dims", false);
  const DataType type = attr_or(s.attrs, "T", s.inputs[0]);
  return {[type](KernelContext& c) {
            return for_number(c.in(0).dtype(), [&]<class T>() {
              const T start = type == c.in(0).dtype() ? extreme_of_none<T>(largest)
                                                      : static_cast<T>(narrow_extreme_of_none(type, largest));
              return reduce<T>(c, start, [](T x, T y) {
                return x != x || y != y ? static_cast<T>(x + y) : largest ? std::max(x, y) : std::min(x, y);
              });  // NaN stays
            });
          },
          [keep](const KernelContext& c, std::span<Shape> out) { return reduction_shape(c, out, keep); }};
}

Behaviour make_sum(const KernelSetup& s) {
  Behaviour b = reduction(s, 0, [](auto x, auto y) { return x + y; });
  b.value = [](KernelContext& c) {
    return for_number_or_complex(c.in(0).dtype(), [&]<class T>() { return add_up<T>(c); });
  };
  return b;
}

Behaviour make_product(const KernelSetup& s) {
  Behaviour b = reduction(s, 1, [](auto x, auto y) { return x * y; });
  b.value = [](KernelContext& c) {
    return for_number_or_complex(c.in(0).dtype(), [&]<class T>() {
      return reduce<T>(c, static_cast<T>(1), [](T x, T y) { return static_cast<T>(x * y); });
    });
  };
  return b;
}

Behaviour make_mean(const KernelSetup& s) {
  Behaviour b = reduction(s, 0, [](auto x, auto y) { return x + y; });
  b.value = [](KernelContext& c) {
    return for_number_or_complex(c.in(0).dtype(), [&]<class T>() { return mean<T>(c); });
  };
  return b;
}

// A narrow integer's sum wraps before the root is taken.
template <class T>
T wrapped(T x, DataType own) {
  if constexpr (std::is_integral_v<T>) {
    if (own == DataType::kInt8) return static_cast<std::int8_t>(x);
    if (own == DataType::kUint8) return static_cast<std::uint8_t>(x);
    if (own == DataType::kInt16) return static_cast<std::int16_t>(x);
    if (own == DataType::kUint16) return static_cast<std::uint16_t>(x);
  }
  return x;
}
template <class T>
T root_of(T x) {
  if (std::is_integral_v<T> && x < T{0}) return T{0};
  return static_cast<T>(std::sqrt(static_cast<double>(x)));
}

// The square root of the sum of squares.
Behaviour make_norm(const KernelSetup& s) {
  Behaviour b = reduction(s, 0, [](auto x, auto y) { return x + y; });
  b.value = [own = attr_or(s.attrs, "T", DataType::kFloat)](KernelContext& c) {
    return for_number(c.in(0).dtype(), [&]<class T>() {
      TARRY_RETURN_IF_ERROR(reduce<T>(c, T{0}, [](T sum, T x) { return static_cast<T>(sum + x * x); }));
      for (T& x : c.out<T>(0)) x = root_of(wrapped(x, own));
      return Status();
    });
  };
  return b;
}

Behaviour make_l2_loss(const KernelSetup&) {
  return {[](KernelContext& c) {
            return for_number(c.in(0).dtype(), [&]<class T>() {
              SumOf<T> sum{0};
              for (const T v : c.data<T>(0)) sum = static_cast<SumOf<T>>(sum + v * v);
              c.out<T>(0)[0] = static_cast<T>(sum / SumOf<T>{2});
              return Status();
            });
          },
          [](const KernelContext&, std::span<Shape> out) { return only(out, Shape()); }};
}

constexpr KernelRow kReductionRows[] = {
    {"Sum", make_sum},
    {"Prod", make_product},
    {"All", [](const KernelSetup& s) { return reduction(s, 1, [](auto x, auto y) { return x && y; }); }},
    {"Any", [](const KernelSetup& s) { return reduction(s, 0, [](auto x, auto y) { return x || y; }); }},
    {"Max", make_extreme<true>},
    {"Min", make_extreme<false>},
    {"Mean", make_mean},
    {"EuclideanNorm", make_norm},
    {"L2Loss", make_l2_loss},
};

}  // namespace

KernelFamily reduction_ops() { return kReductionRows; }

}  // namespace tarry
