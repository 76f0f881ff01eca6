// Diagonals of matrices, and matrices of diagonals.
//
// A band of diagonals is a matrix with a row for each, the upper ones first; shorter ones are aligned to the left or
// the right of their row. The older ops know the main diagonal only, and take no other inputs.

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/rearrange.hpp"

namespace tarry {
namespace {

struct Band {
  std::int64_t lower = 0, upper = 0;  // diagonals: below the main one negative
  std::int64_t rows = 0, columns = 0;
  bool upper_right = false, lower_right = false;  // alignment; the main diagonal fills its row

  [[nodiscard]] std::int64_t count() const { return upper - lower + 1; }
  [[nodiscard]] std::int64_t length(std::int64_t d) const {
    return std::min(rows + std::min<std::int64_t>(0, d), columns - std::max<std::int64_t>(0, d));
  }
  [[nodiscard]] std::int64_t longest() const {
    return std::min(rows + std::min<std::int64_t>(0, upper), columns - std::max<std::int64_t>(0, lower));
  }
  // Where the row of diagonal `d` begins.
  [[nodiscard]] std::int64_t offset(std::int64_t d) const {
    const bool right = d > 0 ? upper_right : lower_right;
    return right ? longest() - length(d) : 0;
  }
};

Band aligned(const KernelSetup& s) {
  const auto align = attr_or(s.attrs, "align", std::string("LEFT_LEFT"));
  return {.upper_right = align.starts_with("RIGHT"), .lower_right = align.ends_with("RIGHT")};
}

// Sets the diagonals from input `k`, if the op has it.
Status read_diagonals(const KernelContext& c, std::size_t k, Band& b) {
  if (k >= c.inputs.size()) return {};
  if (!known(c, k)) return shape_not_known();
  const Dims given = integers_of(c.in(k));
  if (c.shape(k).rank() > 1)
    return invalid("diag_index must be a scalar or vector, received shape: {}", to_string(c.shape(k)));
  if (given.empty())
    return invalid(
        "{}", k == 2 ? "diag_index must have at least one element" : "Expected diag_index to have at least 1 element");
  if (given.size() > 2)
    return invalid("diag_index must have only one or two elements, received {} elements.", given.size());
  b.lower = given.front(), b.upper = given.back();
  if (b.lower <= b.upper) return {};
  return invalid("lower_diag_index must not be larger than upper_diag_index: {} > {}", b.lower, b.upper);
}

// `stop` ends the first sentence about the lower diagonal: taking diagonals has one, setting them has none.
Status check_inside(const Band& b, const char* stop) {
  const auto is_inside = [&](std::int64_t d) { return (-b.rows < d && d < b.columns) || d == 0; };
  if (!is_inside(b.lower))
    return invalid("lower_diag_index is out of bound: {}{} It must be between {} and {}", b.lower, stop, -b.rows,
                   b.columns);
  if (!is_inside(b.upper))
    return invalid("upper_diag_index is out of bound: {} It must be between {} and {}", b.upper, -b.rows, b.columns);
  return {};
}

// Where `b` keeps element (row, column) of the matrix: row and column of the band; false when it does not.
bool to_band(const Band& b, std::int64_t& row, std::int64_t& column) {
  const std::int64_t d = column - row;
  if (d < b.lower || d > b.upper) return false;
  column = column - std::max<std::int64_t>(0, d) + b.offset(d);
  row = b.upper - d;
  return true;
}
bool to_matrix(const Band& b, std::int64_t& row, std::int64_t& column) {
  const std::int64_t d = b.upper - row, at = column - b.offset(d);
  if (at < 0 || at >= b.length(d)) return false;
  row = at - std::min<std::int64_t>(0, d);
  column = at + std::max<std::int64_t>(0, d);
  return true;
}

void fill(TensorBody& to, const TensorBody& with) {
  for (std::int64_t i = 0; i < to.elements(); ++i) copy_elements(to, static_cast<std::size_t>(i), with, 0);
}

// A matrix that is a band of one diagonal has no dimension for its row.
void drop_band_row(const Band& b, Dims& at) {
  if (b.count() == 1) at.erase(at.end() - 2);
}

// ---- MatrixDiag (diagonals, k, rows, columns, padding) ----

constexpr InputRule kRows{2, "num_rows must be a scalar"}, kColumns{3, "num_cols must be a scalar"};

Status size_matrix(const KernelContext& c, Band& b) {
  const std::int64_t longest = c.shape(0).dims.back();
  const std::int64_t rows = longest - std::min<std::int64_t>(0, b.upper),
                     columns = longest + std::max<std::int64_t>(0, b.lower);
  b.rows = b.columns = -1;
  if (c.inputs.size() > 2) {
    TARRY_ASSIGN(b.rows, integer_in(c, kRows));
    TARRY_ASSIGN(b.columns, integer_in(c, kColumns));
    if (c.shape(4).rank() != 0) return invalid("padding_value must be a scalar");
  }
  if (b.rows != -1 && b.rows < rows) return invalid("The number of rows is too small.");
  if (b.columns != -1 && b.columns < columns) return invalid("The number of columns is too small.");
  if (b.rows == -1 && b.columns == -1) b.rows = b.columns = std::max(rows, columns);
  if (b.rows == -1) b.rows = rows;
  if (b.columns == -1) b.columns = columns;
  if (b.rows == rows || b.columns == columns) return {};
  return invalid("The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal.");
}

Status matrix_of(const KernelContext& c, Band& b, Shape& to) {
  if (c.shape(0).rank() < 1)
    return invalid("diagonal must be at least 1-dim, received shape: {}", to_string(c.shape(0)));
  TARRY_RETURN_IF_ERROR(read_diagonals(c, 1, b));
  to = c.shape(0);
  if (b.count() > 1) {
    if (to.rank() < 2 || to.dims[to.dims.size() - 2] != b.count())
      return invalid(
          "The number of diagonals provided in the input does not match the lower_diag_index and "
          "upper_diag_index range.");
    to.dims.pop_back();
    to.dims.pop_back();
  } else {
    to.dims.pop_back();
  }
  TARRY_RETURN_IF_ERROR(size_matrix(c, b));
  to.dims.push_back(b.rows);
  to.dims.push_back(b.columns);
  return {};
}

Behaviour make_matrix_diag(const KernelSetup& s) {
  return {[band = aligned(s)](KernelContext& c) -> Status {
            Band b = band;
            Shape to;
            TARRY_RETURN_IF_ERROR(matrix_of(c, b, to));
            if (c.inputs.size() > 4) fill(out(c), c.in(4));
            rearrange(c, c.in(0), [&](Dims& at) {
              if (!to_band(b, at[at.size() - 2], at.back())) return false;
              drop_band_row(b, at);
              return true;
            });
            return {};
          },
          [band = aligned(s)](const KernelContext& c, std::span<Shape> out) {
            Band b = band;
            return matrix_of(c, b, out[0]);
          }};
}

// ---- MatrixDiagPart (matrix, k, padding) ----

Status set_matrix(const KernelContext& c, Band& b) {
  const Shape& in = c.shape(0);
  if (in.rank() < 2) return invalid("input must be at least 2-dim, received shape: {}", to_string(in));
  b.rows = in.dims[in.dims.size() - 2];
  b.columns = in.dims.back();
  return {};
}

Status diagonals_of(const KernelContext& c, Band& b, Shape& to) {
  TARRY_RETURN_IF_ERROR(read_diagonals(c, 1, b));
  if (c.inputs.size() > 2 && c.shape(2).rank() != 0) return invalid("Padding must be scalar.");
  TARRY_RETURN_IF_ERROR(set_matrix(c, b));
  TARRY_RETURN_IF_ERROR(check_inside(b, "."));
  to = c.shape(0);
  to.dims.pop_back();
  to.dims.pop_back();
  if (b.count() > 1) to.dims.push_back(b.count());
  to.dims.push_back(b.longest());
  return {};
}

Behaviour make_matrix_diag_part(const KernelSetup& s) {
  return {[band = aligned(s)](KernelContext& c) -> Status {
            Band b = band;
            Shape to;
            TARRY_RETURN_IF_ERROR(diagonals_of(c, b, to));
            if (c.inputs.size() > 2) fill(out(c), c.in(2));
            rearrange(c, c.in(0), [&](Dims& at) {
              if (b.count() == 1) at.insert(at.end() - 1, 0);
              return to_matrix(b, at[at.size() - 2], at.back());
            });
            return {};
          },
          [band = aligned(s)](const KernelContext& c, std::span<Shape> out) {
            Band b = band;
            return diagonals_of(c, b, out[0]);
          }};
}

// ---- MatrixSetDiag (matrix, diagonals, k) ----

Status check_set(const KernelContext& c, Band& b) {
  TARRY_RETURN_IF_ERROR(set_matrix(c, b));
  if (c.shape(1).rank() < 1)
    return invalid("diagonal must be at least 1-dim, received shape: {}", to_string(c.shape(1)));
  TARRY_RETURN_IF_ERROR(read_diagonals(c, 2, b));
  TARRY_RETURN_IF_ERROR(check_inside(b, ""));
  const Dims& given = c.shape(1).dims;
  Shape expected = c.shape(0);
  expected.dims.pop_back();
  expected.dims.pop_back();
  const auto outer = expected.dims.size();
  if (b.count() > 1 && (outer >= given.size() || given[outer] != b.count()))
    return invalid(
        "The number of diagonals provided in `diag` is not consistent with `lower_diag_index` and `upper_diag_index`");
  if (b.count() > 1) expected.dims.push_back(b.count());
  expected.dims.push_back(b.longest());
  if (expected == c.shape(1)) return {};
  return invalid(
      "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not equal "
      "to the longests diagonal in range [lower_diag_index:upper_diag_index].\nInput shape: {}\nDiagonal "
      "shape: {}\nExpected diagonal shape: {}",
      to_string(c.shape(0)), to_string(c.shape(1)), to_string(expected));
}

Behaviour make_matrix_set_diag(const KernelSetup& s) {
  return {[band = aligned(s)](KernelContext& c) -> Status {
            Band b = band;
            TARRY_RETURN_IF_ERROR(check_set(c, b));
            copy_elements(out(c), 0, c.in(0), 0, static_cast<std::size_t>(c.in(0).elements()));
            rearrange(c, c.in(1), [&](Dims& at) {
              if (!to_band(b, at[at.size() - 2], at.back())) return false;
              drop_band_row(b, at);
              return true;
            });
            return {};
          },
          [band = aligned(s)](const KernelContext& c, std::span<Shape> out) -> Status {
            Band b = band;
            TARRY_RETURN_IF_ERROR(check_set(c, b));
            return same_shape(c, out);
          }};
}

// ---- Diag and DiagPart: tensors of twice the rank ----

Status diag_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(0).rank() < 1) return invalid("Input must be at least rank 1, got 0");
  out[0] = c.shape(0);
  out[0].dims.insert(out[0].dims.end(), c.shape(0).dims.begin(), c.shape(0).dims.end());
  return {};
}
Status diag(KernelContext& c) {
  rearrange(c, c.in(0), [](Dims& at) {
    const auto half = static_cast<std::ptrdiff_t>(at.size() / 2);
    if (!std::equal(at.begin(), at.begin() + half, at.begin() + half)) return false;
    at.resize(at.size() / 2);
    return true;
  });
  return {};
}

Status diag_part_shape(const KernelContext& c, std::span<Shape> out) {
  const Shape& in = c.shape(0);
  const std::size_t half = in.dims.size() / 2;
  if (in.dims.empty() || in.dims.size() % 2 != 0)
    return invalid(
        "The rank of the tensor should be                                          even and positive, got "
        "shape {}",
        to_string(in));
  for (std::size_t i = 0; i < half; ++i)
    if (in.dims[i] != in.dims[half + i])
      return invalid("Invalid shape {}: dimensions {} and {} do not match.", to_string(in), i, half + i);
  return only(out, Shape(Dims(in.dims.begin(), in.dims.begin() + static_cast<std::ptrdiff_t>(half))));
}
Status diag_part(KernelContext& c) {
  rearrange(c, c.in(0), [](Dims& at) {
    at.insert(at.end(), at.begin(), at.begin() + std::ssize(at));
    return true;
  });
  return {};
}

constexpr KernelRow kDiagonalRows[] = {
    {"Diag", behaves<diag, diag_shape>},
    {"DiagPart", behaves<diag_part, diag_part_shape>},
    {"MatrixDiag", make_matrix_diag},
    {"MatrixDiagV2", make_matrix_diag},
    {"MatrixDiagV3", make_matrix_diag},
    {"MatrixDiagPart", make_matrix_diag_part},
    {"MatrixDiagPartV2", make_matrix_diag_part},
    {"MatrixDiagPartV3", make_matrix_diag_part},
    {"MatrixSetDiag", make_matrix_set_diag},
    {"MatrixSetDiagV2", make_matrix_set_diag},
    {"MatrixSetDiagV3", make_matrix_set_diag},
};

}  // namespace

KernelFamily diagonal_ops() { return kDiagonalRows; }

}  // namespace tarry
