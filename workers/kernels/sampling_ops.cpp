// Draws of classes and orders, and what goes with sampled classes. Where a seed is given the values are TensorFlow's.

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/philox.hpp"
#include "workers/kernels/state.hpp"

namespace tarry {
namespace {

// Inputs: true classes [batch, num_true], sampled ones. Outputs: row, column and weight (the least float) of every hit.
class AccidentalHitsKernel : public Kernel {
 public:
  explicit AccidentalHitsKernel(const KernelSetup& s) : true_count_(attr_or(s.attrs, "num_true", std::int64_t{1})) {}
  Status compute(KernelContext& c) override {
    if (c.shape(0).rank() != 2 || c.shape(0).dims[1] != true_count_)
      return invalid("true_candidates must be a batch_size * num_true matrix");
    TARRY_RETURN_IF_ERROR(check_input(
        c,
        {1, "sampled_candidates must be a vector, which is typically an output from CandidateSampler", Takes::vector}));
    if (!known(c, 0) || !known(c, 1))
      return error(Code::kUnimplemented,
                   "the hits of ComputeAccidentalHits depend on classes that have no values here");
    const auto truth = integers_of(c.in(0)), sampled = integers_of(c.in(1));
    const auto width = static_cast<std::size_t>(c.shape(0).dims[1]);
    std::vector<std::int32_t> rows;
    std::vector<std::int64_t> columns;
    std::map<std::int64_t, std::int64_t> last;  // of a class that was sampled more than once, the last place counts
    for (std::size_t k = 0; k < sampled.size(); ++k) last[sampled[k]] = static_cast<std::int64_t>(k);
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const auto hit = last.find(truth[i]);
      if (hit == last.end()) continue;
      rows.push_back(static_cast<std::int32_t>(i / width));
      columns.push_back(hit->second);
    }
    const std::vector<float> weights(rows.size(), std::numeric_limits<float>::lowest());
    c.set(0, make_vector(rows));
    c.set(1, make_vector(columns));
    return c.give(2, make_vector(weights));
  }

 private:
  std::int64_t true_count_;
};

// Inputs: indices, the output's shape, values (a vector or one scalar), the value of all the rest.
Status sparse_to_dense_shape(const KernelContext& c, std::span<Shape> out) {
  const Shape& indices = c.shape(0);
  if (indices.rank() > 2)
    return invalid("sparse_indices should be a scalar, vector, or matrix, got shape {}", to_string(indices));
  if (c.shape(1).rank() != 1) return invalid("output_shape must be rank 1, got shape {}", to_string(c.shape(1)));
  const std::int64_t rows = indices.rank() > 0 ? indices.dims[0] : 1, depth = indices.rank() > 1 ? indices.dims[1] : 1;
  if (c.in(1).elements() != depth)
    return invalid("output_shape has incorrect number of elements: {} should be: {}", c.in(1).elements(), depth);
  if (c.shape(2).rank() != 0 && c.shape(2) != Shape({rows}))
    return invalid("sparse_values has incorrect shape {}, should be [] or [{}]", to_string(c.shape(2)), rows);
  TARRY_RETURN_IF_ERROR(check_input(c, {3, "default_value should be a scalar."}));
  if (!known(c, 1)) return shape_not_known();
  return only(out, Shape(integers_of(c.in(1))));
}
// Unless told otherwise, the op wants its indices sorted and different.
Status check_order(std::span<const std::int64_t> indices, std::size_t depth) {
  for (std::size_t r = 1; depth > 0 && (r + 1) * depth <= indices.size(); ++r) {
    const auto before = indices.subspan((r - 1) * depth, depth), row = indices.subspan(r * depth, depth);
    if (std::ranges::lexicographical_compare(before, row)) continue;
    const char* what = std::ranges::equal(before, row)
                           ? "repeated"
                           : "out of order. Many sparse ops require sorted indices.\n    Use `tf.sparse.reorder` to "
                             "create a correctly ordered copy.\n\n";
    return invalid("indices[{}] = {} is {}", r, to_string(Shape(Dims(row.begin(), row.end()))), what);
  }
  return {};
}

Status sparse_to_dense(KernelContext& c, bool validates) {
  const auto at = integers_of(c.in(0));
  const Shape& shape = out(c).shape();
  const std::size_t depth = c.shape(0).rank() == 2 ? static_cast<std::size_t>(c.shape(0).dims[1]) : 1;
  for (std::int64_t i = 0; i < shape.elements(); ++i) copy_elements(out(c), static_cast<std::size_t>(i), c.in(3), 0);
  for (std::size_t r = 0; r * depth < at.size(); ++r) {
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < depth; ++d) {
      const bool is_inside = at[r * depth + d] >= 0 && at[r * depth + d] < shape.dims[d];
      if (!is_inside && !validates)
        return invalid("Indices are not valid (out of bounds).  Shape: {}", to_string(shape));
      if (!is_inside)
        return invalid("indices[{}] = [{}] is out of bounds: need 0 <= index < {}", r,
                       fmt::join(std::span(at).subspan(r * depth, depth), ","), to_string(shape));
      flat = flat * shape.dims[d] + at[r * depth + d];
    }
    copy_elements(out(c), static_cast<std::size_t>(flat), c.in(2), c.shape(2).rank() == 0 ? 0 : r);
  }
  return validates ? check_order(at, depth) : Status();
}

Behaviour make_sparse_to_dense(const KernelSetup& s) {
  return {[validates = attr_or(s.attrs, "validate_indices", true)](KernelContext& c) {
            return sparse_to_dense(c, validates);
          },
          sparse_to_dense_shape};
}

// Multinomial (logits of each row's classes, how many samples).
constexpr InputRule kSamples{1, "num_samples should be a scalar, got shape {}"};

Status multinomial_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(0).rank() != 2) return invalid("logits should be a matrix, got shape {}", to_string(c.shape(0)));
  TARRY_ASSIGN(const std::int64_t samples, integer_in(c, kSamples));
  if (samples < 0) return invalid("num_samples should be nonnegative, got {}", samples);
  if (c.shape(0).dims[1] <= 0) return invalid("num_classes should be positive, got {}", c.shape(0).dims[1]);
  return only(out, Shape({c.shape(0).dims[0], samples}));
}

// Sums of the exponents up to each class; those that are no finite number count nothing.
template <class T>
std::vector<double> cumulated(std::span<const T> logits) {
  T most = std::numeric_limits<T>::lowest();
  for (const T x : logits)
    if (std::isfinite(static_cast<double>(x))) most = std::max(most, x);
  std::vector<double> sums;
  double sum = 0;
  for (const T logit : logits) {
    const auto x = static_cast<double>(logit);
    if (std::isfinite(x)) sum += std::exp(x - static_cast<double>(most));
    sums.push_back(sum);
  }
  return sums;
}

template <class T>
void draw_classes(KernelContext& c, WordStream words) {
  const auto classes = static_cast<std::size_t>(c.shape(0).dims[1]),
             samples = static_cast<std::size_t>(out(c).shape().dims[1]);
  for (std::size_t row = 0; std::cmp_less(row, c.shape(0).dims[0]); ++row) {
    const std::vector<double> sums = cumulated<T>(c.data<T>(0).subspan(row * classes, classes));
    for (std::size_t i = 0; i < samples; ++i) {
      const auto drawn = std::ranges::upper_bound(sums, words.next_double() * sums.back());
      put_integer(out(c), row * samples + i, drawn - sums.begin());
    }
  }
}

Status multinomial(KernelContext& c, const Philox& g) {
  return for_number(c.in(0).dtype(), [&]<class T>() {
    draw_classes<T>(c, WordStream(g));
    return Status();
  });
}

// A sample takes two words; the samples of a row are counted in fours.
Behaviour make_multinomial(const KernelSetup& s) {
  auto generator = std::make_shared<OpGenerator>(s);
  return {[generator](KernelContext& c) {
            const auto samples = static_cast<std::uint64_t>(out(c).shape().dims[1] + 3) / 4 * 4;
            return multinomial(c, generator->take(static_cast<std::uint64_t>(c.shape(0).dims[0]) * samples * 2 * 256));
          },
          multinomial_shape, true};
}

// StatelessMultinomial (logits, how many samples, two seeds).
Status stateless_multinomial(KernelContext& c) { return multinomial(c, Philox::scrambled(integers_of(c.in(2)))); }
Status stateless_multinomial_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(2) != Shape({2})) return invalid("seed must have shape [2], not {}", to_string(c.shape(2)));
  return multinomial_shape(c, out);
}

// Rows in another order: each place but the last gets one of the rows that are left.
Status shuffle(KernelContext& c, WordStream words) {
  const Shape& shape = c.shape(0);
  if (shape.elements() == 0) return {};
  const std::size_t rows = shape.rank() == 0 ? 1 : static_cast<std::size_t>(shape.dims[0]),
                    width = static_cast<std::size_t>(shape.elements()) / std::max<std::size_t>(rows, 1);
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i + 1 < rows; ++i) std::swap(order[i], order[i + words.next() % (rows - i)]);
  for (std::size_t i = 0; i < rows; ++i) copy_elements(out(c), i * width, c.in(0), order[i] * width, width);
  return {};
}

Behaviour make_shuffle(const KernelSetup& s) {
  auto generator = std::make_shared<OpGenerator>(s);
  return {[generator](KernelContext& c) {
            const Shape& shape = c.shape(0);
            const auto rows = static_cast<std::uint64_t>(shape.elements() <= 1 ? 1 : shape.dims[0]);
            return shuffle(c, WordStream(generator->take((rows + 2) / 4)));
          },
          same_shape, true};
}

// StatelessShuffle (rows, and a generator: philox.hpp).
Status stateless_shuffle(KernelContext& c) { return shuffle(c, WordStream(keyed_generator(c))); }
Status stateless_shuffle_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_generator(c));
  return same_shape(c, out);
}

constexpr KernelRow kSamplingRows[] = {
    {"ComputeAccidentalHits", make_from_setup<AccidentalHitsKernel>},
    {"Multinomial", make_multinomial},
    {"SparseToDense", make_sparse_to_dense},
    {"RandomShuffle", make_shuffle},
    {"StatelessMultinomial", behaves<stateless_multinomial, stateless_multinomial_shape>},
    {"StatelessShuffle", behaves<stateless_shuffle, stateless_shuffle_shape>},
};

}  // namespace

KernelFamily sampling_ops() { return kSamplingRows; }

}  // namespace tarry
