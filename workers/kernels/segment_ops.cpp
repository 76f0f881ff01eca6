// Reductions of gathered rows over sorted segments: what sparse embedding look-ups are made of.

#include <algorithm>
#include <cmath>

#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/state.hpp"

namespace tarry {
namespace {

enum class Combine { sum, mean, sqrt_n };

// What each row of a segment of `n` rows counts.
double weight(Combine how, std::size_t n) {
  if (how == Combine::sum || n == 0) return 1;
  return how == Combine::mean ? 1.0 / static_cast<double>(n) : 1.0 / std::sqrt(static_cast<double>(n));
}

std::vector<std::size_t> rows_of_segments(const Dims& segments, std::size_t count) {
  std::vector<std::size_t> rows(count, 0);
  for (const std::int64_t s : segments) ++rows[static_cast<std::size_t>(s)];
  return rows;
}

constexpr InputRule kVectors[] = {{1, "indices should be a vector.", Takes::vector},
                                  {2, "segment_ids should be a vector.", Takes::vector}};

// Segment after segment: in ascending order, and each of those there are.
Status check_in_range(const Dims& segments, std::int64_t count) {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (i + 1 < segments.size() && segments[i] > segments[i + 1]) return invalid("segment ids are not increasing");
    if (segments[i] < 0 || segments[i] >= count)
      return invalid("Segment id {} out of range [0, {}), possibly because 'segment_ids' input is not sorted.",
                     segments[i], count);
  }
  return {};
}

Status check_parts_of_segments(const KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_inputs(c, kVectors));
  if (c.shape(1) != c.shape(2)) return invalid("segment_ids and indices should have same size.");
  return c.shape(0).rank() < 1 ? invalid("Shape must be at least rank 1") : Status();
}

// Inputs: data, indices into its rows, the segment of each index.
Status segment_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_parts_of_segments(c));
  if (!known(c, 2)) return shape_not_known();
  const auto segments = integers_of(c.in(2));
  if (!segments.empty() && segments.back() < 0) return invalid("segment ids must be >= 0");
  out[0] = c.shape(0);
  out[0].dims[0] = segments.empty() ? 0 : segments.back() + 1;
  return check_in_range(segments, out[0].dims[0]);
}

// The same with a fourth input: how many segments there are.
Status counted_segment_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_ASSIGN(const std::int64_t count, integer_in(c, {3, "num_segments should be a scalar, not shape {}"}));
  if (count < 0) return invalid("segment ids must be >= 0");
  TARRY_RETURN_IF_ERROR(check_parts_of_segments(c));
  if (!known(c, 2)) return shape_not_known();
  const auto segments = integers_of(c.in(2));
  if (!segments.empty() && segments.back() >= count) return invalid("segment ids must be < num_segments");
  out[0] = c.shape(0);
  out[0].dims[0] = count;
  return check_in_range(segments, count);
}

template <Combine how>
Status segment_value(KernelContext& c) {
  const auto indices = integers_of(c.in(1)), segments = integers_of(c.in(2));
  const std::size_t width = static_cast<std::size_t>(product(c.shape(0), 1, c.shape(0).dims.size()));
  const auto rows = rows_of_segments(segments, static_cast<std::size_t>(out(c).shape().dims[0]));
  for (std::size_t i = 0; i < indices.size(); ++i)
    if (indices[i] < 0 || indices[i] >= c.shape(0).dims[0])
      return invalid("Bad: indices[{}] == {} out of range [0, {})", i, indices[i], c.shape(0).dims[0]);
  return for_number(c.in(0).dtype(), [&]<class T>() {
    for (std::size_t i = 0; i < indices.size() * width; ++i) {
      const auto segment = static_cast<std::size_t>(segments[i / width]);
      const T x = c.data<T>(0)[static_cast<std::size_t>(indices[i / width]) * width + i % width];
      c.out<T>(0)[segment * width + i % width] += static_cast<T>(static_cast<double>(x) * weight(how, rows[segment]));
    }
    return Status();
  });
}

// Inputs: gradient of the output, indices, segments, number of the data's rows.
Status segment_grad_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_inputs(c, kVectors));
  TARRY_ASSIGN(const std::int64_t rows, integer_in(c, {3, "output_dim0 should be a scalar."}));
  if (c.shape(1) != c.shape(2)) return invalid("segment_ids and indices should have same size.");
  if (c.shape(0).rank() < 1) return invalid("Index must be less than 0, got 0");
  if (rows < 0) return invalid("Expected a non-negative size, got {}", rows);
  out[0] = c.shape(0);
  out[0].dims[0] = rows;
  return {};
}

template <Combine how>
Status segment_grad(KernelContext& c) {
  const auto indices = integers_of(c.in(1)), segments = integers_of(c.in(2));
  if (out(c).shape().dims[0] == 0) return {};
  const std::size_t width = static_cast<std::size_t>(product(c.shape(0), 1, c.shape(0).dims.size()));
  const std::int64_t limit = c.shape(0).dims[0];
  if (!segments.empty() && segments.back() >= limit) return invalid("Invalid number of segments");
  const auto bad = std::ranges::find_if(segments, [&](std::int64_t s) { return s < 0 || s >= limit; });
  if (bad != segments.end()) return invalid("Segment id {} out of range [0, {}).", *bad, limit);
  const std::int64_t height = out(c).shape().dims[0];
  for (const std::int64_t index : indices)
    if (index < 0 || index >= height) return invalid("Index {} out of range [0, {}).", index, height);
  const auto rows = rows_of_segments(segments, static_cast<std::size_t>(limit));
  return for_number(c.in(0).dtype(), [&]<class T>() {
    for (std::size_t i = 0; i < indices.size() * width; ++i) {
      const auto segment = static_cast<std::size_t>(segments[i / width]);
      const auto row = static_cast<std::size_t>(indices[i / width]);
      c.out<T>(0)[row * width + i % width] +=
          static_cast<T>(static_cast<double>(c.data<T>(0)[segment * width + i % width]) * weight(how, rows[segment]));
    }
    return Status();
  });
}

constexpr KernelRow kSegmentRows[] = {
    {"SparseSegmentSum", behaves<segment_value<Combine::sum>, segment_shape>},
    {"SparseSegmentSumGrad", behaves<segment_grad<Combine::sum>, segment_grad_shape>},
    {"SparseSegmentMean", behaves<segment_value<Combine::mean>, segment_shape>},
    {"SparseSegmentMeanGrad", behaves<segment_grad<Combine::mean>, segment_grad_shape>},
    {"SparseSegmentSumWithNumSegments", behaves<segment_value<Combine::sum>, counted_segment_shape>},
    {"SparseSegmentMeanWithNumSegments", behaves<segment_value<Combine::mean>, counted_segment_shape>},
    {"SparseSegmentSqrtNWithNumSegments", behaves<segment_value<Combine::sqrt_n>, counted_segment_shape>},
    {"SparseSegmentSqrtN", behaves<segment_value<Combine::sqrt_n>, segment_shape>},
    {"SparseSegmentSqrtNGrad", behaves<segment_grad<Combine::sqrt_n>, segment_grad_shape>},
};

}  // namespace

KernelFamily segment_ops() { return kSegmentRows; }

}  // namespace tarry
