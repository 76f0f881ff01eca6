// Sets: the last dimension of a tensor, dense or sparse, holds the elements of one set for each place of the others.
// And sparse tensors that are split.

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/rearrange.hpp"
#include "workers/kernels/sparse_parts.hpp"

namespace tarry {
namespace {

template <class T>
struct PlacedSet {
  Dims place;
  std::set<T> elements = {};
  Status fault = {};  // what is wrong with its indices, if those are not validated
};
template <class T>
using Sets = std::vector<PlacedSet<T>>;

Dims group_of(const Dims& shape) { return {shape.begin(), shape.end() - 1}; }

StatusOr<Dims> dense_groups(const Shape& s) {
  if (s.rank() < 2) return invalid("Shape {} has rank {} < 2", to_string(s), s.rank());
  return group_of(s.dims);
}

StatusOr<Dims> sparse_groups(const KernelContext& c, std::size_t first, bool validates) {
  const SparseParts p = sparse_parts(c, first);
  if (p.shape.shape().rank() != 1) return invalid("Shape must be a 1D tensor.");
  if (p.rank() < 2) return invalid("Invalid rank {}.", p.rank());
  TARRY_RETURN_IF_ERROR(check_tensor(p));
  if (validates) TARRY_RETURN_IF_ERROR(check_needed(p));
  return group_of(integers_of(p.shape));
}

template <class T>
T element_of(const TensorBody& t, std::size_t i) {
  if constexpr (std::is_same_v<T, std::string>)
    return t.strings()[i];
  else
    return t.as<T>()[i];
}

template <class T>
Sets<T> dense_sets(const TensorBody& t) {
  Sets<T> sets;
  const Shape places(group_of(t.shape().dims));
  const auto width = static_cast<std::size_t>(t.shape().dims.back());
  for (std::int64_t p = 0; p < places.elements(); ++p) {
    sets.push_back({coordinates(places, p)});
    for (std::size_t i = 0; i < width; ++i)
      sets.back().elements.insert(element_of<T>(t, static_cast<std::size_t>(p) * width + i));
  }
  return sets;
}
// Neighbours that have the same place are a set.
template <class T>
Sets<T> sparse_sets(const SparseParts& p) {
  Sets<T> sets;
  std::size_t first = 0;
  for (std::size_t i = 0; i < p.count(); ++i) {
    if (i == 0 || !std::ranges::equal(p.group(i), p.group(first))) {
      sets.push_back({Dims(p.group(i).begin(), p.group(i).end())});
      first = i;
    }
    sets.back().elements.insert(element_of<T>(p.values, i));
    if (sets.back().fault.ok()) sets.back().fault = check_visited(p, i, i - first);
  }
  return sets;
}

enum class SetOperation { a_minus_b, b_minus_a, intersection, union_ };

template <class T>
std::vector<T> combined(SetOperation how, const std::set<T>& a, const std::set<T>& b) {
  std::vector<T> to;
  const auto into = std::back_inserter(to);
  switch (how) {
    case SetOperation::a_minus_b:
      std::ranges::set_difference(a, b, into);
      break;
    case SetOperation::b_minus_a:
      std::ranges::set_difference(b, a, into);
      break;
    case SetOperation::intersection:
      std::ranges::set_intersection(a, b, into);
      break;
    case SetOperation::union_:
      std::ranges::set_union(a, b, into);
      break;
  }
  return to;
}

// Of all places with what each side has there, in the order of places as long as both sides keep to it. A dense side
// has every place; what a sparse one has elsewhere is never looked at, nor what is behind that.
template <class T>
struct SetPairs {
  const Sets<T>&a, &b;
  bool a_is_dense = false;
  std::size_t i = 0, j = 0;
  const PlacedSet<T>* x = nullptr;  // of the current place; null = that side has none
  const PlacedSet<T>* y = nullptr;

  bool next() {
    const PlacedSet<T>* from_a = i < a.size() ? &a[i] : nullptr;
    const PlacedSet<T>* from_b = j < b.size() ? &b[j] : nullptr;
    if (from_a == nullptr && (a_is_dense || from_b == nullptr)) return false;
    const bool same = from_a != nullptr && from_b != nullptr && from_a->place == from_b->place;
    const bool takes_a =
        from_a != nullptr && (a_is_dense || from_b == nullptr || same || from_a->place < from_b->place);
    x = takes_a ? from_a : nullptr;
    y = same || !takes_a ? from_b : nullptr;
    i += x != nullptr ? 1 : 0, j += y != nullptr ? 1 : 0;
    return true;
  }
};

template <class T>
void give_values(KernelContext& c, const Dims& indices, std::vector<T> values, const Dims& shape) {
  if constexpr (std::is_same_v<T, std::string>) {
    MutableTensor texts = make_tensor(DataType::kString, Shape({std::ssize(values)}));
    texts->mutable_strings() = std::move(values);
    give_sparse(c, 0, indices, texts, shape);
  } else {
    give_sparse(c, 0, indices, make_vector(values), shape);
  }
}

// The sets that are not empty, as a sparse tensor.
template <class T>
Status give_sets(KernelContext& c, SetOperation how, const Dims& groups, SetPairs<T> pairs) {
  Dims indices, shape = groups;
  std::vector<T> values;
  std::int64_t largest = 0;
  const PlacedSet<T> none;
  while (pairs.next()) {
    const PlacedSet<T>&x = pairs.x == nullptr ? none : *pairs.x, &y = pairs.y == nullptr ? none : *pairs.y;
    TARRY_RETURN_IF_ERROR(x.fault);
    TARRY_RETURN_IF_ERROR(y.fault);
    const Dims& place = pairs.x == nullptr ? y.place : x.place;
    const std::vector<T> to = combined(how, x.elements, y.elements);
    for (std::size_t i = 0; i < to.size(); ++i) {
      indices.insert(indices.end(), place.begin(), place.end());
      indices.push_back(static_cast<std::int64_t>(i));
      values.push_back(to[i]);
    }
    largest = std::max(largest, std::ssize(to));
  }
  shape.push_back(largest);
  give_values(c, indices, std::move(values), shape);
  return {};
}

// Which of the two inputs are sparse.
struct SetInputs {
  bool a = false, b = false;
  bool validates = true;
  [[nodiscard]] std::size_t second() const { return a ? 3 : 1; }
};

template <class T>
Status operate(KernelContext& c, SetInputs sparse, SetOperation how, const Dims& groups) {
  const Sets<T> a = sparse.a ? sparse_sets<T>(sparse_parts(c, 0)) : dense_sets<T>(c.in(0)),
                b = sparse.b ? sparse_sets<T>(sparse_parts(c, sparse.second())) : dense_sets<T>(c.in(sparse.second()));
  return give_sets<T>(c, how, groups, {a, b, !sparse.a});
}

Status operate_on_sets(KernelContext& c, SetInputs sparse, SetOperation how) {
  if (sparse.a)
    TARRY_RETURN_IF_ERROR(
        sparse_groups(c, 0, sparse.validates).status());  // a sparse one is looked at before a dense one
  TARRY_ASSIGN(const Dims b,
               sparse.b ? sparse_groups(c, sparse.second(), sparse.validates) : dense_groups(c.shape(sparse.second())));
  TARRY_ASSIGN(const Dims a, sparse.a ? sparse_groups(c, 0, sparse.validates) : dense_groups(c.shape(0)));
  if (a != b) return invalid("Mismatched shapes {} vs {}", to_string(Shape(a)), to_string(Shape(b)));
  const TensorBody& elements = c.in(sparse.a ? 1 : 0);
  if (elements.dtype() == DataType::kString) return operate<std::string>(c, sparse, how, a);
  return for_number(elements.dtype(), [&]<class T>() { return operate<T>(c, sparse, how, a); });
}

SetOperation operation_of(const KernelSetup& s) {
  const auto name = attr_or(s.attrs, "set_operation", std::string());
  if (name == "a-b") return SetOperation::a_minus_b;
  if (name == "b-a") return SetOperation::b_minus_a;
  return name == "intersection" ? SetOperation::intersection : SetOperation::union_;
}

template <bool a, bool b>
Behaviour make_set_operation(const KernelSetup& s) {
  const SetInputs sparse{a, b, attr_or(s.attrs, "validate_indices", true)};
  return {[how = operation_of(s), sparse](KernelContext& c) { return operate_on_sets(c, sparse, how); }, nullptr};
}

// ---- SparseSplit (axis, a sparse tensor): parts along the axis; the first ones take what is left over ----

StatusOr<std::size_t> axis_to_split(const KernelContext& c) {
  const Shape &indices = c.shape(1), &values = c.shape(2), &shape = c.shape(3);
  if (indices.rank() != 2) return invalid("Input indices should be a matrix but received shape {}", to_string(indices));
  if (values.rank() != 1)  // TensorFlow says the shape of the indices
    return invalid("Input values should be a vector but received shape {}", to_string(indices));
  if (shape.rank() != 1) return invalid("Input shape should be a vector but received shape {}", to_string(shape));
  if (c.shape(0).rank() != 0)
    return invalid("Input axis should be a scalar but received shape {}", to_string(c.shape(0)));
  TARRY_RETURN_IF_ERROR(check_validated(sparse_parts(c, 1)));
  TARRY_RETURN_IF_ERROR(check_bounds(sparse_parts(c, 1)));
  const std::int64_t axis = integers_of(c.in(0))[0], rank = shape.dims[0];
  if (axis < -rank || axis >= rank) return invalid("Input axis should be in range [{}, {}), got {}", -rank, rank, axis);
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

void give_part(KernelContext& c, std::size_t part, std::size_t parts, std::size_t axis, std::int64_t from,
               std::int64_t size) {
  const SparseParts p = sparse_parts(c, 1);
  Dims indices, shape = integers_of(p.shape);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < p.count(); ++i) {
    if (p.row(i)[axis] < from || p.row(i)[axis] >= from + size) continue;
    kept.push_back(i);
    indices.insert(indices.end(), p.row(i).begin(), p.row(i).end());
    indices[indices.size() - shape.size() + axis] -= from;
  }
  MutableTensor at = make_tensor(DataType::kInt64, Shape({std::ssize(kept), std::ssize(shape)})),
                values = make_tensor(p.values.dtype(), Shape({std::ssize(kept)}));
  std::ranges::copy(indices, at->mutable_as<std::int64_t>().begin());
  for (std::size_t i = 0; i < kept.size(); ++i) copy_elements(*values, i, p.values, kept[i]);
  shape[axis] = size;
  c.set(part, at), c.set(parts + part, values), c.set(2 * parts + part, make_vector(shape));
}

Status split_sparse(KernelContext& c) {
  const std::size_t parts = c.outputs.size() / 3;
  TARRY_ASSIGN(const std::size_t axis, axis_to_split(c));
  const std::int64_t size = integers_of(c.in(3))[axis], n = static_cast<std::int64_t>(parts);
  if (n < 1 || n > size)
    return invalid("Input num_split should be between 1 and the splitting dimension size ({}), got {}", size, n);
  std::int64_t from = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t wide = size / n + (i < size % n ? 1 : 0);
    give_part(c, static_cast<std::size_t>(i), parts, axis, from, wide);
    from += wide;
  }
  return {};
}

constexpr KernelRow kSetRows[] = {
    {"DenseToDenseSetOperation", make_set_operation<false, false>},
    {"DenseToSparseSetOperation", make_set_operation<false, true>},
    {"SparseToSparseSetOperation", make_set_operation<true, true>},
    {"SparseSplit", behaves<split_sparse>},
};

}  // namespace

KernelFamily set_ops() { return kSetRows; }

}  // namespace tarry
