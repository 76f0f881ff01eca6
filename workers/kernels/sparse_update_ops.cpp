// Optimizers that update some rows of a variable, and Ftrl, dense and sparse.
//
// Values are computed where the variable, its slots, the gradient and the indices have data; otherwise nothing changes.

#include <algorithm>
#include <cmath>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/state.hpp"

namespace tarry {
namespace {

struct RowNumber {
  InputRule rule;
  bool (*fits)(float) = nullptr;  // null: any value
};

// Inputs 0..slots are the variable and its slots; then come numbers; `gradient` and, when sparse, `indices` behind it.
struct RowUpdate {
  std::size_t slots = 0, gradient = 0;
  bool sparse = true;
  std::vector<RowNumber> numbers = {};
  void (*rule)(const KernelContext& c, std::span<float* const> at,
               float gradient) = nullptr;  // one element: variable, then slots
  bool updates_before_fault = false;
};

class RowUpdateKernel : public Kernel {
 public:
  RowUpdateKernel(const KernelSetup& s, RowUpdate how) : in_place_(is_ref(s.inputs[0])), how_(how) {}

  Status compute(KernelContext& c) override {
    for (std::size_t i = 0; i <= how_.slots; ++i)
      if (!variable_of(c, i).value) return missing_variable();
    if (!how_.sparse) TARRY_RETURN_IF_ERROR(check_dense(c));
    for (const RowNumber& n : how_.numbers) TARRY_RETURN_IF_ERROR(check_number(c, n));
    if (all_known(c)) TARRY_RETURN_IF_ERROR(update(c));
    if (!c.outputs.empty()) c.outputs[0] = c.inputs[0];
    return {};
  }

 private:
  [[nodiscard]] Status check_dense(const KernelContext& c) const {
    const Shape &var = variable_of(c).value->shape(), &gradient = c.shape(how_.gradient);
    return var == gradient
               ? Status()
               : invalid("var and grad do not have the same shape{} {}", to_string(var), to_string(gradient));
  }

  static Status check_number(const KernelContext& c, const RowNumber& n) {
    TARRY_RETURN_IF_ERROR(check_input(c, n.rule));
    const TensorBody& t = c.in(n.rule.input);
    const bool is_read = n.fits != nullptr && t.has_data() && t.dtype() == DataType::kFloat;
    return !is_read || n.fits(t.as<float>()[0]) ? Status() : refused(c, n.rule);
  }

  [[nodiscard]] bool all_known(const KernelContext& c) const {
    for (std::size_t i = 0; i < c.inputs.size(); ++i)
      if (!(i <= how_.slots ? variable_of(c, i).value : c.inputs[i].tensor)->has_data()) return false;
    return c.in(how_.gradient).dtype() == DataType::kFloat;
  }

  // The rows to update, as the gradient has them.
  [[nodiscard]] StatusOr<Dims> rows(const KernelContext& c) const {
    const Shape& shape = variable_of(c).value->shape();
    if (!how_.sparse) {
      Dims all(static_cast<std::size_t>(shape.rank() == 0 ? 1 : shape.dims[0]));
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
      return all;
    }
    TARRY_RETURN_IF_ERROR(check_gradient(c.shape(how_.gradient), c.shape(how_.gradient + 1), shape));
    return integers_of(c.in(how_.gradient + 1));
  }

  // A row of the gradient for each index. Where its rank is less than the variable's, TensorFlow's process would end.
  static Status check_gradient(const Shape& gradient, const Shape& indices, const Shape& var) {
    if (var.rank() < 1) return invalid("var must be at least 1 dimensional");
    if (indices.rank() != 1) return invalid("indices must be one-dimensional");
    if (gradient.rank() < var.rank())
      return invalid("grad must have the rank of var: {} {}", to_string(var), to_string(gradient));
    for (std::size_t d = 1; d < var.dims.size(); ++d)
      if (gradient.dims[d] != var.dims[d]) return invalid("var and grad must match in dimension {}", d);
    if (gradient.dims[0] != indices.dims[0])
      return invalid("grad must be the same size as indices in the first dimension.");
    return {};
  }

  // The first row that the variable does not have. Ftrl has updated those before it by then.
  [[nodiscard]] static std::size_t first_bad(const Dims& rows, const Shape& var) {
    const auto bad = std::ranges::find_if(rows, [&](std::int64_t row) { return row < 0 || row >= var.dims[0]; });
    return static_cast<std::size_t>(bad - rows.begin());
  }

  Status update(KernelContext& c) {
    TARRY_ASSIGN(const auto at, rows(c));
    const std::size_t good = how_.sparse ? first_bad(at, variable_of(c).value->shape()) : at.size();
    const Status fault =
        good == at.size() ? Status() : invalid("Index {} at offset {} in indices is out of range", at[good], good);
    if (!fault.ok() && !how_.updates_before_fault) return fault;
    std::vector<std::span<float>> storage;
    for (std::size_t i = 0; i <= how_.slots; ++i) {
      Variable& v = variable_of(c, i);
      v.value = storage_for_update(v, in_place_);
      storage.push_back(const_cast<TensorBody&>(*v.value).mutable_as<float>());
    }
    const Shape& shape = variable_of(c).value->shape();
    const std::size_t width = shape.rank() == 0 ? 1 : static_cast<std::size_t>(product(shape, 1, shape.dims.size()));
    std::vector<float*> element(storage.size());
    for (std::size_t i = 0; i < good * width; ++i) {
      for (std::size_t s = 0; s < storage.size(); ++s)
        element[s] = &storage[s][static_cast<std::size_t>(at[i / width]) * width + i % width];
      how_.rule(c, element, c.data<float>(how_.gradient)[i]);
    }
    return fault;
  }

  bool in_place_;
  RowUpdate how_;
};

// Inputs: var, accum, lr, grad, indices.
template <bool updates_slots>
void adagrad_row(const KernelContext& c, std::span<float* const> at, float g) {
  if (updates_slots) *at[1] += g * g;
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

bool is_positive(float x) { return x > 0; }
bool is_not_negative(float x) { return x >= 0; }
bool is_not_positive(float x) { return x <= 0; }

template <bool sparse>
StatusOr<std::unique_ptr<Kernel>> make_ftrl(const KernelSetup& s) {
  if (!sparse)
    return std::make_unique<RowUpdateKernel>(s, RowUpdate{2,
                                                          3,
                                                          false,
                                                          {{{4, "lr is not a scalar: {}"}},
                                                           {{5, "l1 regularization strength is not a scalar: {}"}},
                                                           {{6, "l2 regularization strength is not a scalar: {}"}},
                                                           {{7, "lr_power is not a scalar{}"}}},
                                                          ftrl_dense});
  return std::make_unique<RowUpdateKernel>(
      s, RowUpdate{2,
                   3,
                   true,
                   {{{5, "lr is not a positive scalar (or zero if multiply_linear_by_lr is set): {}"}, is_positive},
                    {{6, "l1 regularization strength is not a non-negative scalar: {}"}, is_not_negative},
                    {{7, "l2 regularization strength is not a non-negative scalar: {}"}, is_not_negative},
                    {{8, "lr_power is not a non-positive scalar: {}"}, is_not_positive}},
                   ftrl_row,
                   true});
}
StatusOr<std::unique_ptr<Kernel>> make_sparse_adagrad(const KernelSetup& s) {
  const bool updates_slots = attr_or(s.attrs, "update_slots", true);
  return std::make_unique<RowUpdateKernel>(
      s,
      RowUpdate{1, 3, true, {{{2, "lr is not a scalar: {}"}}}, updates_slots ? adagrad_row<true> : adagrad_row<false>});
}

constexpr KernelRow kSparseUpdateRows[] = {
    {"SparseApplyAdagrad", make_sparse_adagrad},
    {"ResourceSparseApplyAdagrad", make_sparse_adagrad},
    {"ApplyFtrl", make_ftrl<false>},
    {"ResourceApplyFtrl", make_ftrl<false>},
    {"SparseApplyFtrl", make_ftrl<true>},
    {"ResourceSparseApplyFtrl", make_ftrl<true>},
};

}  // namespace

KernelFamily sparse_update_ops() { return {kSparseUpdateRows, ResourceKind::variable}; }

}  // namespace tarry
