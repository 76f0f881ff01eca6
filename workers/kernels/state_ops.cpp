// Variables: reference (VariableV2) and resource (VarHandleOp) kinds.

#include "workers/kernels/state.hpp"

#include <algorithm>

namespace tarry {

void assign(KernelHost& host, const KernelContext& c, Variable& variable, TensorRef value) {
  variable.value = std::move(value);
  const TensorBody& t = *variable.value;
  const bool is_integer = t.dtype() == DataType::kInt32 || t.dtype() == DataType::kInt64;
  if (t.has_data() && is_integer && t.elements() == 1) host.env->note(ScalarAssigned{host.task, variable.name, c.step->id, integers_of(t)[0]});
}

Status uninitialized_resource(const KernelHost& host, const Variable& variable) {
  const std::string& container = host.resources->default_container;
  return error(Code::kFailedPrecondition,
               "Could not find variable {}. This could mean that the variable has been deleted. In TF1, it can also mean the variable is uninitialized. "
               "Debug info: container={}, status error message=Resource {}/{}/N10tensorflow3VarE does not exist.",
               variable.text, container, container, variable.text);
}

std::string resource_name(const KernelSetup& s) {
  const std::string shared = attr_or(s.attrs, "shared_name", std::string());
  return shared.empty() ? std::string(s.name) : shared;
}
std::string container_of(const KernelSetup& s) { return attr_or(s.attrs, "container", std::string()); }

namespace {

StatusOr<Variable*> find_variable(const KernelSetup& s) {
  const std::string name = resource_name(s);
  return s.host.resources->find_or_make<Variable>(container_of(s), name, [&] {
    auto v = std::make_unique<Variable>();
    v->name = s.host.env->name(name);
    v->text = name;
    return v;
  });
}

// Hands out the reference or, for a resource variable, a handle.
class VariableKernel : public Kernel {
 public:
  VariableKernel(Variable* v, TensorRef handle) : variable_(v), handle_(std::move(handle)) {}
  Status compute(KernelContext& c) override {
    c.outputs[0] = {handle_, variable_};
    return {};
  }

 private:
  Variable* variable_;
  TensorRef handle_;
};

StatusOr<std::unique_ptr<Kernel>> make_variable(const KernelSetup& s) {
  TARRY_ASSIGN(Variable * v, find_variable(s));
  return std::make_unique<VariableKernel>(v, nullptr);
}
StatusOr<std::unique_ptr<Kernel>> make_handle(const KernelSetup& s) {
  TARRY_ASSIGN(Variable * v, find_variable(s));
  return std::make_unique<VariableKernel>(v, make_tensor(DataType::kResource, Shape()));
}

// The ops below look at the variable behind input 0 and are told their own host.
class StateKernel : public Kernel {
 public:
  using Compute = Status (*)(KernelHost&, KernelContext&);
  StateKernel(const KernelSetup& s, Compute compute) : host_(s.host), compute_(compute) {}
  Status compute(KernelContext& c) override { return compute_(host_, c); }

 private:
  KernelHost& host_;
  Compute compute_;
};

template <Status (*compute)(KernelHost&, KernelContext&)>
StatusOr<std::unique_ptr<Kernel>> make_state(const KernelSetup& s) {
  return std::make_unique<StateKernel>(s, compute);
}

void pass_reference(KernelContext& c) {
  if (!c.outputs.empty()) c.outputs[0] = c.inputs[0];
}

Status assign_value(KernelHost& host, KernelContext& c) {
  assign(host, c, variable_of(c), c.inputs[1].tensor);
  pass_reference(c);
  return {};
}

Status is_initialized(KernelHost&, KernelContext& c) {
  c.set(0, make_scalar(variable_of(c).value != nullptr));
  return {};
}

Status read(KernelHost& host, KernelContext& c) {
  Variable& v = variable_of(c);
  if (!v.value) return uninitialized_resource(host, v);
  c.set(0, v.value);
  return {};
}

// var op= value, elementwise; a variable without data keeps its shape.
template <int sign>
Status add_to(KernelHost& host, KernelContext& c) {
  Variable& v = variable_of(c);
  if (!v.value) return uninitialized_resource(host, v);
  const TensorBody& delta = c.in(1);
  if (v.value->shape() != delta.shape()) return invalid("Shapes must be equal: {} vs. {}", to_string(v.value->shape()), to_string(delta.shape()));
  TensorRef result = make_shape_only(v.value->dtype(), v.value->shape());
  if (v.value->has_data() && delta.has_data()) {
    MutableTensor sum = make_tensor(v.value->dtype(), v.value->shape());
    TARRY_RETURN_IF_ERROR(for_number(sum->dtype(), [&]<class T>() {
      std::ranges::transform(v.value->as<T>(), delta.as<T>(), sum->mutable_as<T>().begin(), [](T x, T y) { return static_cast<T>(x + sign * y); });
      return Status();
    }));
    result = sum;
  }
  assign(host, c, v, result);
  pass_reference(c);
  return {};
}

// var[indices] -= updates: rows without data only cost time.
template <int sign>
Status scatter_add(KernelHost& host, KernelContext& c) {
  Variable& v = variable_of(c);
  if (!v.value) return uninitialized_resource(host, v);
  if (v.value->has_data() && c.in(1).has_data() && c.in(2).has_data()) {
    MutableTensor sum = make_tensor(v.value->dtype(), v.value->shape());
    const auto rows = integers_of(c.in(1));
    const std::int64_t limit = v.value->shape().dims.at(0);
    const std::size_t width = limit == 0 ? 0 : static_cast<std::size_t>(v.value->elements() / limit);
    for (const std::int64_t row : rows)
      if (row < 0 || row >= limit) return invalid("indices[0] = {} is not in [0, {})", row, limit);
    TARRY_RETURN_IF_ERROR(for_number(sum->dtype(), [&]<class T>() {
      std::ranges::copy(v.value->as<T>(), sum->mutable_as<T>().begin());
      for (std::size_t i = 0; i < rows.size() * width; ++i)
        sum->mutable_as<T>()[static_cast<std::size_t>(rows[i / width]) * width + i % width] += static_cast<T>(sign * c.data<T>(2)[i]);
      return Status();
    }));
    v.value = sum;
  }
  pass_reference(c);
  return {};
}

}  // namespace

void add_state_ops(KernelTable& t) {
  for (const char* op : {"Variable", "VariableV2"}) t.add_kernel(op, make_variable);
  t.add_kernel("VarHandleOp", make_handle);
  for (const char* op : {"Assign", "AssignVariableOp"}) t.add_kernel(op, make_state<assign_value>);
  for (const char* op : {"IsVariableInitialized", "VarIsInitializedOp"}) t.add_kernel(op, make_state<is_initialized>);
  t.add_kernel("ReadVariableOp", make_state<read>);
  for (const char* op : {"AssignAdd", "AssignAddVariableOp"}) t.add_kernel(op, make_state<add_to<1>>);
  for (const char* op : {"AssignSub", "AssignSubVariableOp"}) t.add_kernel(op, make_state<add_to<-1>>);
  for (const char* op : {"ScatterAdd", "ResourceScatterAdd"}) t.add_kernel(op, make_state<scatter_add<1>>);
  for (const char* op : {"ScatterSub", "ResourceScatterSub"}) t.add_kernel(op, make_state<scatter_add<-1>>);
}

}  // namespace tarry
