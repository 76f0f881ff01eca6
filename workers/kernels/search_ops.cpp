// Finding elements by their value: differences of lists, unique elements, the largest ones, those that are true.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"

namespace tarry {
namespace {

// What tells an element from others of its type. A zero has one key, whatever its sign.
std::string key_of(const TensorBody& t, std::size_t i) {
  const std::size_t size = type_size(t.dtype());
  if (size == 0) return t.strings()[i];
  if (t.dtype() == DataType::kFloat && t.as<float>()[i] == 0) return std::string(size, '\0');
  if (t.dtype() == DataType::kDouble && t.as<double>()[i] == 0) return std::string(size, '\0');
  return {reinterpret_cast<const char*>(t.raw().data()) + i * size, size};
}

// The same where NaN is unlike all others, itself as well.
std::string own_key_of(const TensorBody& t, std::size_t i) {
  const bool is_nan = (t.dtype() == DataType::kFloat && std::isnan(t.as<float>()[i])) ||
                      (t.dtype() == DataType::kDouble && std::isnan(t.as<double>()[i]));
  return is_nan ? fmt::format("NaN at {}", i) : key_of(t, i);
}

TensorRef elements_at(const TensorBody& t, const Dims& indices) {
  MutableTensor to = make_tensor(t.dtype(), Shape({static_cast<std::int64_t>(indices.size())}));
  for (std::size_t i = 0; i < indices.size(); ++i) copy_elements(*to, i, t, static_cast<std::size_t>(indices[i]));
  return to;
}

constexpr InputRule kLists[] = {{0, "x should be a 1D vector.", Takes::vector},
                                {1, "y should be a 1D vector.", Takes::vector}};

// ListDiff (x, y): the elements of x that are not in y, and where they are.
Behaviour make_list_diff(const KernelSetup& s) {
  return {[index_type = s.outputs[1]](KernelContext& c) -> Status {
            TARRY_RETURN_IF_ERROR(check_inputs(c, kLists));
            std::set<std::string> excluded;
            for (std::size_t i = 0; std::cmp_less(i, c.in(1).elements()); ++i) excluded.insert(key_of(c.in(1), i));
            Dims kept;
            for (std::int64_t i = 0; i < c.in(0).elements(); ++i)
              if (!excluded.contains(key_of(c.in(0), static_cast<std::size_t>(i)))) kept.push_back(i);
            c.set(0, elements_at(c.in(0), kept));
            return c.give(1, integers_as(index_type, kept));
          },
          nullptr};
}

// Unique (x): each element once, in the order of the first ones; for each element of x which it is; how often each is.
Behaviour make_unique_elements(const KernelSetup& s) {
  return {[index_type = s.outputs[1]](KernelContext& c) -> Status {
            TARRY_RETURN_IF_ERROR(check_input(c, {0, "unique expects a 1D vector.", Takes::vector}));
            std::map<std::string, std::int64_t> seen;
            Dims first, which, counts;
            for (std::int64_t i = 0; i < c.in(0).elements(); ++i) {
              const auto [it, is_new] =
                  seen.try_emplace(own_key_of(c.in(0), static_cast<std::size_t>(i)), first.size());
              if (is_new) first.push_back(i), counts.push_back(0);
              which.push_back(it->second);
              ++counts[static_cast<std::size_t>(it->second)];
            }
            c.set(0, elements_at(c.in(0), first));
            c.set(1, integers_as(index_type, which));
            if (c.outputs.size() > 2) c.set(2, integers_as(index_type, counts));
            return {};
          },
          nullptr};
}

// UniqueV2 (x, axis): the same for slices along an axis; without an axis, x is a vector.
StatusOr<std::size_t> unique_axis(const KernelContext& c) {
  if (c.shape(1).rank() != 1) return invalid("axis expects a 1D vector.");
  if (c.in(1).elements() > 1) return invalid("axis does not support input tensors larger than 1 elements");
  if (c.in(1).elements() == 0)
    return c.shape(0).rank() == 1 ? StatusOr<std::size_t>(0) : invalid("unique expects a 1D vector.");
  const std::int64_t axis = integers_of(c.in(1))[0], rank = c.shape(0).rank();
  if (axis < -rank || axis >= rank) return invalid("axis has to be between [0, {})", rank);
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

// The flat places of the elements of slice `i` along the axis.
std::vector<std::size_t> places_of_slice(const Shape& s, std::size_t axis, std::int64_t i) {
  std::vector<std::size_t> places;
  const std::int64_t inner = product(s, axis + 1, s.dims.size());
  for (std::int64_t o = 0; o < product(s, 0, axis); ++o)
    for (std::int64_t k = 0; k < inner; ++k)
      places.push_back(static_cast<std::size_t>((o * s.dims[axis] + i) * inner + k));
  return places;
}

TensorRef slices_of(const TensorBody& t, std::size_t axis, const Dims& slices) {
  Shape shape = t.shape();
  shape.dims[axis] = std::ssize(slices);
  MutableTensor to = make_tensor(t.dtype(), shape);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const auto from = places_of_slice(t.shape(), axis, slices[i]),
               at = places_of_slice(shape, axis, static_cast<std::int64_t>(i));
    for (std::size_t k = 0; k < at.size(); ++k) copy_elements(*to, at[k], t, from[k]);
  }
  return to;
}

Behaviour make_unique_slices(const KernelSetup& s) {
  return {[index_type = s.outputs[1]](KernelContext& c) -> Status {
            TARRY_ASSIGN(const std::size_t axis, unique_axis(c));
            std::map<std::vector<std::string>, std::int64_t> seen;
            Dims first, which, counts;
            for (std::int64_t i = 0; i < c.shape(0).dims[axis]; ++i) {
              std::vector<std::string> key;
              for (const std::size_t place : places_of_slice(c.shape(0), axis, i))
                key.push_back(own_key_of(c.in(0), place));
              const auto [it, is_new] = seen.try_emplace(std::move(key), std::ssize(first));
              if (is_new) first.push_back(i), counts.push_back(0);
              which.push_back(it->second);
              ++counts[static_cast<std::size_t>(it->second)];
            }
            c.set(0, slices_of(c.in(0), axis, first));
            c.set(1, integers_as(index_type, which));
            if (c.outputs.size() > 2) c.set(2, integers_as(index_type, counts));
            return {};
          },
          nullptr};
}

constexpr InputRule kColumns{1, "k must be scalar, got shape {}"};

// TopKV2 (input, k): the k largest of each row, the largest first and equal ones in their order; and their columns.
Status top_k_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_ASSIGN(const std::int64_t k, integer_in(c, kColumns));
  if (k < 0) return invalid("Need k >= 0, got {}", k);
  if (c.shape(0).rank() < 1) return invalid("input must be >= 1-D, got shape {}", to_string(c.shape(0)));
  if (c.shape(0).dims.back() < k)
    return invalid("input must have at least k columns. Had {}, needed {}", c.shape(0).dims.back(), k);
  out[0] = c.shape(0);
  out[0].dims.back() = k;
  out[1] = out[0];
  return {};
}

using Columns = std::vector<std::int32_t>;

// Whether the element of one column comes before that of another. Of equals, and beside NaN, the first column does.
template <class T>
struct Before {
  std::span<const T> row;
  [[nodiscard]] T at(std::int32_t i) const { return row[static_cast<std::size_t>(i)]; }
  bool operator()(std::int32_t a, std::int32_t b) const { return at(a) > at(b) || (!(at(a) < at(b)) && a < b); }
};

// The first k of more columns. They are kept as a heap, the last of them on top, and stay in its order if not sorted.
template <class T>
Columns first_columns(std::span<const T> row, std::size_t k, bool sorted) {
  const Before<T> before{row};
  Columns heap(k + 1);
  std::iota(heap.begin(), heap.end(), 0);
  std::ranges::make_heap(heap, before);
  std::ranges::pop_heap(heap, before);
  heap.pop_back();
  for (auto i = static_cast<std::int32_t>(k + 1); std::cmp_less(i, row.size()); ++i) {
    if (!before(i, heap.front())) continue;
    std::ranges::pop_heap(heap, before);
    heap.back() = i;
    std::ranges::push_heap(heap, before);
  }
  if (sorted) std::ranges::sort_heap(heap, before);
  return heap;
}

// The largest element, of whole packets and then of what is left over, where NaN hides what stands before it.
template <class T>
T largest_of(std::span<const T> row) {
  using Limits = std::numeric_limits<T>;
  constexpr std::size_t kPacket = sizeof(T) == sizeof(double) ? 4 : 8;
  const std::size_t packed = row.size() / kPacket * kPacket;
  T most = Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest(), last = most;
  for (const T x : row.first(packed)) most = x > most ? x : most;
  for (const T x : row.subspan(packed)) last = last > x ? last : x;
  return last <= most ? most : last;
}

template <class T>
Columns largest_column(std::span<const T> row) {
  const auto at = std::ranges::find(row, largest_of<T>(row));
  return {at == row.end() ? 0 : static_cast<std::int32_t>(at - row.begin())};
}

// All columns: sorted, and then the columns of equals. NaN leaves a long row to another way of sorting.
template <class T>
Columns sorted_columns(std::span<const T> row) {
  constexpr std::size_t kShort = 16;
  Columns columns(row.size());
  std::iota(columns.begin(), columns.end(), 0);
  const auto larger = [&](std::int32_t a, std::int32_t b) { return Before<T>{row}.at(a) > Before<T>{row}.at(b); };
  if (row.size() > kShort) return std::ranges::stable_sort(columns, larger), columns;
  std::ranges::sort(columns, larger);
  for (auto from = columns.begin(); from != columns.end();) {
    const auto end = std::find_if(from + 1, columns.end(), [&](std::int32_t i) {
      return row[static_cast<std::size_t>(i)] != row[static_cast<std::size_t>(*from)];
    });
    std::sort(from, end);
    from = end;
  }
  return columns;
}

Status top_k(KernelContext& c, bool sorted) {
  const auto width = static_cast<std::size_t>(c.shape(0).dims.back());
  const auto k = static_cast<std::size_t>(c.outputs[0].tensor->shape().dims.back());
  const std::size_t rows = k == 0 ? 0 : static_cast<std::size_t>(c.outputs[0].tensor->elements()) / k;
  return for_number_or_bool(c.in(0).dtype(), [&]<class T>() {
    for (std::size_t r = 0; r < rows; ++r) {
      const auto row = c.data<T>(0).subspan(r * width, width);
      const Columns columns = k == 1       ? largest_column<T>(row)
                              : k == width ? sorted_columns<T>(row)
                                           : first_columns<T>(row, k, sorted);
      for (std::size_t i = 0; i < k; ++i) {
        c.out<T>(0)[r * k + i] = row[static_cast<std::size_t>(columns[i])];
        put_integer(out(c, 1), r * k + i, columns[i]);
      }
    }
    return Status();
  });
}

Behaviour make_top_k(const KernelSetup& s) {
  return {[sorted = attr_or(s.attrs, "sorted", true)](KernelContext& c) { return top_k(c, sorted); }, top_k_shape};
}

// InTopK (predictions, targets): whether fewer than k predictions of the row are larger than the target's. A row with
// a prediction that is not finite, or with a target that is no column, has none.
bool is_in_top(std::span<const float> row, std::int64_t target, std::int64_t k) {
  if (target < 0 || std::cmp_greater_equal(target, row.size())) return false;
  const float wanted = row[static_cast<std::size_t>(target)];
  if (!std::isfinite(wanted)) return false;
  std::int64_t larger = 0;
  for (const float x : row) {
    if (!std::isfinite(x)) return false;
    if (x > wanted && ++larger > k) break;
  }
  return larger < k;
}

Status in_top_k_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(0).rank() != 2) return invalid("predictions must be 2-dimensional");
  if (c.shape(1).rank() != 1) return invalid("targets must be 1-dimensional");
  if (c.shape(0).dims[0] != c.shape(1).dims[0])
    return invalid("First dimension of predictions {} must match length of targets {}", c.shape(0).dims[0],
                   c.shape(1).dims[0]);
  return only(out, c.shape(1));
}

Status in_top_k(KernelContext& c, std::int64_t k) {
  const auto targets = integers_of(c.in(1));
  const auto width = static_cast<std::size_t>(c.shape(0).dims[1]);
  for (std::size_t r = 0; r < targets.size(); ++r)
    c.out<bool>(0)[r] = is_in_top(c.data<float>(0).subspan(r * width, width), targets[r], k);
  return {};
}

Behaviour make_in_top_k(const KernelSetup& s) {
  return {[k = attr_or(s.attrs, "k", std::int64_t{0})](KernelContext& c) { return in_top_k(c, k); }, in_top_k_shape};
}

constexpr InputRule kClasses{2, "k must be 0-D, got shape {}"};
Status in_top_k_given(KernelContext& c) {
  TARRY_ASSIGN(const std::int64_t k, integer_in(c, kClasses));
  return in_top_k(c, k);
}
Status in_top_k_given_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_input(c, kClasses));
  return in_top_k_shape(c, out);
}

// Where: coordinates of the elements that are true, or not 0. How many there are is known from values only.
Status where(KernelContext& c) {
  if (c.shape(0).rank() == 0) return invalid("WhereOp : Unhandled input dimensions: 0");
  std::vector<bool> mask;
  const auto mark = [&]<class T>() {
    std::ranges::transform(c.data<T>(0), std::back_inserter(mask), [](T x) { return x != T{0}; });
    return Status();
  };
  const DataType type = c.in(0).dtype();
  TARRY_RETURN_IF_ERROR(is_complex(type) ? for_number_or_complex(type, mark) : for_number_or_bool(type, mark));
  const Shape& shape = c.shape(0);
  std::vector<std::int64_t> coordinates;
  std::int64_t rows = 0;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (!mask[i]) continue;
    ++rows;
    for (std::size_t d = 0; d < shape.dims.size(); ++d)
      coordinates.push_back(static_cast<std::int64_t>(i) / product(shape, d + 1, shape.dims.size()) % shape.dims[d]);
  }
  MutableTensor t = make_tensor(DataType::kInt64, Shape({rows, shape.rank()}));
  std::ranges::copy(coordinates, t->mutable_as<std::int64_t>().begin());
  return c.give(0, t);
}

Behaviour make_where(const KernelSetup& s) {
  if (attr_or(s.attrs, "T", DataType::kBool) != DataType::kHalf) return {where, nullptr};
  return {[](KernelContext&) -> Status {
            return error(Code::kUnimplemented,
                         "No WhereOp available for float16/half type on CPU; dying in CPU WhereOp to avoid silently "
                         "creating costly copies from device.");
          },
          nullptr};
}

constexpr KernelRow kSearchRows[] = {
    {"Where", make_where},
    {"ListDiff", make_list_diff},
    {"UniqueV2", make_unique_slices},
    {"UniqueWithCountsV2", make_unique_slices},
    {"Unique", make_unique_elements},
    {"UniqueWithCounts", make_unique_elements},
    {"TopKV2", make_top_k},
    {"InTopK", make_in_top_k},
    {"InTopKV2", behaves<in_top_k_given, in_top_k_given_shape>},
};

}  // namespace

KernelFamily search_ops() { return kSearchRows; }

}  // namespace tarry
