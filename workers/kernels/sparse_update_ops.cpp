// Optimizers that update some rows of a variable, and those that do it element by element, dense and sparse.
//
// Values are computed where the variable, its slots, the gradient and the indices have data; otherwise nothing changes.

#include <algorithm>
#include <cmath>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/row_update.hpp"

namespace tarry {
namespace {

template <class T>
T number(const KernelContext& c, std::size_t input) {
  return c.data<T>(input)[0];
}

template <class T>
T sign(T x) {
  return x > T{0} ? T{1} : x < T{0} ? T{-1} : T{0};
}

// Inputs: var, accum, lr, grad, indices; of V2 with epsilon before grad.
template <class T, bool v2, bool updates_slots>
void adagrad_row(const KernelContext& c, std::span<T* const> at, T g) {
  if (updates_slots) *at[1] += g * g;
  *at[0] -= number<T>(c, 2) * g / (v2 ? std::sqrt(*at[1]) + number<T>(c, 3) : std::sqrt(*at[1]));
}

// Inputs: var, accum, lr, grad, indices, momentum.
template <class T, bool nesterov>
void momentum_row(const KernelContext& c, std::span<T* const> at, T g) {
  const T lr = number<T>(c, 2), m = number<T>(c, 5);
  *at[1] = *at[1] * m + g;
  *at[0] -= nesterov ? g * lr + *at[1] * m * lr : *at[1] * lr;
}
template <class T, bool nesterov>
void keras_momentum_row(const KernelContext& c, std::span<T* const> at, T g) {
  const T lr = number<T>(c, 2), m = number<T>(c, 5);
  *at[1] = *at[1] * m - g * lr;
  *at[0] += nesterov ? *at[1] * m - g * lr : *at[1];
}

// Inputs: var, ms, mom, lr, rho, momentum, epsilon, grad, indices.
template <class T>
void rms_prop_row(const KernelContext& c, std::span<T* const> at, T g) {
  const T rho = number<T>(c, 4);
  *at[1] = *at[1] * rho + g * g * (T{1} - rho);
  *at[2] = *at[2] * number<T>(c, 5) + number<T>(c, 3) * g / std::sqrt(*at[1] + number<T>(c, 6));
  *at[0] -= *at[2];
}

// Inputs: var, mg, ms, mom, lr, rho, momentum, epsilon, grad, indices.
template <class T>
void centered_rms_prop_row(const KernelContext& c, std::span<T* const> at, T g) {
  const T rho = number<T>(c, 5);
  *at[2] = *at[2] * rho + g * g * (T{1} - rho);
  *at[1] = *at[1] * rho + g * (T{1} - rho);
  const T spread = *at[2] + number<T>(c, 7) - *at[1] * *at[1];
  *at[3] = *at[3] * number<T>(c, 6) + number<T>(c, 4) * g / std::sqrt(spread);
  *at[0] -= *at[3];
}

// Inputs: var, accum, accum_update, lr, rho, epsilon, grad, indices.
template <class T>
void adadelta_row(const KernelContext& c, std::span<T* const> at, T g) {
  const T rho = number<T>(c, 4), epsilon = number<T>(c, 5);
  *at[1] = *at[1] * rho + g * g * (T{1} - rho);
  const T step = std::sqrt(*at[2] + epsilon) / std::sqrt(*at[1] + epsilon) * g;
  *at[0] -= step * number<T>(c, 3);
  *at[2] = *at[2] * rho + step * step * (T{1} - rho);
}

// A step of that length against the gradient, then towards 0 by both penalties.
template <class T>
T proximal(T var, T g, T rate, T l1, T l2) {
  const T moved = var - g * rate;
  if (l1 <= T{0}) return moved / (T{1} + l2 * rate);
  return sign(moved) * std::max(std::abs(moved) - rate * l1, T{0}) / (T{1} + l2 * rate);
}
// Inputs: var, alpha, l1, l2, delta, indices.
template <class T>
void proximal_descent_row(const KernelContext& c, std::span<T* const> at, T g) {
  *at[0] = proximal(*at[0], g, number<T>(c, 1), number<T>(c, 2), number<T>(c, 3));
}
// Inputs: var, accum, lr, l1, l2, grad, indices.
template <class T>
void proximal_adagrad_row(const KernelContext& c, std::span<T* const> at, T g) {
  *at[1] += g * g;
  *at[0] = proximal(*at[0], g, number<T>(c, 2) / std::sqrt(*at[1]), number<T>(c, 3), number<T>(c, 4));
}

// Follow the regularised leader. Slots: accum, linear. Numbers from input `first`: lr, l1, l2, lr_power; of V2 with the
// shrinkage by l2 before lr_power.
template <class T, std::size_t first, bool v2, bool linear_has_lr>
void ftrl(const KernelContext& c, std::span<T* const> at, T g) {
  const T lr = number<T>(c, first), l1 = number<T>(c, first + 1), l2 = number<T>(c, first + 2);
  const T power = number<T>(c, first + (v2 ? 4 : 3));
  const T shrunk = v2 ? g + T{2} * number<T>(c, first + 3) * *at[0] : g;
  const T by = linear_has_lr ? T{1} : lr, scale = linear_has_lr ? lr : T{1};
  const T accum = *at[1] + g * g;
  *at[2] += shrunk * scale - (std::pow(accum, -power) - std::pow(*at[1], -power)) / by * *at[0];
  const T quadratic = std::pow(accum, -power) / by + T{2} * l2 * scale, least = l1 * scale;
  *at[0] = std::abs(*at[2]) > least ? (std::copysign(least, *at[2]) - *at[2]) / quadratic : T{0};
  *at[1] = accum;
}

bool is_positive(double x) { return x > 0; }
bool is_not_negative(double x) { return x >= 0; }
bool is_not_positive(double x) { return x <= 0; }

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// Its rule is to be set.
template <bool sparse, bool v2>
RowUpdate ftrl_update() {
  constexpr std::size_t first = sparse ? 5 : 4;
  RowUpdate u{.slots = 2, .gradient = 3, .sparse = sparse, .indices_first = sparse, .updates_before_fault = sparse};
  if (sparse)
    u.numbers = {{{first, "lr is not a positive scalar (or zero if multiply_linear_by_lr is set): {}"}, is_positive},
                 {{first + 1, "l1 regularization strength is not a non-negative scalar: {}"}, is_not_negative},
                 {{first + 2, "l2 regularization strength is not a non-negative scalar: {}"}, is_not_negative}};
  else
    u.numbers = {{{first, "lr is not a scalar: {}"}},
                 {{first + 1, "l1 regularization strength is not a scalar: {}"}},
                 {{first + 2, "l2 regularization strength is not a scalar: {}"}}};
  if (sparse)
    u.numbers.push_back({{first + (v2 ? 4 : 3), "lr_power is not a non-positive scalar: {}"}, is_not_positive});
  else
    u.numbers.push_back({{first + (v2 ? 4 : 3), "lr_power is not a scalar{}"}});
  if (v2 && sparse)
    u.later_numbers = {
        {{first + 3, "l2 shrinkage regularization strength is not a non-negative scalar: {}"}, is_not_negative}};
  else if (v2)
    u.later_numbers = {{{first + 3, "l2 shrinkage regularization strength is not a scalar: {}"}}};
  return u;
}

template <bool sparse, bool v2>
MadeKernel make_ftrl(const KernelSetup& s) {
  constexpr std::size_t first = sparse ? 5 : 4;
  RowUpdate u = ftrl_update<sparse, v2>();
  if (attr_or(s.attrs, "multiply_linear_by_lr", false))
    u.in_float = ftrl<float, first, v2, true>, u.in_double = ftrl<double, first, v2, true>;
  else
    u.in_float = ftrl<float, first, v2, false>, u.in_double = ftrl<double, first, v2, false>;
  return std::make_unique<RowUpdateKernel>(s, u);
}

template <bool v2>
MadeKernel make_sparse_adagrad(const KernelSetup& s) {
  RowUpdate u{.slots = 1, .gradient = v2 ? 4U : 3U, .numbers = {{{2, "lr is not a scalar: {}"}}}};
  if (v2) u.numbers.push_back({{3, "epsilon is not a scalar: {}"}});
  if (attr_or(s.attrs, "update_slots", true))
    u.in_float = adagrad_row<float, v2, true>, u.in_double = adagrad_row<double, v2, true>;
  else
    u.in_float = adagrad_row<float, v2, false>, u.in_double = adagrad_row<double, v2, false>;
  return std::make_unique<RowUpdateKernel>(s, u);
}

template <bool keras>
MadeKernel make_sparse_momentum(const KernelSetup& s) {
  RowUpdate u{.slots = 1,
              .gradient = 3,
              .numbers = {{{2, "lr is not a scalar : {}"}}},
              .later_numbers = {{{5, "momentum is not a scalar: {}"}}},
              .updates_before_fault = true};
  if (keras) u.bad_index = "indices[{0}] = {1} is not in [0, {2})";
  const bool nesterov = attr_or(s.attrs, "use_nesterov", false);
  if (keras) {
    u.in_float = nesterov ? keras_momentum_row<float, true> : keras_momentum_row<float, false>;
    u.in_double = nesterov ? keras_momentum_row<double, true> : keras_momentum_row<double, false>;
  } else {
    u.in_float = nesterov ? momentum_row<float, true> : momentum_row<float, false>;
    u.in_double = nesterov ? momentum_row<double, true> : momentum_row<double, false>;
  }
  return std::make_unique<RowUpdateKernel>(s, u);
}

template <bool centered>
MadeKernel make_sparse_rms_prop(const KernelSetup& s) {
  constexpr std::size_t first = centered ? 4 : 3;
  RowUpdate u{.slots = first - 1,
              .gradient = first + 4,
              .numbers = {{{first, "lr is not a scalar: {}"}},
                          {{first + 1, "rho is not a scalar: {}"}},
                          {{first + 2, "momentum is not a scalar: {}"}},
                          {{first + 3, "epsilon is not a scalar: {}"}}},
              .numbers_before_slots = true};
  u.in_float = centered ? centered_rms_prop_row<float> : rms_prop_row<float>;
  u.in_double = centered ? centered_rms_prop_row<double> : rms_prop_row<double>;
  return std::make_unique<RowUpdateKernel>(s, u);
}

MadeKernel make_sparse_adadelta(const KernelSetup& s) {
  return std::make_unique<RowUpdateKernel>(s, RowUpdate{.slots = 2,
                                                        .gradient = 6,
                                                        .numbers = {{{3, "lr is not a scalar: {}"}},
                                                                    {{4, "rho is not a scalar: {}"}},
                                                                    {{5, "epsilon is not a scalar: {}"}}},
                                                        .in_float = adadelta_row<float>,
                                                        .in_double = adadelta_row<double>});
}

// Inputs: var, accum, squared, grad, indices, lr, l1, l2, step.
template <class T>
void adagrad_da_row(const KernelContext& c, std::span<T* const> at, T gradient) {
  *at[1] += gradient;
  *at[2] += gradient * gradient;
  const auto step = static_cast<T>(c.data<std::int64_t>(8)[0]);
  *at[0] = averaged_dually(*at[1], *at[2], {c.data<T>(5)[0], c.data<T>(6)[0], c.data<T>(7)[0], step});
}
MadeKernel make_sparse_adagrad_da(const KernelSetup& s) {
  return std::make_unique<RowUpdateKernel>(
      s, RowUpdate{.slots = 2,
                   .gradient = 3,
                   .numbers = {{{5, "lr is not a scalar: {}"}},
                               {{6, "l1 regularization strength is not a scalar: {}"}},
                               {{7, "l2 regularization strength is not a scalar: {}"}},
                               {{8, "global_step is not a scalar: {}"}}},
                   .indices_first = true,
                   .in_float = adagrad_da_row<float>,
                   .in_double = adagrad_da_row<double>,
                   .updates_before_fault = true});
}

template <bool sparse>
MadeKernel make_proximal_descent(const KernelSetup& s) {
  const char* rate = sparse ? "lr is not a scalar: {}" : "alpha is not a scalar: {}";
  return std::make_unique<RowUpdateKernel>(
      s, RowUpdate{.slots = 0,
                   .gradient = 4,
                   .sparse = sparse,
                   .numbers = {{{1, rate}},
                               {{2, "l1 regularization strength is not a scalar: {}"}},
                               {{3, "l2 regularization strength is not a scalar: {}"}}},
                   .numbers_first = true,
                   .named = "delta",
                   .in_float = proximal_descent_row<float>,
                   .in_double = proximal_descent_row<double>,
                   .updates_before_fault = true});
}
template <bool sparse>
MadeKernel make_proximal_adagrad(const KernelSetup& s) {
  return std::make_unique<RowUpdateKernel>(
      s, RowUpdate{.slots = 1,
                   .gradient = 5,
                   .sparse = sparse,
                   .numbers = {{{2, "lr is not a positive scalar: {}"}, is_positive},
                               {{3, "l1 regularization strength is not a non-negative scalar: {}"}, is_not_negative},
                               {{4, "l2 regularization strength is not a non-negative scalar: {}"}, is_not_negative}},
                   .numbers_first = true,
                   .in_float = proximal_adagrad_row<float>,
                   .in_double = proximal_adagrad_row<double>,
                   .updates_before_fault = true});
}

constexpr KernelRow kSparseUpdateRows[] = {
    {"SparseApplyAdagrad", make_sparse_adagrad<false>},
    {"ResourceSparseApplyAdagrad", make_sparse_adagrad<false>},
    {"SparseApplyAdagradV2", make_sparse_adagrad<true>},
    {"ResourceSparseApplyAdagradV2", make_sparse_adagrad<true>},
    {"SparseApplyAdagradDA", make_sparse_adagrad_da},
    {"ResourceSparseApplyAdagradDA", make_sparse_adagrad_da},
    {"SparseApplyMomentum", make_sparse_momentum<false>},
    {"ResourceSparseApplyMomentum", make_sparse_momentum<false>},
    {"ResourceSparseApplyKerasMomentum", make_sparse_momentum<true>},
    {"SparseApplyRMSProp", make_sparse_rms_prop<false>},
    {"ResourceSparseApplyRMSProp", make_sparse_rms_prop<false>},
    {"SparseApplyCenteredRMSProp", make_sparse_rms_prop<true>},
    {"ResourceSparseApplyCenteredRMSProp", make_sparse_rms_prop<true>},
    {"SparseApplyAdadelta", make_sparse_adadelta},
    {"ResourceSparseApplyAdadelta", make_sparse_adadelta},
    {"ApplyProximalGradientDescent", make_proximal_descent<false>},
    {"ResourceApplyProximalGradientDescent", make_proximal_descent<false>},
    {"SparseApplyProximalGradientDescent", make_proximal_descent<true>},
    {"ResourceSparseApplyProximalGradientDescent", make_proximal_descent<true>},
    {"ApplyProximalAdagrad", make_proximal_adagrad<false>},
    {"ResourceApplyProximalAdagrad", make_proximal_adagrad<false>},
    {"SparseApplyProximalAdagrad", make_proximal_adagrad<true>},
    {"ResourceSparseApplyProximalAdagrad", make_proximal_adagrad<true>},
    {"ApplyFtrl", make_ftrl<false, false>},
    {"ResourceApplyFtrl", make_ftrl<false, false>},
    {"SparseApplyFtrl", make_ftrl<true, false>},
    {"ResourceSparseApplyFtrl", make_ftrl<true, false>},
    {"ApplyFtrlV2", make_ftrl<false, true>},
    {"ResourceApplyFtrlV2", make_ftrl<false, true>},
    {"SparseApplyFtrlV2", make_ftrl<true, true>},
    {"ResourceSparseApplyFtrlV2", make_ftrl<true, true>},
};

}  // namespace

KernelFamily sparse_update_ops() { return {kSparseUpdateRows, ResourceKind::variable}; }

}  // namespace tarry
