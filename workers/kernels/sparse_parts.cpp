#include "workers/kernels/sparse_parts.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace tarry {

Status check_tensor(const SparseParts& p) {
  for (const std::int64_t d : p.shape.as<std::int64_t>())
    if (d < 0) return invalid("Expected shape dimensions to be non-negative, got {}", d);
  if (p.values.shape().rank() != 1) return invalid("vals must be a vec, but got: {}", to_string(p.values.shape()));
  if (p.indices.shape().rank() > 0 && p.indices.shape().dims[0] != p.values.elements())
    return invalid("indices and values rows (indexing dimension) must match. (indices = {}, values = {})",
                   p.indices.shape().dims[0], p.values.elements());
  if (p.indices.shape().rank() != 2)
    return invalid("indices must be a matrix, but got: {}", to_string(p.indices.shape()));
  return std::cmp_equal(p.indices.shape().dims[1], p.rank()) ? Status()
                                                             : invalid("Order length must be SparseTensor rank.");
}

Status check_validated(const SparseParts& p) {
  if (p.indices.shape().rank() != 2)
    return invalid("Sparse indices must be rank 2 but is rank {}", p.indices.shape().rank());
  if (p.values.shape().rank() != 1)
    return invalid("Sparse values must be rank 1 but is rank {}", p.values.shape().rank());
  if (p.shape.shape().rank() != 1) return invalid("Sparse shape must be rank 1 but is rank {}", p.shape.shape().rank());
  if (p.indices.shape().dims[0] != p.values.elements())
    return invalid("Number of elements in indices ({}) and values ({}) do not match", p.indices.shape().dims[0],
                   p.values.elements());
  if (std::cmp_not_equal(p.indices.shape().dims[1], p.rank()))
    return invalid("Index rank ({}) and shape rank ({}) do not match", p.indices.shape().dims[1], p.rank());
  return {};
}

namespace {

bool is_inside(SparseRow row, std::span<const std::int64_t> shape) {
  for (std::size_t d = 0; d < row.size(); ++d)
    if (row[d] < 0 || row[d] >= shape[d]) return false;
  return true;
}

}  // namespace

Status check_bounds(const SparseParts& p) {
  for (std::size_t i = 0; i < p.count(); ++i)
    if (!is_inside(p.row(i), p.shape.as<std::int64_t>()))
      return invalid("Sparse index tuple indices[{}, :] = [{}] is out of bounds", i, fmt::join(p.row(i), ", "));
  return {};
}

Status check_needed(const SparseParts& p) {
  const auto shape = p.shape.as<std::int64_t>();
  for (std::size_t i = 0; i < p.count(); ++i) {
    const auto bad = [&](std::string_view what) {
      return invalid("indices[{}] = [{}] is {}", i, fmt::join(p.row(i), ","), what);
    };
    if (!is_inside(p.row(i), shape))
      return bad(fmt::format("out of bounds: need 0 <= index < [{}]", fmt::join(shape, ",")));
    if (i == 0 || std::ranges::lexicographical_compare(p.row(i - 1), p.row(i))) continue;
    if (std::ranges::equal(p.row(i - 1), p.row(i))) return bad("repeated");
    return bad(
        "out of order. Many sparse ops require sorted indices.\n    Use `tf.sparse.reorder` to create a correctly "
        "ordered copy.\n\n");
  }
  return {};
}

Status check_visited(const SparseParts& p, std::size_t i, std::size_t in_group) {
  const auto shape = p.shape.as<std::int64_t>();
  for (std::size_t d = 0; d < p.rank(); ++d)
    if (p.row(i)[d] >= shape[d])
      return error(Code::kInternal, "indices[{}, {}] expected < {}, got {}.", in_group, d, shape[d], p.row(i)[d]);
  return {};
}

void give_sparse(KernelContext& c, std::size_t first, const Dims& indices, TensorRef values, const Dims& shape) {
  MutableTensor at = make_tensor(DataType::kInt64, Shape({values->elements(), std::ssize(shape)}));
  std::ranges::copy(indices, at->mutable_as<std::int64_t>().begin());
  c.set(first, at), c.set(first + 1, std::move(values)), c.set(first + 2, make_vector(shape));
}

}  // namespace tarry
