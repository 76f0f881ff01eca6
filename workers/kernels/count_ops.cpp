// Counting and searching among numbers: histograms, buckets, bounds, the nth element, positions.

#include <algorithm>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"

namespace tarry {
namespace {

// ---- Bincount, DenseBincount (numbers, how many bins, weights) ----

constexpr InputRule kBins{1, "Shape must be rank 0 but is rank {1}"};

Status bins_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_ASSIGN(const std::int64_t bins, integer_in(c, kBins));
  if (bins < 0) return invalid("size ({}) must be non-negative", bins);
  return only(out, Shape({bins}));
}

// Weights are as many as the numbers, or none.
Status check_weights(const KernelContext& c, bool of_any_shape) {
  if (c.in(2).elements() == 0 || c.shape(2) == c.shape(0)) return {};
  if (of_any_shape && c.in(2).elements() == c.in(0).elements()) return {};
  if (of_any_shape || c.in(0).elements() == 0) return invalid("Input indices and weights must have the same size.");
  return invalid(
      "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all weights "
      "equal to 1. Received {}",
      to_string(c.shape(2)));
}

// A matrix has a row of bins for each of its own.
Status dense_bins_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(bins_shape(c, out));
  if (c.shape(0).rank() > 2) return invalid("Shape must be at most rank 2 but is rank {}", c.shape(0).rank());
  if (c.shape(0).rank() == 2) out[0].dims.insert(out[0].dims.begin(), c.shape(0).dims[0]);
  return {};
}

// Numbers beyond the last bin are not counted. In a matrix, 2.15.1 counts a negative number in the row before.
template <class T>
Status count_into_bins(KernelContext& c, bool only_whether, bool is_dense) {
  const auto numbers = integers_of(c.in(0));
  const Shape& to = out(c).shape();
  if (is_dense) TARRY_RETURN_IF_ERROR(check_weights(c, false));
  if (to.rank() == 1 && std::ranges::any_of(numbers, [](std::int64_t n) { return n < 0; }))
    return invalid("Input arr must be non-negative!");
  if (!is_dense) TARRY_RETURN_IF_ERROR(check_weights(c, true));
  const auto bins = static_cast<std::size_t>(to.dims.back());
  const std::size_t width = to.rank() == 2 ? static_cast<std::size_t>(c.shape(0).dims[1]) : numbers.size();
  const auto weights = c.data<T>(2);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::int64_t at = static_cast<std::int64_t>(i / width * bins) + numbers[i];
    if (std::cmp_greater_equal(numbers[i], bins) || at < 0) continue;
    T& bin = c.out<T>(0)[static_cast<std::size_t>(at)];
    bin = only_whether ? T{1} : static_cast<T>(bin + (weights.empty() ? T{1} : weights[i]));
  }
  return {};
}

template <Status (*shape)(const KernelContext&, std::span<Shape>)>
Behaviour make_bins(const KernelSetup& s) {
  return {
      [only_whether = attr_or(s.attrs, "binary_output", false), is_dense = s.op == "DenseBincount"](KernelContext& c) {
        return for_number(out(c).dtype(), [&]<class T>() { return count_into_bins<T>(c, only_whether, is_dense); });
      },
      shape};
}

// ---- HistogramFixedWidth (numbers, range, how many bins): what lies outside is counted at the ends ----

constexpr InputRule kBinsOfRange{2, "nbins should be a scalar."};

Status check_range(const KernelContext& c) {
  if (!known(c, 1)) return {};
  return for_number(c.in(1).dtype(), [&]<class T>() -> Status {
    const T from = c.data<T>(1)[0], to = c.data<T>(1)[1];
    if (from < to) return {};
    return invalid("value_range should satisfy value_range[0] < value_range[1], but got '[{}, {}]'", from, to);
  });
}

Status histogram_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(1).rank() != 1 || c.in(1).elements() != 2)
    return invalid("value_range should be a vector{}.", c.shape(1).rank() == 1 ? " of 2 elements" : "");
  TARRY_RETURN_IF_ERROR(check_input(c, kBinsOfRange));
  TARRY_RETURN_IF_ERROR(check_range(c));
  TARRY_ASSIGN(const std::int64_t bins, integer_in(c, kBinsOfRange));
  if (bins <= 0) return invalid("nbins should be a positive number, but got '{}'", bins);
  return only(out, Shape({bins}));
}

template <class T>
Status histogram(KernelContext& c) {
  const double from = static_cast<double>(c.data<T>(1)[0]), to = static_cast<double>(c.data<T>(1)[1]);
  const auto bins = out(c).shape().dims[0];
  const double width = (to - from) / static_cast<double>(bins);
  const auto add = [&](auto counts) {
    for (const T x : c.data<T>(0)) {
      const double at = std::clamp((static_cast<double>(x) - from) / width, 0.0, static_cast<double>(bins - 1));
      ++counts[static_cast<std::size_t>(at)];
    }
  };
  if (out(c).dtype() == DataType::kInt32)
    add(c.out<std::int32_t>(0));
  else
    add(c.out<std::int64_t>(0));
  return {};
}
Status histogram_value(KernelContext& c) {
  return for_number(c.in(0).dtype(), [&]<class T>() {
    const bool has_nan = std::ranges::any_of(c.data<T>(0), [](T x) { return x != x; });
    return has_nan ? invalid("Histogram values must not contain NaN") : histogram<T>(c);
  });
}

// ---- Bucketize: how many of the boundaries are not above each number ----

Behaviour make_buckets(const KernelSetup& s) {
  const auto* list = s.attrs.get<AttrList>("boundaries");
  return {[boundaries = list == nullptr ? std::vector<float>()
                                        : std::vector<float>(list->f.begin(), list->f.end())](KernelContext& c) {
            return for_number(c.in(0).dtype(), [&]<class T>() {
              std::ranges::transform(c.data<T>(0), c.out<std::int32_t>(0).begin(), [&](T x) {
                return static_cast<std::int32_t>(std::upper_bound(boundaries.begin(), boundaries.end(), x) -
                                                 boundaries.begin());
              });
              return Status();
            });
          },
          same_shape};
}

// ---- LowerBound, UpperBound (rows of ascending numbers, rows of numbers): where each would be put ----

Status bounds_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(0).rank() != 2)
    return invalid("Shape must be rank 2 but is rank {} for `sorted_inputs` argument", c.shape(0).rank());
  if (c.shape(1).rank() != 2)
    return invalid("Shape must be rank 2 but is rank {} for `values` argument", c.shape(1).rank());
  if (c.shape(0).dims[0] != c.shape(1).dims[0]) return invalid("Leading dim_size of both tensors must match.");
  return only(out, c.shape(1));
}

template <bool upper, class T>
Status find_bounds(KernelContext& c) {
  const auto width = static_cast<std::size_t>(c.shape(0).dims[1]);
  const auto values = c.data<T>(1);
  Dims found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto row = c.data<T>(0).subspan(i / static_cast<std::size_t>(c.shape(1).dims[1]) * width, width);
    found.push_back((upper ? std::ranges::upper_bound(row, values[i]) : std::ranges::lower_bound(row, values[i])) -
                    row.begin());
  }
  for (std::size_t i = 0; i < found.size(); ++i) put_integer(out(c), i, found[i]);
  return {};
}
template <bool upper>
Status bounds(KernelContext& c) {
  return for_number(c.in(0).dtype(), [&]<class T>() { return find_bounds<upper, T>(c); });
}

// ---- NthElement (rows of numbers, n) ----

constexpr InputRule kNth{1, "N must be scalar but has rank {1}"};

Status nth_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_ASSIGN(const std::int64_t n, integer_in(c, kNth));
  if (n < 0) return invalid("n must be non-negative but is {}", n);
  if (c.shape(0).rank() < 1) return invalid("Input must be at least rank 1 but is rank 0");
  if (c.shape(0).dims.back() <= n) return invalid("Input must have last dimension > n = {}", n);
  out[0] = c.shape(0);
  out[0].dims.pop_back();
  return {};
}

template <class T>
void nth(KernelContext& c, bool from_largest) {
  const auto n = static_cast<std::ptrdiff_t>(integers_of(c.in(1))[0]);
  const auto width = static_cast<std::size_t>(c.shape(0).dims.back());
  for (std::size_t row = 0; row < c.out<T>(0).size(); ++row) {
    const auto in = c.data<T>(0).subspan(row * width, width);
    std::vector<T> sorted(in.begin(), in.end());
    if (from_largest)
      std::ranges::nth_element(sorted, sorted.begin() + n, std::greater<T>());
    else
      std::ranges::nth_element(sorted, sorted.begin() + n);
    c.out<T>(0)[row] = sorted[static_cast<std::size_t>(n)];
  }
}
Behaviour make_nth(const KernelSetup& s) {
  return {[from_largest = attr_or(s.attrs, "reverse", false)](KernelContext& c) {
            return for_number(c.in(0).dtype(), [&]<class T>() { return nth<T>(c, from_largest), Status(); });
          },
          nth_shape};
}

// ---- UnravelIndex (flat positions, dimensions): a column of coordinates for each ----

Status coordinates_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(0).rank() > 1)
    return invalid("The indices can only be scalar or vector, got \"{}\"", to_string(c.shape(0)));
  if (c.shape(1).rank() != 1) return invalid("The indices can only be 1-D, got \"{}\"", to_string(c.shape(1)));
  const Dims dims = known(c, 1) ? integers_of(c.in(1)) : Dims();
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 0) return invalid("Input dims cannot contain a dim of zero, but dims contains zero at index {}", d);
    if (dims[d] < 0) return invalid("Input dims cannot be negative. Got dim = {} at index {}", dims[d], d);
  }
  out[0] = Shape({c.shape(1).dims[0]});
  if (c.shape(0).rank() == 1) out[0].dims.push_back(c.shape(0).dims[0]);
  return {};
}

// A negative position has negative coordinates.
Status coordinates_of_positions(KernelContext& c) {
  const Dims at = integers_of(c.in(0)), dims = integers_of(c.in(1));
  const std::int64_t places = Shape(dims).elements();
  if (std::ranges::any_of(at, [&](std::int64_t i) { return i >= places; }))
    return invalid("index is out of bound as with dims");
  for (std::size_t i = 0; i < at.size(); ++i) {
    std::int64_t rest = at[i];
    for (std::size_t d = dims.size(); d-- > 0; rest /= dims[d]) {
      put_integer(out(c), d * at.size() + i, rest % dims[d]);
    }
  }
  return {};
}

// ---- LinSpace (first, last, how many) ----

constexpr InputRule kEnds[] = {{0, "start must be a scalar, not shape {}"},
                               {1, "stop must be a scalar, not shape {}"},
                               {2, "num must be a scalar, not shape {}"}};

Status line_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_inputs(c, kEnds));
  TARRY_ASSIGN(const std::int64_t count, integer_in(c, kEnds[2]));
  if (count <= 0) return invalid("Requires num > 0: {}", count);
  return only(out, Shape({count}));
}

template <class T>
Status line(KernelContext& c) {
  const T first = c.data<T>(0)[0], last = c.data<T>(1)[0];
  const auto out = c.out<T>(0);
  const T step = out.size() < 2 ? T{0} : (last - first) / static_cast<T>(out.size() - 1);
  out[0] = first;
  for (std::size_t i = 1; i < out.size(); ++i) out[i] = first + step * static_cast<T>(i);
  if (out.size() > 1) out.back() = last;
  return {};
}
Behaviour make_line(const KernelSetup& s) {
  if (s.outputs[0] == DataType::kDouble) return {line<double>, line_shape};
  return {line<float>, line_shape};
}

constexpr KernelRow kCountRows[] = {
    {"Bincount", make_bins<bins_shape>},
    {"DenseBincount", make_bins<dense_bins_shape>},
    {"HistogramFixedWidth", behaves<histogram_value, histogram_shape>},
    {"Bucketize", make_buckets},
    {"LowerBound", behaves<bounds<false>, bounds_shape>},
    {"UpperBound", behaves<bounds<true>, bounds_shape>},
    {"NthElement", make_nth},
    {"UnravelIndex", behaves<coordinates_of_positions, coordinates_shape>},
    {"LinSpace", make_line},
};

}  // namespace

KernelFamily count_ops() { return kCountRows; }

}  // namespace tarry
