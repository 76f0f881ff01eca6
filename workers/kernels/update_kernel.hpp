// Kernels that update a variable and its slots by a gradient of the variable's shape.
//
// Values are computed where the variable, its slots and the gradient have data; otherwise shapes are checked, and the
// variable and its slots have no values any more.
#pragma once

#include <algorithm>
#include <cmath>

#include "workers/kernels/every_number.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/state.hpp"

namespace tarry {

// The variable and its slots, inputs 0..slots, hold values of the gradient's type. Fails: INVALID_ARGUMENT, and
// INTERNAL for one that holds nothing.
[[nodiscard]] inline Status check_variables(const KernelContext& c, std::size_t slots, DataType type) {
  for (std::size_t i = 0; i <= slots; ++i)
    if (!variable_of(c, i).value) return missing_variable();
  for (std::size_t i = 0; i <= slots; ++i)
    if (const DataType own = variable_of(c, i).value->dtype(); own != type)
      return invalid("Trying to read variable with wrong dtype. Expected {} got {}", type_name(own), type_name(type));
  return {};
}

// The name of a slot in TensorFlow's texts.
[[nodiscard]] inline std::string_view name_of_slot(std::string_view op, std::size_t slot) {
  if (op.ends_with("AdagradDA")) return "accum";
  if (slot == 1 && op.ends_with("SparseApplyAdadelta")) return "accum_grad";
  return ops_of_tf215().find(op)->inputs[slot].name;
}

// The slots 1..last have the variable's shape. Fails: INVALID_ARGUMENT.
[[nodiscard]] inline Status check_slots(const KernelContext& c, std::size_t last, std::string_view op) {
  const Shape& var = variable_of(c).value->shape();
  for (std::size_t i = 1; i <= last; ++i) {
    if (variable_of(c, i).value->shape() == var) continue;
    const bool says_next = i == 1 && op.ends_with("ApplyCenteredRMSProp") && op.find("Sparse") == op.npos;
    return invalid("var and {} do not have the same shape{} {}", name_of_slot(op, i), to_string(var),
                   to_string(variable_of(c, says_next ? 2 : i).value->shape()));
  }
  return {};
}

// Adagrad with dual averaging: a variable's element by the sums of its gradients and of their squares.
template <class T>
struct DualAveraging {
  T lr, l1, l2, step;
};
template <class T>
T averaged_dually(T sum, T squares, const DualAveraging<T>& by) {
  const T below = by.l2 * by.step * by.lr + std::sqrt(squares);
  if (!(by.l1 > T{0})) return -by.lr * sum / below;
  const T over = std::max(std::abs(sum) - by.step * by.l1, T{0});
  return (sum > T{0} ? -by.lr : sum < T{0} ? by.lr : T{0}) * over / below;
}

// Updates all elements. The numbers are read from the kernel's inputs.
template <class T>
using Rule = void (*)(const KernelContext&, std::span<T> var, std::span<const std::span<T>> slots);

// Inputs 0..slots are variables (the first is updated, the others are its slots); `gradient` is the gradient's input.
struct UpdateShape {
  std::size_t slots = 0, gradient = 0;
  std::vector<InputRule> numbers = {};
  std::vector<InputRule> later_numbers = {};  // those that are looked at behind the gradient
  const char* named = "grad";                 // in TensorFlow's texts
  std::size_t last_compared = slots;          // of the slots; the others only need as many numbers
};

class UpdateKernel : public Kernel {
 public:
  UpdateKernel(const KernelSetup& s, UpdateShape shape, Rule<float> f, Rule<double> d, Rule<Eigen::half> h = nullptr)
      : in_place_(is_ref(s.inputs[0])), op_(s.op), shape_(std::move(shape)), float_(f), double_(d), half_(h) {}

  Status compute(KernelContext& c) override {
    TARRY_RETURN_IF_ERROR(check_variables(c, shape_.slots, c.in(shape_.gradient).dtype()));
    TARRY_RETURN_IF_ERROR(check_inputs(c, shape_.numbers));
    TARRY_RETURN_IF_ERROR(check_slots(c, shape_.last_compared, op_));
    const Shape &var = variable_of(c).value->shape(), &gradient = c.shape(shape_.gradient);
    if (var != gradient)
      return invalid("var and {} do not have the same shape{} {}", shape_.named, to_string(var), to_string(gradient));
    TARRY_RETURN_IF_ERROR(check_inputs(c, shape_.later_numbers));
    if (all_known(c))
      update(c);
    else
      for (std::size_t i = 0; i <= shape_.slots; ++i) lose_values(variable_of(c, i));
    if (!c.outputs.empty()) c.outputs[0] = c.inputs[0];
    return {};
  }

 private:
  [[nodiscard]] bool all_known(const KernelContext& c) const {
    for (std::size_t i = 0; i < c.inputs.size(); ++i) {
      const TensorRef& t = i <= shape_.slots ? variable_of(c, i).value : c.inputs[i].tensor;
      const bool is_short = i <= shape_.slots && t->shape().elements() != variable_of(c).value->shape().elements();
      if (!t->has_data() || is_short) return false;
    }
    const DataType type = c.in(shape_.gradient).dtype();
    return type == DataType::kFloat || type == DataType::kDouble || (type == DataType::kHalf && half_ != nullptr);
  }

  void update(KernelContext& c) {
    if (c.in(shape_.gradient).dtype() == DataType::kHalf)
      apply<Eigen::half>(c, half_);
    else if (c.in(shape_.gradient).dtype() == DataType::kFloat)
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
  std::string op_;
  UpdateShape shape_;
  Rule<float> float_;
  Rule<double> double_;
  Rule<Eigen::half> half_;  // null = halves lose their values
};

}  // namespace tarry
