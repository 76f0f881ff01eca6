// Sparse tensors: indices [n, rank] in rows, n values, and the dense shape.

#include <algorithm>
#include <numeric>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/rearrange.hpp"
#include "workers/kernels/sparse_parts.hpp"

namespace tarry {
namespace {

constexpr InputRule kSparse[] = {{1, "Sparse values must be rank 1 but is rank {1}", Takes::vector},
                                 {2, "Sparse shape must be rank 1 but is rank {1}", Takes::vector}};

Status check_sparse(const KernelContext& c) {
  if (c.shape(0).rank() != 2) return invalid("Sparse indices must be rank 2 but is rank {}", c.shape(0).rank());
  TARRY_RETURN_IF_ERROR(check_inputs(c, kSparse));
  if (c.shape(0).dims[0] != c.shape(1).dims[0])
    return invalid("Number of elements in indices ({}) and values ({}) do not match", c.shape(0).dims[0],
                   c.shape(1).dims[0]);
  if (c.shape(0).dims[1] != c.shape(2).dims[0])
    return invalid("Index rank ({}) and shape rank ({}) do not match", c.shape(0).dims[1], c.shape(2).dims[0]);
  return {};
}

// SparseReorder (indices, values, shape): the elements in row-major order, equal ones in the order they came.
Status sparse_reorder(KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_sparse(c));
  const auto n = static_cast<std::size_t>(c.shape(0).dims[0]), rank = static_cast<std::size_t>(c.shape(0).dims[1]);
  const auto indices = c.data<std::int64_t>(0);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(indices.subspan(a * rank, rank), indices.subspan(b * rank, rank));
  });
  MutableTensor to = make_tensor(DataType::kInt64, c.shape(0)), values = make_tensor(c.in(1).dtype(), c.shape(1));
  for (std::size_t i = 0; i < n; ++i) {
    copy_elements(*to, i * rank, c.in(0), order[i] * rank, rank);
    copy_elements(*values, i, c.in(1), order[i]);
  }
  c.set(0, to);
  return c.give(1, values);
}

// ---- SparseFillEmptyRows (indices, values, shape, default) ----
//
// Outputs: indices and values by rows, with the default first in each row that was empty; which rows were empty; where
// each value went.

Status check_rows_to_fill(const KernelContext& c) {
  if (c.shape(2).rank() != 1) return invalid("dense_shape must be a vector, saw: {}", to_string(c.shape(2)));
  if (c.shape(0).rank() != 2) return invalid("indices must be a matrix, saw: {}", to_string(c.shape(0)));
  if (c.shape(1).rank() != 1) return invalid("values must be a vector, saw: {}", to_string(c.shape(1)));
  if (c.shape(0).dims[0] != c.shape(1).dims[0])
    return invalid("The length of `values` ({}) must match the first dimension of `indices` ({}).", c.shape(1).dims[0],
                   c.shape(0).dims[0]);
  if (c.shape(0).dims[1] != c.shape(2).dims[0])
    return invalid("The length of `dense_shape` ({}) must match the second dimension of `indices` ({}).",
                   c.shape(2).dims[0], c.shape(0).dims[1]);
  if (c.shape(3).rank() != 0) return invalid("default_value must be a scalar, saw: {}", to_string(c.shape(3)));
  if (c.shape(2).dims[0] == 0) return invalid("Dense shape cannot be empty.");
  return {};
}

using RowsOfValues = std::vector<std::vector<std::size_t>>;

StatusOr<RowsOfValues> values_by_row(const KernelContext& c) {
  const auto indices = c.data<std::int64_t>(0);
  const auto rank = static_cast<std::size_t>(c.shape(0).dims[1]);
  const std::int64_t rows = c.data<std::int64_t>(2)[0];
  if (rows == 0 && !indices.empty())
    return invalid("Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = {}", c.shape(0).dims[0]);
  if (rows < 0) return invalid("Expected shape dimensions to be non-negative, got {}", rows);
  TARRY_RETURN_IF_ERROR(check_can_be_kept(Shape({rows})));
  RowsOfValues by_row(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i * rank < indices.size(); ++i) {
    const std::int64_t row = indices[i * rank];
    if (row < 0 || row >= rows) return invalid("indices({}, 0) is invalid: {} >= {}", i, row, rows);
    by_row[static_cast<std::size_t>(row)].push_back(i);
  }
  return by_row;
}

Status fill_empty_rows(KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_rows_to_fill(c));
  TARRY_ASSIGN(const RowsOfValues by_row, values_by_row(c));
  const auto rank = static_cast<std::size_t>(c.shape(0).dims[1]);
  const std::int64_t filled =
      c.shape(0).dims[0] + std::ranges::count_if(by_row, [](const auto& r) { return r.empty(); });
  MutableTensor indices = make_tensor(DataType::kInt64, Shape({filled, c.shape(0).dims[1]})),
                values = make_tensor(c.in(1).dtype(), Shape({filled})),
                empty = make_tensor(DataType::kBool, Shape({std::ssize(by_row)})),
                went = make_tensor(DataType::kInt64, c.shape(1));
  std::size_t at = 0;
  for (std::size_t row = 0; row < by_row.size(); ++row) {
    empty->mutable_as<bool>()[row] = by_row[row].empty();
    if (by_row[row].empty()) {
      indices->mutable_as<std::int64_t>()[at * rank] = static_cast<std::int64_t>(row);
      copy_elements(*values, at++, c.in(3), 0);
    }
    for (const std::size_t i : by_row[row]) {
      copy_elements(*indices, at * rank, c.in(0), i * rank, rank);
      copy_elements(*values, at, c.in(1), i);
      went->mutable_as<std::int64_t>()[i] = static_cast<std::int64_t>(at++);
    }
  }
  c.set(0, indices), c.set(1, values), c.set(2, empty);
  return c.give(3, went);
}

// SparseFillEmptyRowsGrad (where each value went, gradients): the values' gradients; the sum of the others.
Status fill_empty_rows_grad(KernelContext& c) {
  if (c.shape(0).rank() != 1) return invalid("reverse_index_map must be a vector, saw: {}", to_string(c.shape(0)));
  if (c.shape(1).rank() != 1) return invalid("grad_values must be a vector, saw: {}", to_string(c.shape(1)));
  const auto went = c.data<std::int64_t>(0);
  const std::int64_t all = c.in(1).elements();
  for (const std::int64_t at : went)
    if (at < 0 || at >= all) return invalid("Elements in reverse index must be in [0, {}) but got {}", all, at);
  MutableTensor values = make_tensor(c.in(1).dtype(), c.shape(0)), rest = make_tensor(c.in(1).dtype(), Shape());
  std::vector<bool> is_value(static_cast<std::size_t>(all));
  for (std::size_t i = 0; i < went.size(); ++i) {
    copy_elements(*values, i, c.in(1), static_cast<std::size_t>(went[i]));
    is_value[static_cast<std::size_t>(went[i])] = true;
  }
  TARRY_RETURN_IF_ERROR(for_number(c.in(1).dtype(), [&]<class T>() {
    T& sum = rest->mutable_as<T>()[0];
    for (std::size_t i = 0; i < is_value.size(); ++i)
      if (!is_value[i]) sum = static_cast<T>(sum + c.data<T>(1)[i]);
    return Status();
  }));
  c.set(0, values);
  return c.give(1, rest);
}

// ---- SparseReshape (indices, shape, new shape) ----

// Which dimension is -1, and so follows from the others; -1 when none is.
StatusOr<std::int64_t> open_dimension(const Dims& shape) {
  std::int64_t open = -1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == -1 && open >= 0) return invalid("only one output dimension may be -1, not both {} and {}", open, d);
    if (shape[d] < -1) return invalid("size {} must be non-negative, not {}", d, shape[d]);
    if (shape[d] == -1) open = static_cast<std::int64_t>(d);
  }
  return open;
}

// The new shape of a tensor that is dense with so many elements, with its -1 worked out.
StatusOr<Dims> reshaped(const Shape& from, Dims to) {
  const std::int64_t all = from.elements();
  TARRY_ASSIGN(const std::int64_t open, open_dimension(to));
  if (open >= 0) {
    std::int64_t& missing = to[static_cast<std::size_t>(open)];
    missing = 1;
    const std::int64_t given = Shape(to).elements();
    if (given == 0)
      return invalid(
          "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes "
          "are non-zero");
    if (all % given != 0)
      return invalid(
          "Input to reshape is a SparseTensor with {} dense values, but the requested shape requires a "
          "multiple of {}. input_shape={} output_shape={}",
          all, given, to_string(from), to_string(Shape(to)));
    missing = all / given;
  }
  if (Shape(to).elements() == all) return to;
  return invalid(
      "Input to reshape is a tensor with {} dense values, but the requested shape has {}. input_shape={} "
      "output_shape={}",
      all, Shape(to).elements(), to_string(from), to_string(Shape(to)));
}

// Coordinates in that shape. Those of a place outside of it are outside, too.
Dims coordinates_anywhere(const Dims& shape, std::int64_t flat) {
  Dims at;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t stride = std::max<std::int64_t>(1, product(Shape(shape), d + 1, shape.size()));
    at.push_back(flat / stride);
    flat %= stride;
  }
  return at;
}

Status sparse_reshape(KernelContext& c) {
  if (c.shape(0).rank() != 2) return invalid("Input must be a matrix.");
  if (c.shape(1).rank() != 1) return invalid("Input shape must be a vector.");
  if (c.shape(2).rank() != 1)
    return invalid("Target shape should be a vector but received shape {}", to_string(c.shape(2)));
  if (c.shape(0).dims[1] != c.shape(1).dims[0]) return invalid("Input tensor rank must match input shape length.");
  const Shape from(integers_of(c.in(1)));
  for (const std::int64_t d : from.dims)
    if (d < 0) return invalid("Expected shape dimensions to be non-negative, got {}", d);
  TARRY_ASSIGN(const Dims to, reshaped(from, integers_of(c.in(2))));
  if (to == from.dims) return c.set(0, c.inputs[0].tensor), c.give(1, make_vector(to));  // bad ones, too
  const auto indices = c.data<std::int64_t>(0);
  if (from.elements() == 0 && !indices.empty()) return invalid("A tensor without elements has no indices");
  MutableTensor moved = make_tensor(DataType::kInt64, Shape({c.shape(0).dims[0], std::ssize(to)}));
  for (std::size_t i = 0; std::cmp_less(i, c.shape(0).dims[0]); ++i) {
    const auto row = indices.subspan(i * from.dims.size(), from.dims.size());
    const Dims at = coordinates_anywhere(to, flat_index(from, Dims(row.begin(), row.end())));
    std::ranges::copy(at, moved->mutable_as<std::int64_t>().begin() + static_cast<std::ptrdiff_t>(i * to.size()));
  }
  c.set(0, moved);
  return c.give(1, make_vector(to));
}

// ---- SparseSlice (indices, values, shape, start, size) ----

Status check_cut(const KernelContext& c, std::size_t rank) {
  constexpr const char* kNames[] = {"start", "size"};
  for (std::size_t i = 0; i < 2; ++i)
    if (c.shape(3 + i).rank() != 1)
      return invalid("Input {} should be a vector but received shape {}", kNames[i], to_string(c.shape(3 + i)));
  for (std::size_t i = 0; i < 2; ++i)
    if (std::cmp_not_equal(c.in(3 + i).elements(), rank))
      return invalid("Expected {} to be a vector of length {} but got length {}", kNames[i], rank,
                     c.in(3 + i).elements());
  for (const std::int64_t d : integers_of(c.in(2)))
    if (d < 0) return invalid("Expected shape dimensions to be non-negative, got {}", d);
  for (const std::int64_t d : integers_of(c.in(4)))
    if (d < 0) return invalid("Expected a non-negative size, got {}", d);
  return {};
}

Status sparse_slice(KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_sparse(c));
  const auto rank = static_cast<std::size_t>(c.shape(0).dims[1]);
  const Dims shape = integers_of(c.in(2)), start = integers_of(c.in(3)), size = integers_of(c.in(4));
  TARRY_RETURN_IF_ERROR(check_cut(c, rank));
  Dims to(rank), kept;
  std::vector<std::size_t> from;
  for (std::size_t d = 0; d < rank; ++d) to[d] = std::max<std::int64_t>(0, std::min(size[d], shape[d] - start[d]));
  const auto indices = c.data<std::int64_t>(0);
  for (std::size_t i = 0; i * rank < indices.size(); ++i) {
    const auto row = indices.subspan(i * rank, rank);
    bool is_in = true;
    for (std::size_t d = 0; d < rank; ++d) is_in &= row[d] >= start[d] && row[d] < start[d] + size[d];
    if (!is_in) continue;
    from.push_back(i);
    for (std::size_t d = 0; d < rank; ++d) kept.push_back(row[d] - start[d]);
  }
  MutableTensor moved = make_tensor(DataType::kInt64, Shape({std::ssize(from), c.shape(0).dims[1]})),
                values = make_tensor(c.in(1).dtype(), Shape({std::ssize(from)}));
  std::ranges::copy(kept, moved->mutable_as<std::int64_t>().begin());
  for (std::size_t i = 0; i < from.size(); ++i) copy_elements(*values, i, c.in(1), from[i]);
  c.set(0, moved), c.set(1, values);
  return c.give(2, make_vector(to));
}

// ---- Gradients of a sum of sparse tensors, and of a slice of one: of the values, found by their indices ----

std::vector<SparseRow> matrix_rows(const TensorBody& indices) {
  const auto rank = static_cast<std::size_t>(indices.shape().dims[1]);
  std::vector<SparseRow> rows;
  for (std::size_t i = 0; std::cmp_less(i, indices.shape().dims[0]); ++i)
    rows.push_back(indices.as<std::int64_t>().subspan(i * rank, rank));
  return rows;
}

bool is_matrix(const KernelContext& c, std::size_t i) { return c.shape(i).rank() == 2; }

Status check_count(const KernelContext& c, std::size_t indices, std::string_view of) {
  if (c.in(0).elements() == c.shape(indices).dims[0]) return {};
  return invalid("# elements of backprop_val_grad and # rows of {}_indices should match (#nnz of sum): got {} and {}",
                 of, c.in(0).elements(), c.shape(indices).dims[0]);
}

// Walks over rows and over the sum's, both in ascending order: which of the sum's values belongs to each row, or -1.
// Rows out of order find none.
Dims found_in(const std::vector<SparseRow>& rows, const std::vector<SparseRow>& sums) {
  Dims found(rows.size(), -1);
  std::size_t i = 0;
  for (std::size_t k = 0; k < sums.size() && i < rows.size();) {
    const auto order =
        std::lexicographical_compare_three_way(rows[i].begin(), rows[i].end(), sums[k].begin(), sums[k].end());
    if (order == 0) found[i] = static_cast<std::int64_t>(k);
    i += order <= 0 ? 1 : 0;
    k += order >= 0 ? 1 : 0;
  }
  return found;
}

TensorRef taken_from(const TensorBody& values, const Dims& found) {
  MutableTensor to = make_tensor(values.dtype(), Shape({std::ssize(found)}));
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] >= 0) copy_elements(*to, i, values, static_cast<std::size_t>(found[i]));
  return to;
}

// SparseAddGrad (the sum's gradient, indices of both tensors and of the sum).
Status sparse_add_grad(KernelContext& c) {
  if (c.shape(0).rank() != 1)
    return invalid("Input backprop_val_grad should be a vector but received shape: {}", to_string(c.shape(0)));
  if (!is_matrix(c, 1) || !is_matrix(c, 2) || !is_matrix(c, 3))
    return invalid("Input indices should be matrices but received shapes: {} and {} and {}", to_string(c.shape(1)),
                   to_string(c.shape(2)), to_string(c.shape(3)));
  TARRY_RETURN_IF_ERROR(check_count(c, 3, "sum"));
  if (c.shape(1).dims[1] != c.shape(2).dims[1] || c.shape(1).dims[1] != c.shape(3).dims[1])
    return invalid("The densified operands should have the same ndims; for A, B, sum got: {}{}{}", c.shape(1).dims[1],
                   c.shape(2).dims[1], c.shape(3).dims[1]);
  for (const std::size_t i : {1U, 2U})
    c.set(i - 1, taken_from(c.in(0), found_in(matrix_rows(c.in(i)), matrix_rows(c.in(3)))));
  return {};
}

// SparseSliceGrad (the slice's gradient, the tensor's indices, where the slice begins, its indices).
Status check_slice_grad(const KernelContext& c) {
  if (c.shape(0).rank() != 1)
    return invalid("Input backprop_val_grad should be a vector but received shape: {}", to_string(c.shape(0)));
  if (!is_matrix(c, 1) || !is_matrix(c, 3))
    return invalid("Input and output indices should be matrices but received shapes: {} and {}", to_string(c.shape(1)),
                   to_string(c.shape(3)));
  if (c.shape(2).rank() != 1)
    return invalid("The input_start should be a vector but received shape {}", to_string(c.shape(2)));
  if (c.shape(1).dims[1] != c.shape(3).dims[1])
    return invalid("The input and output should have the same ndims: got: {} and {}", c.shape(1).dims[1],
                   c.shape(3).dims[1]);
  TARRY_RETURN_IF_ERROR(check_count(c, 3, "output"));
  if (c.in(2).elements() != c.shape(1).dims[1])
    return invalid("Expected input_start to be a vector of length {} but got length {}", c.shape(1).dims[1],
                   c.in(2).elements());
  return {};
}

Status sparse_slice_grad(KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_slice_grad(c));
  const auto rows = matrix_rows(c.in(1)), cut = matrix_rows(c.in(3));
  const Dims start = integers_of(c.in(2));
  Dims found(rows.size(), -1);
  std::size_t k = 0;
  const auto is_at = [&](SparseRow row, SparseRow to) {
    for (std::size_t d = 0; d < row.size(); ++d)
      if (row[d] != to[d] + start[d]) return false;
    return true;
  };
  for (std::size_t i = 0; i < rows.size() && k < cut.size(); ++i)
    if (is_at(rows[i], cut[k])) found[i] = static_cast<std::int64_t>(k++);
  if (k < cut.size())
    return error(Code::kInternal, "Elements of backprop_val_grad aren't all propagated. Num elements:{}, used: {}",
                 cut.size(), k);
  return c.give(0, taken_from(c.in(0), found));
}

constexpr KernelRow kSparseTensorRows[] = {
    {"SparseReorder", behaves<sparse_reorder>},
    {"SparseFillEmptyRows", behaves<fill_empty_rows>},
    {"SparseFillEmptyRowsGrad", behaves<fill_empty_rows_grad>},
    {"SparseReshape", behaves<sparse_reshape>},
    {"SparseSlice", behaves<sparse_slice>},
    {"SparseSliceGrad", behaves<sparse_slice_grad>},
    {"SparseAddGrad", behaves<sparse_add_grad>},
};

}  // namespace

KernelFamily sparse_tensor_ops() { return kSparseTensorRows; }

}  // namespace tarry
