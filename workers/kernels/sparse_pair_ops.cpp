// Sparse tensors added to each other or to a dense one, compared, cut apart, reduced, normalised and serialized.

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/narrow.hpp"
#include "workers/kernels/rearrange.hpp"
#include "workers/kernels/sparse_parts.hpp"
#include "workers/kernels/tensor_message.hpp"

namespace tarry {

namespace {

// The values of two sparse tensors at each place that one of them has, in the order of places; 0 = it has none.
template <class T>
struct BothAt {
  Dims place;
  T a{0}, b{0};
  bool in_both = false;
};
template <class T>
std::vector<BothAt<T>> merged(const SparseParts& a, const SparseParts& b) {
  std::vector<BothAt<T>> all;
  std::size_t i = 0, j = 0;
  while (i < a.count() || j < b.count()) {
    const auto less = [](SparseRow x, SparseRow y) { return std::ranges::lexicographical_compare(x, y); };
    const bool has_a = i < a.count() && (j == b.count() || !less(b.row(j), a.row(i))),
               has_b = j < b.count() && (i == a.count() || !less(a.row(i), b.row(j)));
    const SparseRow row = has_a ? a.row(i) : b.row(j);
    BothAt<T> here{.place = Dims(row.begin(), row.end()), .in_both = has_a && has_b};
    if (has_a) here.a = a.values.as<T>()[i++];
    if (has_b) here.b = b.values.as<T>()[j++];
    all.push_back(std::move(here));
  }
  return all;
}

// Gives `f(a, b)` at each place that one of them alone has, or where `keeps` says so.
template <class T, class F, class Keeps>
Status give_merged(KernelContext& c, const SparseParts& a, const SparseParts& b, std::size_t outputs, F f,
                   Keeps keeps) {
  Dims indices;
  std::vector<T> values;
  for (const BothAt<T>& x : merged<T>(a, b)) {
    const T value = f(x.a, x.b);
    if (x.in_both && !keeps(value)) continue;
    indices.insert(indices.end(), x.place.begin(), x.place.end());
    values.push_back(value);
  }
  if (outputs == 3) return give_sparse(c, 0, indices, make_vector(values), integers_of(a.shape)), Status();
  MutableTensor at = make_tensor(DataType::kInt64, Shape({std::ssize(values), std::ssize(integers_of(a.shape))}));
  std::ranges::copy(indices, at->mutable_as<std::int64_t>().begin());
  c.set(0, at);
  return c.give(1, make_vector(values));
}

Status check_same_shapes(const SparseParts& a, const SparseParts& b) {
  const auto sizes_a = a.shape.as<std::int64_t>(), sizes_b = b.shape.as<std::int64_t>();
  if (sizes_a.size() != sizes_b.size())
    return invalid("Operands do not have the same ranks; got shapes: {} and {}", fmt::join(sizes_a, " "),
                   fmt::join(sizes_b, " "));
  for (std::size_t d = 0; d < sizes_a.size(); ++d)
    if (sizes_a[d] != sizes_b[d])
      return invalid("Operands' shapes do not match: got {} and {} for dimension {}", sizes_a[d], sizes_b[d], d);
  return {};
}

// ---- SparseAdd (two sparse tensors, the least magnitude of a sum that stays) ----

Status check_added(const SparseParts& a, const SparseParts& b) {
  const auto both = [](const TensorBody& x, const TensorBody& y) {
    return fmt::format("{} and {}", to_string(x.shape()), to_string(y.shape()));
  };
  const auto have_rank = [](const TensorBody& x, const TensorBody& y, std::int64_t rank) {
    return x.shape().rank() == rank && y.shape().rank() == rank;
  };
  if (!have_rank(a.indices, b.indices, 2))
    return invalid("Input indices should be matrices but received shapes: {}", both(a.indices, b.indices));
  if (!have_rank(a.values, b.values, 1))
    return invalid("Input values should be vectors but received shapes: {}", both(a.values, b.values));
  if (a.indices.shape().dims[1] != b.indices.shape().dims[1])
    return invalid("Input indices must have the same dimension, got {} and {}", a.indices.shape().dims[1],
                   b.indices.shape().dims[1]);
  const std::int64_t rows_a = a.indices.shape().dims[0], rows_b = b.indices.shape().dims[0];
  if (a.values.elements() != rows_a || b.values.elements() != rows_b)
    return invalid("Expected {} and {} non-empty input values, got {} and {}", rows_a, rows_b, a.values.elements(),
                   b.values.elements());
  if (!have_rank(a.shape, b.shape, 1))
    return invalid("Input shapes should be a vector but received shapes {}", both(a.shape, b.shape));
  if (std::cmp_not_equal(a.indices.shape().dims[1], a.rank()))
    return invalid("Second dimension of a_indices and length of a_shape must match, got {} and {}",
                   a.indices.shape().dims[1], a.rank());
  return check_same_shapes(a, b);
}

// TensorFlow takes the bytes of the threshold for a number of the values' type, whatever its own type is. Bytes that
// are behind it are 0 here.
TensorRef threshold(const KernelContext& c, DataType values, DataType own) {
  const TensorRef given = narrowed(c.inputs[6].tensor, own);
  MutableTensor to = make_tensor(values, Shape());
  std::ranges::copy_n(given->raw().begin(), std::min(given->raw().size(), to->raw().size()), to->mutable_raw().begin());
  return widened(to);
}

Status add_sparse(KernelContext& c, DataType values, DataType own) {
  const SparseParts a = sparse_parts(c, 0), b = sparse_parts(c, 3);
  TARRY_RETURN_IF_ERROR(check_added(a, b));
  TARRY_RETURN_IF_ERROR(check_input(c, {6, "The magnitude threshold must be a scalar: got shape {}"}));
  return for_number(a.values.dtype(), [&]<class T>() {
    const auto magnitude = [](T x) { return x < T{0} ? static_cast<T>(-x) : x; };
    const T least = threshold(c, values, own)->as<T>()[0];
    return give_merged<T>(
        c, a, b, 3, [](T x, T y) { return static_cast<T>(x + y); }, [&](T x) { return least <= magnitude(x); });
  });
}

Behaviour make_add_sparse(const KernelSetup& s) {
  const DataType values = attr_or(s.attrs, "T", s.inputs[1]), own = attr_or(s.attrs, "Treal", s.inputs[6]);
  return {[values, own](KernelContext& c) { return add_sparse(c, values, own); }, nullptr};
}

// ---- SparseSparseMaximum, SparseSparseMinimum (two sparse tensors): indices, values ----

template <bool largest>
Status extreme_of_sparse(KernelContext& c) {
  const SparseParts a = sparse_parts(c, 0), b = sparse_parts(c, 3);
  for (const SparseParts& p : {a, b}) {
    TARRY_RETURN_IF_ERROR(check_validated(p));
    TARRY_RETURN_IF_ERROR(check_bounds(p));
  }
  TARRY_RETURN_IF_ERROR(check_same_shapes(a, b));
  return for_number(a.values.dtype(), [&]<class T>() {
    return give_merged<T>(
        c, a, b, 2, [](T x, T y) { return largest ? std::max(x, y) : std::min(x, y); }, [](T) { return true; });
  });
}

// ---- SparseTensorDenseAdd (a sparse tensor, a dense one) ----

Status dense_sum_shape(const KernelContext& c, std::span<Shape> out) {
  const SparseParts a = sparse_parts(c, 0);
  const Shape& b = c.shape(3);
  if (c.shape(0).rank() != 2)
    return invalid("Input a_indices should be a matrix but received shape: {}", to_string(c.shape(0)));
  if (c.shape(1).rank() != 1 || c.shape(2).rank() != 1)
    return invalid("Inputs a_values and a_shape should be vectors but received shapes: {} and {}",
                   to_string(c.shape(1)), to_string(c.shape(2)));
  if (c.shape(0).dims[0] != c.shape(1).dims[0])
    return invalid("Dimensions {} and {} are not compatible", c.shape(0).dims[0], c.shape(1).dims[0]);
  if (std::cmp_not_equal(c.shape(0).dims[1], a.rank()))
    return invalid("Dimensions {} and {} are not compatible", c.shape(0).dims[1], a.rank());
  if (std::cmp_not_equal(a.rank(), b.rank()))
    return invalid("Two operands have different ranks; received: {} and {}", a.rank(), b.rank());
  if (!known(c, 2)) return shape_not_known();
  for (std::size_t d = 0; d < a.rank(); ++d)
    if (const std::int64_t size = integers_of(c.in(2))[d]; size != b.dims[d])
      return invalid("Dimension {} does not equal (no broadcasting is supported): sparse side {} vs dense side {}", d,
                     size, b.dims[d]);
  return only(out, b);
}

Status add_to_dense(KernelContext& c) {
  const SparseParts a = sparse_parts(c, 0);
  const Dims indices = integers_of(c.in(0));
  const Shape& b = c.shape(3);
  copy_elements(out(c), 0, c.in(3), 0, static_cast<std::size_t>(c.in(3).elements()));
  return for_number(a.values.dtype(), [&]<class T>() -> Status {
    for (std::size_t i = 0; i < a.count(); ++i) {
      const SparseRow row = SparseRow(indices).subspan(i * a.rank(), a.rank());
      for (std::size_t d = 0; d < row.size(); ++d)
        if (row[d] < 0 || row[d] >= b.dims[d])
          return invalid(
              "Sparse tensor has an invalid index on dimension {0}: a_indices({1},{0}) = {2}, dense tensor shape: {3}",
              d, i, row[d], fmt::join(b.dims, " "));
      T& to = c.out<T>(0)[static_cast<std::size_t>(flat_index(b, Dims(row.begin(), row.end())))];
      to = static_cast<T>(to + a.values.as<T>()[i]);
    }
    return {};
  });
}

// ---- SparseSoftmax (a sparse tensor): over the elements of each row that are there ----

Status check_softmax(const KernelContext& c) {
  if (c.shape(0).rank() != 2)
    return invalid("Input sp_indices should be a matrix but received shape: {}", to_string(c.shape(0)));
  if (c.shape(1).rank() != 1 || c.shape(2).rank() != 1)
    return invalid("Inputs sp_values and sp_shape should be vectors but received shapes: {} and {}",
                   to_string(c.shape(1)), to_string(c.shape(2)));
  const SparseParts p = sparse_parts(c, 0);
  if (p.rank() < 2)
    return invalid("Input should have rank >= 2, but received shape: {}", fmt::join(p.shape.as<std::int64_t>(), " "));
  return check_tensor(p);
}

// The places of elements whose coordinates are the same but for the last.
std::map<Dims, std::vector<std::size_t>> by_row(const SparseParts& p) {
  std::map<Dims, std::vector<std::size_t>> rows;
  for (std::size_t i = 0; i < p.count(); ++i) rows[Dims(p.row(i).begin(), p.row(i).end() - 1)].push_back(i);
  return rows;
}

Status softmax_of_sparse(KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_softmax(c));
  const auto rows = by_row(sparse_parts(c, 0));
  MutableTensor to = make_tensor(c.in(1).dtype(), c.shape(1));
  TARRY_RETURN_IF_ERROR(for_number(to->dtype(), [&]<class T>() {
    for (const auto& [row, places] : rows) {
      T most = c.data<T>(1)[places[0]], sum{0};
      for (const std::size_t i : places) most = std::max(most, c.data<T>(1)[i]);
      for (const std::size_t i : places)
        sum += to->mutable_as<T>()[i] = static_cast<T>(std::exp(static_cast<double>(c.data<T>(1)[i] - most)));
      for (const std::size_t i : places) to->mutable_as<T>()[i] /= sum;
    }
    return Status();
  }));
  return c.give(0, to);
}

// ---- SerializeSparse, SerializeManySparse (a sparse tensor): its three messages, or those of each of its rows ----

Status check_serialized(const KernelContext& c) {
  if (c.shape(0).rank() != 2)
    return invalid("Input indices should be a matrix but received shape {}", to_string(c.shape(0)));
  if (c.shape(1).rank() != 1)
    return invalid("Input values should be a vector but received shape {}", to_string(c.shape(1)));
  return c.shape(2).rank() == 1
             ? Status()
             : invalid("Input shape should be a vector but received shape {}", to_string(c.shape(2)));
}

bool all_known(const KernelContext& c) {
  return std::ranges::all_of(c.inputs, [](const Value& v) { return v.tensor && v.tensor->has_data(); });
}

class SerializeSparseKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    TARRY_RETURN_IF_ERROR(check_serialized(c));
    if (!all_known(c)) return c.give(0, make_shape_only(DataType::kString, Shape({3})));
    MutableTensor to = make_tensor(DataType::kString, Shape({3}));
    for (std::size_t i = 0; i < 3; ++i) to->mutable_strings()[i] = tensor_message(c.in(i), true);
    return c.give(0, to);
  }
};

class SerializeManySparseKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    TARRY_RETURN_IF_ERROR(check_serialized(c));
    if (!all_known(c)) return error(Code::kUnimplemented, "tarry does not know how many rows the sparse tensor has");
    const SparseParts p = sparse_parts(c, 0);
    if (p.rank() <= 1) return invalid("Rank of input SparseTensor should be > 1, but saw rank: {}", p.rank());
    TARRY_RETURN_IF_ERROR(check_tensor(p));
    TARRY_RETURN_IF_ERROR(check_needed(p));
    const std::int64_t rows = p.shape.as<std::int64_t>()[0];
    TARRY_RETURN_IF_ERROR(check_can_be_kept(Shape({rows, 3})));
    MutableTensor to = make_tensor(DataType::kString, Shape({rows, 3}));
    for (std::int64_t row = 0; row < rows; ++row) put_row(p, row, *to);
    return c.give(0, to);
  }

 private:
  static void put_row(const SparseParts& p, std::int64_t row, TensorBody& to) {
    std::vector<std::size_t> of_row;
    for (std::size_t i = 0; i < p.count(); ++i)
      if (p.row(i)[0] == row) of_row.push_back(i);
    const auto n = std::ssize(of_row), rank = static_cast<std::int64_t>(p.rank()) - 1;
    MutableTensor indices = make_tensor(DataType::kInt64, Shape({n, rank})),
                  values = make_tensor(p.values.dtype(), Shape({n}));
    for (std::size_t i = 0; i < of_row.size(); ++i) {
      copy_elements(*indices, i * (p.rank() - 1), p.indices, of_row[i] * p.rank() + 1, p.rank() - 1);
      copy_elements(*values, i, p.values, of_row[i]);
    }
    const auto shape = p.shape.as<std::int64_t>();
    const TensorRef parts[] = {indices, values, make_vector(Dims(shape.begin() + 1, shape.end()))};
    for (std::size_t i = 0; i < 3; ++i)
      to.mutable_strings()[static_cast<std::size_t>(row) * 3 + i] = tensor_message(*parts[i], true);
  }
};

// ---- SetSize (a sparse tensor): how many different values each row has ----

std::string element_bytes(const TensorBody& t, std::size_t i) {
  const std::size_t size = type_size(t.dtype());
  return size == 0 ? t.strings()[i] : std::string(reinterpret_cast<const char*>(t.raw().data()) + i * size, size);
}

Status set_size(KernelContext& c, bool validates) {
  const SparseParts p = sparse_parts(c, 0);
  if (c.shape(2).rank() != 1) return invalid("Shape must be a 1D tensor.");
  if (p.rank() < 2) return invalid("Invalid rank {}.", p.rank());
  TARRY_RETURN_IF_ERROR(check_tensor(p));
  if (validates) TARRY_RETURN_IF_ERROR(check_needed(p));
  const auto sizes = c.data<std::int64_t>(2);
  const Shape shape(Dims(sizes.begin(), sizes.end() - 1));
  TARRY_RETURN_IF_ERROR(check_can_be_kept(shape));
  MutableTensor to = make_tensor(DataType::kInt32, shape);
  std::set<std::string> values;  // of the group so far
  for (std::size_t i = 0, first = 0; i < p.count(); ++i) {
    const SparseRow group = p.group(i);
    if (!std::ranges::equal(group, p.group(first))) values.clear(), first = i;
    TARRY_RETURN_IF_ERROR(check_visited(p, i, i - first));
    if (std::ranges::any_of(group, [](std::int64_t d) { return d < 0; })) return check_bounds(p);
    values.insert(element_bytes(p.values, i));
    to->mutable_as<std::int32_t>()[static_cast<std::size_t>(flat_index(shape, Dims(group.begin(), group.end())))] =
        static_cast<std::int32_t>(values.size());
  }
  return c.give(0, to);
}

Behaviour make_set_size(const KernelSetup& s) {
  return {[validates = attr_or(s.attrs, "validate_indices", true)](KernelContext& c) { return set_size(c, validates); },
          nullptr};
}

constexpr KernelRow kSparsePairRows[] = {
    {"SparseAdd", make_add_sparse},
    {"SparseSparseMaximum", behaves<extreme_of_sparse<true>>},
    {"SparseSparseMinimum", behaves<extreme_of_sparse<false>>},
    {"SparseTensorDenseAdd", behaves<add_to_dense, dense_sum_shape>},
    {"SparseSoftmax", behaves<softmax_of_sparse>},
    {"SerializeSparse", make_plain<SerializeSparseKernel>},
    {"SerializeManySparse", make_plain<SerializeManySparseKernel>},
    {"SetSize", make_set_size},
};

}  // namespace

KernelFamily sparse_pair_ops() { return kSparsePairRows; }

}  // namespace tarry
