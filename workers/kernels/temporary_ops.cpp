// Variables of one step: made, assigned to, and read once when they end. Each iteration of a loop has its own.

#include "placer/graph/shape_faults.hpp"
#include "workers/env.hpp"
#include "workers/kernels/handle.hpp"
#include "workers/kernels/state.hpp"

namespace tarry {
namespace {

// Also as errors name it.
std::string name_in_step(const KernelContext& c, const std::string& name) {
  return fmt::format("{}/frame:{}/iter:{}", name, c.frame, c.iteration);
}

Status error_of(Code code, const KernelContext& c, const std::string& name, const char* what) {
  return error(code, "Resource __per_step_{}/{}/N10tensorflow19TemporaryVariableOp6TmpVarE{}", c.step->id.value, name,
               what);
}

class TemporaryVariableKernel : public Kernel {
 public:
  explicit TemporaryVariableKernel(const KernelSetup& s)
      : host_(s.host),
        name_(variable_name(s)),
        type_(base_type(s.outputs[0])),
        shape_(attr_or(s.attrs, "shape", Shape()).dims) {}
  Status compute(KernelContext& c) override {
    const std::string name = name_in_step(c, name_);
    if (c.step->container.find(name) != nullptr) return error_of(Code::kAlreadyExists, c, name, "");
    auto variable = std::make_unique<Variable>();
    variable->name = host_.env->name(name_);
    variable->text = name_;
    variable->value = make_tensor(type_, shape_);
    c.outputs[0] = {nullptr, c.step->container.add(name, std::move(variable))};
    return {};
  }
  static std::string variable_name(const KernelSetup& s) {
    std::string name = attr_or(s.attrs, "var_name", std::string());
    return name.empty() ? std::string(s.name) : name;
  }

 private:
  KernelHost& host_;
  std::string name_;
  DataType type_;
  Shape shape_;
};

// Its last value, when nothing can change it any more.
class EndTemporaryKernel : public Kernel {
 public:
  explicit EndTemporaryKernel(const KernelSetup& s) : name_(attr_or(s.attrs, "var_name", std::string())) {}
  Status compute(KernelContext& c) override {
    const std::string name = name_in_step(c, name_);
    if (c.step->container.find(name) == nullptr) return error_of(Code::kNotFound, c, name, " does not exist.");
    TensorRef value = variable_of(c).value;
    c.step->container.remove(name);
    return c.give(0, std::move(value));
  }

 private:
  std::string name_;
};

StatusOr<std::unique_ptr<Kernel>> make_temporary(const KernelSetup& s) {
  if (const auto fault = fault_of_full(attr_or(s.attrs, "shape", Shape())); !fault.empty()) return invalid("{}", fault);
  return std::make_unique<TemporaryVariableKernel>(s);
}

constexpr KernelRow kTemporaryRows[] = {
    {"TemporaryVariable", make_temporary},
    {"DestroyTemporaryVariable", make_from_setup<EndTemporaryKernel>},
};

}  // namespace

KernelFamily temporary_ops() { return {kTemporaryRows, ResourceKind::variable}; }

}  // namespace tarry
