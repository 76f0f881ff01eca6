// Barriers: elements come together by key, component after component, and leave complete (docs/rules/runtime.md#C.9).

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

#include "placer/graph/shape_faults.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/handle.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/signature.hpp"
#include "workers/kernels/state.hpp"
#include "workers/kernels/tensor_array.hpp"

namespace tarry {
namespace {

struct Components {
  DataTypes types;
  std::vector<Shape> shapes;
};

// Complete elements wait in a queue ordered by when their key first came. An element: its order, its key, its
// components.
struct Barrier : Resource {
  Barrier(std::string n, Components c)
      : Resource(ResourceKind::barrier),
        name(n),
        components(std::move(c)),
        ready(n, -1, {.one = "Barrier", .many = "Barrier", .by_priority = true}) {}

  std::string name;
  Components components;
  std::map<std::string, QueueElement> incomplete;
  FifoQueue ready;
  bool closed = false, cancelled = false;
  std::int64_t next_order = std::numeric_limits<std::int64_t>::min();

  [[nodiscard]] Status check_key(const std::string& key, std::size_t component, std::size_t index) const;
  [[nodiscard]] StatusOr<bool> insert(const std::string& key, std::size_t component, TensorRef value,
                                      std::vector<QueueElement>& ready_now);
  [[nodiscard]] Status check_shapes(const QueueElement& complete) const;
  [[nodiscard]] Status close(bool cancel);
  [[nodiscard]] std::size_t elements(bool all) const { return ready.size() + (all ? incomplete.size() : 0); }
};

Status Barrier::check_key(const std::string& key, std::size_t component, std::size_t index) const {
  const auto it = incomplete.find(key);
  if (it == incomplete.end() && closed)
    return error(Code::kCancelled,
                 "Barrier {} is closed, but attempted to insert a brand new key: {}.  Pending enqueues cancelled: {}.  "
                 "Insertion index: {}.  Number of incomplete keys: {}.",
                 name, key, cancelled ? 1 : 0, index, incomplete.size());
  if (it != incomplete.end() && it->second[component + 2])
    return invalid("Key {} already has a value for component {} in barrier {}", key, component, name);
  return {};
}

// True when the key is new. What is complete with it is added to `ready_now`, and must then have the components'
// shapes: an element that does not fit is lost.
StatusOr<bool> Barrier::insert(const std::string& key, std::size_t component, TensorRef value,
                               std::vector<QueueElement>& ready_now) {
  const auto [it, is_new] = incomplete.try_emplace(key, components.types.size() + 2);
  QueueElement& element = it->second;
  if (is_new) element[0] = make_scalar(next_order), element[1] = make_string(key);
  element[component + 2] = std::move(value);
  for (const TensorRef& t : element)
    if (!t) return is_new;
  QueueElement complete = std::move(element);
  incomplete.erase(it);
  TARRY_RETURN_IF_ERROR(check_shapes(complete));
  ready_now.push_back(std::move(complete));
  return is_new;
}

Status Barrier::check_shapes(const QueueElement& complete) const {
  for (std::size_t i = 0; i < components.shapes.size(); ++i)
    if (const Shape& given = complete[i + 2]->shape(); !is_compatible(components.shapes[i], given))
      return invalid("Shape mismatch in tuple component {}. Expected {}, got {}", i + 2,
                     to_string(components.shapes[i]), to_string(given));
  return {};
}

Status Barrier::close(bool cancel) {
  if (closed && (cancelled || !cancel)) return error(Code::kCancelled, "Barrier '{}' is already closed.", name);
  closed = true;
  cancelled = cancelled || cancel;
  if (cancel) incomplete.clear();
  if (incomplete.empty() && !ready.is_closed()) ready.close(false, [](const Status&) {});
  return {};
}

StatusOr<std::unique_ptr<Kernel>> make_barrier(const KernelSetup& s) {
  const auto* types = s.attrs.get<AttrList>("component_types");
  const auto* shapes = s.attrs.get<AttrList>("shapes");
  Components components{types == nullptr ? DataTypes() : DataTypes(types->type.begin(), types->type.end()),
                        shapes == nullptr ? std::vector<Shape>() : shapes->shape};
  for (Shape& shape : components.shapes) {
    shape.unknown_rank = false;  // which is taken for a scalar
    if (const std::string fault = fault_of_full(shape); !fault.empty()) return invalid("{}", fault);
  }
  if (components.shapes.size() != components.types.size())
    return std::make_unique<ImpossibleObjectKernel>(invalid("All of the component shapes must be specified"));
  const auto find_or_make = [&resources = *s.host.resources, container = container_of(s),
                             components](const std::string& name) -> StatusOr<Resource*> {
    return resources.find_or_make<Barrier>(container, name,
                                           [&] { return std::make_unique<Barrier>(name, components); });
  };
  return std::make_unique<ObjectKernel>(s, ObjectKernel::When::lost_too, find_or_make);
}

Barrier& barrier_of(const KernelContext& c) { return static_cast<Barrier&>(*c.inputs[0].resource); }

// Row `i` of a tensor.
TensorRef row(const TensorBody& t, std::size_t i) {
  Shape shape = t.shape();
  shape.dims.erase(shape.dims.begin());
  MutableTensor r = make_tensor(t.dtype(), shape);
  const auto n = static_cast<std::size_t>(shape.elements());
  copy_elements(*r, 0, t, i * n, n);
  return r;
}

// Inputs: handle, keys, values.
class InsertManyKernel : public Kernel {
 public:
  explicit InsertManyKernel(const KernelSetup& s)
      : component_(static_cast<std::size_t>(attr_or(s.attrs, "component_index", std::int64_t{0}))), signature_(s) {}
  Status compute(KernelContext& c) override {
    Barrier& b = barrier_of(c);
    TARRY_RETURN_IF_ERROR(check(b, c));
    if (b.closed && (b.cancelled || (c.in(1).elements() > 0 && b.incomplete.empty())))
      return error(Code::kCancelled,
                   "Barrier {} is closed.  Pending enqueues cancelled: {}.  Number of new insertions: {}.  Number of "
                   "incomplete keys: {}.",
                   b.name, b.cancelled ? 1 : 0, c.in(1).elements(), b.incomplete.size());
    bool any_new = false;
    std::vector<QueueElement> ready_now;
    const auto& keys = c.in(1).strings();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      TARRY_RETURN_IF_ERROR(b.check_key(keys[i], component_, i));
      TARRY_ASSIGN(const bool is_new, b.insert(keys[i], component_, row(c.in(2), i), ready_now));
      any_new |= is_new;
    }
    if (any_new) ++b.next_order;
    for (QueueElement& element : ready_now)
      b.ready.enqueue(std::move(element), c.step->cancellation, [](const Status&) {});
    if (b.closed && b.incomplete.empty() && !b.ready.is_closed()) b.ready.close(false, [](const Status&) {});
    return {};
  }

 private:
  [[nodiscard]] Status check(const Barrier& b, const KernelContext& c) const {
    const std::size_t n = b.components.types.size();
    if (component_ >= n) return invalid("The component ID is out of range {} > num_components (= {})", component_, n);
    TARRY_RETURN_IF_ERROR(signature_.match({DataType::kString, b.components.types[component_]}, {}));
    const std::int64_t keys = c.in(1).elements();
    if (keys > 0 && c.in(2).elements() == 0)
      return invalid("Tensors with no elements are not supported {}: received shape {}", b.name, to_string(c.shape(2)));
    if (keys > 0 && (c.shape(2).rank() < 1 || c.shape(2).dims[0] < keys))  // TensorFlow would read what is not there
      return invalid("Barrier {} got {} keys, but values of shape {}", b.name, keys, to_string(c.shape(2)));
    return {};
  }

  std::size_t component_;
  Signature signature_;
};

// Inputs: handle, how many. Outputs: orders, keys, components.
// More than ever come: TensorFlow waits for a number below zero, unless an element is there, with which its process
// ends.
constexpr std::int64_t kNever = std::numeric_limits<std::int32_t>::max();

class TakeManyKernel : public AsyncKernel {
 public:
  explicit TakeManyKernel(const KernelSetup& s) : small_(attr_or(s.attrs, "allow_small_batch", false)), signature_(s) {}
  void compute_async(KernelContext& c) override {
    Barrier& b = barrier_of(c);
    const auto wanted = integer_in(c, {1, "num_elements must be a scalar."});
    if (!wanted.ok()) return c.done(wanted.status());
    if (Status s = signature_.match({DataType::kInt32}, outputs_of(b)); !s.ok()) return c.done(s);
    const std::int64_t n = *wanted;
    const auto left = static_cast<std::int64_t>(b.elements(!small_));
    const std::int64_t batch = b.closed && small_ ? std::min(n, left) : n;
    if (b.closed && left < std::max(batch, std::int64_t{1}))
      return c.done(error(Code::kOutOfRange,
                          "Barrier '{}' is closed and has insufficient elements (requested {}, total size {})", b.name,
                          batch, left));
    if (n < 0 && b.ready.size() > 0) return c.done(invalid("num_elements must be positive, but was {}", n));
    if (n == 0) return give_nothing(b.components, c);
    b.ready.dequeue_many(n < 0 ? kNever : batch, small_, c.step->cancellation,
                         [&c](StatusOr<std::vector<QueueElement>> e) {
                           if (!e.ok()) return c.done(e.status());
                           for (std::size_t i = 0; i < c.outputs.size(); ++i) c.set(i, column(*e, i));
                           c.done(Status());
                         });
  }

 private:
  static void give_nothing(const Components& components, KernelContext& c) {
    c.set(0, make_vector(Dims()));
    c.set(1, make_tensor(DataType::kString, Shape({0})));
    for (std::size_t i = 2; i < c.outputs.size(); ++i) {
      Shape shape = components.shapes[i - 2];
      shape.dims.insert(shape.dims.begin(), 0);
      c.set(i, make_tensor(components.types[i - 2], shape));
    }
    c.done(Status());
  }

  static TensorRef column(const std::vector<QueueElement>& elements, std::size_t i) {
    Shape shape = elements[0][i]->shape();
    const auto n = static_cast<std::size_t>(shape.elements());
    shape.dims.insert(shape.dims.begin(), static_cast<std::int64_t>(elements.size()));
    MutableTensor to = make_tensor(elements[0][i]->dtype(), shape);
    for (std::size_t k = 0; k < elements.size(); ++k) copy_elements(*to, k * n, *elements[k][i], 0, n);
    return to;
  }

  static DataTypes outputs_of(const Barrier& b) {
    DataTypes types{DataType::kInt64, DataType::kString};
    std::ranges::copy(b.components.types, std::back_inserter(types));
    return types;
  }

  bool small_;
  Signature signature_;
};

class CloseBarrierKernel : public Kernel {
 public:
  explicit CloseBarrierKernel(const KernelSetup& s) : cancel_(attr_or(s.attrs, "cancel_pending_enqueues", false)) {}
  Status compute(KernelContext& c) override { return barrier_of(c).close(cancel_); }

 private:
  bool cancel_;
};

template <bool ready>
class BarrierSizeKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    const Barrier& b = barrier_of(c);
    return c.give(0, make_scalar(static_cast<std::int32_t>(ready ? b.ready.size() : b.incomplete.size())));
  }
};

constexpr KernelRow kBarrierRows[] = {
    {"Barrier", make_barrier},
    {"BarrierInsertMany", make_from_setup<InsertManyKernel>},
    {"BarrierTakeMany", make_from_setup<TakeManyKernel>},
    {"BarrierClose", make_from_setup<CloseBarrierKernel>},
    {"BarrierReadySize", make_plain<BarrierSizeKernel<true>>},
    {"BarrierIncompleteSize", make_plain<BarrierSizeKernel<false>>},
};

}  // namespace

KernelFamily barrier_ops() { return {kBarrierRows, ResourceKind::barrier}; }

}  // namespace tarry
