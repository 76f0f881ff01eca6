// FIFO queues: the ops around fifo_queue.hpp.

#include <cstring>

#include "workers/kernels/state.hpp"

namespace tarry {
namespace {

std::int64_t first_integer(const QueueElement& element) { return element.empty() ? -1 : integer_or(element[0], -1); }

// Hands out the queue's handle; the queue itself is shared by name.
class QueueHandleKernel : public Kernel {
 public:
  QueueHandleKernel(QueueResource* q, DataType type) : queue_(q), handle_(make_tensor(base_type(type), Shape())) {}
  Status compute(KernelContext& c) override {
    c.outputs[0] = {handle_, queue_};
    return {};
  }

 private:
  QueueResource* queue_;
  TensorRef handle_;
};

std::unique_ptr<QueueResource> new_queue(const KernelSetup& s, const std::string& name, std::int64_t capacity) {
  auto q = std::make_unique<QueueResource>(FifoQueue(name, capacity));
  Env& env = *s.host.env;
  const NameId id = env.name(name);
  const TaskId task = s.host.task;
  q->queue.on_enqueued = [&env, id, task](const QueueElement& e, std::uint64_t tag) { env.note(Enqueued{task, id, StepId{tag}, first_integer(e)}); };
  q->queue.on_dequeued = [&env, id, task](const QueueElement& e, std::uint64_t tag) { env.note(Dequeued{task, id, StepId{tag}, first_integer(e)}); };
  return q;
}

StatusOr<std::unique_ptr<Kernel>> make_queue(const KernelSetup& s) {
  const std::string name = resource_name(s);
  const std::int64_t capacity = attr_or(s.attrs, "capacity", std::int64_t{-1});
  TARRY_ASSIGN(QueueResource * q, s.host.resources->find_or_make<QueueResource>(container_of(s), name, [&] { return new_queue(s, name, capacity); }));
  if (q->queue.capacity() != capacity)
    return invalid("Shared queue '{}' has capacity {} but requested capacity was {}", name, q->queue.capacity(), capacity);
  return std::make_unique<QueueHandleKernel>(q, s.outputs[0]);
}

FifoQueue& queue_of(const KernelContext& c) {
  FifoQueue& q = static_cast<QueueResource&>(*c.inputs[0].resource).queue;
  q.tag = c.step->id.value;
  return q;
}

class AsyncKernel : public Kernel {
 public:
  [[nodiscard]] bool is_async() const override { return true; }
};

class EnqueueKernel : public AsyncKernel {
 public:
  void compute_async(KernelContext& c, StatusCallback done) override {
    QueueElement element;
    for (const Value& v : c.inputs.subspan(1)) element.push_back(v.tensor);
    queue_of(c).enqueue(std::move(element), c.step->cancellation, std::move(done));
  }
};

// Row `i` of a tensor whose first dimension counts elements.
TensorRef row_of(const TensorBody& t, std::int64_t i) {
  Shape shape = t.shape();
  shape.dims.erase(shape.dims.begin());
  if (!t.has_data()) return make_shape_only(t.dtype(), shape);
  MutableTensor row = make_tensor(t.dtype(), shape);
  const auto n = static_cast<std::size_t>(shape.elements());
  if (type_size(t.dtype()) == 0)
    std::copy_n(t.strings().begin() + static_cast<std::ptrdiff_t>(i * shape.elements()), n, row->mutable_strings().begin());
  else
    std::memcpy(row->mutable_raw().data(), t.raw().data() + static_cast<std::size_t>(i) * n * type_size(t.dtype()), n * type_size(t.dtype()));
  return row;
}

class EnqueueManyKernel : public AsyncKernel {
 public:
  void compute_async(KernelContext& c, StatusCallback done) override {
    if (c.shape(1).rank() < 1) return std::move(done)(invalid("All components must have the same size in the 0th dimension"));
    std::vector<QueueElement> elements;
    for (std::int64_t i = 0; i < c.shape(1).dims[0]; ++i) {
      QueueElement& element = elements.emplace_back();
      for (const Value& v : c.inputs.subspan(1)) element.push_back(row_of(*v.tensor, i));
    }
    queue_of(c).enqueue_many(std::move(elements), c.step->cancellation, std::move(done));
  }
};

class DequeueKernel : public AsyncKernel {
 public:
  void compute_async(KernelContext& c, StatusCallback done) override {
    queue_of(c).dequeue(c.step->cancellation, [&c, done = std::move(done)](StatusOr<QueueElement> e) mutable {
      if (!e.ok()) return std::move(done)(e.status());
      for (std::size_t i = 0; i < c.outputs.size(); ++i) c.set(i, (*e)[i]);
      std::move(done)(Status());
    });
  }
};

class CloseKernel : public AsyncKernel {
 public:
  explicit CloseKernel(bool cancel_pending) : cancel_pending_(cancel_pending) {}
  void compute_async(KernelContext& c, StatusCallback done) override { queue_of(c).close(cancel_pending_, std::move(done)); }

 private:
  bool cancel_pending_;
};

class QueueSizeKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    c.set(0, make_scalar(static_cast<std::int32_t>(queue_of(c).size())));
    return {};
  }
};

template <class K>
StatusOr<std::unique_ptr<Kernel>> make_plain(const KernelSetup&) {
  return std::make_unique<K>();
}
StatusOr<std::unique_ptr<Kernel>> make_close(const KernelSetup& s) {
  return std::make_unique<CloseKernel>(attr_or(s.attrs, "cancel_pending_enqueues", false));
}

}  // namespace

void add_queue_ops(KernelTable& t) {
  for (const char* op : {"FIFOQueue", "FIFOQueueV2"}) t.add_kernel(op, make_queue);
  for (const char* op : {"QueueEnqueue", "QueueEnqueueV2"}) t.add_kernel(op, make_plain<EnqueueKernel>);
  for (const char* op : {"QueueEnqueueMany", "QueueEnqueueManyV2"}) t.add_kernel(op, make_plain<EnqueueManyKernel>);
  for (const char* op : {"QueueDequeue", "QueueDequeueV2"}) t.add_kernel(op, make_plain<DequeueKernel>);
  for (const char* op : {"QueueClose", "QueueCloseV2"}) t.add_kernel(op, make_close);
  for (const char* op : {"QueueSize", "QueueSizeV2"}) t.add_kernel(op, make_plain<QueueSizeKernel>);
}

}  // namespace tarry
