// Updating the slices of a variable, or of a tensor's copy, that coordinates name.

#include <algorithm>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/every_number.hpp"
#include "workers/kernels/scatter_nd.hpp"
#include "workers/kernels/state.hpp"
#include "workers/kernels/update.hpp"

namespace tarry {
namespace {

// The slices before a bad one are updated; of a vector of indices, only what the first names.
template <Update how>
Status update_slices(TensorBody& to, const KernelContext& c) {
  Shape indices = c.shape(1);
  if (indices.elements() == 0) return {};
  if (indices.rank() == 1) indices = Shape({1});
  MutableTensor rows = make_tensor(c.in(1).dtype(), indices);
  copy_elements(*rows, 0, c.in(1), 0, static_cast<std::size_t>(indices.elements()));
  std::vector<std::size_t> at;
  Status fault = find_slices(*rows, to.shape(), "shape", "", at);
  const auto depth = static_cast<std::size_t>(indices.dims.back());
  const auto width = static_cast<std::size_t>(product(to.shape(), depth, to.shape().dims.size()));
  check(to.dtype() == c.in(2).dtype(), "updates are of the variable's type");
  if (how == Update::assign) {
    for (std::size_t i = 0; i < at.size(); ++i) copy_elements(to, at[i] * width, c.in(2), i * width, width);
    return fault;
  }
  TARRY_RETURN_IF_ERROR(for_every_updated(to.dtype(), [&]<class T>() {
    for (std::size_t i = 0; i < at.size() * width; ++i) {
      T& x = to.mutable_as<T>()[at[i / width] * width + i % width];
      x = updated<T>(how, x, c.data<T>(2)[i]);
    }
    return Status();
  }));
  return fault;
}

template <Update how>
class ScatterNdKernel : public Kernel {
 public:
  explicit ScatterNdKernel(const KernelSetup& s) : host_(s.host), is_reference_(is_ref(s.inputs[0])) {}
  Status compute(KernelContext& c) override {
    Variable& v = variable_of(c);
    if (!v.value) return no_such_resource(host_, v);
    if (!c.outputs.empty()) c.outputs[0] = c.inputs[0];
    TARRY_RETURN_IF_ERROR(check_slices(c.shape(1), c.shape(2), v.value->shape()));
    if (!v.value->has_data() || !known(c, 1) || !known(c, 2)) return lose_values(v), Status();
    v.value = storage_for_update(v, is_reference_);
    return update_slices<how>(const_cast<TensorBody&>(*v.value), c);
  }

 private:
  KernelHost& host_;
  bool is_reference_;
};

constexpr KernelRow kScatterNdRows[] = {
    {"ScatterNdUpdate", make_from_setup<ScatterNdKernel<Update::assign>>},
    {"ScatterNdAdd", make_from_setup<ScatterNdKernel<Update::add>>},
    {"ScatterNdSub", make_from_setup<ScatterNdKernel<Update::sub>>},
    {"ScatterNdMin", make_from_setup<ScatterNdKernel<Update::min>>},
    {"ScatterNdMax", make_from_setup<ScatterNdKernel<Update::max>>},
    {"ResourceScatterNdUpdate", make_from_setup<ScatterNdKernel<Update::assign>>},
    {"ResourceScatterNdAdd", make_from_setup<ScatterNdKernel<Update::add>>},
    {"ResourceScatterNdSub", make_from_setup<ScatterNdKernel<Update::sub>>},
    {"ResourceScatterNdMin", make_from_setup<ScatterNdKernel<Update::min>>},
    {"ResourceScatterNdMax", make_from_setup<ScatterNdKernel<Update::max>>},
};

// Whether a row of `indices` leaves as much of the tensor as a row of `updates` holds.
Status check_rows(const Shape& tensor, const Shape& indices, const Shape& updates) {
  const auto outer = indices.dims.size() - 1, depth = static_cast<std::size_t>(indices.dims.back());
  const auto first = [](const Shape& s, std::size_t n) { return std::span(s.dims).first(std::min(n, s.dims.size())); };
  if (!std::ranges::equal(first(indices, outer), first(updates, outer)))
    return invalid("Outer dimensions of indices and update must match. Indices shape: {}, updates shape:{}",
                   to_string(indices), to_string(updates));
  if (depth > tensor.dims.size() || tensor.dims.size() - depth != updates.dims.size() - outer)
    return invalid(
        "Inner dimensions of output shape must match inner dimensions of updates shape. Output: {} updates: {}",
        to_string(tensor), to_string(updates));
  const auto inner = tensor.dims.size() - depth;
  if (!std::ranges::equal(std::span(tensor.dims).subspan(depth), std::span(updates.dims).subspan(outer)))
    return invalid(
        "The inner {0} dimensions of output.shape={1} must match the inner {0} dimensions of updates.shape={2}", inner,
        to_string(tensor), to_string(updates));
  return {};
}

// TensorScatterUpdate and others (tensor, indices, updates): a copy of the tensor, updated.
Status scattered_shape(const KernelContext& c, std::span<Shape> out) {
  const Shape &tensor = c.shape(0), &indices = c.shape(1), &updates = c.shape(2);
  if (indices.rank() < 1) return invalid("Indices shape must have rank at least one. Found:{}", to_string(indices));
  if (updates.rank() < 1) return invalid("Updates shape must have rank at least one. Found:{}", to_string(updates));
  const bool has_indices = indices.elements() > 0, has_updates = updates.elements() > 0;
  if ((has_indices || has_updates) && !(has_indices && has_updates && tensor.elements() > 0))
    return invalid("Indices and updates specified for empty output shape");
  TARRY_RETURN_IF_ERROR(check_rows(tensor, indices, updates));
  TARRY_RETURN_IF_ERROR(check_slices(indices, updates, tensor));
  return same_shape(c, out);
}

template <Update how>
Status scattered(KernelContext& c) {
  copy_elements(out(c), 0, c.in(0), 0, static_cast<std::size_t>(c.in(0).elements()));
  return update_slices<how>(out(c), c);
}

// Each change of an element is one of its own type.
template <Update how>
Behaviour make_scattered(const KernelSetup&) {
  Behaviour b{scattered<how>, scattered_shape};
  b.own_types = true;
  return b;
}

// ScatterNdNonAliasingAdd refuses what ScatterNdAdd does.
Behaviour make_added(const KernelSetup& s) {
  Behaviour b = make_scattered<Update::add>(s);
  b.shape = [](const KernelContext& c, std::span<Shape> out) -> Status {
    TARRY_RETURN_IF_ERROR(check_slices(c.shape(1), c.shape(2), c.shape(0)));
    return same_shape(c, out);
  };
  return b;
}

constexpr KernelRow kTensorScatterRows[] = {
    {"ScatterNdNonAliasingAdd", make_added},           {"TensorScatterUpdate", make_scattered<Update::assign>},
    {"TensorScatterAdd", make_scattered<Update::add>}, {"TensorScatterSub", make_scattered<Update::sub>},
    {"TensorScatterMin", make_scattered<Update::min>}, {"TensorScatterMax", make_scattered<Update::max>},
};

}  // namespace

KernelFamily tensor_scatter_ops() { return kTensorScatterRows; }

KernelFamily scatter_nd_ops() { return {kScatterNdRows, ResourceKind::variable}; }

}  // namespace tarry
