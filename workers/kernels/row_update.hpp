// Kernels that update some rows of a variable and of its slots: a gradient has a row for each of its indices.
//
// Values are computed where the variable, its slots, the gradient and the indices have data; otherwise the variable and
// its slots have no values any more.
#pragma once

#include <algorithm>

#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/update_kernel.hpp"

namespace tarry {

// Updates one element of the variable and of its slots, which are behind it in `at`.
template <class T>
using RowRule = void (*)(const KernelContext& c, std::span<T* const> at, T gradient);

struct RowNumber {
  InputRule rule;
  bool (*fits)(double) = nullptr;  // null: any value
};

// Inputs 0..slots are the variable and its slots; then come numbers; `gradient` and, when sparse, `indices` behind it.
struct RowUpdate {
  std::size_t slots = 0, gradient = 0;
  bool sparse = true;
  std::vector<RowNumber> numbers = {};
  std::vector<RowNumber> later_numbers = {};  // those that are looked at behind the gradient
  bool numbers_first = false;                 // they are looked at before the gradient's shape; of dense ones
  bool numbers_before_slots = false;          // before the slots' shapes
  bool indices_first = false;                 // the indices are looked at before the numbers
  const char* named = "grad";                 // in TensorFlow's texts
  RowRule<float> in_float = nullptr;
  RowRule<double> in_double = nullptr;
  bool updates_before_fault = false;  // a bad index stops it, and the rows before that one are updated
  // TensorFlow's text for it: the offset, the index, how many rows there are.
  const char* bad_index = "Index {1} at offset {0} in indices is out of range";
};

class RowUpdateKernel : public Kernel {
 public:
  RowUpdateKernel(const KernelSetup& s, RowUpdate how) : in_place_(is_ref(s.inputs[0])), op_(s.op), how_(how) {}

  Status compute(KernelContext& c) override {
    TARRY_RETURN_IF_ERROR(check(c));
    if (all_known(c))
      TARRY_RETURN_IF_ERROR(update(c));
    else
      TARRY_RETURN_IF_ERROR(lose(c));
    if (!c.outputs.empty()) c.outputs[0] = c.inputs[0];
    return {};
  }

 private:
  // In the order in which TensorFlow looks.
  [[nodiscard]] Status check(const KernelContext& c) const {
    TARRY_RETURN_IF_ERROR(check_variables(c, how_.slots, c.in(how_.gradient).dtype()));
    if (!how_.numbers_before_slots) TARRY_RETURN_IF_ERROR(check_slots(c, how_.slots, op_));
    if (!how_.sparse && !how_.numbers_first) TARRY_RETURN_IF_ERROR(check_dense(c));
    if (how_.indices_first) TARRY_RETURN_IF_ERROR(check_ranks(c));
    for (const RowNumber& n : how_.numbers) TARRY_RETURN_IF_ERROR(check_number(c, n));
    if (how_.numbers_before_slots) TARRY_RETURN_IF_ERROR(check_slots(c, how_.slots, op_));
    if (!how_.sparse && how_.numbers_first) TARRY_RETURN_IF_ERROR(check_dense(c));
    if (how_.sparse) TARRY_RETURN_IF_ERROR(check_gradient(c));
    for (const RowNumber& n : how_.later_numbers) TARRY_RETURN_IF_ERROR(check_number(c, n));
    return {};
  }

  [[nodiscard]] Status check_dense(const KernelContext& c) const {
    const Shape &var = variable_of(c).value->shape(), &gradient = c.shape(how_.gradient);
    return var == gradient
               ? Status()
               : invalid("var and {} do not have the same shape{} {}", how_.named, to_string(var), to_string(gradient));
  }

  static Status check_number(const KernelContext& c, const RowNumber& n) {
    TARRY_RETURN_IF_ERROR(check_input(c, n.rule));
    const TensorBody& t = c.in(n.rule.input);
    const bool is_read = n.fits != nullptr && t.has_data() && is_real(t.dtype());
    return !is_read || n.fits(number_in(t)) ? Status() : refused(c, n.rule);
  }

  static bool is_real(DataType t) { return t == DataType::kFloat || t == DataType::kDouble; }
  static double number_in(const TensorBody& t) {
    return t.dtype() == DataType::kFloat ? static_cast<double>(t.as<float>()[0]) : t.as<double>()[0];
  }

  [[nodiscard]] bool all_known(const KernelContext& c) const {
    for (std::size_t i = 0; i < c.inputs.size(); ++i)
      if (!(i <= how_.slots ? variable_of(c, i).value : c.inputs[i].tensor)->has_data()) return false;
    return is_real(c.in(how_.gradient).dtype());
  }

  // The rows to update, as the gradient has them.
  [[nodiscard]] Dims rows(const KernelContext& c) const {
    if (how_.sparse) return integers_of(c.in(how_.gradient + 1));
    const Shape& shape = variable_of(c).value->shape();
    Dims all(static_cast<std::size_t>(shape.rank() == 0 ? 1 : shape.dims[0]));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
    return all;
  }

  [[nodiscard]] Status check_ranks(const KernelContext& c) const {
    if (variable_of(c).value->shape().rank() < 1) return invalid("var must be at least 1 dimensional");
    return c.shape(how_.gradient + 1).rank() == 1 ? Status() : invalid("indices must be one-dimensional");
  }

  // A row of the gradient for each index. Where its rank is less than the variable's, TensorFlow's process would end;
  // where it is more, a row is longer, and only its front counts.
  [[nodiscard]] Status check_gradient(const KernelContext& c) const {
    TARRY_RETURN_IF_ERROR(check_ranks(c));
    const Shape &gradient = c.shape(how_.gradient), &var = variable_of(c).value->shape();
    if (gradient.rank() < var.rank())
      return invalid("grad must have the rank of var: {} {}", to_string(var), to_string(gradient));
    for (std::size_t d = 1; d < var.dims.size(); ++d)
      if (gradient.dims[d] != var.dims[d]) return invalid("var and grad must match in dimension {}", d);
    if (gradient.dims[0] != c.shape(how_.gradient + 1).dims[0])
      return invalid("grad must be the same size as indices in the first dimension.");
    return {};
  }

  // The first row that the variable does not have. Ftrl has updated those before it by then.
  [[nodiscard]] static std::size_t first_bad(const Dims& rows, const Shape& var) {
    const auto bad = std::ranges::find_if(rows, [&](std::int64_t row) { return row < 0 || row >= var.dims[0]; });
    return static_cast<std::size_t>(bad - rows.begin());
  }

  // What is wrong with row `good` of the variable, if there are more.
  [[nodiscard]] Status fault_at(const Dims& at, std::size_t good, const Shape& shape) const {
    return good == at.size() ? Status() : invalid(fmt::runtime(how_.bad_index), good, at[good], shape.dims[0]);
  }

  // Something has no values; a bad index is refused all the same.
  Status lose(const KernelContext& c) const {
    const Shape shape = variable_of(c).value->shape();
    for (std::size_t i = 0; i <= how_.slots; ++i) lose_values(variable_of(c, i));
    if (!how_.sparse || !known(c, how_.gradient + 1)) return {};
    const Dims at = rows(c);
    return fault_at(at, first_bad(at, shape), shape);
  }

  Status update(KernelContext& c) {
    const Dims at = rows(c);
    const Shape& shape = variable_of(c).value->shape();
    const std::size_t good = how_.sparse ? first_bad(at, shape) : at.size();
    const Status fault = fault_at(at, good, shape);
    if (!fault.ok() && !how_.updates_before_fault) return fault;
    const std::span to(at.data(), good);
    if (c.in(how_.gradient).dtype() == DataType::kFloat)
      update_rows<float>(c, to, how_.in_float);
    else
      update_rows<double>(c, to, how_.in_double);
    return fault;
  }

  template <class T>
  void update_rows(KernelContext& c, std::span<const std::int64_t> rows, RowRule<T> rule) {
    std::vector<std::span<T>> storage;
    for (std::size_t i = 0; i <= how_.slots; ++i) {
      Variable& v = variable_of(c, i);
      v.value = storage_for_update(v, in_place_);
      storage.push_back(const_cast<TensorBody&>(*v.value).mutable_as<T>());
    }
    const Shape& shape = variable_of(c).value->shape();
    const std::size_t width = shape.rank() == 0 ? 1 : static_cast<std::size_t>(product(shape, 1, shape.dims.size()));
    const Shape& gradient = c.shape(how_.gradient);  // its rows may be longer
    const std::size_t given =
        how_.sparse && width > 1 ? static_cast<std::size_t>(product(gradient, 1, gradient.dims.size())) : width;
    std::vector<T*> element(storage.size());
    for (std::size_t i = 0; i < rows.size() * width; ++i) {
      for (std::size_t s = 0; s < storage.size(); ++s)
        element[s] = &storage[s][static_cast<std::size_t>(rows[i / width]) * width + i % width];
      rule(c, element, c.data<T>(how_.gradient)[i / width * given + i % width]);
    }
  }

  bool in_place_;
  std::string op_;
  RowUpdate how_;
};

}  // namespace tarry
