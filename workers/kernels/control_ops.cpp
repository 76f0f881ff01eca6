// Control flow and ops that do nothing but order others.

#include <algorithm>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/element_text.hpp"
#include "workers/kernels/input_rule.hpp"

namespace tarry {
namespace {

class NoOpKernel : public Kernel {
 public:
  [[nodiscard]] bool is_of_node_alone() const override { return true; }
  Status compute(KernelContext&) override { return {}; }
};

// Data goes to output 1 when the predicate is true, else to output 0; the other output is dead.
class SwitchKernel : public Kernel {
 public:
  explicit SwitchKernel(const KernelSetup& s) : name_(s.name) {}
  Status compute(KernelContext& c) override {
    if (!c.in(1).has_data())
      return error(
          Code::kFailedPrecondition,
          "the predicate of '{}' has no value here: feed what it depends on under feeds.values (tarry_export.py writes "
          "them with --values), or raise values_up_to",
          name_);
    TARRY_RETURN_IF_ERROR(check_input(c, {1, "The second input must be a scalar, but it has shape {}"}));
    c.outputs[c.data<bool>(1)[0] ? 1 : 0] = c.inputs[0];
    return {};
  }

 private:
  std::string name_;
};

// The output that the index names is alive; an index that names none means the last.
class SwitchNKernel : public Kernel {
 public:
  [[nodiscard]] bool is_of_node_alone() const override { return true; }
  Status compute(KernelContext& c) override {
    TARRY_ASSIGN(const std::int64_t index,
                 integer_in(c, {1, "The second input must be a scalar, but it has shape {}"}));
    const auto count = static_cast<std::int64_t>(c.outputs.size());
    c.outputs[static_cast<std::size_t>(index < 0 || index >= count ? count - 1 : index)] = c.inputs[0];
    return {};
  }
};

// Exactly one input is alive; its index is the second output.
class MergeKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    for (std::size_t i = 0; i < c.inputs.size(); ++i) {
      if (c.inputs[i].is_dead()) continue;
      c.outputs[0] = c.inputs[i];
      return c.give(1, make_scalar(static_cast<std::int32_t>(i)));
    }
    return error(Code::kInternal, "Merge node has no live input");
  }
};

// Enter, Exit, NextIteration and LoopCond hand on what they get: where it goes is the executor's affair.
class PassKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    c.outputs[0] = c.inputs[0];
    return {};
  }
};

// The first elements, as TensorFlow summarises a tensor in a text: "1 2 3...", "[1 2][3...]..." for a matrix.
class Summary {
 public:
  // A limit below 0 is none.
  Summary(const TensorBody& t, std::int64_t limit)
      : t_(t), limit_(limit < 0 ? t.elements() : std::min(limit, t.elements())) {}
  std::string text() {
    if (!t_.has_data()) return to_string(t_.shape());
    if (t_.shape().rank() == 0) return element(0);
    dimension(0);
    return out_ + (t_.elements() > limit_ ? "..." : "");
  }

 private:
  void dimension(std::size_t d) {
    const bool is_last = d + 1 == t_.shape().dims.size();
    for (std::int64_t i = 0; i < t_.shape().dims[d]; ++i) {
      if (next_ >= limit_) {
        if (is_last && d > 0 && i > 0) out_ += "...";
        return;
      }
      if (is_last) {
        out_ += (i > 0 ? " " : "") + element(next_++);
      } else {
        out_ += '[';
        dimension(d + 1);
        out_ += ']';
      }
    }
  }

  [[nodiscard]] std::string element(std::int64_t i) const { return element_text(t_, static_cast<std::size_t>(i)); }

  const TensorBody& t_;
  std::int64_t limit_, next_ = 0;
  std::string out_;
};

class AssertKernel : public Kernel {
 public:
  explicit AssertKernel(const KernelSetup& s) : limit_(attr_or(s.attrs, "summarize", std::int64_t{3})) {}
  Status compute(KernelContext& c) override {
    TARRY_RETURN_IF_ERROR(check_input(c, {0, "In[0] should be a scalar: {}"}));
    if (!c.in(0).has_data()) return {};
    if (c.data<bool>(0)[0]) return {};
    std::string text;
    for (std::size_t i = 1; i < c.inputs.size(); ++i)
      text += fmt::format("{}[{}]", i > 1 ? " " : "", Summary(c.in(i), limit_).text());
    return invalid("assertion failed: {}", text);
  }

 private:
  std::int64_t limit_;
};

constexpr KernelRow kControlRows[] = {
    {"NoOp", make_plain<NoOpKernel>},
    {"ControlTrigger", make_plain<NoOpKernel>},
    {"DisableCopyOnRead", make_plain<NoOpKernel>},
    {"Switch",
     [](const KernelSetup& s) -> StatusOr<std::unique_ptr<Kernel>> { return std::make_unique<SwitchKernel>(s); }},
    {"_SwitchN", make_plain<SwitchNKernel>},
    {"RefSwitch",
     [](const KernelSetup& s) -> StatusOr<std::unique_ptr<Kernel>> { return std::make_unique<SwitchKernel>(s); }},
    {"Merge", make_plain<MergeKernel>},
    {"RefMerge", make_plain<MergeKernel>},
    {"Enter", make_plain<PassKernel>},
    {"RefEnter", make_plain<PassKernel>},
    {"Exit", make_plain<PassKernel>},
    {"RefExit", make_plain<PassKernel>},
    {"NextIteration", make_plain<PassKernel>},
    {"RefNextIteration", make_plain<PassKernel>},
    {"LoopCond", make_plain<PassKernel>},
    {"Assert", make_from_setup<AssertKernel>},
};

}  // namespace

KernelFamily control_ops() { return kControlRows; }

}  // namespace tarry
