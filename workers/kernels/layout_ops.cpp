// Rearranging elements: transpose, slice, split, pad, reverse, broadcast, ranges.

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/rearrange.hpp"
#include "workers/kernels/split_sizes.hpp"

namespace tarry {
namespace {

Status transpose_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_input(c, {1, "perm must be rank 1, got shape {}", Takes::vector}));
  if (!known(c, 1)) return shape_not_known();
  const Dims perm = integers_of(c.in(1));
  const std::int64_t rank = c.shape(0).rank();
  if (std::cmp_not_equal(perm.size(), rank))
    return invalid("transpose expects a vector of size {}. But input(1) is a vector of size {}", rank, perm.size());
  std::vector<bool> seen(perm.size(), false);
  for (std::int64_t p : perm) {
    const std::int64_t d = p < 0 ? p + rank : p;
    if (d < 0 || d >= rank) return invalid("{} is out of range [0 .. {})", d, rank);
    seen[static_cast<std::size_t>(d)] = true;
    out[0].dims.push_back(c.shape(0).dims[static_cast<std::size_t>(d)]);
  }
  const auto missing = std::ranges::find(seen, false);
  return missing == seen.end() ? Status()
                               : invalid("{} is missing from {{{}}}.", missing - seen.begin(), fmt::join(perm, ","));
}

Status transpose(KernelContext& c) {
  const Dims perm = integers_of(c.in(1));
  const std::int64_t rank = c.shape(0).rank();
  rearrange(c, c.in(0), [&](Dims& at) {
    Dims from(at.size());
    for (std::size_t d = 0; d < at.size(); ++d)
      from[static_cast<std::size_t>(perm[d] < 0 ? perm[d] + rank : perm[d])] = at[d];
    at = from;
    return true;
  });
  return {};
}

template <class T>
void conjugate(std::span<std::complex<T>> numbers) {
  for (auto& x : numbers) x = std::conj(x);
}
Status conjugate_transpose(KernelContext& c) {
  TARRY_RETURN_IF_ERROR(transpose(c));
  if (c.in(0).dtype() == DataType::kComplex64) conjugate(c.out<std::complex<float>>(0));
  if (c.in(0).dtype() == DataType::kComplex128) conjugate(c.out<std::complex<double>>(0));
  return {};
}

Status slice_shape(const KernelContext& c, std::span<Shape> out) {
  const auto& dims = c.shape(0).dims;
  if (const Shape wanted({c.shape(0).rank()}); c.shape(1) != wanted || c.shape(2) != wanted)
    return invalid("Expected begin and size arguments to be 1-D tensors of size {}, but got shapes {} and {} instead.",
                   dims.size(), to_string(c.shape(1)), to_string(c.shape(2)));
  if (!known(c, 1) || !known(c, 2)) return shape_not_known();
  const Dims begin = integers_of(c.in(1)), size = integers_of(c.in(2));
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const std::int64_t n = size[d] == -1 ? dims[d] - begin[d] : size[d];
    if (dims[d] == 0 && (begin[d] != 0 || n != 0))
      return invalid("Expected begin[{0}] == 0 (got {1}) and size[{0}] == 0 (got {2}) when input.dim_size({0}) == 0", d,
                     begin[d], n);
    if (begin[d] < 0 || begin[d] > dims[d])
      return invalid("Expected begin[{}] in [0, {}], but got {}", d, dims[d], begin[d]);
    if (n < 0 || begin[d] + n > dims[d])
      return invalid("Expected size[{}] in [0, {}], but got {}", d, dims[d] - begin[d], n);
    out[0].dims.push_back(n);
  }
  return {};
}

Status slice(KernelContext& c) {
  const Dims begin = integers_of(c.in(1));
  rearrange(c, c.in(0), [&](Dims& at) {
    for (std::size_t d = 0; d < at.size(); ++d) at[d] += begin[d];
    return true;
  });
  return {};
}

Status pad_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(1).rank() != 2 || c.shape(1).dims[1] != 2)
    return invalid("paddings must be a matrix with 2 columns: {}", to_string(c.shape(1)));
  out[0] = c.shape(0);
  if (c.shape(1).dims[0] != out[0].rank())
    return invalid("The first dimension of paddings must be the rank of inputs{} {}", to_string(c.shape(1)),
                   to_string(c.shape(0)));
  if (c.inputs.size() > 2) TARRY_RETURN_IF_ERROR(check_input(c, {2, "constant_values must be a scalar. Found: {}"}));
  if (!known(c, 1)) return shape_not_known();
  const Dims pads = integers_of(c.in(1));
  for (std::size_t d = 0; d < out[0].dims.size(); ++d) {
    if (pads[2 * d] < 0 || pads[2 * d + 1] < 0)
      return invalid("Paddings must be non-negative: {} {}", pads[2 * d], pads[2 * d + 1]);
    out[0].dims[d] += pads[2 * d] + pads[2 * d + 1];
  }
  return {};
}

Status pad(KernelContext& c) {
  const Dims pads = integers_of(c.in(1));
  if (c.inputs.size() > 2)
    for (std::int64_t i = 0; i < out(c).elements(); ++i) copy_elements(out(c), static_cast<std::size_t>(i), c.in(2), 0);
  rearrange(c, c.in(0), [&](Dims& at) {
    for (std::size_t d = 0; d < at.size(); ++d) {
      at[d] -= pads[2 * d];
      if (at[d] < 0 || at[d] >= c.shape(0).dims[d]) return false;
    }
    return true;
  });
  return {};
}

Status reverse_shape(const KernelContext& c, std::span<Shape> out) {
  const std::int64_t rank = c.shape(0).rank();
  if (rank == 0 || c.in(0).elements() == 0) return only(out, c.shape(0));  // whatever the axes say
  TARRY_RETURN_IF_ERROR(check_input(c, {1, "'dims' must be 1-dimension, not {1}", Takes::vector}));
  if (!known(c, 1)) return shape_not_known();
  const Dims axes = integers_of(c.in(1));
  std::vector<bool> seen(static_cast<std::size_t>(rank), false);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < -rank || axes[i] >= rank)
      return invalid("'axis'[{}] = {} is out of valid range [0, {}", i, axes[i], rank - 1);
    const auto d = static_cast<std::size_t>(axes[i] < 0 ? axes[i] + rank : axes[i]);
    if (seen[d]) return invalid("axis {} specified more than once.", d);
    seen[d] = true;
  }
  return only(out, c.shape(0));
}

Status reverse(KernelContext& c) {
  const Shape& shape = c.shape(0);
  if (shape.rank() == 0) return copy_elements(out(c), 0, c.in(0), 0), Status();
  rearrange(c, c.in(0), [&](Dims& at) {
    for (const std::int64_t axis : integers_of(c.in(1))) {
      const auto d = static_cast<std::size_t>(axis < 0 ? axis + shape.rank() : axis);
      at[d] = shape.dims[d] - 1 - at[d];
    }
    return true;
  });
  return {};
}

Status broadcast_to_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_input(c, {1, "shape must be a vector of {{int32,int64}}, got shape {}", Takes::vector}));
  if (!known(c, 1)) return shape_not_known();
  Shape wanted(integers_of(c.in(1)));
  for (const std::int64_t d : wanted.dims)
    if (d < 0) return invalid("Dimension {} must be >= 0", d);
  Shape both;
  if (c.shape(0).rank() > wanted.rank())
    return invalid("Rank of input ({}) must be no greater than rank of output shape ({}).", c.shape(0).rank(),
                   wanted.rank());
  for (const std::int64_t d : wanted.dims)
    if (d < 0) return invalid("Dimension {} must be >= 0", d);
  TARRY_RETURN_IF_ERROR(broadcast(c.shape(0), wanted, both));
  if (both != wanted)
    return invalid("Unable to broadcast tensor of shape {} to tensor of shape {}", to_string(c.shape(0)),
                   to_string(wanted));
  return only(out, wanted);
}

Status broadcast_to(KernelContext& c) {
  const auto from = broadcast_indices(c.shape(0), out(c).shape());
  for (std::size_t i = 0; i < from.size(); ++i) copy_elements(out(c), i, c.in(0), from[i]);
  return {};
}

// Split (axis, value) into equal parts, SplitV (value, sizes, axis) into given ones.
struct SplitPlan {
  std::size_t value = 0, axis = 0;
  Dims sizes;
};

StatusOr<std::size_t> split_axis(const KernelContext& c, const InputRule& input, std::size_t value) {
  TARRY_ASSIGN(const std::int64_t axis, integer_in(c, input));
  const std::int64_t rank = c.shape(value).rank();
  if (axis < -rank || axis >= rank)
    return invalid("-input rank(-{}) <= split_dim < input rank ({}), but got {}", rank, rank, axis);
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

StatusOr<SplitPlan> plan_split(const KernelContext& c, std::size_t parts) {
  TARRY_ASSIGN(const std::size_t axis, split_axis(c, {0, "split_dim must be a scalar but has rank {1}"}, 1));
  const std::int64_t dim = c.shape(1).dims[axis], n = static_cast<std::int64_t>(parts);
  if (dim % n != 0)
    return invalid(
        "Number of ways to split should evenly divide the split dimension, but got split_dim {} (size = {}) and "
        "num_split {}",
        axis, dim, n);
  return SplitPlan{1, axis, Dims(parts, dim / n)};
}

StatusOr<SplitPlan> plan_split_v(const KernelContext& c, std::size_t parts) {
  constexpr InputRule kSplitDim{2, "split_dim_tensor must have exactly one element.", Takes::one_element};
  TARRY_RETURN_IF_ERROR(check_input(c, kSplitDim));
  if (c.shape(1) != Shape({static_cast<std::int64_t>(parts)}))
    return invalid(
        "size of the split_tensor must be 1-D and have the same elements as outputs got {} -D and {} elements",
        c.shape(1).rank(), c.in(1).elements());
  TARRY_ASSIGN(const std::size_t axis, split_axis(c, kSplitDim, 0));
  if (!known(c, 1)) return shape_not_known();
  Dims sizes = integers_of(c.in(1));
  TARRY_RETURN_IF_ERROR(complete_sizes(sizes, c.shape(0).dims[axis]));
  return SplitPlan{0, axis, std::move(sizes)};
}

template <StatusOr<SplitPlan> (*plan)(const KernelContext&, std::size_t)>
Behaviour make_split(const KernelSetup&) {
  return {[](KernelContext& c) -> Status {
            TARRY_ASSIGN(const SplitPlan p, plan(c, c.outputs.size()));
            const Shape& in = c.shape(p.value);
            const std::int64_t outer = product(in, 0, p.axis), inner = product(in, p.axis + 1, in.dims.size());
            std::int64_t at = 0;
            for (std::int64_t o = 0; o < outer; ++o)
              for (std::size_t i = 0; i < p.sizes.size(); ++i) {
                const std::int64_t n = p.sizes[i] * inner;
                copy_elements(out(c, i), static_cast<std::size_t>(o * n), c.in(p.value), static_cast<std::size_t>(at),
                              static_cast<std::size_t>(n));
                at += n;
              }
            return {};
          },
          [](const KernelContext& c, std::span<Shape> out) -> Status {
            TARRY_ASSIGN(const SplitPlan p, plan(c, out.size()));
            for (std::size_t i = 0; i < out.size(); ++i) {
              out[i] = c.shape(p.value);
              out[i].dims[p.axis] = p.sizes[i];
            }
            return {};
          }};
}

Behaviour make_unpack(const KernelSetup& s) {
  const auto axis = attr_or(s.attrs, "axis", std::int64_t{0});
  const auto dim = [axis](const Shape& in) { return static_cast<std::size_t>(axis < 0 ? axis + in.rank() : axis); };
  return {[dim](KernelContext& c) {
            const std::size_t d = dim(c.shape(0));
            const auto outer = static_cast<std::size_t>(product(c.shape(0), 0, d)),
                       inner = static_cast<std::size_t>(product(c.shape(0), d + 1, c.shape(0).dims.size()));
            for (std::size_t o = 0; o < outer; ++o)
              for (std::size_t i = 0; i < c.outputs.size(); ++i)
                copy_elements(out(c, i), o * inner, c.in(0), (o * c.outputs.size() + i) * inner, inner);
            return Status();
          },
          [axis, dim](const KernelContext& c, std::span<Shape> out) -> Status {
            const std::int64_t rank = c.shape(0).rank();
            if (axis < -rank || axis >= rank) return invalid("axis = {} not in [{}, {})", axis, -rank, rank);
            const std::size_t d = dim(c.shape(0));
            if (std::cmp_not_equal(c.shape(0).dims[d], out.size()))
              return invalid("Input shape axis {} must equal {}, got shape {}", d, out.size(), to_string(c.shape(0)));
            Shape part = c.shape(0);
            part.dims.erase(part.dims.begin() + static_cast<std::ptrdiff_t>(d));
            std::ranges::fill(out, part);
            return {};
          }};
}

constexpr Takes kOneOrVector = Takes::scalar_or_vector_of_one;
constexpr InputRule kRange[] = {{0, "start must be a scalar, not shape {}", kOneOrVector},
                                {1, "limit must be a scalar, not shape {}", kOneOrVector},
                                {2, "delta must be a scalar, not shape {}", kOneOrVector}};

template <class T>
Status range(KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_inputs(c, kRange));
  const T start = c.data<T>(0)[0], limit = c.data<T>(1)[0], delta = c.data<T>(2)[0];
  if (delta == T{0}) return invalid("Requires delta != 0: {}", delta);
  if (delta > T{0} && !(start <= limit)) return invalid("Requires start <= limit when delta > 0: {}/{}", start, limit);
  if (delta < T{0} && !(start >= limit)) return invalid("Requires start >= limit when delta < 0: {}/{}", start, limit);
  const double count =
      std::ceil(std::abs((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta)));
  if (!(count < 0x1p63)) return invalid("Requires ((limit - start) / delta) <= 9223372036854775807");
  const auto n = static_cast<std::int64_t>(count);
  MutableTensor t = make_tensor(TypeOf<T>::value, Shape({n}));
  std::int64_t i = 0;
  for (T& x : t->mutable_as<T>()) x = static_cast<T>(start + static_cast<T>(static_cast<T>(i++) * delta));
  return c.give(0, t);
}

Behaviour make_range(const KernelSetup&) {
  return {[](KernelContext& c) { return for_number(c.in(0).dtype(), [&]<class T>() { return range<T>(c); }); }, {}};
}

Status invert_permutation(KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_input(c, {0, "invert_permutation expects a 1D vector.", Takes::vector}));
  const Dims p = integers_of(c.in(0));
  Dims inverse(p.size(), -1);
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] < 0 || std::cmp_greater_equal(p[i], p.size()))
      return invalid("{} is not between 0 and {}", p[i], p.size());
    if (inverse[static_cast<std::size_t>(p[i])] != -1) return invalid("{} is duplicated in the input.", p[i]);
    inverse[static_cast<std::size_t>(p[i])] = static_cast<std::int64_t>(i);
  }
  return c.give(0, integers_as(c.in(0).dtype(), inverse));
}

constexpr InputRule kTwoShapes[] = {{0, "In[0] must be a vector.{}", Takes::vector},
                                    {1, "In[1] must be a vector.{}", Takes::vector}};

// Along which axes each of two gradients is summed after broadcasting.
Status broadcast_gradient_args(KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_inputs(c, kTwoShapes));
  const Dims a = integers_of(c.in(0)), b = integers_of(c.in(1));
  const std::size_t rank = std::max(a.size(), b.size());
  Dims sums[2];
  const auto dim = [&](const Dims& s, std::size_t d) {
    return d + s.size() < rank ? std::int64_t{1} : s[d + s.size() - rank];
  };
  for (std::size_t d = 0; d < rank && a != b; ++d) {
    const std::int64_t x = dim(a, d), y = dim(b, d);
    if (x != y && x != 1 && y != 1)
      return invalid("Incompatible shapes: [{}] vs. [{}]", fmt::join(a, ","), fmt::join(b, ","));
    if (x == 1) sums[0].push_back(static_cast<std::int64_t>(d));
    if (y == 1) sums[1].push_back(static_cast<std::int64_t>(d));
  }
  for (std::size_t i = 0; i < 2; ++i) c.set(i, integers_as(c.in(0).dtype(), sums[i]));
  return {};
}

// BroadcastArgs: the shape that two shapes broadcast to.
Status broadcast_args(KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_inputs(c, kTwoShapes));
  const Dims a = integers_of(c.in(0)), b = integers_of(c.in(1));
  Shape both;
  if (!broadcast(Shape(a), Shape(b), both).ok())
    return invalid("Incompatible shapes: [{}] vs. [{}]", fmt::join(a, ","), fmt::join(b, ","));
  return c.give(0, integers_as(c.in(0).dtype(), both.dims));
}

Status concat_offset(KernelContext& c) {
  TARRY_ASSIGN(const std::int64_t axis,
               integer_in(c, {0, "Concat dim tensor should be a scalar integer, but got shape {}"}));
  std::int64_t at = 0;
  const Dims first = integers_of(c.in(1));
  for (std::size_t i = 1; i < c.inputs.size(); ++i)
    if (c.shape(i).rank() != 1)
      return invalid("input {} should be a vector, but got shape {}", i, to_string(c.shape(i)));
  for (std::size_t i = 0; i < c.outputs.size(); ++i) {
    const Dims dims = integers_of(c.in(i + 1));
    if (dims.size() != first.size())
      return invalid("input {} should contain {} elements, but got {}", i, first.size(), dims.size());
    const auto d = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(dims.size()) : axis);
    if (d >= dims.size()) return invalid("Concat dim is out of range: {} vs. {}", axis, dims.size());
    for (std::size_t k = 0; k < dims.size(); ++k)
      if (k != d && dims[k] != first[k])
        return invalid(
            "All dimensions except {} must match. Input {} has shape [{}] and doesn't match input 0 with shape [{}].",
            d, i, fmt::join(dims, " "), fmt::join(first, " "));
    Dims offset(dims.size(), 0);
    offset[d] = at;
    at += dims[d];
    c.set(i, integers_as(c.in(1).dtype(), offset));
  }
  return {};
}

constexpr KernelRow kLayoutRows[] = {
    {"Transpose", behaves<transpose, transpose_shape>},
    {"ConjugateTranspose", behaves<conjugate_transpose, transpose_shape>},
    {"Slice", behaves<slice, slice_shape>},
    {"Pad", behaves<pad, pad_shape>},
    {"PadV2", behaves<pad, pad_shape>},
    {"ReverseV2", behaves<reverse, reverse_shape>},
    {"BroadcastTo", behaves<broadcast_to, broadcast_to_shape>},
    {"Split", make_split<plan_split>},
    {"SplitV", make_split<plan_split_v>},
    {"Unpack", make_unpack},
    {"Range", make_range},
    {"InvertPermutation", behaves<invert_permutation>},
    {"BroadcastArgs", behaves<broadcast_args>},
    {"BroadcastGradientArgs", behaves<broadcast_gradient_args>},
    {"ConcatOffset", behaves<concat_offset>},
};

}  // namespace

KernelFamily layout_ops() { return kLayoutRows; }

}  // namespace tarry
