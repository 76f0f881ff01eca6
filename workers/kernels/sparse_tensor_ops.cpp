// Sparse tensors: indices [n, rank] in rows, n values, and the dense shape.

#include <algorithm>
#include <numeric>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"

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

constexpr KernelRow kSparseTensorRows[] = {
    {"SparseReorder", behaves<sparse_reorder>},
};

}  // namespace

KernelFamily sparse_tensor_ops() { return kSparseTensorRows; }

}  // namespace tarry
