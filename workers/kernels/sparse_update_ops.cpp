// Optimizers that update some rows of a variable, and Ftrl, dense and sparse.
//
// Values are computed where the variable, its slots, the gradient and the indices have data; otherwise nothing changes.

#include <algorithm>
#include <cmath>

#include "workers/kernels/elements.hpp"
#include "workers/kernels/state.hpp"

namespace tarry {
namespace {

// Inputs 0..slots are the variable and its slots; then come numbers; `gradient` and, when sparse, `indices` behind it.
struct RowUpdate {
  std::size_t slots = 0, gradient = 0;
  bool sparse = true;
  void (*rule)(const KernelContext& c, std::span<float* const> at, float gradient) = nullptr;  // one element: variable, then slots
};

class RowUpdateKernel : public Kernel {
 public:
  RowUpdateKernel(const KernelSetup& s, RowUpdate how) : host_(s.host), in_place_(is_ref(s.inputs[0])), how_(how) {}

  Status compute(KernelContext& c) override {
    for (std::size_t i = 0; i <= how_.slots; ++i)
      if (!variable_of(c, i).value) return uninitialized_resource(host_, variable_of(c, i));
    if (all_known(c)) TARRY_RETURN_IF_ERROR(update(c));
    if (!c.outputs.empty()) c.outputs[0] = c.inputs[0];
    return {};
  }

 private:
  [[nodiscard]] bool all_known(const KernelContext& c) const {
    for (std::size_t i = 0; i < c.inputs.size(); ++i)
      if (!(i <= how_.slots ? variable_of(c, i).value : c.inputs[i].tensor)->has_data()) return false;
    return c.in(how_.gradient).dtype() == DataType::kFloat;
  }

  // The rows to update, as the gradient has them.
  [[nodiscard]] StatusOr<std::vector<std::int64_t>> rows(const KernelContext& c) const {
    const Shape& shape = variable_of(c).value->shape();
    if (!how_.sparse) {
      if (shape != c.shape(how_.gradient)) return invalid("var and grad do not have the same shape{} {}", to_string(shape), to_string(c.shape(how_.gradient)));
      std::vector<std::int64_t> all(static_cast<std::size_t>(shape.rank() == 0 ? 1 : shape.dims[0]));
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
      return all;
    }
    auto some = integers_of(c.in(how_.gradient + 1));
    for (std::size_t i = 0; i < some.size(); ++i)
      if (some[i] < 0 || some[i] >= shape.dims[0]) return invalid("Index {} at offset {} in indices is out of range", some[i], i);
    return some;
  }

  Status update(KernelContext& c) {
    TARRY_ASSIGN(const auto at, rows(c));
    std::vector<std::span<float>> storage;
    for (std::size_t i = 0; i <= how_.slots; ++i) {
      Variable& v = variable_of(c, i);
      v.value = storage_for_update(v, in_place_);
      storage.push_back(const_cast<TensorBody&>(*v.value).mutable_as<float>());
    }
    const Shape& shape = variable_of(c).value->shape();
    const std::size_t width = shape.rank() == 0 ? 1 : static_cast<std::size_t>(product(shape, 1, shape.dims.size()));
    std::vector<float*> element(storage.size());
    for (std::size_t i = 0; i < at.size() * width; ++i) {
      for (std::size_t s = 0; s < storage.size(); ++s) element[s] = &storage[s][static_cast<std::size_t>(at[i / width]) * width + i % width];
      how_.rule(c, element, c.data<float>(how_.gradient)[i]);
    }
    return {};
  }

  KernelHost& host_;
  bool in_place_;
  RowUpdate how_;
};

// Inputs: var, accum, lr, grad, indices.
void adagrad_row(const KernelContext& c, std::span<float* const> at, float g) {
  *at[1] += g * g;
  *at[0] -= c.data<float>(2)[0] * g / std::sqrt(*at[1]);
}

// Follow the regularised leader. Slots: accum, linear. Numbers from input `first`: lr, l1, l2, lr_power.
void ftrl(const KernelContext& c, std::size_t first, std::span<float* const> at, float g) {
  const auto number = [&](std::size_t i) { return c.data<float>(first + i)[0]; };
  const float lr = number(0), l1 = number(1), l2 = number(2), power = number(3);
  const float accum = *at[1] + g * g;
  *at[2] += g - (std::pow(accum, -power) - std::pow(*at[1], -power)) / lr * *at[0];
  const float quadratic = std::pow(accum, -power) / lr + 2 * l2;
  *at[0] = std::abs(*at[2]) > l1 ? (std::copysign(l1, *at[2]) - *at[2]) / quadratic : 0;
  *at[1] = accum;
}
// Inputs: var, accum, linear, grad, lr, l1, l2, lr_power; sparse: with indices behind grad.
void ftrl_dense(const KernelContext& c, std::span<float* const> at, float g) { ftrl(c, 4, at, g); }
void ftrl_row(const KernelContext& c, std::span<float* const> at, float g) { ftrl(c, 5, at, g); }

template <std::size_t slots, bool sparse, auto rule>
StatusOr<std::unique_ptr<Kernel>> make_row_update(const KernelSetup& s) {
  return std::make_unique<RowUpdateKernel>(s, RowUpdate{slots, 3, sparse, rule});
}

constexpr KernelRow kSparseUpdateRows[] = {
    {"SparseApplyAdagrad", make_row_update<1, true, adagrad_row>},
    {"ResourceSparseApplyAdagrad", make_row_update<1, true, adagrad_row>},
    {"ApplyFtrl", make_row_update<2, false, ftrl_dense>},
    {"ResourceApplyFtrl", make_row_update<2, false, ftrl_dense>},
    {"SparseApplyFtrl", make_row_update<2, true, ftrl_row>},
    {"ResourceSparseApplyFtrl", make_row_update<2, true, ftrl_row>},
};

}  // namespace

KernelFamily sparse_update_ops() { return {kSparseUpdateRows, ResourceKind::variable}; }

}  // namespace tarry
