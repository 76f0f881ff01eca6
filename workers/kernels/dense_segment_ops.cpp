// Reductions of rows by the segment that each belongs to.

#include <algorithm>
#include <limits>

#include "workers/kernels/elements.hpp"
#include "workers/kernels/every_number.hpp"
#include "workers/kernels/input_rule.hpp"

namespace tarry {
namespace {

enum class Fold { sum, mean, prod, min, max };

template <class T>
T folded(Fold how, T sum, T x) {
  if constexpr (requires { sum < x; }) {  // what is compared with NaN stays no longer
    if (how == Fold::min) return sum < x ? sum : x;
    if (how == Fold::max) return sum > x ? sum : x;
  }
  return how == Fold::prod ? static_cast<T>(sum * x) : static_cast<T>(sum + x);
}

bool is_extreme(Fold how) { return how == Fold::min || how == Fold::max; }

// Extremes are the same in wider types; all else is added up, or multiplied, in its own.
template <class F>
Status for_folded(Fold how, DataType t, F&& f) {
  return is_extreme(how) ? for_number(t, std::forward<F>(f)) : for_summed(t, std::forward<F>(f));
}

Behaviour folding(const KernelSetup& s, Fold how, ValueFunction value, ShapeFunction shape) {
  Behaviour b{std::move(value), std::move(shape)};
  b.own_types = !is_extreme(how) && rounds_each(s);
  return b;
}

// What an empty segment of unordered ones holds. The least and the largest of nothing are the type's limits.
template <class T>
T fold_of_nothing(Fold how) {
  if (how == Fold::prod) return T{1};
  if (how == Fold::min) return std::numeric_limits<T>::max();
  return how == Fold::max ? std::numeric_limits<T>::lowest() : T{0};
}

// That of a narrow type, which is computed in a wider one: its own largest and smallest number.
template <class T>
T fold_of_nothing(Fold how, DataType own) {
  if (how != Fold::min && how != Fold::max) return fold_of_nothing<T>(how);
  const bool least = how == Fold::max;
  switch (own) {
    case DataType::kHalf:
      return static_cast<T>(least ? -65504.0 : 65504.0);
    case DataType::kBfloat16:
      return static_cast<T>(least ? -0x1.fep127 : 0x1.fep127);
    case DataType::kInt8:
      return static_cast<T>(least ? -128 : 127);
    case DataType::kUint8:
      return static_cast<T>(least ? 0 : 255);
    case DataType::kInt16:
      return static_cast<T>(least ? -32768 : 32767);
    case DataType::kUint16:
      return static_cast<T>(least ? 0 : 65535);
    default:
      return fold_of_nothing<T>(how);
  }
}

// Row i of the input is folded into row ids[i] of the output; rows with a negative id are left out.
template <class T>
void fold_rows(Fold how, std::span<T> to, std::span<const T> from, const Dims& ids, std::size_t width) {
  for (std::size_t i = 0; i < ids.size() * width; ++i) {
    if (ids[i / width] < 0) continue;
    T& sum = to[static_cast<std::size_t>(ids[i / width]) * width + i % width];
    sum = folded<T>(how, sum, from[i]);
  }
}

// UnsortedSegmentSum and its kind (data, segment ids, number of segments): ids below 0 are dropped.
Status unsorted_shape(const KernelContext& c, std::span<Shape> out) {
  constexpr InputRule kCount{2, "num_segments should be a scalar, not shape {}"};
  TARRY_RETURN_IF_ERROR(check_input(c, kCount));
  const auto &data = c.shape(0).dims, &ids = c.shape(1).dims;
  if (ids.size() > data.size() || !std::equal(ids.begin(), ids.end(), data.begin()))
    return invalid("data.shape = {} does not start with segment_ids.shape = {}", to_string(c.shape(0)),
                   to_string(c.shape(1)));
  TARRY_ASSIGN(const std::int64_t segments, integer_in(c, kCount));
  if (segments < 0) return invalid("Input num_segments == {} must not be negative.", segments);
  out[0].dims = {segments};
  out[0].dims.insert(out[0].dims.end(), data.begin() + static_cast<std::ptrdiff_t>(ids.size()), data.end());
  return {};
}

// Where rows have no elements, no id is looked at.
Status check_unsorted(const KernelContext& c, const Dims& ids, std::int64_t segments) {
  for (std::size_t i = 0; i < ids.size() && c.in(0).elements() > 0; ++i)
    if (ids[i] >= segments)
      return invalid("segment_ids{} = {} is out of range [0, {})", position(c.shape(1), static_cast<std::int64_t>(i)),
                     ids[i], segments);
  return {};
}

Status unsorted_segments(KernelContext& c, Fold how, DataType own) {
  const auto ids = integers_of(c.in(1));
  TARRY_RETURN_IF_ERROR(check_unsorted(c, ids, out(c).shape().dims[0]));
  const auto width = static_cast<std::size_t>(product(out(c).shape(), 1, out(c).shape().dims.size()));
  return for_folded(how, c.in(0).dtype(), [&]<class T>() {
    std::ranges::fill(c.out<T>(0), fold_of_nothing<T>(how, own));
    fold_rows<T>(how, c.out<T>(0), c.data<T>(0), ids, width);
    return Status();
  });
}

template <Fold how>
Behaviour make_unsorted(const KernelSetup& s) {
  const DataType own = attr_or(s.attrs, "T", DataType::kFloat);
  return folding(
      s, how, [own](KernelContext& c) { return unsorted_segments(c, how, own); }, unsorted_shape);
}

// SegmentSum and its kind (data, segment ids in ascending order). A segment without rows holds zeros, or ones.
Status sorted_shape(const KernelContext& c, std::span<Shape> out) {
  const Shape &data = c.shape(0), &ids = c.shape(1);
  if (data.rank() < 1) return invalid("input must be at least rank 1");
  if (ids.rank() != 1) return invalid("segment_ids should be a vector.");
  if (data.dims[0] != ids.dims[0]) return invalid("segment_ids should be the same size as dimension 0 of input.");
  if (!known(c, 1)) return shape_not_known();
  const auto segments = integers_of(c.in(1));
  const std::int64_t rows = segments.empty() ? 0 : segments.back() + 1;
  if (!segments.empty() && rows <= 0) return invalid("segment ids must be >= 0");
  out[0] = data;
  out[0].dims[0] = rows;
  return {};
}

Status check_sorted(const Dims& ids, std::int64_t rows) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool is_last_of_segment = i + 1 == ids.size() || ids[i + 1] != ids[i];
    if (i + 1 < ids.size() && ids[i] > ids[i + 1]) return invalid("segment ids are not increasing");
    if (is_last_of_segment && (ids[i] < 0 || ids[i] >= rows))
      return invalid("Segment id {} out of range [0, {}), possibly because 'segment_ids' input is not sorted.", ids[i],
                     rows);
  }
  return {};
}

template <class T>
void fold_sorted(KernelContext& c, Fold how, const Dims& ids, std::size_t width) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(out(c).shape().dims[0]), 0);
  for (const std::int64_t id : ids) ++rows[static_cast<std::size_t>(id)];
  const auto to = c.out<T>(0);
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = rows[i / width] > 0 || how == Fold::prod ? fold_of_nothing<T>(how) : T{0};
  fold_rows<T>(how, to, c.data<T>(0), ids, width);
  for (std::size_t i = 0; i < to.size() && how == Fold::mean; ++i)
    if (rows[i / width] > 0) to[i] = static_cast<T>(to[i] / static_cast<T>(rows[i / width]));
}

Status sorted_segments(KernelContext& c, Fold how) {
  const auto ids = integers_of(c.in(1));
  TARRY_RETURN_IF_ERROR(check_sorted(ids, out(c).shape().dims[0]));
  const auto width = static_cast<std::size_t>(product(out(c).shape(), 1, out(c).shape().dims.size()));
  return for_folded(how, c.in(0).dtype(), [&]<class T>() { return fold_sorted<T>(c, how, ids, width), Status(); });
}

template <Fold how>
Behaviour make_sorted(const KernelSetup& s) {
  return folding(
      s, how, [](KernelContext& c) { return sorted_segments(c, how); }, sorted_shape);
}

constexpr KernelRow kDenseSegmentRows[] = {
    {"SegmentSum", make_sorted<Fold::sum>},
    {"SegmentMean", make_sorted<Fold::mean>},
    {"SegmentProd", make_sorted<Fold::prod>},
    {"SegmentMin", make_sorted<Fold::min>},
    {"SegmentMax", make_sorted<Fold::max>},
    {"UnsortedSegmentSum", make_unsorted<Fold::sum>},
    {"UnsortedSegmentProd", make_unsorted<Fold::prod>},
    {"UnsortedSegmentMin", make_unsorted<Fold::min>},
    {"UnsortedSegmentMax", make_unsorted<Fold::max>},
};

}  // namespace

KernelFamily dense_segment_ops() { return kDenseSegmentRows; }

}  // namespace tarry
