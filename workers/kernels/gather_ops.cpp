// Picking elements by index, and putting them together again.

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "workers/kernels/elements.hpp"
#include "workers/kernels/every_number.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/scatter_nd.hpp"
#include "workers/kernels/state.hpp"

namespace tarry {
namespace {

// ---- rows along an axis ----

// GatherV2 (params, indices, axis), and Gather along the first axis. The first `batch` dimensions of both go together.
struct GatherPlan {
  std::size_t axis = 0, batch = 0;
};

StatusOr<std::size_t> gather_axis(const KernelContext& c) {
  const std::int64_t rank = c.shape(0).rank();
  if (rank < 1) return invalid("params must be at least 1 dimensional");
  TARRY_ASSIGN(const std::int64_t given,
               c.inputs.size() < 3 ? StatusOr<std::int64_t>(0) : integer_in(c, {2, "axis must be scalar"}));
  const std::int64_t needed = given < 0 ? -given : given + 1;
  if (rank < needed) return invalid("Shape must be at least rank {} but is rank {}", needed, rank);
  return static_cast<std::size_t>(given < 0 ? given + rank : given);
}

StatusOr<GatherPlan> plan_gather(const KernelContext& c, std::int64_t batch_dims) {
  TARRY_ASSIGN(const std::size_t axis, gather_axis(c));
  const Shape &params = c.shape(0), &indices = c.shape(1);
  if (batch_dims < -indices.rank() || batch_dims > indices.rank())
    return invalid("Expected batch_dims in the range [{}, {}], but got {}", -indices.rank(), indices.rank(),
                   batch_dims);
  const auto batch = static_cast<std::size_t>(batch_dims < 0 ? batch_dims + indices.rank() : batch_dims);
  if (batch > 0 && batch >= params.dims.size())
    return invalid("batch_dims ({}) must be less than rank(params) ({}).", batch, params.rank());
  if (batch > axis) return invalid("batch_dims ({}) must be less than or equal to axis ({}).", batch, axis);
  for (std::size_t d = 0; d < batch; ++d)
    if (params.dims[d] != indices.dims[d])
      return invalid("params.shape[{0}]: {1} should be equal to indices.shape[{0}]: {2}", d, params.dims[d],
                     indices.dims[d]);
  return GatherPlan{axis, batch};
}

Status gather_shape(const KernelContext& c, std::int64_t batch_dims, Shape& out) {
  TARRY_ASSIGN(const GatherPlan plan, plan_gather(c, batch_dims));
  const Dims &params = c.shape(0).dims, &indices = c.shape(1).dims;
  const auto axis = params.begin() + static_cast<std::ptrdiff_t>(plan.axis);
  out.dims.assign(params.begin(), axis);
  out.dims.insert(out.dims.end(), indices.begin() + static_cast<std::ptrdiff_t>(plan.batch), indices.end());
  out.dims.insert(out.dims.end(), axis + 1, params.end());
  return {};
}

Status gather(KernelContext& c, std::int64_t batch_dims) {
  TARRY_ASSIGN(const GatherPlan plan, plan_gather(c, batch_dims));
  const Shape& params = c.shape(0);
  const auto size = [](const Shape& s, std::size_t from, std::size_t to) {
    return static_cast<std::size_t>(product(s, from, to));
  };
  const std::size_t outer = size(params, 0, plan.axis), outer_each = size(params, plan.batch, plan.axis),
                    inner = size(params, plan.axis + 1, params.dims.size());
  const std::int64_t limit = params.dims[plan.axis];
  if (outer * inner == 0) return {};  // there is nothing to look for
  const auto indices = integers_of(c.in(1));
  for (std::size_t i = 0; i < indices.size(); ++i)
    if (indices[i] < 0 || indices[i] >= limit)
      return invalid("indices{} = {} is not in [0, {})", position(c.shape(1), static_cast<std::int64_t>(i)), indices[i],
                     limit);
  const std::size_t each = size(c.shape(1), plan.batch, c.shape(1).dims.size());
  std::size_t at = 0;
  for (std::size_t o = 0; o < outer; ++o)
    for (const std::int64_t index : std::span(indices).subspan(o / outer_each * each, each)) {
      copy_elements(out(c), at, c.in(0),
                    (o * static_cast<std::size_t>(limit) + static_cast<std::size_t>(index)) * inner, inner);
      at += inner;
    }
  return {};
}

Behaviour make_gather(const KernelSetup& s) {
  return {[batch = attr_or(s.attrs, "batch_dims", std::int64_t{0})](KernelContext& c) { return gather(c, batch); },
          [batch = attr_or(s.attrs, "batch_dims", std::int64_t{0})](const KernelContext& c, std::span<Shape> out) {
            return gather_shape(c, batch, out[0]);
          }};
}

// ---- elements by coordinates ----

Status gather_nd_shape(const KernelContext& c, std::span<Shape> out) {
  const Shape &params = c.shape(0), &indices = c.shape(1);
  if (params.rank() < 1) return invalid("params must be at least a vector");
  if (indices.rank() < 1) return invalid("indices must be at least a vector");
  const std::int64_t depth = indices.dims.back();
  if (depth > params.rank())
    return invalid("index innermost dimension length must be <= params rank; saw: {} vs. {}", depth, params.rank());
  out[0].dims.assign(indices.dims.begin(), indices.dims.end() - 1);
  out[0].dims.insert(out[0].dims.end(), params.dims.begin() + depth, params.dims.end());
  return {};
}

Status gather_nd(KernelContext& c, const std::string& name) {
  const Shape& params = c.shape(0);
  const bool asks = product(c.shape(1), 0, c.shape(1).dims.size() - 1) > 0;
  if (asks && params.elements() == 0)
    return invalid("Requested more than 0 entries, but params is empty.  Params shape: {}", to_string(params));
  const auto width =
      static_cast<std::size_t>(product(params, static_cast<std::size_t>(c.shape(1).dims.back()), params.dims.size()));
  std::vector<std::size_t> at;
  TARRY_RETURN_IF_ERROR(find_slices(c.in(1), params, "param shape", ", node name: " + name, at, true));
  for (std::size_t r = 0; r < at.size(); ++r) copy_elements(out(c), r * width, c.in(0), at[r] * width, width);
  return {};
}
Behaviour make_gather_nd(const KernelSetup& s) {
  return {[name = std::string(s.name)](KernelContext& c) { return gather_nd(c, name); }, gather_nd_shape};
}

// ScatterNd (indices, updates, shape): sums where indices repeat.
Status scatter_nd_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(0).rank() < 1)
    return invalid("Indices shape must have rank at least one. Found:{}", to_string(c.shape(0)));
  if (c.shape(1).rank() < 1)
    return invalid("Updates shape must have rank at least one. Found:{}", to_string(c.shape(1)));
  if (!known(c, 2)) return shape_not_known();
  out[0] = Shape(integers_of(c.in(2)));
  for (const std::int64_t d : out[0].dims)
    if (d < 0) return invalid("Dimension {} must be >= 0", d);
  const bool has_indices = c.in(0).elements() > 0, has_updates = c.in(1).elements() > 0;
  if ((has_indices || has_updates) && !(has_indices && has_updates && c.in(2).elements() > 0))
    return invalid("Indices and updates specified for empty output shape");
  TARRY_RETURN_IF_ERROR(check_scattered(c.shape(0), c.shape(1), out[0], c.shape(0).dims.size() - 1));
  TARRY_RETURN_IF_ERROR(check_input(c, {2, "Shape must be a vector", Takes::vector}));
  return check_slices(c.shape(0), c.shape(1), out[0]);
}

Status scatter_nd(KernelContext& c) {
  const Shape& shape = out(c).shape();
  const auto width =
      static_cast<std::size_t>(product(shape, static_cast<std::size_t>(c.shape(0).dims.back()), shape.dims.size()));
  TARRY_ASSIGN(const auto at, slices_at(c.in(0), shape, "shape"));
  if (c.in(1).dtype() == DataType::kString) {  // a sum of texts is one behind the other
    for (std::size_t i = 0; i < at.size() * width; ++i)
      out(c).mutable_strings()[at[i / width] * width + i % width] += c.in(1).strings()[i];
    return {};
  }
  const auto add = [&]<class T>() {
    for (std::size_t i = 0; i < at.size() * width; ++i) {
      T& x = c.out<T>(0)[at[i / width] * width + i % width];
      x = static_cast<T>(x + c.data<T>(1)[i]);  // of two truths: whether one of them is
    }
    return Status();
  };
  return c.in(1).dtype() == DataType::kBool ? add.operator()<bool>() : for_summed(c.in(1).dtype(), add);
}

Behaviour make_scatter_nd(const KernelSetup& s) {
  Behaviour b{scatter_nd, scatter_nd_shape};
  b.own_types = rounds_each(s);
  return b;
}

// ResourceGather (handle, indices).
class ResourceGatherKernel : public Kernel {
 public:
  explicit ResourceGatherKernel(const KernelSetup& s) : host_(s.host) {}
  Status compute(KernelContext& c) override {
    const Variable& v = variable_of(c);
    if (!v.value) return no_such_resource(host_, v);
    const TensorBody& params = *v.value;
    if (params.shape().rank() < 1) return invalid("params must be at least 1 dimensional");
    Shape shape = c.shape(1);
    shape.dims.insert(shape.dims.end(), params.shape().dims.begin() + 1, params.shape().dims.end());
    if (!params.has_data() || !known(c, 1)) return c.give(0, make_shape_only(params.dtype(), shape));
    const auto width = static_cast<std::size_t>(product(params.shape(), 1, params.shape().dims.size()));
    MutableTensor to = make_tensor(params.dtype(), shape);
    const auto indices = integers_of(c.in(1));
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] < 0 || indices[i] >= params.shape().dims[0])
        return invalid("indices{} = {} is not in [0, {})", position(c.shape(1), static_cast<std::int64_t>(i)),
                       indices[i], params.shape().dims[0]);
      copy_elements(*to, i * width, params, static_cast<std::size_t>(indices[i]) * width, width);
    }
    return c.give(0, to);
  }

 private:
  KernelHost& host_;
};

// ResourceGatherNd (handle, indices).
class ResourceGatherNdKernel : public Kernel {
 public:
  explicit ResourceGatherNdKernel(const KernelSetup& s) : host_(s.host), name_(s.name), type_(s.outputs[0]) {}
  Status compute(KernelContext& c) override {
    const Variable& v = variable_of(c);
    if (!v.value) return no_such_resource(host_, v);
    if (v.value->dtype() != type_)
      return invalid("Trying to read variable with wrong dtype. Expected {} got {}", type_name(type_),
                     type_name(v.value->dtype()));
    Value inputs[] = {{v.value, nullptr}, c.inputs[1]};
    KernelContext read = c;
    read.inputs = inputs;
    Shape shape;
    TARRY_RETURN_IF_ERROR(gather_nd_shape(read, std::span(&shape, 1)));
    if (!known(read, 0) || !known(read, 1)) return c.give(0, make_shape_only(v.value->dtype(), shape));
    c.set(0, make_tensor(v.value->dtype(), shape));
    return gather_nd(read, name_);
  }

 private:
  KernelHost& host_;
  std::string name_;
  DataType type_;
};

constexpr InputRule kDepth{1, "depth must be a scalar, but got: {}"};
constexpr InputRule kOnAndOff[] = {{2, "on_value must be a scalar, but got: {}"},
                                   {3, "off_value must be a scalar, but got: {}"}};

// OneHot (indices, depth, on, off).
Behaviour make_one_hot(const KernelSetup& s) {
  const auto axis = attr_or(s.attrs, "axis", std::int64_t{-1});
  return {[axis](KernelContext& c) -> Status {
            const auto at = static_cast<std::size_t>(axis == -1 ? c.shape(0).rank() : axis);
            TARRY_ASSIGN(const std::int64_t depth, integer_in(c, kDepth));
            const std::int64_t inner = product(c.shape(0), at, c.shape(0).dims.size());
            const auto indices = integers_of(c.in(0));
            for (std::int64_t i = 0; i < out(c).elements(); ++i) {
              const std::int64_t outer = i / (depth * inner), class_id = i / inner % depth;
              const bool on = indices[static_cast<std::size_t>(outer * inner + i % inner)] == class_id;
              copy_elements(out(c), static_cast<std::size_t>(i), c.in(on ? 2 : 3), 0);
            }
            return {};
          },
          [axis](const KernelContext& c, std::span<Shape> out) -> Status {
            const std::int64_t rank = c.shape(0).rank();
            if (axis != -1 && (axis < 0 || axis > rank))
              return invalid("Expected axis to be -1 or between [0, {}).  But received: {}", rank + 1, axis);
            TARRY_ASSIGN(const std::int64_t depth, integer_in(c, kDepth));
            TARRY_RETURN_IF_ERROR(check_inputs(c, kOnAndOff));
            if (depth < 0) return invalid("depth must be non-negative, got: {}", depth);
            out[0] = c.shape(0);
            out[0].dims.insert(out[0].dims.begin() + (axis == -1 ? rank : axis), depth);
            return {};
          }};
}

// What a row of a stitch's i-th data has.
std::span<const std::int64_t> inner_dims(const KernelContext& c, std::size_t i) {
  return std::span(c.shape(c.inputs.size() / 2 + i).dims).subspan(c.shape(i).dims.size());
}

Status check_places_of_rows(const KernelContext& c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    if (!known(c, i)) return shape_not_known();
    const auto indices = integers_of(c.in(i));
    for (std::size_t k = 0; k < indices.size(); ++k)
      if (indices[k] < 0) return invalid("indices[{}] is out of range", k);
  }
  return {};
}

// DynamicStitch (N indices, N data): rows by their index; of equal indices the last one stays.
Status dynamic_stitch_shape(const KernelContext& c, std::span<Shape> out) {
  const std::size_t n = c.inputs.size() / 2;
  std::int64_t rows = 0;
  TARRY_RETURN_IF_ERROR(check_places_of_rows(c, n));
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::ranges::equal(
            c.shape(i).dims,
            std::span(c.shape(n + i).dims).first(std::min(c.shape(i).dims.size(), c.shape(n + i).dims.size()))))
      return invalid("data[{}].shape = {} does not start with indices[{}].shape = {}", i, to_string(c.shape(n + i)), i,
                     to_string(c.shape(i)));
    if (!std::ranges::equal(inner_dims(c, i), inner_dims(c, 0)))
      return invalid(
          "Need data[0].shape[{}:] = data[{}].shape[{}:], got data[0].shape = {}, data[{}].shape = {}, "
          "indices[0].shape = {}, indices[{}].shape = {}",
          c.shape(0).rank(), i, c.shape(i).rank(), to_string(c.shape(n)), i, to_string(c.shape(n + i)),
          to_string(c.shape(0)), i, to_string(c.shape(i)));
    for (const std::int64_t index : integers_of(c.in(i))) rows = std::max(rows, index + 1);
  }
  out[0] = Shape({rows});
  out[0].dims.insert(out[0].dims.end(), c.shape(n).dims.begin() + c.shape(0).rank(), c.shape(n).dims.end());
  return {};
}

Status dynamic_stitch(KernelContext& c) {
  const std::size_t n = c.inputs.size() / 2;
  const auto width = static_cast<std::size_t>(product(out(c).shape(), 1, out(c).shape().dims.size()));
  for (std::size_t i = 0; i < n; ++i) {
    const auto indices = integers_of(c.in(i));
    for (std::size_t k = 0; k < indices.size(); ++k)
      copy_elements(out(c), static_cast<std::size_t>(indices[k]) * width, c.in(n + i), k * width, width);
  }
  return {};
}

// DynamicPartition (data, partitions): row i goes to output partitions[i].
Status dynamic_partition(KernelContext& c) {
  const auto& data = c.shape(0).dims;
  if (!std::ranges::equal(c.shape(1).dims, std::span(data).first(std::min(data.size(), c.shape(1).dims.size()))))
    return invalid("data.shape must start with partitions.shape, got data.shape = {}, partitions.shape = {}",
                   to_string(c.shape(0)), to_string(c.shape(1)));
  const auto parts = integers_of(c.in(1));
  std::vector<Dims> rows(c.outputs.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] < 0 || std::cmp_greater_equal(parts[i], rows.size()))
      return invalid("partitions{} = {} is not in [0, {})", position(c.shape(1), static_cast<std::int64_t>(i)),
                     parts[i], rows.size());
    rows[static_cast<std::size_t>(parts[i])].push_back(static_cast<std::int64_t>(i));
  }
  const auto from = static_cast<std::size_t>(c.shape(1).rank());
  const auto width = static_cast<std::size_t>(product(c.shape(0), from, c.shape(0).dims.size()));
  for (std::size_t p = 0; p < rows.size(); ++p) {
    Shape shape({static_cast<std::int64_t>(rows[p].size())});
    shape.dims.insert(shape.dims.end(), c.shape(0).dims.begin() + static_cast<std::ptrdiff_t>(from),
                      c.shape(0).dims.end());
    MutableTensor to = make_tensor(c.in(0).dtype(), shape);
    for (std::size_t i = 0; i < rows[p].size(); ++i)
      copy_elements(*to, i * width, c.in(0), static_cast<std::size_t>(rows[p][i]) * width, width);
    c.set(p, to);
  }
  return {};
}

constexpr KernelRow kGatherRows[] = {
    {"Gather", make_gather},
    {"GatherV2", make_gather},
    {"GatherNd", make_gather_nd},
    {"ScatterNd", make_scatter_nd},
    {"ResourceGather", make_from_setup<ResourceGatherKernel>},
    {"ResourceGatherNd", make_from_setup<ResourceGatherNdKernel>},
    {"OneHot", make_one_hot},
    {"DynamicStitch", behaves<dynamic_stitch, dynamic_stitch_shape>},
    {"ParallelDynamicStitch", behaves<dynamic_stitch, dynamic_stitch_shape>},
    {"DynamicPartition", behaves<dynamic_partition>},
};

}  // namespace

KernelFamily gather_ops() { return {kGatherRows, ResourceKind::variable}; }

}  // namespace tarry
