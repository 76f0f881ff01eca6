// Ops on whatever a handle names.

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/handle.hpp"

namespace tarry {
namespace {

class DestroyKernel : public Kernel {
 public:
  explicit DestroyKernel(const KernelSetup& s)
      : host_(s.host), may_be_missing_(attr_or(s.attrs, "ignore_lookup_error", true)) {}
  Status compute(KernelContext& c) override {
    const Value& handle = c.inputs[0];
    if (handle.resource == nullptr) return check_object(handle, ResourceKind::none, host_.device);
    Status removed = host_.resources->remove(*handle.resource);
    return may_be_missing_ && removed.code() == Code::kNotFound ? Status() : removed;
  }

 private:
  KernelHost& host_;
  bool may_be_missing_;
};

constexpr KernelRow kResourceRows[] = {
    {"DestroyResourceOp", make_from_setup<DestroyKernel>},
};

}  // namespace

KernelFamily resource_ops() { return kResourceRows; }

}  // namespace tarry
