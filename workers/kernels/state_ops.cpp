// Variables: reference (VariableV2) and resource (VarHandleOp) kinds.

#include <algorithm>
#include <complex>

#include "placer/core/hash.hpp"
#include "placer/graph/shape_faults.hpp"
#include "workers/auditor.hpp"
#include "workers/env.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/every_number.hpp"
#include "workers/kernels/handle.hpp"
#include "workers/kernels/state.hpp"
#include "workers/kernels/update.hpp"

namespace tarry {

TensorRef storage_for_update(Variable& variable, bool in_place) {
  const TensorBody& old = *variable.value;
  if (in_place || !old.has_data()) return variable.value;
  MutableTensor fresh = make_tensor(old.dtype(), old.shape());
  copy_elements(*fresh, 0, old, 0, static_cast<std::size_t>(old.elements()));
  return fresh;
}

void lose_values(Variable& variable) {
  if (variable.value->has_data()) variable.value = make_shape_only(variable.value->dtype(), variable.value->shape());
}

void note_scalar(KernelHost& host, const KernelContext& c, const Variable& variable) {
  const TensorBody& t = *variable.value;
  const bool is_integer = t.dtype() == DataType::kInt32 || t.dtype() == DataType::kInt64;
  if (t.has_data() && is_integer && t.elements() == 1)
    host.env->note(ScalarAssigned{host.task, variable.name, c.step->id, integers_of(t)[0]});
}

std::uint64_t digest_of(const TensorBody& t) {
  Hasher h;
  h.integer(static_cast<std::uint64_t>(t.dtype()));
  h.bytes(to_string(t.shape()));
  if (t.has_data() && type_size(t.dtype()) > 0)
    h.bytes(std::string_view(reinterpret_cast<const char*>(t.raw().data()), t.raw().size()));
  if (t.has_data())
    for (const std::string& s : t.strings()) h.bytes(s);
  return h.digest().low;
}

Status no_such_resource(const KernelHost& host, const Variable& variable) {
  const std::string& container = variable.container;
  if (host.resources->has_container(container))
    return error(Code::kNotFound, "Resource {}/{}/N10tensorflow3VarE does not exist.", container, variable.text);
  return error(Code::kNotFound, "Container {} does not exist. (Could not find resource: {}/{})", container, container,
               variable.text);
}

Status uninitialized_resource(const KernelHost& host, const Variable& variable) {
  return error(Code::kFailedPrecondition,
               "Could not find variable {}. This could mean that the variable has been deleted. In TF1, it can also "
               "mean the variable is uninitialized. "
               "Debug info: container={}, status error message={}",
               variable.text, variable.container, text_of(no_such_resource(host, variable)));
}

std::string resource_name(const KernelSetup& s) {
  const std::string shared = attr_or(s.attrs, "shared_name", std::string());
  return shared.empty() ? std::string(s.name) : shared;
}
std::string container_of(const KernelSetup& s) { return attr_or(s.attrs, "container", std::string()); }

namespace {

StatusOr<Variable*> find_variable(const KernelSetup& s, const std::string& name) {
  return s.host.resources->find_or_make<Variable>(container_of(s), name, [&] {
    auto v = std::make_unique<Variable>();
    v->name = s.host.env->name(name);
    v->text = name;
    v->container = container_of(s).empty() ? s.host.resources->default_container : container_of(s);
    return v;
  });
}

// A variable of no elements has its value from the start; a resource has not (seen in 2.15.1).
TensorRef fresh_value(const KernelSetup& s, const Shape& shape) {
  if (!shape.fully_known() || shape.elements() > 0) return nullptr;
  MutableTensor empty = make_tensor(base_type(s.outputs[0]), shape);
  empty->set_is_storage();
  return empty;
}

// An unknown rank is taken for a scalar.
Shape declared_shape(const KernelSetup& s) {
  Shape shape = attr_or(s.attrs, "shape", Shape());
  return shape.unknown_rank ? Shape() : shape;
}

StatusOr<std::unique_ptr<Kernel>> make_variable(const KernelSetup& s) {
  if (const auto fault = fault_of_full(attr_or(s.attrs, "shape", Shape())); !fault.empty()) return invalid("{}", fault);
  TARRY_ASSIGN(Variable * v, find_variable(s, resource_name(s)));
  if (v->declared.unknown_rank) v->declared = declared_shape(s);
  if (!v->fresh) v->fresh = fresh_value(s, v->declared);
  if (!v->value) v->value = v->fresh;
  return std::make_unique<HandleKernel>(*v, nullptr);
}
StatusOr<std::unique_ptr<Kernel>> make_handle(const KernelSetup& s) {
  TARRY_ASSIGN(Variable * v, find_variable(s, attr_or(s.attrs, "shared_name", std::string())));
  return std::make_unique<HandleKernel>(*v, make_handle(s, v->text));
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

// A reference variable has storage of its own, which later assignments overwrite in place: who has read it sees them. A
// resource variable takes the value as it is; its readers keep what they read.
void assign(Variable& v, const TensorRef& value, bool is_reference) {
  if (!is_reference || !value->has_data() || type_size(value->dtype()) == 0) {
    v.value = value;
    return;
  }
  if (!v.value || !v.value->has_data() || v.value->shape() != value->shape())
    v.value = make_tensor(value->dtype(), value->shape());
  std::ranges::copy(value->raw(), const_cast<TensorBody&>(*v.value).mutable_raw().begin());
  const_cast<TensorBody&>(*v.value).set_is_storage();
}

void audit_assigned(const KernelHost& host, const KernelContext& c, const Variable& v) {
  host.auditor->note({.what = AuditFact::What::value_assigned,
                      .task = host.task,
                      .step = c.step->id,
                      .number = digest_of(c.in(1)),
                      .name = host.auditor->text(v.text)});
}

// docs/rules/runtime.md#C.10. A resource variable has no shape before its first assignment.
template <bool is_reference>
Status check_assigned_shape(const Variable& v, const Shape& given) {
  const Shape& shape = v.value ? v.value->shape() : v.declared;
  if (shape == given || (!is_reference && !v.value)) return {};
  if (!is_reference)
    return invalid("Trying to assign to variable with tensor with wrong shape. Expected {} got {}", to_string(shape),
                   to_string(given));
  return invalid("Assign requires shapes of both tensors to match. lhs shape= {} rhs shape= {}", to_string(shape),
                 to_string(given));
}

template <bool is_reference, bool validates>
Status assign_value(KernelHost& host, KernelContext& c) {
  Variable& v = variable_of(c);
  if (v.value && v.value->dtype() != c.in(1).dtype())
    return invalid("Trying to assign variable with wrong dtype. Expected {} got {}", type_name(v.value->dtype()),
                   type_name(c.in(1).dtype()));
  if (validates) TARRY_RETURN_IF_ERROR(check_assigned_shape<is_reference>(v, c.shape(1)));
  if (host.not_restored != nullptr && host.not_restored == c.inputs[1].tensor.get()) return pass_reference(c), Status();
  if (host.auditor != nullptr) audit_assigned(host, c, v);
  assign(v, c.inputs[1].tensor, is_reference);
  note_scalar(host, c, v);
  pass_reference(c);
  return {};
}

template <bool is_reference>
StatusOr<std::unique_ptr<Kernel>> make_assign(const KernelSetup& s) {
  const bool validates = attr_or(s.attrs, "validate_shape", is_reference);
  return validates ? make_state<assign_value<is_reference, true>>(s) : make_state<assign_value<is_reference, false>>(s);
}

Status is_initialized(KernelHost&, KernelContext& c) { return c.give(0, make_scalar(variable_of(c).value != nullptr)); }

class ReadVariableKernel : public Kernel {
 public:
  explicit ReadVariableKernel(const KernelSetup& s) : host_(s.host), type_(s.outputs[0]) {}
  Status compute(KernelContext& c) override {
    Variable& v = variable_of(c);
    if (!v.value) return uninitialized_resource(host_, v);
    if (v.value->dtype() != type_)
      return invalid("Trying to read variable with wrong dtype. Expected {} got {}", type_name(type_),
                     type_name(v.value->dtype()));
    return c.give(0, v.value);
  }

 private:
  KernelHost& host_;
  DataType type_;
};

class VariableShapeKernel : public Kernel {
 public:
  explicit VariableShapeKernel(const KernelSetup& s) : host_(s.host), type_(s.outputs[0]) {}
  Status compute(KernelContext& c) override {
    const Variable& v = variable_of(c);
    if (!v.value) return no_such_resource(host_, v);
    return for_number(type_, [&]<class T>() {
      const Dims& dims = v.value->shape().dims;
      return c.give(0, make_vector(std::vector<T>(dims.begin(), dims.end())));
    });
  }

 private:
  KernelHost& host_;
  DataType type_;
};

template <int sign>
struct Adding {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
      return sign > 0 ? x + y : x - y;
    else
      return updated<T>(sign > 0 ? Update::add : Update::sub, x, y);
  }
};

template <class F>
Status for_every_number_or_complex(DataType t, F&& f) {
  return is_complex(t) ? for_number_or_complex(t, std::forward<F>(f)) : for_every_number(t, std::forward<F>(f));
}

// var op= value, elementwise.
template <int sign, bool is_reference>
Status add_to(KernelHost& host, KernelContext& c) {
  Variable& v = variable_of(c);
  if (!v.value) return no_such_resource(host, v);
  const TensorBody& delta = c.in(1);
  if (v.value->shape() != delta.shape()) {
    if (is_reference) return invalid("Parameters and update must be the same size");
    return invalid("Cannot update variable with shape {} using a Tensor with shape {}, shapes must be equal.",
                   to_string(v.value->shape()), to_string(delta.shape()));
  }
  if (v.value->dtype() != delta.dtype()) return invalid("DType of variable handle and value does not match.");
  if (v.value->has_data() && delta.has_data()) {
    v.value = storage_for_update(v, is_reference);
    TARRY_RETURN_IF_ERROR(for_every_number_or_complex(delta.dtype(), [&]<class T>() {
      const auto to = const_cast<TensorBody&>(*v.value).mutable_as<T>();
      std::ranges::transform(to, delta.as<T>(), to.begin(), Adding<sign>());
      return Status();
    }));
  } else {
    lose_values(v);
  }
  note_scalar(host, c, v);
  pass_reference(c);
  return {};
}

// Gives the value and adds 1 to it, until it is `limit`.
class CountUpToKernel : public Kernel {
 public:
  explicit CountUpToKernel(const KernelSetup& s)
      : host_(s.host), is_reference_(is_ref(s.inputs[0])), limit_(attr_or(s.attrs, "limit", std::int64_t{0})) {}
  Status compute(KernelContext& c) override {
    Variable& v = variable_of(c);
    if (!v.value) return no_such_resource(host_, v);
    if (v.value->shape().rank() != 0) return invalid("input is not a scalar: {}", to_string(v.value->shape()));
    const std::int64_t now = integer_or(v.value, limit_);
    if (now >= limit_) return error(Code::kOutOfRange, "Reached limit of {}", limit_);
    MutableTensor before = make_tensor(v.value->dtype(), Shape());
    std::ranges::copy(v.value->raw(), before->mutable_raw().begin());
    v.value = storage_for_update(v, is_reference_);
    return for_number(v.value->dtype(), [&]<class T>() {
      ++const_cast<TensorBody&>(*v.value).mutable_as<T>()[0];
      note_scalar(host_, c, v);
      return c.give(0, before);
    });
  }

 private:
  KernelHost& host_;
  bool is_reference_;
  std::int64_t limit_;
};

constexpr KernelRow kStateRows[] = {
    {"Variable", make_variable},
    {"VariableV2", make_variable},
    {"VarHandleOp", make_handle},
    {"Assign", make_assign<true>},
    {"AssignVariableOp", make_assign<false>},
    {"CountUpTo", make_from_setup<CountUpToKernel>},
    {"ResourceCountUpTo", make_from_setup<CountUpToKernel>},
    {"IsVariableInitialized", make_state<is_initialized>},
    {"VarIsInitializedOp", make_state<is_initialized>},
    {"ReadVariableOp", make_from_setup<ReadVariableKernel>},
    {"VariableShape", make_from_setup<VariableShapeKernel>},
    {"AssignAdd", make_state<add_to<1, true>>},
    {"AssignAddVariableOp", make_state<add_to<1, false>>},
    {"AssignSub", make_state<add_to<-1, true>>},
    {"AssignSubVariableOp", make_state<add_to<-1, false>>},
};

}  // namespace

KernelFamily state_ops() { return {kStateRows, ResourceKind::variable}; }

}  // namespace tarry
