// Matrices as tensors hold them: row after row, and batches of them.
#pragma once

#include <Eigen/Core>

#include "workers/kernels/dispatch.hpp"

namespace tarry {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The shape that the batches of two operands broadcast to, without their matrices. Fails: INVALID_ARGUMENT `In[0] ndims
// must be >= 2: N`, the same of In[1], `In[0] and In[1] must have compatible batch dimensions: A vs. B`.
[[nodiscard]] inline Status broadcast_batches(const Shape& a, const Shape& b, Shape& out) {
  if (a.rank() < 2) return invalid("In[0] ndims must be >= 2: {}", a.rank());
  if (b.rank() < 2) return invalid("In[1] ndims must be >= 2: {}", b.rank());
  const Shape batch_a(Dims(a.dims.begin(), a.dims.end() - 2)), batch_b(Dims(b.dims.begin(), b.dims.end() - 2));
  if (broadcast(batch_a, batch_b, out).ok()) return {};
  return invalid("In[0] and In[1] must have compatible batch dimensions: {} vs. {}", to_string(a), to_string(b));
}

}  // namespace tarry
