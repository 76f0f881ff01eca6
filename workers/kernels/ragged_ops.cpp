// Ragged tensors: values in rows of different lengths, and the splits that say where each row begins and ends.

#include <algorithm>
#include <cmath>

#include "workers/kernels/every_number.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/rearrange.hpp"
#include "workers/kernels/sparse_parts.hpp"

namespace tarry {
namespace {

// ---- RaggedRange (starts, limits, deltas): the splits, and the numbers of each row ----

constexpr InputRule kBoundsOfRows[] = {{0, "starts must be a scalar or vector", Takes::scalar_or_vector},
                                       {1, "limits must be a scalar or vector", Takes::scalar_or_vector},
                                       {2, "deltas must be a scalar or vector", Takes::scalar_or_vector}};

// How many rows the vectors among the inputs say; 1 when all are scalars.
StatusOr<std::size_t> rows_of_ranges(const KernelContext& c) {
  std::int64_t rows = -1;
  for (std::size_t i = 0; i < 3; ++i) {
    if (c.shape(i).rank() == 0) continue;
    if (rows >= 0 && rows != c.shape(i).dims[0]) return invalid("starts, limits, and deltas must have the same shape");
    rows = c.shape(i).dims[0];
  }
  return static_cast<std::size_t>(rows < 0 ? 1 : rows);
}

template <class T>
StatusOr<std::int64_t> size_of_range(T start, T limit, T delta) {
  if (delta == T{0}) return invalid("Requires delta != 0");
  if (delta != delta)
    return invalid("Requires ((limit - start) / delta) <= {}", std::numeric_limits<std::int64_t>::max());
  if ((delta > T{0}) != (limit > start)) return 0;
  if constexpr (std::is_integral_v<T>)
    return (std::abs(limit - start) + std::abs(delta) - 1) / std::abs(delta);
  else
    return static_cast<std::int64_t>(std::ceil(std::abs((limit - start) / delta)));
}

template <class T>
Status ranges(DataType of_splits, KernelContext& c) {
  TARRY_ASSIGN(const std::size_t rows, rows_of_ranges(c));
  Dims splits{0};
  std::vector<T> values;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto at = [&](std::size_t i) { return c.data<T>(i)[c.shape(i).rank() == 0 ? 0 : r]; };
    TARRY_ASSIGN(const std::int64_t n, size_of_range<T>(at(0), at(1), at(2)));
    TARRY_RETURN_IF_ERROR(check_can_be_kept(Shape({n})));
    T value = at(0);
    for (std::int64_t i = 0; i < n; ++i, value = static_cast<T>(value + at(2))) values.push_back(value);
    splits.push_back(std::ssize(values));
  }
  c.set(0, integers_as(of_splits, splits));
  return c.give(1, make_vector(values));
}

Behaviour make_ragged_range(const KernelSetup& s) {
  return {[of_splits = s.outputs[0]](KernelContext& c) -> Status {
            TARRY_RETURN_IF_ERROR(check_inputs(c, kBoundsOfRows));
            return for_number(c.in(0).dtype(), [&]<class T>() { return ranges<T>(of_splits, c); });
          },
          nullptr};
}

// ---- RaggedGather (splits of each dimension, flat values, indices): rows, as splits and flat values ----

using Splits = std::vector<Dims>;  // from the outermost dimension on

// The splits of inputs 0 .. count-1, checked against each other and against `n` flat values.
Status check_nested(const Splits& splits, std::int64_t n) {
  for (std::size_t d = 0; d < splits.size(); ++d) {
    const std::int64_t below = d + 1 < splits.size() ? std::ssize(splits[d + 1]) - 1 : n;
    if (splits[d].empty()) continue;
    if (splits[d].front() < 0) return invalid("Ragged splits must be non-negative");
    if (splits[d].back() > below) return invalid("Ragged splits must not point past values");
    if (!std::ranges::is_sorted(splits[d])) return invalid("Ragged splits must be sorted");
  }
  return {};
}

StatusOr<Splits> splits_of(const KernelContext& c, std::size_t count) {
  Splits splits;
  for (std::size_t i = 0; i < count; ++i) {
    if (c.shape(i).rank() == 0) return invalid("Split tensors must not be scalars");
    splits.push_back(integers_of(c.in(i)));
  }
  return splits;
}

struct Gathered {
  Splits splits;
  Dims elements;  // of the flat values
};

void gather_row(const Splits& from, std::size_t dim, std::int64_t row, Gathered& to) {
  if (dim == from.size()) return to.elements.push_back(row);
  const auto r = static_cast<std::size_t>(row);
  for (std::int64_t i = from[dim][r]; i < from[dim][r + 1]; ++i) gather_row(from, dim + 1, i, to);
  to.splits[dim].push_back(dim + 1 < from.size() ? std::ssize(to.splits[dim + 1]) - 1 : std::ssize(to.elements));
}

// The splits that the shape of the indices adds in front: rows of equal length.
Splits splits_of_shape(const Shape& indices) {
  Splits splits;
  for (std::size_t d = 0; d + 1 < indices.dims.size(); ++d) {
    Dims each;
    for (std::int64_t i = 0; i <= product(indices, 0, d + 1); ++i) each.push_back(i * indices.dims[d + 1]);
    splits.push_back(std::move(each));
  }
  return splits;
}

// Whether all indices are rows of the outermost splits.
Status check_gathered(const KernelContext& c, const Dims& indices) {
  const std::int64_t rows = std::min(c.shape(0).dims[0], c.in(0).elements()) - 1;
  for (std::size_t i = 0; i < indices.size(); ++i)
    if (indices[i] < 0 || indices[i] >= rows)
      return invalid("indices{} = {} is not in [0, {})",
                     position(c.shape(c.inputs.size() - 1), static_cast<std::int64_t>(i)), indices[i], rows);
  return {};
}

Gathered gather_rows(const Splits& from, const Dims& indices) {
  Gathered to{Splits(from.size(), Dims{0}), {}};
  for (const std::int64_t row : indices) gather_row(from, 0, row, to);
  return to;
}

Status ragged_gather(KernelContext& c, DataType of_splits) {
  const std::size_t count = c.inputs.size() - 2;
  const TensorBody &values = c.in(count), &indices = c.in(count + 1);
  TARRY_ASSIGN(const Splits from, splits_of(c, count));
  if (values.shape().rank() == 0) return invalid("params.rank must be nonzero");
  TARRY_RETURN_IF_ERROR(check_gathered(c, integers_of(indices)));
  TARRY_RETURN_IF_ERROR(check_nested(from, values.shape().dims[0]));
  const Gathered to = gather_rows(from, integers_of(indices));
  Splits all = splits_of_shape(indices.shape());
  // A single row has no dimension of rows.
  all.insert(all.end(), to.splits.begin() + (indices.shape().rank() == 0 ? 1 : 0), to.splits.end());
  if (all.size() + 1 != c.outputs.size())
    return invalid("OUTPUT_RAGGED_RANK is {}, the gathered rows have {}", c.outputs.size() - 1, all.size());
  for (std::size_t d = 0; d < all.size(); ++d) c.set(d, integers_as(of_splits, all[d]));
  Shape shape = values.shape();
  shape.dims[0] = std::ssize(to.elements);
  MutableTensor taken = make_tensor(values.dtype(), shape);
  const auto width = static_cast<std::size_t>(product(shape, 1, shape.dims.size()));
  for (std::size_t i = 0; i < to.elements.size(); ++i)
    copy_elements(*taken, i * width, values, static_cast<std::size_t>(to.elements[i]) * width, width);
  return c.give(all.size(), taken);
}

Behaviour make_ragged_gather(const KernelSetup& s) {
  return {[of_splits = s.outputs[0]](KernelContext& c) { return ragged_gather(c, of_splits); }, nullptr};
}

std::int64_t widest_row(const Dims& splits) {
  std::int64_t widest = 0;
  for (std::size_t i = 1; i < splits.size(); ++i) widest = std::max(widest, splits[i] - splits[i - 1]);
  return widest;
}

// ---- RaggedTensorToSparse (splits of each dimension, flat values): indices, values, shape ----

Status check_splits(const Splits& splits, std::int64_t n) {
  for (const Dims& s : splits) {
    if (s.empty()) return invalid("ragged splits may not be empty.");
    if (s.front() != 0) return invalid("First value of ragged splits must be 0.");
    for (std::size_t i = 1; i < s.size(); ++i)
      if (s[i] < s[i - 1])
        return invalid("Ragged splits should be non decreasing, but we got {} followed by {}", s[i - 1], s[i]);
    const std::int64_t below = &s == &splits.back() ? n : std::ssize((&s)[1]) - 1;
    if (s.back() != below)
      return invalid("Final value of ragged splits must match the length the corresponding ragged values.");
  }
  return {};
}

// The coordinates of each row of the flat values.
std::vector<Dims> places_of(const Splits& splits) {
  std::vector<Dims> places;
  for (std::int64_t i = 0; i + 1 < std::ssize(splits[0]); ++i) places.push_back({i});
  for (const Dims& s : splits) {
    std::vector<Dims> deeper;
    for (std::size_t row = 0; row < places.size(); ++row)
      for (std::int64_t i = s[row]; i < s[row + 1]; ++i) {
        deeper.push_back(places[row]);
        deeper.back().push_back(i - s[row]);
      }
    places = std::move(deeper);
  }
  return places;
}

// The coordinates of each element: those of its row, and those in the row's value.
Dims coordinates_of_elements(const std::vector<Dims>& places, const Shape& inner) {
  Dims indices;
  for (const Dims& place : places)
    for (std::int64_t i = 0; i < inner.elements(); ++i) {
      const Dims at = coordinates(inner, i);
      indices.insert(indices.end(), place.begin(), place.end());
      indices.insert(indices.end(), at.begin(), at.end());
    }
  return indices;
}

Status ragged_to_sparse(KernelContext& c) {
  const std::size_t count = c.inputs.size() - 1;
  const TensorBody& values = c.in(count);
  Splits splits;
  for (std::size_t i = 0; i < count; ++i) splits.push_back(integers_of(c.in(i)));
  TARRY_RETURN_IF_ERROR(check_splits(splits, values.shape().rank() == 0 ? 0 : values.shape().dims[0]));
  if (values.shape().rank() == 0) return invalid("the flat values of a ragged tensor are no scalar");
  const Shape inner(Dims(values.shape().dims.begin() + 1, values.shape().dims.end()));
  Dims shape{std::ssize(splits[0]) - 1};
  for (const Dims& s : splits) shape.push_back(widest_row(s));
  shape.insert(shape.end(), inner.dims.begin(), inner.dims.end());
  MutableTensor flat = make_tensor(values.dtype(), Shape({values.elements()}));
  copy_elements(*flat, 0, values, 0, static_cast<std::size_t>(values.elements()));
  give_sparse(c, 0, coordinates_of_elements(places_of(splits), inner), flat, shape);
  return {};
}

// ---- RaggedTensorToTensor (shape, flat values, default value, splits): dense, filled up and cut off ----

Status check_wanted(const KernelContext& c) {
  if (c.shape(0).rank() > 1) return invalid("Shape must be at most rank 1 but is rank {}", c.shape(0).rank());
  if (c.shape(0).rank() == 0 && integers_of(c.in(0))[0] != -1)
    return invalid("The only valid scalar shape tensor is the fully unknown shape specified as -1.");
  for (const std::int64_t d : integers_of(c.in(0)))
    if (d < -1) return invalid("Dimension {} must be >= -1", d);
  if (c.in(3).elements() == 0) return invalid("Invalid first partition input. Tensor requires at least one element.");
  return {};
}

// The size of each dimension: as wanted, or as large as the rows and values need.
StatusOr<Shape> dense_shape(const KernelContext& c, const Splits& splits) {
  const Dims wanted = c.shape(0).rank() == 0 ? Dims() : integers_of(c.in(0));
  const Shape& values = c.shape(1);
  Shape shape({std::ssize(splits[0]) - 1});
  for (const Dims& s : splits) shape.dims.push_back(widest_row(s));
  shape.dims.insert(shape.dims.end(), values.dims.begin() + 1, values.dims.end());
  for (std::size_t d = 0; d < wanted.size(); ++d)
    if (wanted[d] >= 0) shape.dims[d] = wanted[d];
  if (!std::ranges::equal(std::span(shape.dims).last(values.dims.size() - 1), std::span(values.dims).subspan(1)))
    return invalid("The inner dimensions of a ragged tensor cannot be changed: {}", to_string(shape));
  return shape;
}

// A tensor of that shape, whose first `deep` dimensions are ragged, full of the default value.
StatusOr<MutableTensor> filled(const TensorBody& with, const Shape& shape, std::size_t deep) {
  const Shape inner(Dims(shape.dims.begin() + static_cast<std::ptrdiff_t>(deep), shape.dims.end()));
  Shape spread;
  TARRY_RETURN_IF_ERROR(check_can_be_kept(shape));
  if (!broadcast(with.shape(), inner, spread).ok() || spread != inner)
    return invalid("The default value {} does not fit the inner shape {}", to_string(with.shape()), to_string(inner));
  MutableTensor to = make_tensor(with.dtype(), shape);
  const auto from = broadcast_indices(with.shape(), inner);
  for (std::size_t i = 0; std::cmp_less(i, shape.elements()); ++i) copy_elements(*to, i, with, from[i % from.size()]);
  return to;
}

Status check_ranks_of_dense(const KernelContext& c, std::size_t ragged) {
  const Shape &values = c.shape(1), &otherwise = c.shape(2);
  const std::int64_t rank = static_cast<std::int64_t>(ragged) + values.rank();
  if (otherwise.rank() >= values.rank())
    return invalid(
        "default_value.shape={} and rt_input.flat_values.shape={} are incompatible: default_value.rank = {}  must be "
        "less than rt_input.flat_values.rank = {}",
        to_string(otherwise), to_string(values), otherwise.rank(), values.rank());
  if (c.shape(0).rank() != 0 && c.in(0).elements() != rank)
    return invalid("rt_input.shape and shape={} are incompatible: rt_input.rank = {} but shape.rank = {}",
                   to_string(Shape(integers_of(c.in(0)))), rank, c.in(0).elements());
  return {};
}

Status ragged_to_dense(KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_wanted(c));
  Splits splits;
  for (std::size_t i = 3; i < c.inputs.size(); ++i) splits.push_back(integers_of(c.in(i)));
  const TensorBody& values = c.in(1);
  TARRY_RETURN_IF_ERROR(check_ranks_of_dense(c, splits.size()));
  const std::int64_t used =
      splits.back().empty() ? 0 : splits.back().back();  // values behind the last row are left out
  if (!check_splits(splits, used).ok()) return invalid("Invalid row split size.");
  TARRY_ASSIGN(const Shape shape, dense_shape(c, splits));
  const auto deep = splits.size() + 1;
  TARRY_ASSIGN(const MutableTensor to, filled(c.in(2), shape, deep));
  const auto width = static_cast<std::size_t>(product(shape, deep, shape.dims.size()));
  const Shape outer(Dims(shape.dims.begin(), shape.dims.begin() + static_cast<std::ptrdiff_t>(deep)));
  const std::vector<Dims> places = places_of(splits);
  for (std::size_t i = 0; i < places.size(); ++i) {
    bool is_in = true;
    for (std::size_t d = 0; d < deep; ++d) is_in &= places[i][d] < outer.dims[d];
    if (!is_in) continue;
    if (std::cmp_greater_equal(i, values.shape().dims[0])) return c.give(0, make_shape_only(to->dtype(), shape));
    copy_elements(*to, static_cast<std::size_t>(flat_index(outer, places[i])) * width, values, i * width, width);
  }
  return c.give(0, to);
}

Behaviour make_ragged_to_dense(const KernelSetup& s) {
  const auto* types = s.attrs.get<AttrList>("row_partition_types");
  const bool by_splits =
      types != nullptr && std::ranges::all_of(types->s, [](const std::string& t) { return t == "ROW_SPLITS"; });
  return {[by_splits](KernelContext& c) -> Status {
            if (!by_splits)
              return error(Code::kUnimplemented, "tarry makes ragged tensors dense whose rows are told by splits only");
            return ragged_to_dense(c);
          },
          nullptr};
}

constexpr KernelRow kRaggedRows[] = {
    {"RaggedRange", make_ragged_range},
    {"RaggedGather", make_ragged_gather},
    {"RaggedTensorToTensor", make_ragged_to_dense},
    {"RaggedTensorToSparse", behaves<ragged_to_sparse>},
};

}  // namespace

KernelFamily ragged_ops() { return kRaggedRows; }

}  // namespace tarry
