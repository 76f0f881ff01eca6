// Stacks of a step: what while loops save for their gradients.

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/handle.hpp"
#include "workers/kernels/input_rule.hpp"

namespace tarry {
namespace {

struct Stack : Resource {
  Stack() : Resource(ResourceKind::stack) {}

  std::string name;
  std::int64_t max_size = -1;
  DataType type = DataType::kInvalid;
  bool closed = false;
  std::vector<TensorRef> values;
};

// Makes a stack of its own at every execution; the step's end ends it.
class StackKernel : public Kernel {
 public:
  explicit StackKernel(const KernelSetup& s)
      : host_(s.host),
        name_(attr_or(s.attrs, "stack_name", std::string())),
        type_(attr_or(s.attrs, "elem_type", DataType::kFloat)),
        handle_(make_handle(s, std::string(s.name))) {
    if (name_.empty()) name_ = s.name;
  }
  Status compute(KernelContext& c) override {
    if (!c.inputs.empty()) TARRY_RETURN_IF_ERROR(check_input(c, {0, "Stack size must be a scalar, but had shape: {}"}));
    auto stack = std::make_unique<Stack>();
    stack->name = fmt::format("{}_{}", name_, host_.counters->stacks++);
    stack->type = type_;
    if (!c.inputs.empty()) stack->max_size = integer_or(c.inputs[0].tensor, -1);
    const std::string name = stack->name;
    c.outputs[0] = {handle_, c.step->container.add(name, std::move(stack))};
    return {};
  }

 private:
  KernelHost& host_;
  std::string name_;
  DataType type_;
  TensorRef handle_;
};

Stack& stack_of(const KernelContext& c) { return static_cast<Stack&>(*c.inputs[0].resource); }
Status closed(const Stack& s) { return invalid("Stack[{}] has already been closed.", s.name); }

class PushKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    Stack& s = stack_of(c);
    if (c.in(1).dtype() != s.type)
      return invalid("Must have type {} but got {}", static_cast<int>(s.type), static_cast<int>(c.in(1).dtype()));
    if (s.closed) return closed(s);
    if (s.max_size >= 0 && std::cmp_greater_equal(s.values.size(), s.max_size))
      return invalid("Stack[{}] overflowed its max_size ({})", s.name, s.max_size);
    s.values.push_back(snapshot(c.inputs[1].tensor));
    c.outputs[0] = c.inputs[1];
    return {};
  }
};

class PopKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    Stack& s = stack_of(c);
    if (s.closed) return closed(s);
    if (s.values.empty()) return invalid("Stack[{}] is empty when calling Pop().", s.name);
    c.set(0, std::move(s.values.back()));
    s.values.pop_back();
    return {};
  }
};

class CloseStackKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    stack_of(c).closed = true;
    stack_of(c).values.clear();
    return {};
  }
};

constexpr KernelRow kStackRows[] = {
    {"Stack", make_from_setup<StackKernel>},      {"StackV2", make_from_setup<StackKernel>},
    {"StackPush", make_plain<PushKernel>},        {"StackPushV2", make_plain<PushKernel>},
    {"StackPop", make_plain<PopKernel>},          {"StackPopV2", make_plain<PopKernel>},
    {"StackClose", make_plain<CloseStackKernel>}, {"StackCloseV2", make_plain<CloseStackKernel>},
};

}  // namespace

KernelFamily stack_ops() { return {kStackRows, ResourceKind::stack}; }

}  // namespace tarry
