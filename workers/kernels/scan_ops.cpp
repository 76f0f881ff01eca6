// Running sums and the places of extremes.

#include <algorithm>
#include <cmath>
#include <limits>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/every_number.hpp"
#include "workers/kernels/input_rule.hpp"

namespace tarry {
namespace {

struct AxisTexts {
  InputRule scalar;
  const char* range;
  bool adds_rank;  // to a negative axis that is out of range, in the text
};
constexpr AxisTexts kScanAxis{
    {1, "ScanOp: axis must be a scalar, not {}"}, "ScanOp: Expected scan axis in the range", true};
constexpr AxisTexts kExtremeAxis{
    {1, "dim must be a scalar, but received tensor of shape: {}"}, "Expected dimension in the range", false};

StatusOr<std::size_t> axis_of(const KernelContext& c, const AxisTexts& texts) {
  TARRY_ASSIGN(const std::int64_t axis, integer_in(c, texts.scalar));
  const std::int64_t rank = c.shape(0).rank();
  if (axis < -rank || axis >= rank)
    return invalid("{} [{}, {}), but got {}", texts.range, -rank, rank,
                   texts.adds_rank && axis < 0 ? axis + rank : axis);
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

// Calls `line(offset of the first element, stride, length)` for every line along the axis.
template <class F>
void for_each_line(const Shape& s, std::size_t axis, F line) {
  const auto outer = static_cast<std::size_t>(product(s, 0, axis)),
             inner = static_cast<std::size_t>(product(s, axis + 1, s.dims.size()));
  const auto n = static_cast<std::size_t>(s.dims[axis]);
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < inner; ++i) line(o * n * inner + i, inner, n);
}

template <class T, bool is_sum>
void scan(KernelContext& c, std::size_t axis, bool exclusive, bool reverse) {
  for_each_line(c.shape(0), axis, [&](std::size_t at, std::size_t stride, std::size_t n) {
    T total = is_sum ? T{0} : T{1};
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = at + (reverse ? n - 1 - k : k) * stride;
      const T x = c.data<T>(0)[i], next = static_cast<T>(is_sum ? total + x : total * x);
      c.out<T>(0)[i] = exclusive ? total : next;
      total = next;
    }
  });
}

template <bool is_sum>
Behaviour make_scan(const KernelSetup& s) {
  const bool exclusive = attr_or(s.attrs, "exclusive", false), reverse = attr_or(s.attrs, "reverse", false);
  Behaviour b{[exclusive, reverse](KernelContext& c) -> Status {
                TARRY_ASSIGN(const std::size_t axis, axis_of(c, kScanAxis));
                return for_summed(c.in(0).dtype(),
                                  [&]<class T>() { return scan<T, is_sum>(c, axis, exclusive, reverse), Status(); });
              },
              same_shape};
  b.own_types = rounds_each(s);
  return b;
}

// What each step of a narrow type's arithmetic rounds to.
template <class T>
T rounded(T x, DataType own) {
  if (own == DataType::kHalf) return static_cast<T>(static_cast<float>(Eigen::half(static_cast<float>(x))));
  if (own == DataType::kBfloat16) return static_cast<T>(static_cast<float>(Eigen::bfloat16(static_cast<float>(x))));
  return x;
}

template <class T>
T log_of_sum(T x, T y, DataType own) {
  const T most = std::max(x, y), least = std::min(x, y);
  if (std::isinf(most)) return most;
  const T exponential = rounded(static_cast<T>(std::exp(rounded(static_cast<T>(least - most), own))), own);
  return rounded(static_cast<T>(rounded(static_cast<T>(std::log1p(exponential)), own) + most), own);
}

// Running logarithms of sums of exponentials.
template <class T>
void scan_log_sums(KernelContext& c, std::size_t axis, bool exclusive, bool reverse, DataType own) {
  for_each_line(c.shape(0), axis, [&](std::size_t at, std::size_t stride, std::size_t n) {
    T total = -std::numeric_limits<T>::infinity();
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = at + (reverse ? n - 1 - k : k) * stride;
      const T next = log_of_sum(total, c.data<T>(0)[i], own);
      c.out<T>(0)[i] = exclusive ? total : next;
      total = next;
    }
  });
}

Behaviour make_log_sum_scan(const KernelSetup& s) {
  const bool exclusive = attr_or(s.attrs, "exclusive", false), reverse = attr_or(s.attrs, "reverse", false);
  return {[exclusive, reverse, own = attr_or(s.attrs, "T", s.outputs.at(0))](KernelContext& c) -> Status {
            TARRY_ASSIGN(const std::size_t axis, axis_of(c, kScanAxis));
            if (c.in(0).dtype() == DataType::kFloat)
              scan_log_sums<float>(c, axis, exclusive, reverse, own);
            else
              scan_log_sums<double>(c, axis, exclusive, reverse, own);
            return {};
          },
          same_shape};
}

template <class T, bool largest>
Status place_of_extreme(KernelContext& c, std::size_t axis) {
  std::vector<std::int64_t> places;
  for_each_line(c.shape(0), axis, [&](std::size_t at, std::size_t stride, std::size_t n) {
    std::size_t best = 0;
    T extreme =
        largest ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();  // nothing compares with NaN
    for (std::size_t k = 0; k < n; ++k) {
      const T x = c.data<T>(0)[at + k * stride];
      if (largest ? x > extreme : x < extreme) extreme = x, best = k;
    }
    places.push_back(static_cast<std::int64_t>(best));
  });
  const bool wide = out(c).dtype() == DataType::kInt64;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (wide)
      c.out<std::int64_t>(0)[i] = places[i];
    else
      c.out<std::int32_t>(0)[i] = static_cast<std::int32_t>(places[i]);
  return {};
}

template <bool largest>
Behaviour make_place(const KernelSetup&) {
  return {[](KernelContext& c) -> Status {
            TARRY_ASSIGN(const std::size_t axis, axis_of(c, kExtremeAxis));
            return for_number_or_bool(c.in(0).dtype(),
                                      [&]<class T>() { return place_of_extreme<T, largest>(c, axis); });
          },
          [](const KernelContext& c, std::span<Shape> out) -> Status {
            TARRY_ASSIGN(const std::size_t axis, axis_of(c, kExtremeAxis));
            if (c.shape(0).dims[axis] == 0)
              return invalid("Reduction axis {} is empty in shape {}", integers_of(c.in(1))[0], to_string(c.shape(0)));
            out[0] = c.shape(0);
            out[0].dims.erase(out[0].dims.begin() + static_cast<std::ptrdiff_t>(axis));
            return {};
          }};
}

constexpr KernelRow kScanRows[] = {
    {"Cumsum", make_scan<true>},  {"Cumprod", make_scan<false>}, {"CumulativeLogsumexp", make_log_sum_scan},
    {"ArgMax", make_place<true>}, {"ArgMin", make_place<false>},
};

}  // namespace

KernelFamily scan_ops() { return kScanRows; }

}  // namespace tarry
