// Matrices as tensors hold them: row after row, and batches of them.
#pragma once

#include <Eigen/Core>
#include <algorithm>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"

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

template <class F>
Status for_real(DataType t, F&& f) {
  if (t == DataType::kFloat) return f.template operator()<float>();
  if (t == DataType::kDouble) return f.template operator()<double>();
  return error(Code::kUnimplemented, "tarry computes no values of type {} here", type_name(t));
}

[[nodiscard]] inline std::int64_t batches(const Shape& s) { return product(s, 0, s.dims.size() - 2); }

// The dimensions in front of the matrices, then those of `more`.
[[nodiscard]] inline Shape batches_with(const Shape& s, std::initializer_list<std::int64_t> more) {
  Shape to(Dims(s.dims.begin(), s.dims.end() - 2));
  to.dims.insert(to.dims.end(), more.begin(), more.end());
  return to;
}

template <class T>
Matrix<T> matrix_at(const KernelContext& c, std::size_t input, std::int64_t i) {
  const Dims& d = c.shape(input).dims;
  const std::int64_t rows = d[d.size() - 2], columns = d.back();
  return Eigen::Map<const Matrix<T>>(c.data<T>(input).data() + i * rows * columns, rows, columns);
}
template <class T>
void put_matrix(KernelContext& c, std::int64_t i, const Matrix<T>& m, std::size_t output = 0) {
  Eigen::Map<Matrix<T>>(c.out<T>(output).data() + i * m.size(), m.rows(), m.cols()) = m;
}

// Calls `f(the matrix of input 0, its number)` for each; the first error ends it.
template <class T, class F>
Status for_matrices(KernelContext& c, F f) {
  if (c.in(0).elements() == 0) return {};
  for (std::int64_t i = 0; i < batches(c.shape(0)); ++i) TARRY_RETURN_IF_ERROR(f(matrix_at<T>(c, 0, i), i));
  return {};
}

// The first so many inputs are batches of matrices, equally many. INVALID_ARGUMENT: what TensorFlow's linear algebra
// says of other inputs.
[[nodiscard]] inline Status check_matrices(const KernelContext& c, std::size_t inputs) {
  const Shape& first = c.shape(0);
  if (first.rank() < 2) return invalid("Input tensor 0 must have rank >= 2, got {}", first.rank());
  for (std::size_t i = 1; i < inputs; ++i) {
    if (c.shape(i).rank() != first.rank()) return invalid("All input tensors must have the same rank.");
    if (!std::equal(first.dims.begin(), first.dims.end() - 2, c.shape(i).dims.begin()))
      return invalid("All input tensors must have the same outer dimensions.");
  }
  return {};
}

}  // namespace tarry
