// Send and Recv: the ends of an edge that crosses devices.

#include "workers/env.hpp"
#include "workers/kernels/dispatch.hpp"
#include "workers/rendezvous/key.hpp"
#include "workers/rendezvous/rendezvous.hpp"

namespace tarry {
namespace {

// A device of the worker itself. By prefix: task:1 takes devices of task:10 for its own (docs/rules/runtime.md#D.6).
bool is_of_worker(std::string_view device, const KernelHost& host) {
  const std::string_view own = host.device;
  return device.starts_with(own.substr(0, own.find("/device:")));
}

// A key has the sender's incarnation in it, as it is now.
std::uint64_t incarnation_of(const KernelSetup& s) {
  const auto then = static_cast<std::uint64_t>(attr_or(s.attrs, "send_device_incarnation", std::int64_t{0}));
  if (s.renewed == nullptr) return then;
  const auto now = s.renewed->incarnations.find(then);
  return now == s.renewed->incarnations.end() ? then : now->second;
}

std::string device_of(const KernelSetup& s, const char* end) {
  const std::string* then = s.attrs.get<std::string>(end);
  if (then == nullptr) return {};
  return s.renewed == nullptr ? *then : s.renewed->task.of(*then);
}

enum class Own : std::uint8_t { sender, receiver };  // which end of a transfer a kernel is

StatusOr<TransferKey> key_of(const KernelSetup& s, Own own_end) {
  const std::string sender = device_of(s, "send_device"), receiver = device_of(s, "recv_device");
  const std::string* tensor = s.attrs.get<std::string>("tensor_name");
  return TransferKey{
      s.host.env->name(make_key(sender, incarnation_of(s), receiver, tensor == nullptr ? std::string_view() : *tensor)),
      s.host.task_of(sender), is_of_worker(own_end == Own::sender ? sender : receiver, s.host)};
}

// What comes out of a Recv is a tensor of its own where memory is counted: the sender's keeps its place on the sender's
// device.
TensorRef received_on(const KernelHost& host, const TensorRef& t) {
  const bool is_own = !t || (t->memory() == nullptr && host.memory == nullptr);
  return is_own ? t : TensorRef(new TensorBody(*t));
}

// A dead input is sent as dead: the receiver's side dies too.
class SendKernel : public Kernel {
 public:
  explicit SendKernel(TransferKey key) : key_(key) {}
  Status compute(KernelContext& c) override {
    return c.step->rendezvous->send(key_.in(c.frame, c.iteration),
                                    {c.input_is_dead ? nullptr : c.inputs[0].tensor, c.input_is_dead});
  }

 private:
  TransferKey key_;
};

class RecvKernel : public Kernel {
 public:
  RecvKernel(TransferKey key, const KernelHost& host) : key_(key), host_(host) {}
  [[nodiscard]] bool is_async() const override { return true; }
  void compute_async(KernelContext& c) override {
    c.step->rendezvous->receive(key_.in(c.frame, c.iteration), c.step->cancellation, [this, &c](StatusOr<Received> r) {
      if (!r.ok()) return c.done(r.status());
      c.outputs[0] = {received_on(host_, r->tensor), nullptr};
      c.done(Status());
    });
  }

 private:
  TransferKey key_;
  const KernelHost& host_;
};

StatusOr<std::unique_ptr<Kernel>> make_send(const KernelSetup& s) {
  TARRY_ASSIGN(const TransferKey key, key_of(s, Own::sender));
  return std::make_unique<SendKernel>(key);
}
StatusOr<std::unique_ptr<Kernel>> make_recv(const KernelSetup& s) {
  TARRY_ASSIGN(const TransferKey key, key_of(s, Own::receiver));
  return std::make_unique<RecvKernel>(key, s.host);
}

constexpr KernelRow kTransferRows[] = {
    {"_Send", make_send},
    {"_HostSend", make_send},
    {"_Recv", make_recv},
    {"_HostRecv", make_recv},
};

}  // namespace

KernelFamily transfer_ops() { return kTransferRows; }

}  // namespace tarry
