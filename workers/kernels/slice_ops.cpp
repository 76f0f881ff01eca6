// Strided slices, with all five masks.

#include <algorithm>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"

namespace tarry {
namespace {

struct SliceMasks {
  std::int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink = 0;
};

struct SlicePlan {
  std::vector<std::int64_t> begin, stride, count;  // per input dimension
  Shape shape;                                      // of the output
};

// One input dimension under one slice entry.
void plan_dimension(const SliceMasks& m, std::size_t entry, std::int64_t dim, std::int64_t begin, std::int64_t end, std::int64_t stride, SlicePlan& plan) {
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

StatusOr<SlicePlan> plan_slice(const KernelContext& c, const SliceMasks& m) {
  const auto begin = integers_of(c.in(1)), end = integers_of(c.in(2)), stride = integers_of(c.in(3));
  const Shape& in = c.shape(0);
  std::size_t consumed = 0;  // input dimensions that entries other than the ellipsis use
  for (std::size_t i = 0; i < begin.size(); ++i) consumed += ((m.new_axis | m.ellipsis) >> i & 1) == 0 ? 1 : 0;
  if (consumed > in.dims.size()) return invalid("Index out of range using input dim {}; input has only {} dims", in.dims.size(), in.dims.size());
  SlicePlan plan;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (m.ellipsis >> i & 1) {
      for (std::size_t k = in.dims.size() - consumed; k > 0; --k) plan_whole(in.dims[plan.begin.size()], plan);
    } else if (m.new_axis >> i & 1) {
      plan.shape.dims.push_back(1);
    } else {
      const std::int64_t dim = in.dims[plan.begin.size()];
      if (stride[i] == 0) return invalid("strides[{}] must be non-zero", i);
      if ((m.shrink >> i & 1) && (begin[i] < -dim || begin[i] >= dim)) return invalid("slice index {} of dimension {} out of bounds.", begin[i], plan.begin.size());
      plan_dimension(m, i, dim, begin[i], end[i], stride[i], plan);
    }
  }
  while (plan.begin.size() < in.dims.size()) plan_whole(in.dims[plan.begin.size()], plan);
  return plan;
}

Status slice(KernelContext& c, const SlicePlan& plan) {
  const Shape counts(plan.count);
  for (std::int64_t i = 0; i < counts.elements(); ++i) {
    std::int64_t from = 0;
    for (std::size_t d = 0; d < plan.count.size(); ++d)
      from = from * c.shape(0).dims[d] + plan.begin[d] + i / product(counts, d + 1, plan.count.size()) % plan.count[d] * plan.stride[d];
    copy_elements(out(c), static_cast<std::size_t>(i), c.in(0), static_cast<std::size_t>(from));
  }
  return {};
}

Behaviour make_strided_slice(const KernelSetup& s) {
  const auto mask = [&](const char* name) { return attr_or(s.attrs, name, std::int64_t{0}); };
  const SliceMasks m{mask("begin_mask"), mask("end_mask"), mask("ellipsis_mask"), mask("new_axis_mask"), mask("shrink_axis_mask")};
  return {[m](KernelContext& c) -> Status {
            TARRY_ASSIGN(const SlicePlan plan, plan_slice(c, m));
            return slice(c, plan);
          },
          [m](const KernelContext& c, std::span<Shape> out) -> Status {
            if (!known(c, 1) || !known(c, 2) || !known(c, 3)) return shape_not_known();
            TARRY_ASSIGN(SlicePlan plan, plan_slice(c, m));
            out[0] = std::move(plan.shape);
            return {};
          }};
}

}  // namespace

void add_slice_ops(KernelTable& t) { t.add("StridedSlice", make_strided_slice); }

}  // namespace tarry
