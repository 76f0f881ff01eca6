// Constants, shapes and moving elements about.

#include <algorithm>
#include <optional>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"

namespace tarry {
namespace {

StatusOr<std::int64_t> axis_in(std::int64_t axis, std::int64_t rank) {
  if (axis < -rank || axis >= rank)
    return invalid("ConcatOp : Expected concatenating dimensions in the range [{}, {}), but got {}", -rank, rank, axis);
  return axis < 0 ? axis + rank : axis;
}

class ConstKernel : public Kernel {
 public:
  explicit ConstKernel(TensorRef value) : value_{std::move(value), nullptr} {}
  [[nodiscard]] bool is_of_node_alone() const override { return true; }
  [[nodiscard]] const Value* always() const override { return &value_; }
  Status compute(KernelContext& c) override {
    c.outputs[0] = value_;
    return {};
  }

 private:
  Value value_;
};

StatusOr<std::unique_ptr<Kernel>> make_const(const KernelSetup& s) {
  const auto* spec = s.attrs.get<std::shared_ptr<const TensorSpec>>("value");
  if (spec == nullptr) return invalid("Const node '{}' has no value", s.name);
  if (!(*spec)->unread.empty()) return invalid("Cannot parse tensor from proto: {}", (*spec)->unread);
  if (s.outputs.at(0) != (*spec)->dtype)
    return invalid("Type mismatch between value ({}) and dtype ({})", type_name((*spec)->dtype),
                   type_name(s.outputs[0]));
  return std::make_unique<ConstKernel>(from_spec(**spec, std::max<std::int64_t>(s.host.values_up_to, 4096)));
}

class IdentityKernel : public Kernel {
 public:
  [[nodiscard]] bool is_of_node_alone() const override { return true; }
  Status compute(KernelContext& c) override {
    for (std::size_t i = 0; i < c.outputs.size(); ++i) c.outputs[i] = c.inputs[i];
    return {};
  }
};
StatusOr<std::unique_ptr<Kernel>> make_pass(const KernelSetup&) { return std::make_unique<IdentityKernel>(); }

class EnsureShapeKernel : public Kernel {
 public:
  explicit EnsureShapeKernel(const KernelSetup& s)
      : source_(s.source_slot > 0 ? fmt::format("{}:{}", s.source, s.source_slot) : std::string(s.source)),
        expected_(attr_or(s.attrs, "shape", Shape::unknown())) {}
  Status compute(KernelContext& c) override {
    if (!fits(c.shape(0)))
      return invalid("Shape of tensor {} {} is not compatible with expected shape {}.", source_, to_string(c.shape(0)),
                     to_string(expected_));
    c.outputs[0] = c.inputs[0];
    return {};
  }

 private:
  [[nodiscard]] bool fits(const Shape& s) const {
    return expected_.unknown_rank ||
           std::ranges::equal(s.dims, expected_.dims,
                              [](std::int64_t have, std::int64_t want) { return want < 0 || have == want; });
  }
  std::string source_;
  Shape expected_;
};

class PlaceholderKernel : public Kernel {
 public:
  explicit PlaceholderKernel(const KernelSetup& s)
      : name_(s.name), dtype_(s.outputs[0]), shape_(attr_or(s.attrs, "shape", Shape::unknown())) {}
  Status compute(KernelContext&) override {
    if (shape_.unknown_rank || shape_.dims.empty())
      return invalid("You must feed a value for placeholder tensor '{}' with dtype {}", name_, type_name(dtype_));
    return invalid("You must feed a value for placeholder tensor '{}' with dtype {} and shape {}", name_,
                   type_name(dtype_), to_string(shape_));
  }

 private:
  std::string name_;
  DataType dtype_;
  Shape shape_;
};
StatusOr<std::unique_ptr<Kernel>> make_placeholder(const KernelSetup& s) {
  return std::make_unique<PlaceholderKernel>(s);
}

// Shape, ShapeN, Size and Rank read no values: they answer for tensors without data too. A shape that comes again gets
// the same tensor, so what follows from it need not be computed again (kernel.cpp).
class ShapeKernel : public Kernel {
 public:
  explicit ShapeKernel(const KernelSetup& s)
      : op_(s.op), type_(s.outputs[0]), remembers_(s.host.memory == nullptr), last_(s.outputs.size()) {}
  [[nodiscard]] bool is_of_node_alone() const override { return true; }
  Status compute(KernelContext& c) override {
    for (std::size_t i = 0; i < c.outputs.size(); ++i) {
      Last& last = last_[i];
      if (!last.answer || last.shape != c.shape(i)) last = {c.shape(i), answer(c.shape(i))};
      c.set(i, last.answer);
      if (!remembers_) last.answer = nullptr;
    }
    return {};
  }

 private:
  struct Last {
    Shape shape;
    TensorRef answer;
  };
  [[nodiscard]] TensorRef answer(const Shape& s) const {
    if (op_ == "Size") return scalar(s.elements());
    if (op_ == "Rank") return scalar(s.rank());
    if (type_ == DataType::kInt64) return make_vector(s.dims);
    return make_vector(std::vector<std::int32_t>(s.dims.begin(), s.dims.end()));
  }
  [[nodiscard]] TensorRef scalar(std::int64_t v) const {
    return type_ == DataType::kInt64 ? make_scalar(v) : make_scalar(static_cast<std::int32_t>(v));
  }
  std::string op_;
  DataType type_;
  bool remembers_;          // not where memory is counted
  std::vector<Last> last_;  // by output
};
StatusOr<std::unique_ptr<Kernel>> make_shape(const KernelSetup& s) { return std::make_unique<ShapeKernel>(s); }

Status copy_all(KernelContext& c) {
  copy_elements(out(c), 0, c.in(0), 0, static_cast<std::size_t>(c.in(0).elements()));
  return {};
}

// The one -1 of a shape that is asked for, if it has one.
StatusOr<std::optional<std::size_t>> open_dimension(const Shape& wanted) {
  std::optional<std::size_t> open;
  for (std::size_t d = 0; d < wanted.dims.size(); ++d) {
    if (wanted.dims[d] < -1) return invalid("Size {} must be non-negative, not {}", d, wanted.dims[d]);
    if (wanted.dims[d] >= 0) continue;
    if (open) return invalid("Only one input size may be -1, not both {} and {}", *open, d);
    open = d;
  }
  return open;
}

// Zeros count on neither side, unless only one side has them.
StatusOr<std::int64_t> size_of_open(const Shape& in, const Shape& wanted, std::size_t open, bool has_zero) {
  std::int64_t given = 1, rest = 1;
  bool skips = false;
  for (const std::int64_t d : in.dims) {
    if (d > 0 || !has_zero)
      given *= d;
    else
      skips = true;
  }
  for (std::size_t d = 0; d < wanted.dims.size(); ++d)
    if (d != open && wanted.dims[d] > 0) rest *= wanted.dims[d];
  if (!skips && given % rest != 0)
    return invalid("Input to reshape is a tensor with {} values, but the requested shape requires a multiple of {}",
                   given, rest);
  return given / rest;
}

Status reshape_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_input(c, {1, "sizes input must be 1-D, not {}", Takes::scalar_or_vector}));
  if (!known(c, 1)) return shape_not_known();
  Shape wanted(integers_of(c.in(1)));
  TARRY_ASSIGN(const auto open, open_dimension(wanted));
  const bool has_zero = std::ranges::find(wanted.dims, 0) != wanted.dims.end();
  if (open) {
    TARRY_ASSIGN(wanted.dims[*open], size_of_open(c.shape(0), wanted, *open, has_zero));
  }
  const std::int64_t n = c.in(0).elements();
  if (wanted.elements() != n)
    return invalid("Input to reshape is a tensor with {} values, but the requested shape has {}", n, wanted.elements());
  return only(out, wanted);
}

Status expand_dims_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_ASSIGN(const std::int64_t dim,
               integer_in(c, {1, "'dim' must be a tensor with a single value", Takes::one_element}));
  const std::int64_t rank = c.shape(0).rank();
  if (dim < -rank - 1 || dim > rank)
    return invalid("Tried to expand dim index {} for tensor with {} dimensions.", dim, rank);
  out[0] = c.shape(0);
  out[0].dims.insert(out[0].dims.begin() + (dim < 0 ? dim + rank + 1 : dim), 1);
  return {};
}

Behaviour make_squeeze(const KernelSetup& s) {
  const auto* list = s.attrs.get<AttrList>("squeeze_dims");
  const std::vector<std::int64_t> dims = list == nullptr ? std::vector<std::int64_t>{} : list->i;
  return {copy_all, [dims](const KernelContext& c, std::span<Shape> out) -> Status {
            const Shape& in = c.shape(0);
            for (const std::int64_t d : dims)
              if (d < -in.rank() || d >= in.rank())
                return invalid("Tried to squeeze dim index {} for tensor with {} dimensions.", d, in.rank());
            for (std::size_t i = 0; i < in.dims.size(); ++i) {
              const bool named = std::ranges::any_of(
                  dims, [&](std::int64_t d) { return (d < 0 ? d + in.rank() : d) == static_cast<std::int64_t>(i); });
              if (named && in.dims[i] != 1)
                return invalid("Can not squeeze dim[{}], expected a dimension of 1, got {}", i, in.dims[i]);
              if (in.dims[i] != 1 || (!dims.empty() && !named)) out[0].dims.push_back(in.dims[i]);
            }
            return {};
          }};
}

constexpr InputRule kFill[] = {{0, "dims must represent a vector, got shape {}", Takes::scalar_or_vector},
                               {1, "value must represent a scalar, got shape {}", Takes::scalar_or_vector_of_one}};

Status fill_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_inputs(c, kFill));
  if (!known(c, 0)) return shape_not_known();
  out[0] = Shape(integers_of(c.in(0)));
  const auto negative = std::ranges::find_if(out[0].dims, [](std::int64_t d) { return d < 0; });
  return negative == out[0].dims.end() ? Status() : invalid("Dimension {} must be >= 0", *negative);
}

Behaviour make_fill(const KernelSetup&) {
  return {[](KernelContext& c) {
            for (std::size_t i = 0; i < static_cast<std::size_t>(out(c).elements()); ++i)
              copy_elements(out(c), i, c.in(1), 0);
            return Status();
          },
          fill_shape};
}

Behaviour make_pack(const KernelSetup& s) {
  const auto axis = attr_or(s.attrs, "axis", std::int64_t{0});
  return {[axis](KernelContext& c) {
            const std::size_t at = static_cast<std::size_t>(axis < 0 ? axis + c.shape(0).rank() + 1 : axis);
            const auto inner = static_cast<std::size_t>(product(c.shape(0), at, c.shape(0).dims.size()));
            const auto outer = static_cast<std::size_t>(product(c.shape(0), 0, at));
            for (std::size_t o = 0; o < outer; ++o)
              for (std::size_t i = 0; i < c.inputs.size(); ++i)
                copy_elements(out(c), (o * c.inputs.size() + i) * inner, c.in(i), o * inner, inner);
            return Status();
          },
          [axis](const KernelContext& c, std::span<Shape> out) -> Status {
            const std::int64_t rank = c.shape(0).rank() + 1;
            if (axis < -rank || axis >= rank) return invalid("axis = {} not in [{}, {})", axis, -rank, rank);
            const std::int64_t at = axis < 0 ? axis + rank : axis;
            for (std::size_t i = 1; i < c.inputs.size(); ++i)
              if (c.shape(i) != c.shape(0))
                return invalid("Shapes of all inputs must match: values[0].shape = {} != values[{}].shape = {}",
                               to_string(c.shape(0)), i, to_string(c.shape(i)));
            out[0] = c.shape(0);
            out[0].dims.insert(out[0].dims.begin() + at, static_cast<std::int64_t>(c.inputs.size()));
            return {};
          }};
}

Status fits_beside(const Shape& first, const Shape& other, std::size_t i, std::int64_t axis) {
  if (first.rank() != other.rank())
    return invalid("ConcatOp : Ranks of all input tensors should match: shape[0] = {} vs. shape[{}] = {}",
                   to_string(first), i, to_string(other));
  for (std::int64_t d = 0; d < first.rank(); ++d)
    if (d != axis && first.dims[d] != other.dims[d])
      return invalid("ConcatOp : Dimension {} in both shapes must be equal: shape[0] = {} vs. shape[{}] = {}", d,
                     to_string(first), i, to_string(other));
  return {};
}

Status scalars_refused() { return invalid("ConcatOp : Can't concatenate scalars (use tf.stack instead)"); }
// The inputs of Concat are the axis and the values, those of ConcatV2 the values and the axis.
template <bool axis_first>
StatusOr<std::int64_t> concat_axis(const KernelContext& c) {
  constexpr const char* kRefusal = axis_first ? "concat_dim tensor should be a scalar integer, but got shape {}"
                                              : "axis tensor should be a scalar integer, but got shape {}";
  TARRY_ASSIGN(const std::int64_t axis,
               integer_in(c, {axis_first ? 0 : c.inputs.size() - 1, kRefusal, Takes::scalar_or_vector_of_one}));
  const std::int64_t rank = c.shape(axis_first ? 1 : 0).rank();
  if (axis == 0 && rank == 0) return scalars_refused();
  return axis_in(axis, rank);
}

template <bool axis_first>
Status concat_shape(const KernelContext& c, std::span<Shape> out) {
  constexpr std::size_t kFirst = axis_first ? 1 : 0;
  TARRY_ASSIGN(const std::int64_t axis, concat_axis<axis_first>(c));
  out[0] = c.shape(kFirst);
  for (std::size_t i = 1; i < c.inputs.size() - 1; ++i) {
    if (c.shape(kFirst + i).rank() == 0) return scalars_refused();
    TARRY_RETURN_IF_ERROR(fits_beside(c.shape(kFirst), c.shape(kFirst + i), i, axis));
    out[0].dims[axis] += c.shape(kFirst + i).dims[axis];
  }
  return {};
}

template <bool axis_first>
Status concat(KernelContext& c) {
  constexpr std::size_t kFirst = axis_first ? 1 : 0;
  TARRY_ASSIGN(const std::int64_t given, concat_axis<axis_first>(c));
  const auto axis = static_cast<std::size_t>(given);
  const auto outer = static_cast<std::size_t>(product(c.shape(kFirst), 0, axis));
  std::size_t at = 0;
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = kFirst; i < kFirst + c.inputs.size() - 1; ++i) {
      const auto inner = static_cast<std::size_t>(product(c.shape(i), axis, c.shape(i).dims.size()));
      copy_elements(out(c), at, c.in(i), o * inner, inner);
      at += inner;
    }
  return {};
}

Status tile_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_input(c, {1, "Expected multiples to be 1-D, but got shape {}", Takes::vector}));
  if (!known(c, 1)) return shape_not_known();
  const auto multiples = integers_of(c.in(1));
  if (std::cmp_not_equal(multiples.size(), c.shape(0).rank()))
    return invalid("Expected multiples argument to be a vector of length {} but got length {}", c.shape(0).rank(),
                   multiples.size());
  out[0] = c.shape(0);
  for (std::size_t i = 0; i < multiples.size(); ++i) {
    if (multiples[i] < 0) return invalid("Expected multiples[{}] >= 0, but got {}", i, multiples[i]);
    out[0].dims[i] *= multiples[i];
  }
  return {};
}

// The `size` elements at `at`, so many times.
void repeat_elements(TensorBody& to, std::size_t at, std::size_t size, std::size_t times) {
  for (std::size_t done = size, all = size * times; done < all;) {
    const std::size_t more = std::min(done, all - done);
    copy_elements(to, at + done, to, at, more);
    done += more;
  }
}

// What comes of the elements at `from` in the dimensions from the d-th on; how many that are.
std::size_t tile_from(KernelContext& c, std::size_t d, std::size_t at, std::size_t from) {
  const Shape &in = c.shape(0), &to = out(c).shape();
  if (d == in.dims.size()) return copy_elements(out(c), at, c.in(0), from), 1;
  const auto inner = static_cast<std::size_t>(product(in, d + 1, in.dims.size()));
  std::size_t size = 0;
  for (std::int64_t i = 0; i < in.dims[d]; ++i, from += inner) size += tile_from(c, d + 1, at + size, from);
  const auto times = static_cast<std::size_t>(to.dims[d] / in.dims[d]);
  repeat_elements(out(c), at, size, times);
  return size * times;
}

Status tile(KernelContext& c) {
  if (out(c).elements() > 0) tile_from(c, 0, 0, 0);
  return {};
}

// PrintV2 (a text): what a process prints is no part of a run.
Status print_shape(const KernelContext& c, std::span<Shape>) {
  return check_input(c, {0, "Input is expected to be scalar, but got {}"});
}

constexpr KernelRow kArrayRows[] = {
    {"Const", make_const},
    {"Identity", make_pass},
    {"IdentityN", make_pass},
    {"StopGradient", make_pass},
    {"GuaranteeConst", make_pass},
    {"PreventGradient", make_pass},
    {"Snapshot", make_pass},
    {"Print", make_pass},
    {"PrintV2", behaves<nullptr, print_shape>},
    {"PlaceholderWithDefault", make_pass},
    {"EnsureShape", make_from_setup<EnsureShapeKernel>},
    {"Placeholder", make_placeholder},
    {"PlaceholderV2", make_placeholder},
    {"Shape", make_shape},
    {"ShapeN", make_shape},
    {"Size", make_shape},
    {"Rank", make_shape},
    {"Reshape", behaves<copy_all, reshape_shape>},
    {"ExpandDims", behaves<copy_all, expand_dims_shape>},
    {"Squeeze", make_squeeze},
    {"Fill", make_fill},
    {"Pack", make_pack},
    {"Concat", behaves<concat<true>, concat_shape<true>>},
    {"ConcatV2", behaves<concat<false>, concat_shape<false>>},
    {"Tile", behaves<tile, tile_shape>},
};

}  // namespace

KernelFamily array_ops() { return kArrayRows; }

}  // namespace tarry
