// Strided slices, with all five masks, and their gradient; slices of variables and of copies that are assigned to;
// bands of matrices.

#include <algorithm>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/state.hpp"

namespace tarry {
namespace {

struct SliceMasks {
  std::int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink = 0;
};

constexpr std::int64_t kMostEntries = 32;  // the masks have a bit for each

struct SlicePlan {
  Dims begin, stride, count;  // per input dimension
  Shape shape;                // of the output
};

// One input dimension under one slice entry.
void plan_dimension(const SliceMasks& m, std::size_t entry, std::int64_t dim, std::int64_t begin, std::int64_t end,
                    std::int64_t stride, SlicePlan& plan) {
  const std::int64_t bit = std::int64_t{1} << entry;
  const std::int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? dim : dim - 1;
  const auto clamp = [&](std::int64_t x) { return std::clamp(x < 0 ? x + dim : x, low, high); };
  std::int64_t b = (m.begin & bit) != 0 ? (stride > 0 ? low : high) : clamp(begin);
  const std::int64_t e = (m.end & bit) != 0 ? (stride > 0 ? high : low) : clamp(end);
  std::int64_t n = std::max<std::int64_t>(0, (e - b + stride + (stride > 0 ? -1 : 1)) / stride);
  const bool shrink = (m.shrink & bit) != 0;
  if (shrink) {
    b = begin < 0 ? begin + dim : begin;
    n = 1;
  }
  plan.begin.push_back(b);
  plan.stride.push_back(shrink ? 1 : stride);
  plan.count.push_back(n);
  if (!shrink) plan.shape.dims.push_back(n);
}

void plan_whole(std::int64_t dim, SlicePlan& plan) {
  plan.begin.push_back(0);
  plan.stride.push_back(1);
  plan.count.push_back(dim);
  plan.shape.dims.push_back(dim);
}

// Inputs 1-3: begin, end, strides, of a tensor shaped `in`.
StatusOr<SlicePlan> plan_slice(const KernelContext& c, const Shape& in, const SliceMasks& m) {
  if (c.shape(1).rank() != 1 || c.shape(2) != c.shape(1) || c.shape(3) != c.shape(1))
    return invalid(
        "Expected begin, end, and strides to be 1D equal size tensors, but got shapes {}, {}, and {} instead.",
        to_string(c.shape(1)), to_string(c.shape(2)), to_string(c.shape(3)));
  if ((m.ellipsis & (m.ellipsis - 1)) != 0) return invalid("Multiple ellipses in slice spec not allowed");
  if (c.shape(1).dims[0] > kMostEntries)
    return invalid("A strided slice has at most {} entries, got {}", kMostEntries, c.shape(1).dims[0]);
  const auto begin = integers_of(c.in(1)), end = integers_of(c.in(2)), stride = integers_of(c.in(3));
  std::size_t consumed = 0;  // input dimensions that entries other than the ellipsis use
  for (std::size_t i = 0; i < begin.size(); ++i) consumed += ((m.new_axis | m.ellipsis) >> i & 1) == 0 ? 1 : 0;
  if (consumed > 0 && in.dims.empty()) return invalid("Attempting to slice scalar input.");
  if (consumed > in.dims.size())
    return invalid("Index out of range using input dim {}; input has only {} dims", in.dims.size(), in.dims.size());
  SlicePlan plan;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (m.ellipsis >> i & 1) {
      for (std::size_t k = in.dims.size() - consumed; k > 0; --k) plan_whole(in.dims[plan.begin.size()], plan);
    } else if (m.new_axis >> i & 1) {
      plan.shape.dims.push_back(1);
    } else {
      const std::int64_t dim = in.dims[plan.begin.size()];
      if (stride[i] == 0) return invalid("strides[{}] must be non-zero", plan.begin.size());
      if ((m.shrink >> i & 1) && stride[i] <= 0) return invalid("only stride 1 allowed on non-range indexing.");
      if ((m.shrink >> i & 1) && (begin[i] < -dim || begin[i] >= dim))
        return invalid("slice index {} of dimension {} out of bounds.", begin[i] < 0 ? begin[i] + dim : begin[i],
                       plan.begin.size());
      plan_dimension(m, i, dim, begin[i], end[i], stride[i], plan);
    }
  }
  while (plan.begin.size() < in.dims.size()) plan_whole(in.dims[plan.begin.size()], plan);
  return plan;
}

// Calls `each` with an element of the slice and the one of the whole that it is.
void for_slice(const SlicePlan& plan, const Shape& whole, auto&& each) {
  const Shape counts(plan.count);
  for (std::int64_t i = 0; i < counts.elements(); ++i) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < plan.count.size(); ++d)
      at = at * whole.dims[d] + plan.begin[d] +
           i / product(counts, d + 1, plan.count.size()) % plan.count[d] * plan.stride[d];
    each(static_cast<std::size_t>(i), static_cast<std::size_t>(at));
  }
}

SliceMasks masks_of(const KernelSetup& s) {
  const auto mask = [&](const char* name) { return attr_or(s.attrs, name, std::int64_t{0}); };
  return {mask("begin_mask"), mask("end_mask"), mask("ellipsis_mask"), mask("new_axis_mask"), mask("shrink_axis_mask")};
}

Behaviour make_strided_slice(const KernelSetup& s) {
  return {[m = masks_of(s)](KernelContext& c) -> Status {
            TARRY_ASSIGN(const SlicePlan plan, plan_slice(c, c.shape(0), m));
            for_slice(plan, c.shape(0), [&](std::size_t i, std::size_t at) { copy_elements(out(c), i, c.in(0), at); });
            return {};
          },
          [m = masks_of(s)](const KernelContext& c, std::span<Shape> out) -> Status {
            if (!known(c, 1) || !known(c, 2) || !known(c, 3)) return shape_not_known();
            TARRY_ASSIGN(SlicePlan plan, plan_slice(c, c.shape(0), m));
            return only(out, std::move(plan.shape));
          }};
}

// Inputs: the shape of what was sliced, begin, end, strides, the gradient of the slice. What was not in the slice is 0.
Behaviour make_strided_slice_grad(const KernelSetup& s) {
  return {[m = masks_of(s)](KernelContext& c) -> Status {
            const Shape& whole = out(c).shape();
            TARRY_ASSIGN(const SlicePlan plan, plan_slice(c, whole, m));
            if (plan.shape != c.shape(4))
              return invalid("shape of dy was {} instead of {}", to_string(c.shape(4)), to_string(plan.shape));
            for_slice(plan, whole, [&](std::size_t i, std::size_t at) { copy_elements(out(c), at, c.in(4), i); });
            return {};
          },
          [](const KernelContext& c, std::span<Shape> out) -> Status {
            TARRY_RETURN_IF_ERROR(check_input(c, {0, "shape must be 1-D, got shape.shape = {}", Takes::vector}));
            if (!known(c, 0)) return shape_not_known();
            return only(out, Shape(integers_of(c.in(0))));
          }};
}

// ---- StridedSliceAssign (variable, begin, end, strides, value), TensorStridedSliceUpdate (tensor, ...) ----

// Into an empty slice anything goes.
Status check_fits(const SlicePlan& plan, const Shape& value) {
  if (Shape(plan.count).elements() == 0) return {};
  Shape inner = value, joint;
  while (inner.dims.size() > plan.shape.dims.size() && inner.dims[0] == 1) inner.dims.erase(inner.dims.begin());
  if (broadcast(inner, plan.shape, joint).ok() && joint == plan.shape) return {};
  return invalid("Cannot broadcast input shape {} into final shape {}", to_string(value), to_string(plan.shape));
}

void put_slice(const SlicePlan& plan, const TensorBody& value, TensorBody& to) {
  if (Shape(plan.count).elements() == 0) return;
  Shape inner = value.shape();
  while (inner.dims.size() > plan.shape.dims.size()) inner.dims.erase(inner.dims.begin());
  const auto from = broadcast_indices(inner, plan.shape);
  for_slice(plan, to.shape(), [&](std::size_t i, std::size_t at) { copy_elements(to, at, value, from[i]); });
}

class SliceAssignKernel : public Kernel {
 public:
  explicit SliceAssignKernel(const KernelSetup& s)
      : host_(s.host), masks_(masks_of(s)), is_reference_(is_ref(s.inputs[0])) {}
  Status compute(KernelContext& c) override {
    Variable& v = variable_of(c);
    if (!v.value) return no_such_resource(host_, v);
    if (v.value->dtype() != c.in(4).dtype())
      return invalid("l-value dtype {} does not match r-value dtype {}", type_name(v.value->dtype()),
                     type_name(c.in(4).dtype()));
    if (!c.outputs.empty()) c.outputs[0] = c.inputs[0];
    if (!known(c, 1) || !known(c, 2) || !known(c, 3)) return lose_values(v), Status();
    TARRY_ASSIGN(const SlicePlan plan, plan_slice(c, v.value->shape(), masks_));
    TARRY_RETURN_IF_ERROR(check_fits(plan, c.shape(4)));
    if (!v.value->has_data() || !known(c, 4)) return lose_values(v), Status();
    v.value = storage_for_update(v, is_reference_);
    return put_slice(plan, c.in(4), const_cast<TensorBody&>(*v.value)), Status();
  }

 private:
  KernelHost& host_;
  SliceMasks masks_;
  bool is_reference_;
};

Behaviour make_slice_update(const KernelSetup& s) {
  return {[m = masks_of(s)](KernelContext& c) -> Status {
            TARRY_ASSIGN(const SlicePlan plan, plan_slice(c, c.shape(0), m));
            TARRY_RETURN_IF_ERROR(check_fits(plan, c.shape(4)));
            copy_elements(out(c), 0, c.in(0), 0, static_cast<std::size_t>(c.in(0).elements()));
            return put_slice(plan, c.in(4), out(c)), Status();
          },
          same_shape};
}

// Inputs: matrices, how many diagonals below and above the main one stay (negative = all).
Status band_part(KernelContext& c) {
  const auto& dims = c.shape(0).dims;
  if (dims.size() < 2) return invalid("input must be at least 2-dim, received shape: {}", to_string(c.shape(0)));
  TARRY_ASSIGN(const std::int64_t lower, integer_in(c, {1, "num_lower must be scalar, got shape {}"}));
  const std::int64_t rows = dims[dims.size() - 2], columns = dims.back();
  if (lower > rows)
    return invalid("num_lower must be negative or less or equal to number of rows ({}) got: {}", rows, lower);
  TARRY_ASSIGN(const std::int64_t upper, integer_in(c, {2, "num_upper must be scalar, got shape {}"}));
  if (upper > columns)
    return invalid("num_upper must be negative or less or equal to number of columns ({}) got: {}", columns, upper);
  for (std::int64_t i = 0; i < c.shape(0).elements(); ++i) {
    const std::int64_t down = i / columns % rows - i % columns;
    if ((lower < 0 || down <= lower) && (upper < 0 || -down <= upper))
      copy_elements(out(c), static_cast<std::size_t>(i), c.in(0), static_cast<std::size_t>(i));
  }
  return {};
}

Behaviour make_band_part(const KernelSetup&) { return {band_part, same_shape}; }

constexpr KernelRow kSliceRows[] = {
    {"StridedSlice", make_strided_slice},
    {"StridedSliceGrad", make_strided_slice_grad},
    {"MatrixBandPart", make_band_part},
    {"TensorStridedSliceUpdate", make_slice_update},
};
constexpr KernelRow kAssignSliceRows[] = {
    {"ResourceStridedSliceAssign", make_from_setup<SliceAssignKernel>},
    {"StridedSliceAssign", make_from_setup<SliceAssignKernel>},
};

}  // namespace

KernelFamily slice_ops() { return kSliceRows; }
KernelFamily assign_slice_ops() { return {kAssignSliceRows, ResourceKind::variable}; }

}  // namespace tarry
