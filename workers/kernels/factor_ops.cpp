// Matrices taken apart: singular values, eigenvalues, QR, LU; least squares; three diagonals.

#include <Eigen/Dense>
#include <limits>

#include "workers/kernels/matrix.hpp"

namespace tarry {
namespace {

std::int64_t rows_of(const Shape& s) { return s.dims[s.dims.size() - 2]; }
std::int64_t columns_of(const Shape& s) { return s.dims.back(); }

// Of each batch.
template <class F>
Status for_batches(KernelContext& c, F f) {
  const auto is_empty = [](const Value& v) { return !v.tensor || v.tensor->elements() == 0; };
  if (std::ranges::all_of(c.outputs, is_empty)) return {};
  for (std::int64_t i = 0; i < batches(c.shape(0)); ++i) TARRY_RETURN_IF_ERROR(f(i));
  return {};
}

template <class T>
constexpr T kNotANumber = std::numeric_limits<T>::quiet_NaN();

// ---- Svd (matrices): singular values, U, V ----

// With so many columns TensorFlow divides the matrix, and the signs of its vectors are others.
constexpr std::int64_t kDividedColumns = 16;

struct SingularParts {
  bool has_vectors = true, is_full = false;
};

Status singular_shape(SingularParts parts, const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_matrices(c, 1));
  const std::int64_t rows = rows_of(c.shape(0)), columns = columns_of(c.shape(0)), least = std::min(rows, columns);
  out[0] = batches_with(c.shape(0), {least});
  out[1] = out[2] = Shape();  // what is not wanted is a number that nobody sets
  if (!parts.has_vectors) return {};
  out[1] = batches_with(c.shape(0), {rows, parts.is_full ? rows : least});
  out[2] = batches_with(c.shape(0), {columns, parts.is_full ? columns : least});
  return {};
}

template <class T>
void put_singular(SingularParts parts, KernelContext& c, const Matrix<T>& m, std::int64_t i) {
  const auto wanted =
      parts.is_full ? Eigen::ComputeFullU | Eigen::ComputeFullV : Eigen::ComputeThinU | Eigen::ComputeThinV;
  const Eigen::JacobiSVD<Matrix<T>> svd(m, parts.has_vectors ? static_cast<unsigned>(wanted) : 0U);
  const T spoilt = svd.info() == Eigen::Success ? T{0} : kNotANumber<T>;
  put_matrix<T>(c, i, svd.singularValues().array() + spoilt);
  if (!parts.has_vectors) return;
  put_matrix<T>(c, i, svd.matrixU().array() + spoilt, 1);
  put_matrix<T>(c, i, svd.matrixV().array() + spoilt, 2);
}

// Of a matrix without elements, U or V is the whole space.
template <class T>
void put_empty_singular(KernelContext& c, std::int64_t i) {
  const std::int64_t rows = rows_of(c.shape(0)), columns = columns_of(c.shape(0));
  put_matrix<T>(c, i, Matrix<T>::Identity(rows, rows), 1);
  put_matrix<T>(c, i, Matrix<T>::Identity(columns, columns), 2);
}

Behaviour make_singular(const KernelSetup& s) {
  const SingularParts parts{attr_or(s.attrs, "compute_uv", true), attr_or(s.attrs, "full_matrices", false)};
  return {[parts](KernelContext& c) {
            return for_real(c.in(0).dtype(), [&]<class T>() {
              if (rows_of(c.shape(0)) == 0 || columns_of(c.shape(0)) == 0) {
                if (!parts.has_vectors || !parts.is_full) return Status();
                return for_batches(c, [&](std::int64_t i) { return put_empty_singular<T>(c, i), Status(); });
              }
              if (parts.has_vectors && columns_of(c.shape(0)) >= kDividedColumns)
                return error(Code::kUnimplemented, "tarry computes no singular vectors of so many columns");
              return for_matrices<T>(
                  c, [&](const Matrix<T>& m, std::int64_t i) { return put_singular<T>(parts, c, m, i), Status(); });
            });
          },
          [parts](const KernelContext& c, std::span<Shape> out) { return singular_shape(parts, c, out); }};
}

// ---- Qr (matrices): Q, R ----

Status qr_shape(bool is_full, const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_matrices(c, 1));
  const std::int64_t rows = rows_of(c.shape(0)), columns = columns_of(c.shape(0));
  const std::int64_t middle = is_full ? rows : std::min(rows, columns);
  out[0] = batches_with(c.shape(0), {rows, middle});
  out[1] = batches_with(c.shape(0), {middle, columns});
  return {};
}

template <class T>
void put_qr(KernelContext& c, const Matrix<T>& m, std::int64_t i, std::int64_t middle) {
  const Eigen::HouseholderQR<Matrix<T>> qr(m);
  put_matrix<T>(c, i, qr.householderQ() * Matrix<T>::Identity(m.rows(), middle));
  put_matrix<T>(c, i, qr.matrixQR().topRows(middle).template triangularView<Eigen::Upper>(), 1);
}

Behaviour make_qr(const KernelSetup& s) {
  const bool is_full = attr_or(s.attrs, "full_matrices", false);
  return {[](KernelContext& c) {
            const std::int64_t middle = columns_of(c.outputs[0].tensor->shape());
            return for_real(c.in(0).dtype(), [&]<class T>() {
              return for_matrices<T>(
                  c, [&](const Matrix<T>& m, std::int64_t i) { return put_qr<T>(c, m, i, middle), Status(); });
            });
          },
          [is_full](const KernelContext& c, std::span<Shape> out) { return qr_shape(is_full, c, out); }};
}

// ---- Lu (square matrices): both factors in one, and where each row came from ----

Status lu_shape(const KernelContext& c, std::span<Shape> out) {
  const Shape& s = c.shape(0);
  if (s.rank() < 2) return invalid("Input tensor must have rank >= 2, got {}", s.rank());
  if (rows_of(s) != columns_of(s)) return invalid("Input matrix must be square.");
  out[0] = s;
  out[1] = batches_with(s, {rows_of(s)});
  return {};
}

Status lu_value(KernelContext& c) {
  return for_real(c.in(0).dtype(), [&]<class T>() {
    return for_matrices<T>(c, [&](const Matrix<T>& m, std::int64_t i) -> Status {
      const Eigen::PartialPivLU<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>> lu(m);
      put_matrix<T>(c, i, lu.matrixLU());
      const Eigen::PermutationMatrix<Eigen::Dynamic> from_rows(lu.permutationP().transpose());
      const Eigen::VectorXi& from = from_rows.indices();
      for (std::int64_t row = 0; row < from.size(); ++row)
        put_integer(out(c, 1), static_cast<std::size_t>(i * from.size() + row), from[row]);
      if (!(lu.matrixLU().diagonal().cwiseAbs().minCoeff() > T{0})) return invalid("Input is not invertible.");
      return {};
    });
  });
}

// ---- SelfAdjointEigV2 (square matrices, of which the lower triangle is read): eigenvalues, eigenvectors ----

Status eigen_shape(bool has_vectors, const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_matrices(c, 1));
  const Shape& s = c.shape(0);
  if (rows_of(s) != columns_of(s)) return invalid("Input matrix must be square.");
  out[0] = batches_with(s, {rows_of(s)});
  out[1] = has_vectors ? s : Shape();
  return {};
}

Behaviour make_eigen(const KernelSetup& s) {
  const bool has_vectors = attr_or(s.attrs, "compute_v", true);
  return {[has_vectors](KernelContext& c) {
            return for_real(c.in(0).dtype(), [&]<class T>() {
              return for_matrices<T>(c, [&](const Matrix<T>& m, std::int64_t i) -> Status {
                const Eigen::SelfAdjointEigenSolver<Matrix<T>> eigen(
                    m, has_vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
                if (eigen.info() != Eigen::Success)
                  return invalid("Self-adjoint eigen decomposition was not successful. The input might not be valid.");
                put_matrix<T>(c, i, eigen.eigenvalues());
                if (has_vectors) put_matrix<T>(c, i, eigen.eigenvectors(), 1);
                return {};
              });
            });
          },
          [has_vectors](const KernelContext& c, std::span<Shape> out) { return eigen_shape(has_vectors, c, out); }};
}

// ---- MatrixSolveLs (matrices, right-hand sides, what is added to the diagonal of the normal equations) ----

Status least_squares_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_matrices(c, 2));
  if (rows_of(c.shape(0)) != rows_of(c.shape(1))) return invalid("Input matrix and rhs are incompatible.");
  return only(out, batches_with(c.shape(0), {columns_of(c.shape(0)), columns_of(c.shape(1))}));
}

Status check_regularizer(const KernelContext& c) {
  if (c.shape(2).rank() != 0) return invalid("l2_regularizer must be scalar, got shape {}", to_string(c.shape(2)));
  return c.data<double>(2)[0] >= 0 ? Status() : invalid("l2_regularizer must be >= 0.");
}

// By the normal equations: of the columns, or, where rows are fewer, of the rows.
template <class T>
Status solve_normal(const Matrix<T>& m, const Matrix<T>& rhs, T added, Matrix<T>& to) {
  const bool is_tall = m.rows() >= m.cols();
  Matrix<T> squares = is_tall ? Matrix<T>(m.transpose() * m) : Matrix<T>(m * m.transpose());
  squares.diagonal().array() += added;
  const Eigen::LLT<Matrix<T>> factors(squares);
  if (factors.info() != Eigen::Success)
    return invalid(
        "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide {} l2_regularizer > 0.",
        is_tall ? "a larger" : "an");
  to = is_tall ? Matrix<T>(factors.solve(m.transpose() * rhs)) : Matrix<T>(m.transpose() * factors.solve(rhs));
  return {};
}

Behaviour make_least_squares(const KernelSetup& s) {
  return {[is_fast = attr_or(s.attrs, "fast", true)](KernelContext& c) {
            return for_real(c.in(0).dtype(), [&]<class T>() {
              if (batches(c.shape(0)) > 0) TARRY_RETURN_IF_ERROR(check_regularizer(c));
              return for_batches(c, [&](std::int64_t i) -> Status {
                if (c.in(0).elements() == 0 || c.in(1).elements() == 0) return {};
                const Matrix<T> m = matrix_at<T>(c, 0, i), rhs = matrix_at<T>(c, 1, i);
                Matrix<T> to;
                if (is_fast)
                  TARRY_RETURN_IF_ERROR(solve_normal<T>(m, rhs, static_cast<T>(c.data<double>(2)[0]), to));
                else
                  to = m.completeOrthogonalDecomposition().solve(rhs);
                return put_matrix<T>(c, i, to), Status();
              });
            });
          },
          least_squares_shape};
}

// ---- TridiagonalSolve (three diagonals: above, main, below; right-hand sides) ----

Status tridiagonal_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_matrices(c, 2));
  const Shape &diagonals = c.shape(0), &rhs = c.shape(1);
  if (rows_of(diagonals) != 3)
    return invalid("Expected diagonals to be provided as a matrix with 3 rows, got {} rows.", rows_of(diagonals));
  if (columns_of(diagonals) != rows_of(rhs))
    return invalid("Expected the same number of left-hand sides and right-hand sides, got {} and {}.",
                   columns_of(diagonals), rows_of(rhs));
  return only(out, rhs);
}

// A row while rows below are cleared: its diagonal and the two elements right of it.
template <class T>
struct BandRow {
  T at{0}, next{0}, after{0};
};

// Clears what is below the diagonal; of two rows the one with the larger element goes up. Whether no pivot is zero.
template <class T>
bool clear_with_pivots(const Matrix<T>& d, Matrix<T>& x, std::vector<BandRow<T>>& rows) {
  const std::int64_t size = d.cols();
  rows.push_back({d(1, 0), size > 1 ? d(0, 0) : T{0}});
  for (std::int64_t i = 0; i + 1 < size; ++i) {
    BandRow<T>& row = rows.back();
    const T below = d(2, i + 1), right = i + 2 < size ? d(0, i + 1) : T{0};
    BandRow<T> low{d(1, i + 1), right};
    const bool stays = std::abs(row.at) >= std::abs(below);
    if (stays && row.at == T{0}) return false;
    const T factor = stays ? below / row.at : row.at / below;
    if (stays) {
      low.at -= factor * row.next;
    } else {
      low = {row.next - factor * d(1, i + 1), -factor * right};
      row = {below, d(1, i + 1), right};
      x.row(i).swap(x.row(i + 1));
    }
    x.row(i + 1) -= factor * x.row(i);
    rows.push_back(low);
  }
  return rows.back().at != T{0};
}

// The same with the rows as they are; then each has 1 on its diagonal.
template <class T>
bool clear_in_order(const Matrix<T>& d, Matrix<T>& x, std::vector<BandRow<T>>& rows) {
  for (std::int64_t i = 0; i < d.cols(); ++i) {
    T pivot = d(1, i);
    if (i > 0) {
      pivot -= d(2, i) * rows.back().next;
      x.row(i) -= d(2, i) * x.row(i - 1);
    }
    if (pivot == T{0}) return false;
    x.row(i) /= pivot;
    rows.push_back({T{1}, i + 1 < d.cols() ? d(0, i) / pivot : T{0}});
  }
  return true;
}

template <class T>
void solve_tridiagonal(bool has_pivots, const Matrix<T>& d, Matrix<T>& x) {
  std::vector<BandRow<T>> rows;
  if (!(has_pivots ? clear_with_pivots(d, x, rows) : clear_in_order(d, x, rows))) {
    x.setConstant(kNotANumber<T>);
    return;
  }
  for (std::int64_t i = std::ssize(rows) - 1; i >= 0; --i) {
    const BandRow<T>& row = rows[static_cast<std::size_t>(i)];
    if (i + 1 < std::ssize(rows)) x.row(i) -= row.next * x.row(i + 1);
    if (i + 2 < std::ssize(rows)) x.row(i) -= row.after * x.row(i + 2);
    x.row(i) /= row.at;
  }
}

Behaviour make_tridiagonal(const KernelSetup& s) {
  const bool has_pivots = attr_or(s.attrs, "partial_pivoting", true);
  if (attr_or(s.attrs, "perturb_singular", false)) return {nullptr, tridiagonal_shape};
  return {[has_pivots](KernelContext& c) {
            return for_real(c.in(0).dtype(), [&]<class T>() {
              return for_matrices<T>(c, [&](const Matrix<T>& diagonals, std::int64_t i) {
                Matrix<T> x = matrix_at<T>(c, 1, i);
                solve_tridiagonal<T>(has_pivots, diagonals, x);
                return put_matrix<T>(c, i, x), Status();
              });
            });
          },
          tridiagonal_shape};
}

// ---- TridiagonalMatMul (diagonal above, main, below; right-hand sides) ----

Status tridiagonal_product_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_matrices(c, 4));
  static constexpr const char* kNames[] = {"superdiagonal", "main diagonal", "subdiagonal"};
  for (std::size_t i = 0; i < 3; ++i)
    if (rows_of(c.shape(i)) != 1 || columns_of(c.shape(i)) != rows_of(c.shape(3)))
      return invalid("Invalid {} shape.", kNames[i]);
  return only(out, c.shape(3));
}

Status tridiagonal_product(KernelContext& c) {
  return for_real(c.in(0).dtype(), [&]<class T>() {
    return for_matrices<T>(c, [&](const Matrix<T>& above, std::int64_t i) {
      const Matrix<T> main = matrix_at<T>(c, 1, i), below = matrix_at<T>(c, 2, i), x = matrix_at<T>(c, 3, i);
      Matrix<T> y = main.row(0).asDiagonal() * x;
      const std::int64_t others = x.rows() - 1;
      y.bottomRows(others) += below.rightCols(others).row(0).asDiagonal() * x.topRows(others);
      y.topRows(others) += above.leftCols(others).row(0).asDiagonal() * x.bottomRows(others);
      return put_matrix<T>(c, i, y), Status();
    });
  });
}

constexpr KernelRow kFactorRows[] = {
    {"Svd", make_singular},
    {"Qr", make_qr},
    {"Lu", behaves<lu_value, lu_shape>},
    {"SelfAdjointEigV2", make_eigen},
    {"MatrixSolveLs", make_least_squares},
    {"TridiagonalSolve", make_tridiagonal},
    {"TridiagonalMatMul", behaves<tridiagonal_product, tridiagonal_product_shape>},
};

}  // namespace

KernelFamily factor_ops() { return kFactorRows; }

}  // namespace tarry
