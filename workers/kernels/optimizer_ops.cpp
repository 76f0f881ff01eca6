// Updates of variables by gradients: reference and resource kinds share one rule each.
//
// Values are computed where the variable, its slots and the gradient have data; otherwise shapes are checked and
// nothing changes.

#include <algorithm>
#include <cmath>

#include "workers/kernels/update_kernel.hpp"

namespace tarry {
namespace {

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

// Dual averaging: accum += grad; squared += grad^2; var from both. Inputs: var, accum, squared, grad, lr, l1, l2, step.
template <class T>
void adagrad_da(const KernelContext& c, std::span<T> var, std::span<const std::span<T>> slots) {
  const auto step = static_cast<T>(c.data<std::int64_t>(7)[0]);
  for (std::size_t i = 0; i < var.size(); ++i) {
    const T g = c.data<T>(3)[i];
    slots[0][i] += g;
    slots[1][i] += g * g;
    var[i] = averaged_dually(slots[0][i], slots[1][i], {c.data<T>(4)[0], c.data<T>(5)[0], c.data<T>(6)[0], step});
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

// Inputs: var, mg, ms, mom, lr, rho, momentum, epsilon, grad.
template <class T>
void centered_rms_prop(const KernelContext& c, std::span<T> var, std::span<const std::span<T>> slots) {
  const auto scalar = [&](std::size_t i) { return c.data<T>(i)[0]; };
  for (std::size_t i = 0; i < var.size(); ++i) {
    const T g = c.data<T>(8)[i];
    T &mean = slots[0][i], &square = slots[1][i], &mom = slots[2][i];
    square += (g * g - square) * (T{1} - scalar(5));
    mean += (g - mean) * (T{1} - scalar(5));
    mom = mom * scalar(6) + g * scalar(4) / std::sqrt(square - mean * mean + scalar(7));
    var[i] -= mom;
  }
}

// Inputs: var, accum, accum_update, lr, rho, epsilon, grad.
template <class T>
void adadelta(const KernelContext& c, std::span<T> var, std::span<const std::span<T>> slots) {
  const T lr = c.data<T>(3)[0], rho = c.data<T>(4)[0], epsilon = c.data<T>(5)[0];
  for (std::size_t i = 0; i < var.size(); ++i) {
    const T g = c.data<T>(6)[i];
    slots[0][i] = slots[0][i] * rho + g * g * (T{1} - rho);
    const T step = std::sqrt(slots[1][i] + epsilon) / std::sqrt(slots[0][i] + epsilon) * g;
    var[i] -= step * lr;
    slots[1][i] = slots[1][i] * rho + step * step * (T{1} - rho);
  }
}

// Inputs: var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad.
template <class T>
void ada_max(const KernelContext& c, std::span<T> var, std::span<const std::span<T>> slots) {
  const auto scalar = [&](std::size_t i) { return c.data<T>(i)[0]; };
  for (std::size_t i = 0; i < var.size(); ++i) {
    const T g = c.data<T>(8)[i];
    slots[0][i] += (g - slots[0][i]) * (T{1} - scalar(5));
    slots[1][i] = std::max(scalar(6) * slots[1][i], std::abs(g));
    var[i] -= scalar(4) / (T{1} - scalar(3)) * (slots[0][i] / (slots[1][i] + scalar(7)));
  }
}

// How much the gradient's sign agrees with its mean's decides the step. Inputs: var, m, lr, alpha (or logbase),
// sign_decay, beta, grad.
template <class T, bool power>
void by_sign(const KernelContext& c, std::span<T> var, std::span<const std::span<T>> slots) {
  const auto scalar = [&](std::size_t i) { return c.data<T>(i)[0]; };
  const auto sign = [](T x) { return x > T{0} ? T{1} : x < T{0} ? T{-1} : T{0}; };
  for (std::size_t i = 0; i < var.size(); ++i) {
    const T g = c.data<T>(6)[i];
    slots[0][i] = slots[0][i] * scalar(5) + g * (T{1} - scalar(5));
    const T agrees = sign(g) * sign(slots[0][i]) * scalar(4);
    var[i] -= scalar(2) * (power ? std::exp(scalar(3) * agrees) : scalar(3) + agrees) * g;
  }
}

// accum = momentum * accum - lr * grad; var += accum. Inputs: var, accum, lr, grad, momentum.
template <class T, bool nesterov>
void keras_momentum(const KernelContext& c, std::span<T> var, std::span<const std::span<T>> slots) {
  const T lr = c.data<T>(2)[0], m = c.data<T>(4)[0];
  for (std::size_t i = 0; i < var.size(); ++i) {
    const T step = c.data<T>(3)[i] * lr;
    slots[0][i] = slots[0][i] * m - step;
    var[i] += nesterov ? slots[0][i] * m - step : slots[0][i];
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
                                        gradient_descent<float>, gradient_descent<double>,
                                        gradient_descent<Eigen::half>);
}
StatusOr<std::unique_ptr<Kernel>> make_momentum(const KernelSetup& s) {
  const UpdateShape shape{1, 3, {{2, "lr is not a scalar: {}"}}, {{4, "momentum is not a scalar: {}"}}};
  if (attr_or(s.attrs, "use_nesterov", false))
    return std::make_unique<UpdateKernel>(s, shape, momentum<float, true>, momentum<double, true>,
                                          momentum<Eigen::half, true>);
  return std::make_unique<UpdateKernel>(s, shape, momentum<float, false>, momentum<double, false>,
                                        momentum<Eigen::half, false>);
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

StatusOr<std::unique_ptr<Kernel>> make_centered_rms_prop(const KernelSetup& s) {
  const UpdateShape shape{3,
                          8,
                          {{4, "lr is not a scalar : {}"},
                           {5, "rho is not a scalar: {}"},
                           {6, "momentum is not a scalar: {}"},
                           {7, "epsilon is not a scalar: {}"}}};
  return std::make_unique<UpdateKernel>(s, shape, centered_rms_prop<float>, centered_rms_prop<double>);
}
StatusOr<std::unique_ptr<Kernel>> make_adadelta(const KernelSetup& s) {
  const UpdateShape shape{
      .slots = 2,
      .gradient = 6,
      .numbers = {{3, "lr is not a scalar: {}"}, {4, "rho is not a scalar: {}"}, {5, "epsilon is not a scalar: {}"}},
      .last_compared = 1};
  return std::make_unique<UpdateKernel>(s, shape, adadelta<float>, adadelta<double>);
}
StatusOr<std::unique_ptr<Kernel>> make_adagrad_da(const KernelSetup& s) {
  const UpdateShape shape{2,
                          3,
                          {},
                          {{4, "lr is not a scalar: {}"},
                           {5, "l1 regularization strength is not a scalar: {}"},
                           {6, "l2 regularization strength is not a scalar: {}"},
                           {7, "global_step is not a scalar: {}"}}};
  return std::make_unique<UpdateKernel>(s, shape, adagrad_da<float>, adagrad_da<double>);
}
StatusOr<std::unique_ptr<Kernel>> make_ada_max(const KernelSetup& s) {
  const UpdateShape shape{2,
                          8,
                          {{3, "beta1_power is not a scalar: {}"},
                           {4, "lr is not a scalar : {}"},
                           {5, "beta1 is not a scalar: {}"},
                           {6, "beta2 is not a scalar: {}"},
                           {7, "epsilon is not a scalar: {}"}}};
  return std::make_unique<UpdateKernel>(s, shape, ada_max<float>, ada_max<double>);
}
template <bool power>
StatusOr<std::unique_ptr<Kernel>> make_by_sign(const KernelSetup& s) {
  UpdateShape shape{1, 6, {{2, "lr is not a scalar: {}"}}};
  shape.numbers.push_back({3, power ? "logbase is not a scalar: {}" : "alpha is not a scalar: {}"});
  shape.numbers.push_back({5, "beta is not a scalar: {}"});  // 2.15.1 does not look at sign_decay
  return std::make_unique<UpdateKernel>(s, shape, by_sign<float, power>, by_sign<double, power>);
}
StatusOr<std::unique_ptr<Kernel>> make_keras_momentum(const KernelSetup& s) {
  const UpdateShape shape{1, 3, {{2, "lr is not a scalar: {}"}}, {{4, "momentum is not a scalar: {}"}}};
  if (attr_or(s.attrs, "use_nesterov", false))
    return std::make_unique<UpdateKernel>(s, shape, keras_momentum<float, true>, keras_momentum<double, true>);
  return std::make_unique<UpdateKernel>(s, shape, keras_momentum<float, false>, keras_momentum<double, false>);
}

constexpr KernelRow kOptimizerRows[] = {
    {"ApplyAdaMax", make_ada_max},
    {"ResourceApplyAdaMax", make_ada_max},
    {"ApplyAdadelta", make_adadelta},
    {"ResourceApplyAdadelta", make_adadelta},
    {"ApplyAddSign", make_by_sign<false>},
    {"ResourceApplyAddSign", make_by_sign<false>},
    {"ApplyCenteredRMSProp", make_centered_rms_prop},
    {"ResourceApplyCenteredRMSProp", make_centered_rms_prop},
    {"ApplyPowerSign", make_by_sign<true>},
    {"ResourceApplyPowerSign", make_by_sign<true>},
    {"ResourceApplyKerasMomentum", make_keras_momentum},
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
    {"ApplyAdagradDA", make_adagrad_da},
    {"ResourceApplyAdagradDA", make_adagrad_da},
    {"ApplyRMSProp", make_rms_prop},
    {"ResourceApplyRMSProp", make_rms_prop},
};

}  // namespace

KernelFamily optimizer_ops() { return {kOptimizerRows, ResourceKind::variable}; }

}  // namespace tarry
