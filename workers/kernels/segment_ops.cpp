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
Status grad_shape(const KernelContext& c, std::span<Shape> out, const char* fourth_said) {
  TARRY_RETURN_IF_ERROR(check_inputs(c, kVectors));
  TARRY_ASSIGN(const std::int64_t rows, integer_in(c, {3, fourth_said}));
  if (c.shape(1) != c.shape(2)) return invalid("segment_ids and indices should have same size.");
  if (c.shape(0).rank() < 1) return invalid("Index must be less than 0, got 0");
  if (rows < 0) return invalid("Expected a non-negative size, got {}", rows);
  out[0] = c.shape(0);
  out[0].dims[0] = rows;
  return {};
}

Status segment_grad_shape(const KernelContext& c, std::span<Shape> out) {
  return grad_shape(c, out, "output_dim0 should be a scalar.");
}

// Whether each index is one of `height` rows, and its segment a row of the gradient. Where segments are counted first,
// they are looked at first, too.
Status check_graded(const KernelContext& c, const Dims& indices, const Dims& segments, std::int64_t height,
                    bool counts_first) {
  const std::int64_t limit = c.shape(0).dims[0];
  const auto check_segment = [&](std::int64_t s) {
    return s >= 0 && s < limit ? Status() : invalid("Segment id {} out of range [0, {}).", s, limit);
  };
  if (!segments.empty() && segments.back() >= limit) return invalid("Invalid number of segments");
  for (std::size_t i = 0; counts_first && i < segments.size(); ++i) TARRY_RETURN_IF_ERROR(check_segment(segments[i]));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= height) return invalid("Index {} out of range [0, {}).", indices[i], height);
    TARRY_RETURN_IF_ERROR(check_segment(segments[i]));
  }
  return {};
}

// Adds the gradient of each index to the row of the output that `indices` says.
template <Combine how>
Status add_gradients(KernelContext& c, const Dims& indices, const Dims& segments) {
  const std::size_t width = static_cast<std::size_t>(product(c.shape(0), 1, c.shape(0).dims.size()));
  const std::int64_t limit = c.shape(0).dims[0];
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

template <Combine how>
Status segment_grad(KernelContext& c) {
  const auto indices = integers_of(c.in(1)), segments = integers_of(c.in(2));
  const std::int64_t height = out(c).shape().dims[0];
  if (height == 0) return {};
  TARRY_RETURN_IF_ERROR(check_graded(c, indices, segments, height, how != Combine::sum));
  return add_gradients<how>(c, indices, segments);
}

// ---- The second version: only the rows that an index names, and those indices, each once and in ascending order ----

template <Combine how>
Status compact_grad(KernelContext& c) {
  std::vector<Shape> dense(1);
  TARRY_RETURN_IF_ERROR(grad_shape(c, dense, "dense_output_dim0 should be a scalar."));
  Dims indices = integers_of(c.in(1)), segments = integers_of(c.in(2));
  const std::int64_t height = dense[0].dims[0];
  if (height == 0) indices.clear(), segments.clear();
  TARRY_RETURN_IF_ERROR(check_graded(c, indices, segments, height, false));
  Dims kept = indices;
  std::ranges::sort(kept);
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  for (std::int64_t& index : indices) index = std::ranges::lower_bound(kept, index) - kept.begin();
  dense[0].dims[0] = std::ssize(kept);
  MutableTensor names = make_tensor(c.in(1).dtype(), Shape({std::ssize(kept)}));
  for (std::size_t i = 0; i < kept.size(); ++i) put_integer(*names, i, kept[i]);
  c.set(0, make_tensor(c.in(0).dtype(), dense[0]));
  c.set(1, names);
  return add_gradients<how>(c, indices, segments);
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
    {"SparseSegmentSumGradV2", behaves<compact_grad<Combine::sum>>},
    {"SparseSegmentMeanGradV2", behaves<compact_grad<Combine::mean>>},
    {"SparseSegmentSqrtNGradV2", behaves<compact_grad<Combine::sqrt_n>>},
};

}  // namespace

KernelFamily segment_ops() { return kSegmentRows; }

}  // namespace tarry
