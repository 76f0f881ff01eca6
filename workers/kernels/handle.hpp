// Handles: how an op says which variable, queue or accumulator it means.
//
// A handle travels as a tensor beside the object it names (Value). A handle that leaves its device loses its object,
// and a fed handle never had one. Ops that need the object give its kind in the kernel table (KernelFamily::needs); the
// executor checks it before the op runs.
#pragma once

#include "workers/kernels/kernel.hpp"

namespace tarry {

// A scalar of the type of the node's first output. A DT_RESOURCE handle has two strings, the object's name and its
// device.
[[nodiscard]] TensorRef make_handle(DataType type, std::string name, std::string device);
[[nodiscard]] inline TensorRef make_handle(const KernelSetup& s, std::string name) {
  return make_handle(base_type(s.outputs[0]), std::move(name), s.host.device);
}

// Outputs one object, with a handle or, when that is null, as a reference.
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

// Outputs a queue, a barrier or an accumulator. The object is looked up, or made when there is none, when the node
// first runs (seen in 2.15.1).
class ObjectKernel : public Kernel {
 public:
  // When the object is looked up: `first` = at the first run only, so that the handle of a lost object stays
  // (accumulators); `lost_too` = again after the object was lost (queues, barriers).
  enum class When : std::uint8_t { lost_too, first };
  using FindOrMake = std::function<StatusOr<Resource*>(const std::string& name)>;

  // An object without a shared name gets a private name, `_COUNT_NODE`, so that a node of the same name in another
  // session has another object.
  ObjectKernel(const KernelSetup& s, When when, FindOrMake find_or_make);
  [[nodiscard]] const Value* always() const override { return &given_; }
  Status compute(KernelContext& c) override {
    if (given_.resource == nullptr || (looks_again_ && given_.resource->is_lost())) TARRY_RETURN_IF_ERROR(find());
    c.outputs[0] = given_;
    return {};
  }

 private:
  Status find();

  Value given_;
  bool looks_again_, is_private_;
  KernelHost& host_;
  DataType type_;
  std::string name_;
  FindOrMake find_or_make_;
};

// An object that cannot be made: said when its node runs, not when it is registered (seen in 2.15.1).
class ImpossibleObjectKernel : public Kernel {
 public:
  explicit ImpossibleObjectKernel(Status why) : why_(std::move(why)) {}
  Status compute(KernelContext&) override { return why_; }

 private:
  Status why_;
};

// Checks that an op on `device` that needs an object of this kind may use `input`.
// Fails: INVALID_ARGUMENT `Trying to access resource NAME located in device THERE from device HERE` when the handle
// came from another device, and `Trying to access a handle's resource using the wrong type. ...` (2.15's texts, not
// recorded; without TensorFlow's hash codes of types); with the errors of Resource::lost.
[[nodiscard]] Status check_object(const Value& input, ResourceKind needed, std::string_view device);

}  // namespace tarry
