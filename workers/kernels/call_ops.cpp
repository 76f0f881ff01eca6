// The ends of a step that is called like a function: its arguments and what it returns.

#include "workers/kernels/dispatch.hpp"

namespace tarry {
namespace {

class ArgKernel : public Kernel {
 public:
  explicit ArgKernel(const KernelSetup& s) : index_(attr_or(s.attrs, "index", std::int64_t{0})), type_(s.outputs[0]) {}
  Status compute(KernelContext& c) override {
    const CallFrame* call = c.step->call;
    if (call == nullptr) return error(Code::kInternal, "no call frame");
    if (index_ < 0 || std::cmp_greater_equal(index_, call->arguments.size()))
      return error(Code::kOutOfRange, "argument index {} is not in [0, {})", index_, call->arguments.size());
    const TensorRef& t = call->arguments[static_cast<std::size_t>(index_)];
    if (t->dtype() != base_type(type_))
      return invalid("Type mismatch: actual {} vs. expect {}", type_name(t->dtype()), type_name(type_));
    return c.give(0, t);
  }

 private:
  std::int64_t index_;
  DataType type_;
};

// What is returned shares the storage of a reference variable: it shows what the call still changes.
class RetvalKernel : public Kernel {
 public:
  explicit RetvalKernel(const KernelSetup& s) : index_(attr_or(s.attrs, "index", std::int64_t{0})) {}
  Status compute(KernelContext& c) override {
    CallFrame* call = c.step->call;
    if (call == nullptr) return error(Code::kInternal, "no call frame");
    if (index_ < 0 || std::cmp_greater_equal(index_, call->results.size()))
      return error(Code::kOutOfRange, "ret index {} is not in [0, {})", index_, call->results.size());
    TensorRef& result = call->results[static_cast<std::size_t>(index_)];
    if (result) return error(Code::kInternal, "Retval[{}] has already been set.", index_);  // in a loop
    result = c.inputs[0].tensor;
    return {};
  }

 private:
  std::int64_t index_;
};

constexpr KernelRow kCallRows[] = {
    {"_Arg", make_from_setup<ArgKernel>},
    {"_Retval", make_from_setup<RetvalKernel>},
};

}  // namespace

KernelFamily call_ops() { return kCallRows; }

}  // namespace tarry
