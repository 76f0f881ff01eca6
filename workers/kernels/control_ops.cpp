// Control flow and ops that do nothing but order others.

#include "workers/kernels/dispatch.hpp"

namespace tarry {
namespace {

class NoOpKernel : public Kernel {
 public:
  Status compute(KernelContext&) override { return {}; }
};

// Data goes to output 1 when the predicate is true, else to output 0; the other output is dead.
class SwitchKernel : public Kernel {
 public:
  explicit SwitchKernel(const KernelSetup& s) : name_(s.name) {}
  Status compute(KernelContext& c) override {
    if (!c.in(1).has_data()) return error(Code::kFailedPrecondition, "the predicate of '{}' has no value here: say how it goes in the scenario, or raise values_up_to", name_);
    if (c.in(1).elements() != 1) return invalid("The second input must be a scalar, but it has shape {}", to_string(c.shape(1)));
    c.outputs[c.data<bool>(1)[0] ? 1 : 0] = c.inputs[0];
    return {};
  }

 private:
  std::string name_;
};

// Exactly one input is alive; its index is the second output.
class MergeKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    for (std::size_t i = 0; i < c.inputs.size(); ++i) {
      if (c.inputs[i].is_dead()) continue;
      c.outputs[0] = c.inputs[i];
      c.set(1, make_scalar(static_cast<std::int32_t>(i)));
      return {};
    }
    return error(Code::kInternal, "Merge node has no live input");
  }
};

class AssertKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    if (!c.in(0).has_data() || c.data<bool>(0)[0]) return {};
    return invalid("assertion failed: {}", message(c));
  }

 private:
  static std::string message(const KernelContext& c) {
    std::string text;
    for (std::size_t i = 1; i < c.inputs.size(); ++i) {
      if (i > 1) text += ' ';
      const TensorBody& t = c.in(i);
      text += "[" + (t.dtype() == DataType::kString && t.has_data() && t.elements() > 0 ? t.strings()[0] : to_string(t.shape())) + "]";
    }
    return text;
  }
};

template <class K>
StatusOr<std::unique_ptr<Kernel>> make_plain(const KernelSetup&) {
  return std::make_unique<K>();
}

}  // namespace

void add_control_ops(KernelTable& t) {
  for (const char* op : {"NoOp", "ControlTrigger"}) t.add_kernel(op, make_plain<NoOpKernel>);
  for (const char* op : {"Switch", "RefSwitch"})
    t.add_kernel(op, [](const KernelSetup& s) -> StatusOr<std::unique_ptr<Kernel>> { return std::make_unique<SwitchKernel>(s); });
  for (const char* op : {"Merge", "RefMerge"}) t.add_kernel(op, make_plain<MergeKernel>);
  t.add_kernel("Assert", make_plain<AssertKernel>);
}

}  // namespace tarry
