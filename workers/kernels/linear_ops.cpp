// Square matrices, which are the last two dimensions: inverses, determinants, factors, solutions of linear equations.

#include <Eigen/Dense>
#include <cmath>

#include "workers/kernels/elements.hpp"
#include "workers/kernels/elementwise.hpp"
#include "workers/kernels/matrix.hpp"

namespace tarry {
namespace {

Status check_square(const KernelContext& c, std::size_t inputs = 1, const char* text = "Input matrix must be square.") {
  TARRY_RETURN_IF_ERROR(check_matrices(c, inputs));
  const Dims& d = c.shape(0).dims;
  return d[d.size() - 2] == d.back() ? Status() : Status(Code::kInvalidArgument, text);
}

Status square_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_square(c));
  return same_shape(c, out);
}
Status determinant_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_square(c));
  for (Shape& s : out) s = batches_with(c.shape(0), {});
  return {};
}

// A pivot of exactly zero: such a matrix has no inverse.
template <class T>
bool is_singular(const Eigen::PartialPivLU<Matrix<T>>& lu) {
  return !(lu.matrixLU().diagonal().cwiseAbs().minCoeff() > T{0});
}

Behaviour make_inverse(const KernelSetup& s) {
  return {[adjoint = attr_or(s.attrs, "adjoint", false)](KernelContext& c) {
            return for_real(c.in(0).dtype(), [&]<class T>() {
              return for_matrices<T>(c, [&](const Matrix<T>& m, std::int64_t i) -> Status {
                const Eigen::PartialPivLU<Matrix<T>> lu(adjoint ? Matrix<T>(m.transpose()) : m);
                if (is_singular<T>(lu)) return invalid("Input is not invertible.");
                return put_matrix<T>(c, i, lu.inverse()), Status();
              });
            });
          },
          square_shape};
}

Status determinant(KernelContext& c) {
  return for_real(c.in(0).dtype(), [&]<class T>() {
    std::ranges::fill(c.out<T>(0), T{1});  // of a matrix without elements
    return for_matrices<T>(c, [&](const Matrix<T>& m, std::int64_t i) {
      c.out<T>(0)[static_cast<std::size_t>(i)] = Eigen::PartialPivLU<Matrix<T>>(m).determinant();
      return Status();
    });
  });
}

// The sign, and the logarithm of the magnitude.
Status log_determinant(KernelContext& c) {
  return for_real(c.in(0).dtype(), [&]<class T>() {
    std::ranges::fill(c.out<T>(0), T{1});
    return for_matrices<T>(c, [&](const Matrix<T>& m, std::int64_t i) {
      const Eigen::PartialPivLU<Matrix<T>> lu(m);
      T sign = static_cast<T>(lu.permutationP().determinant()), log{0};
      for (const T x : lu.matrixLU().diagonal().eval()) {
        sign *= x > T{0} ? T{1} : x < T{0} ? T{-1} : T{0};
        log += std::log(std::abs(x));
      }
      c.out<T>(0)[static_cast<std::size_t>(i)] = sign;
      c.out<T>(1)[static_cast<std::size_t>(i)] = log;
      return Status();
    });
  });
}

template <class T>
Matrix<T> not_a_number(std::int64_t size) {
  return Matrix<T>(
      Matrix<T>::Constant(size, size, std::numeric_limits<T>::quiet_NaN()).template triangularView<Eigen::Lower>());
}

Status cholesky(KernelContext& c) {
  return for_real(c.in(0).dtype(), [&]<class T>() {
    return for_matrices<T>(c, [&](const Matrix<T>& m, std::int64_t i) -> Status {
      const Eigen::LLT<Matrix<T>> factors(m);
      if (factors.info() != Eigen::Success)  // no error since 2.x: what has no factor is not a number
        return put_matrix<T>(c, i, not_a_number<T>(m.rows())), Status();
      return put_matrix<T>(c, i, Matrix<T>(factors.matrixL())), Status();
    });
  });
}

// ---- MatrixSolve, MatrixTriangularSolve (matrix, right-hand sides) ----

Status solve_shape(const KernelContext& c, std::span<Shape> out) {
  const Shape &a = c.shape(0), &b = c.shape(1);
  TARRY_RETURN_IF_ERROR(check_square(c, 2, "First input (lhs) must be a square matrix."));
  if (a.dims.back() != b.dims[b.dims.size() - 2]) return invalid("Input matrix and rhs are incompatible.");
  return only(out, b);
}

Behaviour make_solve(const KernelSetup& s) {
  return {[adjoint = attr_or(s.attrs, "adjoint", false)](KernelContext& c) {
            return for_real(c.in(0).dtype(), [&]<class T>() {
              if (c.in(1).elements() == 0) return Status();
              return for_matrices<T>(c, [&](const Matrix<T>& m, std::int64_t i) -> Status {
                const Eigen::PartialPivLU<Matrix<T>> lu(adjoint ? Matrix<T>(m.transpose()) : m);
                if (is_singular<T>(lu)) return invalid("Input matrix is not invertible.");
                return put_matrix<T>(c, i, lu.solve(matrix_at<T>(c, 1, i))), Status();
              });
            });
          },
          solve_shape};
}

struct Triangle {
  bool lower = true, adjoint = false;
};

Status triangular_shape(const Triangle& t, const KernelContext& c, std::span<Shape> out) {
  const Shape &a = c.shape(0), &b = c.shape(1);
  TARRY_RETURN_IF_ERROR(broadcast_batches(a, b, out[0]));
  const std::int64_t rows = a.dims[a.dims.size() - 2];
  if (rows != a.dims.back())
    return invalid("In[0] matrices in the last dimensions must be square ({} =/= {})", a.dims.back(), rows);
  if (rows != b.dims[b.dims.size() - 2])
    return invalid("In[0] mismatch In[1] shape: {} vs. {}: {} {} {:d} {:d}", rows, b.dims[b.dims.size() - 2],
                   to_string(a), to_string(b), t.lower, t.adjoint);
  out[0].dims.insert(out[0].dims.end(), b.dims.end() - 2, b.dims.end());
  return {};
}

// Of the matrix only one triangle is looked at. A zero on its diagonal divides.
template <class T>
Matrix<T> solved(const Triangle& t, const Matrix<T>& a, const Matrix<T>& b) {
  const Matrix<T> m = t.adjoint ? Matrix<T>(a.transpose()) : a;
  if (t.lower != t.adjoint) return m.template triangularView<Eigen::Lower>().solve(b);
  return m.template triangularView<Eigen::Upper>().solve(b);
}

Behaviour make_triangular_solve(const KernelSetup& s) {
  const Triangle t{attr_or(s.attrs, "lower", true), attr_or(s.attrs, "adjoint", false)};
  return {[t](KernelContext& c) {
            const auto outer = [](const Shape& x) { return Shape(Dims(x.dims.begin(), x.dims.end() - 2)); };
            const auto of_a = broadcast_indices(outer(c.shape(0)), outer(out(c).shape())),
                       of_b = broadcast_indices(outer(c.shape(1)), outer(out(c).shape()));
            return for_real(c.in(0).dtype(), [&]<class T>() {
              for (std::size_t i = 0; i < of_a.size() && out(c).elements() > 0; ++i)
                put_matrix<T>(c, static_cast<std::int64_t>(i),
                              solved<T>(t, matrix_at<T>(c, 0, static_cast<std::int64_t>(of_a[i])),
                                        matrix_at<T>(c, 1, static_cast<std::int64_t>(of_b[i]))));
              return Status();
            });
          },
          [t](const KernelContext& c, std::span<Shape> out) { return triangular_shape(t, c, out); }};
}

constexpr KernelRow kLinearRows[] = {
    {"MatrixTriangularSolve", make_triangular_solve},
    {"MatrixInverse", make_inverse},
    {"MatrixDeterminant", behaves<determinant, determinant_shape>},
    {"LogMatrixDeterminant", behaves<log_determinant, determinant_shape>},
    {"Cholesky", behaves<cholesky, square_shape>},
    {"MatrixSolve", make_solve},
};

}  // namespace

KernelFamily linear_ops() { return kLinearRows; }

}  // namespace tarry
