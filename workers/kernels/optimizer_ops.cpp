// Updates of variables by gradients: reference and resource kinds share one rule each.
//
// Values are computed where the variable, its slots and the gradient have data; otherwise shapes are checked and
// nothing changes.

#include <algorithm>
#include <cmath>

#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/state.hpp"

namespace tarry {
namespace {

template <class T>
using Rule = void (*)(const KernelContext&, std::span<T> var, std::span<const std::span<T>> slots);

// Inputs 0..slots are variables (the first is updated, the others are its slots); `gradient` is the gradient's input.
struct UpdateShape {
  std::size_t slots = 0, gradient = 0;
  std::vector<InputRule> numbers = {};
  std::vector<InputRule> later_numbers = {};  // those that are looked at behind the gradient
  const char* named = "grad";                 // in TensorFlow's texts
};

class UpdateKernel : public Kernel {
 public:
  UpdateKernel(const KernelSetup& s, UpdateShape shape, Rule<float> f, Rule<double> d)
      : in_place_(is_ref(s.inputs[0])), shape_(std::move(shape)), float_(f), double_(d) {}

  Status compute(KernelContext& c) override {
    for (std::size_t i = 0; i <= shape_.slots; ++i)
      if (!variable_of(c, i).value) return missing_variable();
    TARRY_RETURN_IF_ERROR(check_inputs(c, shape_.numbers));
    const Shape &var = variable_of(c).value->shape(), &gradient = c.shape(shape_.gradient);
    if (var != gradient)
      return invalid("var and {} do not have the same shape{} {}", shape_.named, to_string(var), to_string(gradient));
    TARRY_RETURN_IF_ERROR(check_inputs(c, shape_.later_numbers));
    if (all_known(c)) update(c);
    if (!c.outputs.empty()) c.outputs[0] = c.inputs[0];
    return {};
  }

 private:
  [[nodiscard]] bool all_known(const KernelContext& c) const {
    for (std::size_t i = 0; i < c.inputs.size(); ++i) {
      const TensorRef& t = i <= shape_.slots ? variable_of(c, i).value : c.inputs[i].tensor;
      if (!t->has_data()) return false;
    }
    const DataType type = c.in(shape_.gradient).dtype();
    return type == DataType::kFloat || type == DataType::kDouble;
  }

  void update(KernelContext& c) {
    if (c.in(shape_.gradient).dtype() == DataType::kFloat)
      apply<float>(c, float_);
    else
      apply<double>(c, double_);
  }

  template <class T>
  void apply(KernelContext& c, Rule<T> rule) {
    std::vector<std::span<T>> slots;
    for (std::size_t i = 0; i <= shape_.slots; ++i) {
      Variable& v = variable_of(c, i);
      v.value = storage_for_update(v, in_place_);
      slots.push_back(const_cast<TensorBody&>(*v.value).mutable_as<T>());
    }
    rule(c, slots[0], std::span(slots).subspan(1));
  }

  bool in_place_;
  UpdateShape shape_;
  Rule<float> float_;
  Rule<double> double_;
};

// var -= alpha * delta. Inputs: var, alpha, delta.
template <class T>
void gradient_descent(const KernelContext& c, std::span<T> var, std::span<const std::span<T>>) {
  const T alpha = c.data<T>(1)[0];
  for (std::size_t i = 0; i < var.size(); ++i) var[i] -= alpha * c.data<T>(2)[i];
}

// accum = momentum * accum + grad; var -= lr * accum. Inputs: var, accum, lr, grad, momentum.
template <class T, bool nesterov>
void momentum(const KernelContext& c, std::span<T> var, std::span<const std::span<T>> slots) {
  const T lr = c.data<T>(2)[0], m = c.data<T>(4)[0];
  for (std::size_t i = 0; i < var.size(); ++i) {
    const T g = c.data<T>(3)[i];
    slots[0][i] = slots[0][i] * m + g;
    var[i] -= nesterov ? lr * (g + m * slots[0][i]) : lr * slots[0][i];
  }
}

// Inputs: var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad.
template <class T, bool nesterov>
void adam(const KernelContext& c, std::span<T> var, std::span<const std::span<T>> slots) {
  const auto scalar = [&](std::size_t i) { return c.data<T>(i)[0]; };
  const T beta1 = scalar(6), beta2 = scalar(7), epsilon = scalar(8);
  const T alpha = scalar(5) * std::sqrt(T{1} - scalar(4)) / (T{1} - scalar(3));
  for (std::size_t i = 0; i < var.size(); ++i) {
    const T g = c.data<T>(9)[i];
    slots[0][i] += (g - slots[0][i]) * (T{1} - beta1);
    slots[1][i] += (g * g - slots[1][i]) * (T{1} - beta2);
    const T step = nesterov ? g * (T{1} - beta1) + beta1 * slots[0][i] : slots[0][i];
    var[i] -= step * alpha / (std::sqrt(slots[1][i]) + epsilon);
  }
}

// accum += grad^2; var -= lr * grad / sqrt(accum). Inputs: var, accum, lr, grad (V2: epsilon before grad).
template <class T, bool has_epsilon, bool updates_slots>
void adagrad(const KernelContext& c, std::span<T> var, std::span<const std::span<T>> slots) {
  const T lr = c.data<T>(2)[0], epsilon = has_epsilon ? c.data<T>(3)[0] : T{0};
  const auto gradient = c.data<T>(has_epsilon ? 4 : 3);
  for (std::size_t i = 0; i < var.size(); ++i) {
    if (updates_slots) slots[0][i] += gradient[i] * gradient[i];
    var[i] -= lr * gradient[i] / (std::sqrt(slots[0][i]) + epsilon);
  }
}

// ms = rho * ms + (1 - rho) * grad^2; mom = momentum * mom + lr * grad / sqrt(ms + epsilon); var -= mom.
// Inputs: var, ms, mom, lr, rho, momentum, epsilon, grad.
template <class T>
void rms_prop(const KernelContext& c, std::span<T> var, std::span<const std::span<T>> slots) {
  const auto scalar = [&](std::size_t i) { return c.data<T>(i)[0]; };
  for (std::size_t i = 0; i < var.size(); ++i) {
    const T g = c.data<T>(7)[i];
    slots[0][i] += (g * g - slots[0][i]) * (T{1} - scalar(4));
    slots[1][i] = slots[1][i] * scalar(5) + g * scalar(3) / std::sqrt(slots[0][i] + scalar(6));
    var[i] -= slots[1][i];
  }
}

template <bool v2>
StatusOr<std::unique_ptr<Kernel>> make_adagrad(const KernelSetup& s) {
  UpdateShape shape{1, v2 ? std::size_t{4} : std::size_t{3}, {{2, "lr is not a scalar: {}"}}};
  if (v2) shape.numbers.push_back({3, "epsilon is not a scalar: {}"});
  if (attr_or(s.attrs, "update_slots", true))
    return std::make_unique<UpdateKernel>(s, shape, adagrad<float, v2, true>, adagrad<double, v2, true>);
  return std::make_unique<UpdateKernel>(s, shape, adagrad<float, v2, false>, adagrad<double, v2, false>);
}
StatusOr<std::unique_ptr<Kernel>> make_rms_prop(const KernelSetup& s) {
  return std::make_unique<UpdateKernel>(s,
                                        UpdateShape{2,
                                                    7,
                                                    {{3, "lr is not a scalar : {}"},
                                                     {4, "rho is not a scalar: {}"},
                                                     {5, "momentum is not a scalar: {}"},
                                                     {6, "epsilon is not a scalar: {}"}}},
                                        rms_prop<float>, rms_prop<double>);
}
StatusOr<std::unique_ptr<Kernel>> make_gradient_descent(const KernelSetup& s) {
  return std::make_unique<UpdateKernel>(s, UpdateShape{0, 2, {{1, "alpha is not a scalar: {}"}}, {}, "delta"},
                                        gradient_descent<float>, gradient_descent<double>);
}
StatusOr<std::unique_ptr<Kernel>> make_momentum(const KernelSetup& s) {
  const UpdateShape shape{1, 3, {{2, "lr is not a scalar: {}"}}, {{4, "momentum is not a scalar: {}"}}};
  if (attr_or(s.attrs, "use_nesterov", false))
    return std::make_unique<UpdateKernel>(s, shape, momentum<float, true>, momentum<double, true>);
  return std::make_unique<UpdateKernel>(s, shape, momentum<float, false>, momentum<double, false>);
}
StatusOr<std::unique_ptr<Kernel>> make_adam(const KernelSetup& s) {
  const UpdateShape shape{2,
                          9,
                          {{3, "beta1_power is not a scalar: {}"},
                           {4, "beta2_power is not a scalar: {}"},
                           {5, "lr is not a scalar : {}"},
                           {6, "beta1 is not a scalar: {}"},
                           {7, "beta2 is not a scalar: {}"},
                           {8, "epsilon is not a scalar: {}"}}};
  if (attr_or(s.attrs, "use_nesterov", false))
    return std::make_unique<UpdateKernel>(s, shape, adam<float, true>, adam<double, true>);
  return std::make_unique<UpdateKernel>(s, shape, adam<float, false>, adam<double, false>);
}

constexpr KernelRow kOptimizerRows[] = {
    {"ApplyGradientDescent", make_gradient_descent},
    {"ResourceApplyGradientDescent", make_gradient_descent},
    {"ApplyMomentum", make_momentum},
    {"ResourceApplyMomentum", make_momentum},
    {"ApplyAdam", make_adam},
    {"ResourceApplyAdam", make_adam},
    {"ApplyAdagrad", make_adagrad<false>},
    {"ResourceApplyAdagrad", make_adagrad<false>},
    {"ApplyAdagradV2", make_adagrad<true>},
    {"ResourceApplyAdagradV2", make_adagrad<true>},
    {"ApplyRMSProp", make_rms_prop},
    {"ResourceApplyRMSProp", make_rms_prop},
};

}  // namespace

KernelFamily optimizer_ops() { return {kOptimizerRows, ResourceKind::variable}; }

}  // namespace tarry
