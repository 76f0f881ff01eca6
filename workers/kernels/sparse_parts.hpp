// The three tensors that a sparse one is made of: indices [n, rank], n values, the dense shape.
#pragma once

#include <span>

#include "workers/kernels/elements.hpp"

namespace tarry {

using SparseRow = std::span<const std::int64_t>;

struct SparseParts {
  const TensorBody& indices;
  const TensorBody& values;
  const TensorBody& shape;

  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(values.elements()); }
  [[nodiscard]] std::size_t rank() const { return static_cast<std::size_t>(shape.elements()); }
  // Without the last coordinate: the place of a set.
  [[nodiscard]] SparseRow group(std::size_t i) const { return row(i).first(rank() - 1); }
  [[nodiscard]] SparseRow row(std::size_t i) const { return indices.as<std::int64_t>().subspan(i * rank(), rank()); }
};

// The parts that begin at an input.
[[nodiscard]] inline SparseParts sparse_parts(const KernelContext& c, std::size_t first) {
  return {c.in(first), c.in(first + 1), c.in(first + 2)};
}

// Whether the parts fit each other, in the words of ops that make a SparseTensor of them. INVALID_ARGUMENT.
[[nodiscard]] Status check_tensor(const SparseParts& parts);
// The same, in the words of ops that validate them. INVALID_ARGUMENT.
[[nodiscard]] Status check_validated(const SparseParts& parts);
// Whether all indices are inside the shape. INVALID_ARGUMENT.
[[nodiscard]] Status check_bounds(const SparseParts& parts);
// The same, in the words of ops that walk over a tensor, which want each index once and in ascending order.
[[nodiscard]] Status check_needed(const SparseParts& parts);
// What such ops check of each index when they shall not validate them: that it is not too large. INTERNAL.
[[nodiscard]] Status check_visited(const SparseParts& parts, std::size_t i, std::size_t in_group);

// Sets three outputs from `first` on. REQUIRES: `indices` holds rows of as many coordinates as the shape has
// dimensions.
void give_sparse(KernelContext& c, std::size_t first, const Dims& indices, TensorRef values, const Dims& shape);

}  // namespace tarry
