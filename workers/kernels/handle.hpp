// Handles: how an op says which variable, queue or accumulator it means.
//
// A handle travels as a tensor beside the object it names (Value). The object stays behind when the handle leaves its device, and a fed handle never
// had one. Ops that need the object say its kind in the kernel table (KernelFamily::needs); the executor checks it before the op runs.
#pragma once

#include "workers/kernels/kernel.hpp"

namespace tarry {

// A scalar of the type of the node's first output. A DT_RESOURCE handle has two strings, the object's name and its device.
[[nodiscard]] TensorRef make_handle(const KernelSetup& s, std::string name);

// Gives out one object, under a handle or, without one, as a reference.
class HandleKernel : public Kernel {
 public:
  HandleKernel(Resource& object, TensorRef handle) : handle_{std::move(handle), &object} {}
  [[nodiscard]] const Value* always() const override { return &handle_; }
  Status compute(KernelContext& c) override {
    c.outputs[0] = handle_;
    return {};
  }

 private:
  Value handle_;
};

// May an op on `device` that needs an object of this kind take `input` for it?
// Fails: INVALID_ARGUMENT `Trying to access resource NAME located in device THERE from device HERE` when the object stayed behind, and
// `Trying to access a handle's resource using the wrong type. ...` (2.15's texts from memory; without TensorFlow's hash codes of types).
[[nodiscard]] Status check_object(const Value& input, ResourceKind needed, std::string_view device);

}  // namespace tarry
