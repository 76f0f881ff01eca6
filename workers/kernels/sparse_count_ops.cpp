// How often each number comes, as a sparse tensor: of a dense tensor, of a sparse one, of a ragged one.

#include <algorithm>
#include <map>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"

namespace tarry {
namespace {

struct CountRule {
  std::int64_t least = -1, most = -1;  // how wide a row is at least; how wide it is, unless that is negative
  bool only_whether = false;

  [[nodiscard]] bool counts(std::int64_t number) const { return most < 0 || number < most; }
  [[nodiscard]] std::int64_t width(std::int64_t largest) const {
    return most >= 0 ? most
                     : std::max(largest < std::numeric_limits<std::int64_t>::max() ? largest + 1 : largest, least);
  }
};

// For each number that is counted, the row that it is in.
struct CountedRows {
  Dims numbers, row_of;
  std::int64_t rows = 1;
  bool is_vector = false;
};

// Outputs: indices, counts or sums of weights, shape.
template <class T>
Status give_counts(KernelContext& c, const CountRule& rule, const CountedRows& in, std::span<const T> weights) {
  std::map<std::pair<std::int64_t, std::int64_t>, T> counts;  // by row and number
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < in.numbers.size(); ++i) {
    if (!rule.counts(in.numbers[i])) continue;
    T& count = counts[{in.row_of[i], in.numbers[i]}];
    count = rule.only_whether ? T{1} : static_cast<T>(count + (weights.empty() ? T{1} : weights[i]));
    largest = std::max(largest, in.numbers[i]);
  }
  const std::int64_t rank = in.is_vector ? 1 : 2;
  MutableTensor at = make_tensor(DataType::kInt64, Shape({std::ssize(counts), rank}));
  std::vector<T> values;
  auto to = at->mutable_as<std::int64_t>().begin();
  for (const auto& [place, count] : counts) {
    if (rank == 2) *to++ = place.first;
    *to++ = place.second;
    values.push_back(count);
  }
  c.set(0, std::move(at));
  c.set(1, make_vector(values));
  const std::int64_t width = rule.width(largest);
  return c.give(2, make_vector(rank == 1 ? Dims{width} : Dims{in.rows, width}));
}

template <StatusOr<CountedRows> (*rows)(const KernelContext&)>
Behaviour make_counts(const KernelSetup& s) {
  const CountRule rule{attr_or(s.attrs, "minlength", std::int64_t{-1}), attr_or(s.attrs, "maxlength", std::int64_t{-1}),
                       attr_or(s.attrs, "binary_output", false)};
  return {[rule, type = s.outputs[1]](KernelContext& c) -> Status {
            TARRY_ASSIGN(const CountedRows in, rows(c));
            const std::size_t weights = c.inputs.size() - 1;
            return for_number(type, [&]<class T>() { return give_counts<T>(c, rule, in, c.data<T>(weights)); });
          },
          nullptr};
}

Status check_weights_of(const KernelContext& c, std::size_t values, std::string_view name) {
  const std::size_t weights = c.inputs.size() - 1;
  if (c.in(weights).elements() == 0 || c.shape(weights) == c.shape(values)) return {};
  return invalid("Weights and {} must have the same shape. Weight shape: {}; {} shape: {}", name,
                 to_string(c.shape(weights)), name, to_string(c.shape(values)));
}

Status check_not_negative(const Dims& numbers) {
  if (std::ranges::all_of(numbers, [](std::int64_t n) { return n >= 0; })) return {};
  return invalid("Input values must all be non-negative");
}

StatusOr<CountedRows> dense_rows(const KernelContext& c) {
  const Shape& s = c.shape(0);
  if (s.rank() != 1 && s.rank() != 2)
    return invalid("Input must be a 1 or 2-dimensional tensor. Got: {}", to_string(s));
  TARRY_RETURN_IF_ERROR(check_not_negative(integers_of(c.in(0))));
  TARRY_RETURN_IF_ERROR(check_weights_of(c, 0, "data"));
  if (s.rank() == 2 && s.dims[0] == 0) return invalid("Invalid input: Shapes dimension cannot be 0.");
  CountedRows to{integers_of(c.in(0)), {}, s.rank() == 2 ? s.dims[0] : 1, s.rank() == 1};
  for (std::int64_t i = 0; i < std::ssize(to.numbers); ++i) to.row_of.push_back(s.rank() == 2 ? i / s.dims[1] : 0);
  return to;
}

Status check_sparse_counted(const KernelContext& c) {
  const Shape &at = c.shape(0), &values = c.shape(1), &shape = c.shape(2);
  if (at.rank() != 2) return invalid("Input indices must be a 2-dimensional tensor. Got: {}", to_string(at));
  if (values.rank() != 1) return invalid("Input values must be a vector. Got: {}", to_string(values));
  if (shape.rank() != 1) return invalid("Input shape must be a vector. Got: {}", to_string(shape));
  if (values.dims[0] != at.dims[0])
    return invalid("Number of values must match first dimension of indices.Got {} values, indices shape: {}",
                   values.dims[0], to_string(at));
  if (shape.dims[0] != at.dims[1])
    return invalid("Number of dimensions must match second dimension of indices.Got {} dimensions, indices shape: {}",
                   shape.dims[0], to_string(at));
  return shape.dims[0] > 0 ? Status() : invalid("The shape argument requires at least one element.");
}

StatusOr<CountedRows> sparse_rows(const KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_sparse_counted(c));
  const auto at = c.data<std::int64_t>(0), shape = c.data<std::int64_t>(2);
  CountedRows to{integers_of(c.in(1)), {}, shape.size() == 1 ? 1 : shape[0], shape.size() == 1};
  for (std::size_t i = 0; i < at.size(); ++i)
    if (const std::size_t d = i % shape.size(); at[i] < 0 || at[i] >= shape[d])
      return invalid(
          "Invalid index value at {}: dimension {} has value {} which is not in [0, {}) (as given by dense "
          "shape Tensor<type: int64 shape: [{}] values: {}>",
          i / shape.size(), d, at[i], shape[d], shape.size(), fmt::join(shape, " "));
  TARRY_RETURN_IF_ERROR(check_not_negative(to.numbers));
  TARRY_RETURN_IF_ERROR(check_weights_of(c, 1, "values"));
  if (to.rows <= 0) return invalid("Cannot allocate {} batches, is the dense shape too wide?", to.rows);
  for (std::size_t i = 0; i < to.numbers.size(); ++i) to.row_of.push_back(to.is_vector ? 0 : at[i * shape.size()]);
  return to;
}

StatusOr<CountedRows> ragged_rows(const KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_weights_of(c, 1, "values"));
  const auto splits = c.data<std::int64_t>(0);
  CountedRows to{integers_of(c.in(1)), {}, std::ssize(splits) - 1, false};
  if (to.rows <= 0) return invalid("Must provide at least 2 elements for the splits argument");
  if (splits[0] != 0) return invalid("Splits must start with 0, not with {}", splits[0]);
  if (splits.back() != std::ssize(to.numbers))
    return invalid("Splits must end with the number of values, got {} instead of {}", splits.back(), to.numbers.size());
  TARRY_RETURN_IF_ERROR(check_not_negative(to.numbers));
  for (std::int64_t i = 0, row = 0; i < std::ssize(to.numbers); ++i) {
    while (i >= splits[static_cast<std::size_t>(row)]) ++row;
    to.row_of.push_back(row - 1);
  }
  return to;
}

constexpr KernelRow kSparseCountRows[] = {
    {"DenseCountSparseOutput", make_counts<dense_rows>},
    {"SparseCountSparseOutput", make_counts<sparse_rows>},
    {"RaggedCountSparseOutput", make_counts<ragged_rows>},
};

}  // namespace

KernelFamily sparse_count_ops() { return kSparseCountRows; }

}  // namespace tarry
