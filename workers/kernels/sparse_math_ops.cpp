// Sparse tensors joined, reduced, and taken together with dense ones.

#include <algorithm>
#include <map>
#include <numeric>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/rearrange.hpp"
#include "workers/kernels/sparse_parts.hpp"

namespace tarry {
namespace {

using Row = std::span<const std::int64_t>;

Row row_of(const TensorBody& indices, std::size_t i) {
  const auto rank = static_cast<std::size_t>(indices.shape().dims[1]);
  return indices.as<std::int64_t>().subspan(i * rank, rank);
}

// Rows of as many coordinates as the shape has dimensions, and as many values.
Status check_rows(const TensorBody& indices, const TensorBody& values, const Dims& shape) {
  if (indices.shape().rank() != 2)
    return invalid("Input indices should be a matrix but received shape: {}", to_string(indices.shape()));
  if (std::cmp_not_equal(indices.shape().dims[1], shape.size()))
    return invalid("Number of dimensions must match second dimension of indices. Got {} dimensions, indices shape: {}",
                   shape.size(), to_string(indices.shape()));
  if (values.elements() < indices.shape().dims[0])
    return invalid("The first dimension of values and indices should match. ({} vs. {})", values.elements(),
                   indices.shape().dims[0]);
  return {};
}

// ---- SparseConcat (n indices, n values, n shapes): the elements in row-major order ----

struct Parts {
  std::size_t count = 1;
  std::int64_t axis = 0;
  [[nodiscard]] const TensorBody& indices(const KernelContext& c, std::size_t i) const { return c.in(i); }
  [[nodiscard]] const TensorBody& values(const KernelContext& c, std::size_t i) const { return c.in(count + i); }
  [[nodiscard]] Dims shape(const KernelContext& c, std::size_t i) const { return integers_of(c.in(2 * count + i)); }
};

// First the indices of all parts, then their values, then their shapes.
Status check_ranks_of_parts(const Parts& p, const KernelContext& c) {
  for (std::size_t i = 0; i < p.count; ++i)
    if (const Shape& s = p.indices(c, i).shape(); s.rank() != 2)
      return invalid("Input indices should be a matrix but received shape {} at position {}", to_string(s), i);
  for (std::size_t i = 0; i < p.count; ++i)
    if (const Shape& s = p.values(c, i).shape(); s.rank() != 1)
      return invalid("Input values should be a vector but received shape {} at position {}", to_string(s), i);
  for (std::size_t i = 0; i < p.count; ++i) {
    const Dims shape = p.shape(c, i);
    if (std::ranges::any_of(shape, [](std::int64_t d) { return d < 0; }))
      return error(Code::kInternal, "Encountered overflow from large input shape.");
    if (const Shape& s = c.shape(2 * p.count + i); s.rank() != 1)
      return invalid("Input shapes should be a vector but received shape {} at position {}", to_string(s), i);
  }
  return {};
}

Status check_shapes_of_parts(const Parts& p, const KernelContext& c, std::size_t axis) {
  const Dims first = p.shape(c, 0);
  for (std::size_t i = 0; i < p.count; ++i) {
    const Dims shape = p.shape(c, i);
    if (shape.size() != first.size())
      return invalid("Ranks of all input tensors must match: expected {} but got {} at position {}", first.size(),
                     shape.size(), i);
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (d != axis && shape[d] != first[d])
        return invalid("Input shapes must match: expected {} for dimension {} but got {} at position {}", first[d], d,
                       shape[d], i);
  }
  return {};
}

StatusOr<std::size_t> check_parts(const Parts& p, const KernelContext& c) {
  const auto rank = std::ssize(p.shape(c, 0));
  if (p.axis < -rank || p.axis >= rank)
    return invalid("Concat dimension must be in range [{}, {}), got {}", -rank, rank, p.axis);
  const auto axis = static_cast<std::size_t>(p.axis < 0 ? p.axis + rank : p.axis);
  TARRY_RETURN_IF_ERROR(check_ranks_of_parts(p, c));
  TARRY_RETURN_IF_ERROR(check_shapes_of_parts(p, c, axis));
  bool has_places = false;  // without any, no part is looked at
  for (std::size_t i = 0; i < p.count; ++i) has_places |= p.indices(c, i).shape().dims[0] > 0;
  for (std::size_t i = 0; has_places && i < p.count; ++i)
    TARRY_RETURN_IF_ERROR(check_tensor({p.indices(c, i), p.values(c, i), c.in(2 * p.count + i)}));
  return axis;
}

struct Element {
  Dims at;
  std::size_t part, value;
};

// In row-major order of the whole, whose size along the axis `to` gets.
std::vector<Element> elements_of(const Parts& p, const KernelContext& c, std::size_t axis, Dims& to) {
  std::vector<Element> all;
  to[axis] = 0;
  for (std::size_t i = 0; i < p.count; ++i) {
    for (std::size_t e = 0; std::cmp_less(e, p.indices(c, i).shape().dims[0]); ++e) {
      const Row row = row_of(p.indices(c, i), e);
      all.push_back({Dims(row.begin(), row.end()), i, e});
      all.back().at[axis] += to[axis];
    }
    to[axis] += p.shape(c, i)[axis];
  }
  std::ranges::stable_sort(all, {}, &Element::at);
  return all;
}

Status concat_sparse(const Parts& p, KernelContext& c) {
  TARRY_ASSIGN(const std::size_t axis, check_parts(p, c));
  Dims to = p.shape(c, 0);
  const std::vector<Element> all = elements_of(p, c, axis, to);
  MutableTensor indices = make_tensor(DataType::kInt64, Shape({std::ssize(all), std::ssize(to)})),
                values = make_tensor(p.values(c, 0).dtype(), Shape({std::ssize(all)}));
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::ranges::copy(all[i].at,
                      indices->mutable_as<std::int64_t>().begin() + static_cast<std::ptrdiff_t>(i * to.size()));
    copy_elements(*values, i, p.values(c, all[i].part), all[i].value);
  }
  c.set(0, indices), c.set(1, values);
  return c.give(2, make_vector(to));
}

Behaviour make_concat_sparse(const KernelSetup& s) {
  const Parts parts{s.inputs.size() / 3, attr_or(s.attrs, "concat_dim", std::int64_t{0})};
  return {[parts](KernelContext& c) { return concat_sparse(parts, c); }, nullptr};
}

// ---- SparseReduceSum, SparseReduceMax (indices, values, shape, axes): a dense tensor ----

StatusOr<std::vector<bool>> reduced_axes(const KernelContext& c) {
  if (c.shape(2).rank() != 1)
    return invalid("Expected input_shape to be a vector; got shape: {}", to_string(c.shape(2)));
  if (c.shape(3).rank() > 1)
    return invalid("Expected reduction_axes to be a scalar or a vector; got shape: {}", to_string(c.shape(3)));
  const std::int64_t rank = c.shape(2).dims[0];
  const Dims axes = integers_of(c.in(3));
  std::vector<bool> is_reduced(static_cast<std::size_t>(rank));
  for (const std::int64_t a : axes) {
    if (a < -rank || a >= rank)
      return invalid("Invalid reduction dimension {}, for input with {} dimensions.", a, rank);
    is_reduced[static_cast<std::size_t>(a < 0 ? a + rank : a)] = true;
  }
  TARRY_RETURN_IF_ERROR(check_tensor(sparse_parts(c, 0)));
  return is_reduced;
}

Status reduced_shape(bool keeps, const KernelContext& c, std::span<Shape> out) {
  if (!known(c, 2) || !known(c, 3)) return shape_not_known();
  TARRY_ASSIGN(const std::vector<bool> is_reduced, reduced_axes(c));
  const Dims shape = integers_of(c.in(2));
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (!is_reduced[d])
      out[0].dims.push_back(shape[d]);
    else if (keeps)
      out[0].dims.push_back(1);
  return {};
}

template <bool max, class T>
std::map<Dims, T> reduced_places(const KernelContext& c, const std::vector<bool>& is_reduced, bool keeps) {
  std::map<Dims, T> places;
  for (std::size_t i = 0; std::cmp_less(i, std::min(c.in(1).elements(), c.shape(0).dims[0])); ++i) {
    Dims at;
    const Row row = row_of(c.in(0), i);
    for (std::size_t d = 0; d < row.size(); ++d)
      if (!is_reduced[d] || keeps) at.push_back(is_reduced[d] ? 0 : row[d]);
    const T value = c.data<T>(1)[i];
    const auto [it, is_new] = places.try_emplace(at, value);
    if (!is_new) it->second = max ? std::max(it->second, value) : static_cast<T>(it->second + value);
  }
  return places;
}

// Elements that are not there do not count, not even as zeros. A place outside may be another one inside.
template <bool max, class T>
Status reduce_sparse(bool keeps, KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_rows(c.in(0), c.in(1), integers_of(c.in(2))));
  TARRY_ASSIGN(const std::vector<bool> is_reduced, reduced_axes(c));
  const auto to = c.out<T>(0);
  for (const auto& [place, value] : reduced_places<max, T>(c, is_reduced, keeps)) {
    const std::int64_t at = flat_index(out(c).shape(), place);
    if (at < 0 || at >= std::ssize(to))
      return error(Code::kInternal, "Obtained a write index of {} which is outside of bounds of [0, {})", at,
                   to.size());
    to[static_cast<std::size_t>(at)] = value;
  }
  return {};
}

template <bool max>
Behaviour make_reduce_sparse(const KernelSetup& s) {
  const bool keeps = attr_or(s.attrs, "keep_dims", false);
  return {[keeps](KernelContext& c) {
            return for_number(c.in(1).dtype(), [&]<class T>() { return reduce_sparse<max, T>(keeps, c); });
          },
          [keeps](const KernelContext& c, std::span<Shape> out) { return reduced_shape(keeps, c, out); }};
}

// ---- SparseReduceSumSparse, SparseReduceMaxSparse: the same as a sparse tensor ----

template <bool max>
Behaviour make_reduce_to_sparse(const KernelSetup& s) {
  return {[keeps = attr_or(s.attrs, "keep_dims", false)](KernelContext& c) -> Status {
            std::vector<Shape> shape(1);
            TARRY_RETURN_IF_ERROR(reduced_shape(keeps, c, shape));
            TARRY_ASSIGN(const std::vector<bool> is_reduced, reduced_axes(c));
            return for_number(c.in(1).dtype(), [&]<class T>() {
              Dims indices;
              std::vector<T> values;
              for (const auto& [place, value] : reduced_places<max, T>(c, is_reduced, keeps)) {
                indices.insert(indices.end(), place.begin(), place.end());
                values.push_back(value);
              }
              return give_sparse(c, 0, indices, make_vector(values), shape[0].dims), Status();
            });
          },
          nullptr};
}

// ---- SparseTensorDenseMatMul (indices, values, shape, dense matrix) ----

struct Adjoints {
  bool sparse = false, dense = false;
};

Status product_shape(Adjoints adjoint, const KernelContext& c, std::span<Shape> out) {
  if (c.shape(3).rank() != 2) return invalid("Tensor 'b' is not a matrix");
  if (c.shape(2).rank() != 1) return invalid("Tensor 'a_shape' is not a vector");
  if (c.shape(2).dims[0] != 2) return invalid("Tensor 'a_shape' must have 2 elements");
  if (c.shape(1).rank() != 1) return invalid("Tensor 'a_values' is not a vector");
  if (c.shape(0).rank() != 2) return invalid("Tensor 'a_indices' is not a matrix");
  if (c.shape(0).dims[1] != 2)
    return invalid("Number of columns of a_indices does not match number of entries in a_shape");
  if (c.shape(0).dims[0] != c.shape(1).dims[0])
    return invalid("Number of rows of a_indices does not match number of entries in a_values");
  if (!known(c, 2)) return shape_not_known();
  const Dims a = integers_of(c.in(2));
  const auto& b = c.shape(3).dims;
  const std::int64_t inner = a[adjoint.sparse ? 0 : 1], of_dense = b[adjoint.dense ? 1 : 0];
  if (inner != of_dense)
    return invalid(
        "Cannot multiply A and B because inner dimension does not match: {} vs. {}.  Did you forget a "
        "transpose?  Dimensions of A: [{}, {}).  Dimensions of B: {}",
        inner, of_dense, a[0], a[1], to_string(c.shape(3)));
  return only(out, Shape({a[adjoint.sparse ? 1 : 0], b[adjoint.dense ? 0 : 1]}));
}

template <class T>
Status multiply(Adjoints adjoint, KernelContext& c) {
  const auto rows = out(c).shape().dims[0], columns = out(c).shape().dims[1];
  const std::int64_t inner = c.shape(3).dims[adjoint.dense ? 1 : 0];
  const auto at = [](std::int64_t i, std::int64_t j, std::int64_t width) {
    return static_cast<std::size_t>(i * width + j);
  };
  for (std::size_t i = 0; std::cmp_less(i, c.in(1).elements()); ++i) {
    const Row row = row_of(c.in(0), i);
    const std::size_t m_at = adjoint.sparse ? 1 : 0, k_at = 1 - m_at;
    const std::int64_t m = row[m_at], k = row[k_at];
    if (k < 0 || k >= inner) return invalid("k ({}) from index[{},{}] out of bounds (>={})", k, i, k_at, inner);
    if (m < 0 || m >= rows) return invalid("m ({}) from index[{},{}] out of bounds (>={})", m, i, m_at, rows);
    for (std::int64_t n = 0; n < columns; ++n)
      c.out<T>(0)[at(m, n, columns)] +=
          c.data<T>(1)[i] * c.data<T>(3)[adjoint.dense ? at(n, k, inner) : at(k, n, columns)];
  }
  return {};
}

Behaviour make_multiply(const KernelSetup& s) {
  const Adjoints adjoint{attr_or(s.attrs, "adjoint_a", false), attr_or(s.attrs, "adjoint_b", false)};
  return {[adjoint](KernelContext& c) {
            return for_number(c.in(1).dtype(), [&]<class T>() { return multiply<T>(adjoint, c); });
          },
          [adjoint](const KernelContext& c, std::span<Shape> out) { return product_shape(adjoint, c, out); }};
}

// ---- SparseDenseCwiseAdd and others (indices, values, shape, dense tensor): the values that are there, changed ----

Status check_cwise(const KernelContext& c) {
  if (c.shape(0).rank() != 2)
    return invalid("Input sp_indices should be a matrix but received shape: {}", to_string(c.shape(0)));
  if (c.shape(1).rank() != 1 || c.shape(2).rank() != 1)
    return invalid("Inputs sp_values and sp_shape should be vectors but received shapes: {} and {}",
                   to_string(c.shape(1)), to_string(c.shape(2)));
  if (c.shape(0).dims[0] != c.shape(1).dims[0])
    return invalid("The first dimension of values and indices should match. ({} vs. {})", c.shape(1).dims[0],
                   c.shape(0).dims[0]);
  if (c.shape(0).dims[1] != c.shape(2).dims[0])
    return invalid("Number of dimensions must match second dimension of indices. Got {} dimensions, indices shape: {}",
                   c.shape(2).dims[0], to_string(c.shape(0)));
  return {};
}

Status cwise_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_cwise(c));
  return only(out, c.shape(1));
}

// The element of the dense tensor, spread over the sparse one's shape, at `row`.
StatusOr<std::size_t> spread_at(const Shape& dense, const Dims& shape, Row row) {
  Dims at;
  const std::size_t more = shape.size() - dense.dims.size();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (row[d] < 0 || row[d] >= shape[d])
      return invalid("Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape");
    if (d >= more) at.push_back(dense.dims[d - more] == 1 ? 0 : row[d]);
  }
  return static_cast<std::size_t>(flat_index(dense, at));
}

template <class F>
Status cwise(KernelContext& c) {
  const Dims shape = integers_of(c.in(2));
  if (const auto bad = std::ranges::find_if(shape, [](std::int64_t d) { return d < 0; }); bad != shape.end())
    return invalid("Expected shape dimensions to be non-negative, got {}", *bad);
  const Shape& dense = c.shape(3);
  bool fits = dense.dims.size() <= shape.size();
  for (std::size_t d = 0; fits && d < dense.dims.size(); ++d)
    fits = dense.dims[d] == 1 || dense.dims[d] == shape[shape.size() - dense.dims.size() + d];
  if (!fits)
    return invalid("SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: {} vs. {}",
                   to_string(Shape(shape)), to_string(dense));
  return for_number(c.in(1).dtype(), [&]<class T>() -> Status {
    for (std::size_t i = 0; i < c.out<T>(0).size(); ++i) {
      TARRY_ASSIGN(const std::size_t at, spread_at(dense, shape, row_of(c.in(0), i)));
      if (std::is_same_v<F, std::divides<>> && std::is_integral_v<T> && c.data<T>(3)[at] == T{0})
        return invalid("Integer division by zero");
      c.out<T>(0)[i] = static_cast<T>(F{}(c.data<T>(1)[i], c.data<T>(3)[at]));
    }
    return {};
  });
}

constexpr KernelRow kSparseMathRows[] = {
    {"SparseConcat", make_concat_sparse},
    {"SparseReduceSumSparse", make_reduce_to_sparse<false>},
    {"SparseReduceMaxSparse", make_reduce_to_sparse<true>},
    {"SparseReduceSum", make_reduce_sparse<false>},
    {"SparseReduceMax", make_reduce_sparse<true>},
    {"SparseTensorDenseMatMul", make_multiply},
    {"SparseDenseCwiseAdd", behaves<cwise<std::plus<>>, cwise_shape>},
    {"SparseDenseCwiseDiv", behaves<cwise<std::divides<>>, cwise_shape>},
    {"SparseDenseCwiseMul", behaves<cwise<std::multiplies<>>, cwise_shape>},
};

}  // namespace

KernelFamily sparse_math_ops() { return kSparseMathRows; }

}  // namespace tarry
