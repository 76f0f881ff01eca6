// Queues of every kind: the ops around fifo_queue.hpp.

#include <algorithm>
#include <cstring>

#include "placer/graph/shape_faults.hpp"
#include "placer/graph/validate.hpp"
#include "workers/env.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/handle.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/logged_error.hpp"
#include "workers/kernels/philox.hpp"
#include "workers/kernels/signature.hpp"
#include "workers/kernels/state.hpp"
#include "workers/kernels/tensor_array.hpp"

namespace tarry {
namespace {

std::int64_t first_integer(const QueueElement& element) { return element.empty() ? -1 : integer_or(element[0], -1); }

std::vector<Shape> shapes_of(const KernelSetup& s) {
  const auto* list = s.attrs.get<AttrList>("shapes");
  std::vector<Shape> shapes = list == nullptr ? std::vector<Shape>{} : list->shape;
  if (!s.op.starts_with("Padding"))
    for (Shape& shape : shapes) shape.unknown_rank = false;  // an unknown rank is taken for a scalar
  return shapes;
}

// Queues that pad take partly known shapes, others whole ones.
Status check_shapes(const KernelSetup& s) {
  const bool pads = s.op.starts_with("Padding");
  for (const Shape& shape : shapes_of(s)) {
    if (const std::string fault = pads ? fault_of_partial(shape) : fault_of_full(shape); !fault.empty())
      return invalid("{}", fault);
    if (shape.unknown_rank) return invalid("shape {} must have known rank.", to_string(shape));
  }
  return {};
}

DataTypes types_of(const KernelSetup& s) {
  const auto* list = s.attrs.get<AttrList>("component_types");
  return list == nullptr ? DataTypes() : DataTypes(list->type.begin(), list->type.end());
}

QueueKind kind_of(const KernelSetup& s) {
  if (s.op.starts_with("Padding")) return {.one = "FIFOQueue", .many = "PaddingFIFOQueue"};
  if (s.op.starts_with("Priority")) return {.one = "PriorityQueue", .many = "PriorityQueue", .by_priority = true};
  if (!s.op.starts_with("Random")) return {};
  auto words = std::make_shared<WordStream>(OpGenerator(s).take(0));
  return {.one = "RandomShuffleQueue",
          .many = "RandomShuffleQueue",
          .pick = [words](std::size_t n) { return std::size_t{words->next()} % n; },
          .stay = attr_or(s.attrs, "min_after_dequeue", std::int64_t{0})};
}

std::string list_text(const std::vector<Shape>& shapes) {
  std::vector<std::string> texts;
  for (const Shape& shape : shapes) texts.push_back(to_string(shape));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

// A queue's node: what the queue is to be. Logs know it by its shared name or its node's.
struct QueueSpec {
  KernelHost& host;
  NameId logged_as;
  std::string container;
  std::int64_t capacity;
  QueueKind kind;
  DataTypes types;
  std::vector<Shape> shapes;
  bool pads;

  explicit QueueSpec(const KernelSetup& s)
      : host(s.host),
        logged_as(host.env->name(resource_name(s))),
        container(container_of(s)),
        capacity(attr_or(s.attrs, "capacity", std::int64_t{-1})),
        kind(kind_of(s)),
        types(types_of(s)),
        shapes(shapes_of(s)),
        pads(s.op.starts_with("Padding")) {
    if (!s.op.starts_with("Priority")) return;
    types.insert(types.begin(), DataType::kInt64);
    shapes.insert(shapes.begin(), Shape());
  }
  [[nodiscard]] std::unique_ptr<QueueResource> make(const std::string& name) const;
  [[nodiscard]] StatusOr<Resource*> find_or_make(const std::string& name) const;
};

std::unique_ptr<QueueResource> QueueSpec::make(const std::string& name) const {
  auto q = std::make_unique<QueueResource>(FifoQueue(name, capacity, kind));
  q->queue.planted = host.planted;
  q->queue.auditor = host.auditor;
  q->types = types;
  q->shapes = shapes;
  q->pads = pads;
  const auto note = [&env = *host.env, id = logged_as, task = host.task]<class E>(E) {
    return [&env, id, task](const QueueElement& e, std::uint64_t tag) {
      env.note(E{task, id, StepId{tag}, first_integer(e)});
    };
  };
  q->queue.on_enqueued = note(Enqueued());
  q->queue.on_dequeued = note(Dequeued());
  return q;
}

StatusOr<Resource*> QueueSpec::find_or_make(const std::string& name) const {
  TARRY_ASSIGN(QueueResource * q,
               host.resources->find_or_make<QueueResource>(container, name, [&] { return make(name); }));
  if (q->queue.capacity() != capacity)
    return invalid("Shared queue '{}' has capacity {} but requested capacity was {}", name, q->queue.capacity(),
                   capacity);
  if (q->types != types)
    return invalid("Shared queue '{}' has component types {} but requested component types were {}", name,
                   type_names(q->types), type_names(types));
  if (q->shapes != shapes)
    return invalid("Shared queue '{}' has component shapes {} but requested component shapes were {}", name,
                   list_text(q->shapes), list_text(shapes));
  return q;
}

Status check_components(const KernelSetup& s) {
  const auto* types = s.attrs.get<AttrList>("component_types");
  const std::vector<Shape> shapes = shapes_of(s);
  if (types == nullptr || shapes.size() == types->type.size()) return {};
  if (s.op.starts_with("Padding"))
    return invalid("Shapes must be provided for all components, but received {} dtypes and {} shapes.",
                   types->type.size(), shapes.size());
  if (shapes.empty()) return {};
  return invalid("Different number of component types.  Types: {}, Shapes: {}", type_names(types_of(s)),
                 list_text(shapes));
}

// How many elements stay in a queue that picks at random must be fewer than it holds.
Status check_stay(const KernelSetup& s) {
  const auto stay = attr_or(s.attrs, "min_after_dequeue", std::int64_t{0});
  const auto capacity = attr_or(s.attrs, "capacity", std::int64_t{-1});
  if (stay < 0) return invalid("min_after_dequeue {} must be >= 0", stay);
  return capacity < 0 || stay < capacity ? Status()
                                         : invalid("min_after_dequeue {} must be < capacity {}", stay, capacity);
}

StatusOr<std::unique_ptr<Kernel>> make_queue(const KernelSetup& s) {
  TARRY_RETURN_IF_ERROR(check_shapes(s));
  if (Status wrong = check_stay(s); !wrong.ok()) return std::make_unique<ImpossibleObjectKernel>(std::move(wrong));
  if (Status wrong = check_components(s); !wrong.ok() && !s.op.starts_with("Priority"))
    return std::make_unique<ImpossibleObjectKernel>(as_logged(std::move(wrong), "resource_op_kernel.h:88"));
  return std::make_unique<ObjectKernel>(
      s, ObjectKernel::When::lost_too,
      [spec = QueueSpec(s)](const std::string& name) { return spec.find_or_make(name); });
}

QueueResource& resource_of(const KernelContext& c) { return static_cast<QueueResource&>(*c.inputs[0].resource); }

FifoQueue& queue_of(const KernelContext& c) {
  FifoQueue& q = resource_of(c).queue;
  q.tag = c.step->id.value;
  return q;
}

// The components against the shapes that the queue was made with, each with `outer` before it: how many elements there
// are, where there may be many.
Status check_tuple(const KernelContext& c, std::span<const std::int64_t> outer) {
  const auto& shapes = resource_of(c).shapes;
  for (std::size_t i = 0; i + 1 < c.inputs.size() && i < shapes.size(); ++i) {
    Shape wanted = shapes[i];
    wanted.dims.insert(wanted.dims.begin(), outer.begin(), outer.end());
    if (is_compatible(wanted, c.shape(i + 1))) continue;
    return invalid("Shape mismatch in tuple component {}. Expected {}, got {}", i, to_string(wanted),
                   to_string(c.shape(i + 1)));
  }
  return {};
}

class EnqueueKernel : public AsyncKernel {
 public:
  explicit EnqueueKernel(const KernelSetup& s) : signature_(s) {}
  void compute_async(KernelContext& c) override {
    if (Status s = signature_.match(resource_of(c).types, {}); !s.ok()) return c.done(s);
    if (Status s = check_tuple(c, {}); !s.ok()) return c.done(s);
    QueueElement element;
    for (const Value& v : c.inputs.subspan(1)) element.push_back(v.tensor);
    queue_of(c).enqueue(std::move(element), c.step->cancellation, [&c](const Status& s) { c.done(s); });
  }

 private:
  Signature signature_;
};

// Row `i` of a tensor whose first dimension counts elements.
TensorRef row_of(const TensorBody& t, std::int64_t i) {
  Shape shape = t.shape();
  shape.dims.erase(shape.dims.begin());
  if (!t.has_data()) return make_shape_only(t.dtype(), shape);
  MutableTensor row = make_tensor(t.dtype(), shape);
  const auto n = static_cast<std::size_t>(shape.elements());
  if (type_size(t.dtype()) == 0)
    std::copy_n(t.strings().begin() + static_cast<std::ptrdiff_t>(i * shape.elements()), n,
                row->mutable_strings().begin());
  else
    std::memcpy(row->mutable_raw().data(), t.raw().data() + static_cast<std::size_t>(i) * n * type_size(t.dtype()),
                n * type_size(t.dtype()));
  return row;
}

Status check_many(const KernelContext& c) {
  if (c.shape(1).rank() > 0) TARRY_RETURN_IF_ERROR(check_tuple(c, std::span(c.shape(1).dims).first(1)));
  for (std::size_t i = 1; i < c.inputs.size(); ++i) {
    if (c.shape(i).rank() < 1) return invalid("All components must have the same size in the 0th dimension");
    if (c.shape(i).dims[0] != c.shape(1).dims[0])
      return invalid(
          "All input tensors must have the same size in the 0th dimension. Component {} has {}, and should have {}",
          i - 1, c.shape(i).dims[0], c.shape(1).dims[0]);
  }
  return {};
}

class EnqueueManyKernel : public AsyncKernel {
 public:
  explicit EnqueueManyKernel(const KernelSetup& s) : signature_(s) {}
  void compute_async(KernelContext& c) override {
    if (Status s = signature_.match(resource_of(c).types, {}); !s.ok()) return c.done(s);
    if (Status s = check_many(c); !s.ok()) return c.done(s);
    if (c.shape(1).dims[0] == 0) return c.done(Status());  // at a closed queue, too
    std::vector<QueueElement> elements;
    for (std::int64_t i = 0; i < c.shape(1).dims[0]; ++i) {
      QueueElement& element = elements.emplace_back();
      for (const Value& v : c.inputs.subspan(1)) element.push_back(row_of(*v.tensor, i));
    }
    queue_of(c).enqueue_many(std::move(elements), c.step->cancellation, [&c](const Status& s) { c.done(s); });
  }

 private:
  Signature signature_;
};

class DequeueKernel : public AsyncKernel {
 public:
  explicit DequeueKernel(const KernelSetup& s) : signature_(s) {}
  void compute_async(KernelContext& c) override {
    if (Status s = signature_.match({}, resource_of(c).types); !s.ok()) return c.done(s);
    queue_of(c).dequeue(c.step->cancellation, [&c](StatusOr<QueueElement> e) {
      if (!e.ok()) return c.done(e.status());
      c.step->has_dequeued = true;
      for (std::size_t i = 0; i < c.outputs.size(); ++i) c.set(i, (*e)[i]);
      c.done(Status());
    });
  }

 private:
  Signature signature_;
};

// The smallest shape that holds component `i` of every element.
Shape largest_of(const std::vector<QueueElement>& elements, std::size_t i) {
  Shape most = elements[0][i]->shape();
  for (const QueueElement& e : elements)
    for (std::size_t d = 0; d < most.dims.size(); ++d) most.dims[d] = std::max(most.dims[d], e[i]->shape().dims[d]);
  return most;
}

// Component `i` of the elements, one under the other; smaller ones are padded with zeros.
TensorRef batch_of(const std::vector<QueueElement>& elements, std::size_t i) {
  const Shape row = largest_of(elements, i);
  Shape shape = row;
  shape.dims.insert(shape.dims.begin(), static_cast<std::int64_t>(elements.size()));
  const DataType type = elements[0][i]->dtype();
  if (!std::ranges::all_of(elements, [i](const QueueElement& e) { return e[i]->has_data(); }))
    return make_shape_only(type, shape);
  MutableTensor to = make_tensor(type, shape);
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const TensorBody& from = *elements[k][i];
    for (std::int64_t e = 0; e < from.elements(); ++e) {
      std::int64_t rest = e, at = 0, stride = 1;
      for (std::size_t d = row.dims.size(); d-- > 0; stride *= row.dims[d]) {
        at += rest % from.shape().dims[d] * stride;
        rest /= from.shape().dims[d];
      }
      copy_elements(*to, k * static_cast<std::size_t>(row.elements()) + static_cast<std::size_t>(at), from,
                    static_cast<std::size_t>(e));
    }
  }
  return to;
}

class DequeueManyKernel : public AsyncKernel {
 public:
  DequeueManyKernel(const KernelSetup& s, bool up_to) : types_(s.outputs), signature_(s), up_to_(up_to) {}
  void compute_async(KernelContext& c) override {
    const auto wanted =
        integer_in(c, {1, "Dequeue needs a number of elements, but got a tensor of shape {}", Takes::first_element});
    if (!wanted.ok()) return c.done(wanted.status());
    const std::int64_t n = *wanted;
    if (n < 0) return c.done(invalid("Dequeue{}Op requested {} < 0 elements", up_to_ ? "UpTo" : "Many", n));
    const QueueResource& q = resource_of(c);
    if (Status s = signature_.match({DataType::kInt32}, q.types); !s.ok()) return c.done(s);
    if (!q.pads && (q.shapes.size() != c.outputs.size() || !std::ranges::all_of(q.shapes, &Shape::fully_known)))
      return c.done(invalid("{}'s DequeueMany and DequeueUpTo require the components to have specified shapes.",
                            q.queue.kind().one));
    if (n == 0) return give_nothing(c, q.shapes), c.done(Status());
    queue_of(c).dequeue_many(n, up_to_, c.step->cancellation, [&c](StatusOr<std::vector<QueueElement>> e) {
      if (!e.ok()) return c.done(e.status());
      for (std::size_t i = 0; i < c.outputs.size(); ++i) c.set(i, batch_of(*e, i));
      c.done(Status());
    });
  }

 private:
  void give_nothing(KernelContext& c, const std::vector<Shape>& shapes) const {
    for (std::size_t i = 0; i < c.outputs.size(); ++i) {
      Shape shape = shapes[i];
      for (std::int64_t& d : shape.dims) d = std::max<std::int64_t>(d, 0);
      shape.dims.insert(shape.dims.begin(), 0);
      c.set(i, make_tensor(types_[i], shape));
    }
  }

  DataTypes types_;
  Signature signature_;
  bool up_to_;
};

class IsClosedKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override { return c.give(0, make_scalar(queue_of(c).is_closed())); }
};

class CloseKernel : public AsyncKernel {
 public:
  explicit CloseKernel(bool cancel_pending) : cancel_pending_(cancel_pending) {}
  void compute_async(KernelContext& c) override {
    queue_of(c).close(cancel_pending_, [&c](const Status& s) { c.done(s); });
  }

 private:
  bool cancel_pending_;
};

class QueueSizeKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    return c.give(0, make_scalar(static_cast<std::int32_t>(queue_of(c).size())));
  }
};

StatusOr<std::unique_ptr<Kernel>> make_close(const KernelSetup& s) {
  return std::make_unique<CloseKernel>(attr_or(s.attrs, "cancel_pending_enqueues", false));
}

template <bool up_to>
StatusOr<std::unique_ptr<Kernel>> make_dequeue_many(const KernelSetup& s) {
  return std::make_unique<DequeueManyKernel>(s, up_to);
}

constexpr KernelRow kQueueRows[] = {
    {"FIFOQueue", make_queue},
    {"FIFOQueueV2", make_queue},
    {"PaddingFIFOQueue", make_queue},
    {"PaddingFIFOQueueV2", make_queue},
    {"PriorityQueue", make_queue},
    {"PriorityQueueV2", make_queue},
    {"RandomShuffleQueue", make_queue},
    {"RandomShuffleQueueV2", make_queue},
    {"QueueDequeueMany", make_dequeue_many<false>},
    {"QueueDequeueManyV2", make_dequeue_many<false>},
    {"QueueDequeueUpTo", make_dequeue_many<true>},
    {"QueueDequeueUpToV2", make_dequeue_many<true>},
    {"QueueIsClosed", make_plain<IsClosedKernel>},
    {"QueueIsClosedV2", make_plain<IsClosedKernel>},
    {"QueueEnqueue", make_from_setup<EnqueueKernel>},
    {"QueueEnqueueV2", make_from_setup<EnqueueKernel>},
    {"QueueEnqueueMany", make_from_setup<EnqueueManyKernel>},
    {"QueueEnqueueManyV2", make_from_setup<EnqueueManyKernel>},
    {"QueueDequeue", make_from_setup<DequeueKernel>},
    {"QueueDequeueV2", make_from_setup<DequeueKernel>},
    {"QueueClose", make_close},
    {"QueueCloseV2", make_close},
    {"QueueSize", make_plain<QueueSizeKernel>},
    {"QueueSizeV2", make_plain<QueueSizeKernel>},
};

}  // namespace

KernelFamily queue_ops() { return {kQueueRows, ResourceKind::queue}; }

}  // namespace tarry
