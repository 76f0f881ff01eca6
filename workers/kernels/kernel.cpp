#include <absl/container/inlined_vector.h>

#include <algorithm>

#include "workers/kernels/complex_ops.hpp"
#include "workers/kernels/families.hpp"
#include "workers/kernels/half_ops.hpp"
#include "workers/kernels/narrow.hpp"
#include "workers/kernels/unsigned_ops.hpp"

namespace tarry {
namespace {

// A node whose outputs depend on its inputs alone.
class ComputeKernel : public Kernel {
 public:
  ComputeKernel(const KernelSetup& setup, Behaviour behaviour)
      : remembers_(setup.host.memory == nullptr),
        limit_(setup.host.values_up_to),
        name_(setup.name),
        op_(setup.op),
        outputs_(setup.outputs),
        behaviour_(std::move(behaviour)),
        has_narrow_(!behaviour_.own_types &&
                    (std::ranges::any_of(setup.inputs, is_narrow) || std::ranges::any_of(setup.outputs, is_narrow))) {
    own_ = half_function(setup);
    if (!own_) own_ = unsigned_function(setup);
    if (ValueFunction own = complex_function(setup)) behaviour_.value = std::move(own);
    if (const auto* shapes = setup.attrs.get<AttrList>("_output_shapes")) recorded_ = shapes->shape;
  }

  [[nodiscard]] bool is_of_node_alone() const override { return !behaviour_.draws; }
  Status compute(KernelContext& c) override {
    if (reuse(c)) return {};
    const bool known = std::ranges::all_of(c.inputs, [](const Value& v) { return v.tensor && v.tensor->has_data(); });
    if (known && behaviour_.value && (behaviour_.allocates || !behaviour_.shape))
      return has_narrow_ ? compute_wide(c) : behaviour_.value(c);
    std::vector<Shape> shapes(outputs_.size());
    TARRY_RETURN_IF_ERROR(infer(c, shapes));
    TARRY_RETURN_IF_ERROR(check_sizes(shapes));
    if (known && behaviour_.value && elements_at_most(limit_, shapes)) {
      TARRY_RETURN_IF_ERROR(compute_values(c, shapes));
      if (!behaviour_.draws && elements_at_most(kRemembered, shapes)) remember(c, false);
      return {};
    }
    for (std::size_t i = 0; i < shapes.size(); ++i) c.set(i, make_shape_only(outputs_[i], shapes[i]));
    remember(c, !known);
    return {};
  }

 private:
  static constexpr std::int64_t kRemembered =
      64;  // elements: a step repeats the arithmetic of shapes, not that of data
  static constexpr std::int64_t kRememberedInput = 4096;

  // A step repeats the last one: the same inputs give the same outputs.
  bool reuse(KernelContext& c) const {
    if (last_inputs_.size() != c.inputs.size() || last_outputs_.empty()) return false;
    for (std::size_t i = 0; i < c.inputs.size(); ++i)
      if (c.inputs[i].tensor != last_inputs_[i] && !(by_shape_ && is_alike(c.inputs[i].tensor, *last_inputs_[i])))
        return false;
    for (std::size_t i = 0; i < last_outputs_.size(); ++i) c.set(i, last_outputs_[i]);
    return true;
  }

  // Where some input has no data, of the others only numbers that are shapes, axes and sizes can matter: never real
  // ones.
  static bool is_alike(const TensorRef& now, const TensorBody& last) {
    if (!now || now->has_data() != last.has_data() || now->dtype() != last.dtype()) return false;
    const bool has_value_that_counts =
        now->has_data() && now->dtype() != DataType::kFloat && now->dtype() != DataType::kDouble;
    return !has_value_that_counts && now->shape() == last.shape();
  }

  // What is remembered lives on; so nothing is where memory is counted, and nothing large.
  void remember(const KernelContext& c, bool by_shape) {
    if (!remembers_ || !std::ranges::all_of(c.inputs, can_be_remembered)) return;
    by_shape_ = by_shape;
    last_inputs_.clear();
    last_outputs_.clear();
    for (const Value& v : c.inputs) last_inputs_.push_back(v.tensor);
    for (const Value& v : c.outputs) last_outputs_.push_back(v.tensor);
  }

  // The storage of a reference variable is the same tensor with other values.
  static bool can_be_remembered(const Value& v) {
    return v.tensor && !v.tensor->is_storage() && (!v.tensor->has_data() || v.tensor->elements() <= kRememberedInput);
  }

  Status infer(const KernelContext& c, std::span<Shape> shapes) const {
    Status s = behaviour_.shape ? behaviour_.shape(c, shapes) : shape_not_known();
    if (s.code() != Code::kFailedPrecondition) return s;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      if (i >= recorded_.size() || !recorded_[i].fully_known())
        return error(
            Code::kUnimplemented,
            "the shape of output {} of node '{}' (op {}) is not known: its inputs have no data here, and the "
            "recorded shape is {}; raise values_up_to, feed full shapes, say what the files that are read hold "
            "(feeds.files: from), or give it a shape in the script (set_shape)",
            i, name_, op_, i < recorded_.size() ? to_string(recorded_[i]) : "missing");
      shapes[i] = recorded_[i];
    }
    return {};
  }

  // A shape that was asked for by value may be no shape at all.
  static Status check_sizes(std::span<const Shape> shapes) {
    for (const Shape& s : shapes) {
      std::int64_t elements = 1;
      for (const std::int64_t d : s.dims) {
        if (d < 0) return invalid("Dimension {} must be >= 0", d);
        if (__builtin_mul_overflow(elements, d, &elements))
          return invalid("Shape {} would have more than 2**63 - 1 elements", to_string(s));
      }
    }
    return {};
  }

  static bool elements_at_most(std::int64_t limit, std::span<const Shape> shapes) {
    return std::ranges::all_of(shapes, [limit](const Shape& s) { return s.elements() <= limit; });
  }

  Status compute_values(KernelContext& c, std::span<const Shape> shapes) {
    for (std::size_t i = 0; i < shapes.size(); ++i)
      c.set(i, make_tensor(own_ || !has_narrow_ ? outputs_[i] : computed_as(outputs_[i]), shapes[i]));
    if (own_) return own_(c);
    return has_narrow_ ? compute_wide(c) : behaviour_.value(c);
  }

  // Narrow types are computed in wider ones (narrow.hpp).
  Status compute_wide(KernelContext& c) {
    TARRY_RETURN_IF_ERROR(check_unsigned(op_, c));
    std::vector<Value> inputs(c.inputs.begin(), c.inputs.end());
    for (Value& v : inputs) v.tensor = widened(v.tensor);
    KernelContext wide = c;
    wide.inputs = inputs;
    TARRY_RETURN_IF_ERROR(behaviour_.value(wide));
    for (std::size_t i = 0; i < outputs_.size(); ++i) c.set(i, narrowed(c.outputs[i].tensor, outputs_[i]));
    return {};
  }

  absl::InlinedVector<TensorRef, 2> last_inputs_;  // first, and in here: all that is looked at when nothing is new
  absl::InlinedVector<TensorRef, 1> last_outputs_;
  bool by_shape_ = false;  // the last outputs follow from the shapes of the last inputs
  bool remembers_;
  std::int64_t limit_;
  std::string name_, op_;
  DataTypes outputs_;
  Behaviour behaviour_;
  bool has_narrow_;
  ValueFunction own_;  // of what is computed in the types of the node (half_ops.hpp, unsigned_ops.hpp)
  std::vector<Shape> recorded_;
};

// The behaviour of an op on narrow types is that on the types they are computed in.
Behaviour behaviour_of(const KernelRow& row, const KernelSetup& s) {
  const DataTypes inputs = computed_as(s.inputs), outputs = computed_as(s.outputs);
  return row.behaviour({s.name, s.op, s.attrs, inputs, outputs, s.host, s.renewed, s.source, s.source_slot});
}

// The function that a node calls, or the first of several; null = none.
const FuncRef* called_by(const Attrs& attrs) {
  for (const auto& [name, value] : attrs) {
    if (const FuncRef* f = value.get<FuncRef>()) return f;
    if (const AttrList* list = value.get<AttrList>(); list != nullptr && !list->func.empty())
      return &list->func.front();
  }
  return nullptr;
}

// Why TensorFlow leaves such a node out of the graph (placer/lower/lower.hpp).
std::string_view why_left_out(const KernelSetup& setup) {
  if (setup.op.find("Dataset") != std::string_view::npos || setup.op.find("Iterator") != std::string_view::npos)
    return "it belongs to tf.data, which tarry does not run";
  if (setup.attrs.find("_tpu_replicate") != nullptr || setup.attrs.find("_xla_compile_id") != nullptr)
    return "it belongs to a TPU or to a cluster of XLA";
  if (setup.op == "SymbolicGradient") return "symbolic gradients are never inlined";
  return "the function does not fit the call, or calls are not inlined here";
}

Status not_called(const KernelSetup& setup, const std::string& function) {
  return error(Code::kUnimplemented, "node '{}': tarry does not run {} with the function '{}': {}", setup.name,
               setup.op, function, why_left_out(setup));
}

}  // namespace

KernelTable::KernelTable(std::span<const KernelFamily> families) {
  for (const KernelFamily& family : families)
    for (KernelRow row : family.rows) {
      row.needs = family.needs;
      rows_.push_back(row);
    }
  std::ranges::sort(rows_, {}, &KernelRow::op);
}

const KernelRow* KernelTable::find(std::string_view op) const {
  const auto it = std::ranges::lower_bound(rows_, op, {}, &KernelRow::op);
  return it == rows_.end() || it->op != op ? nullptr : &*it;
}

const KernelTable& kernel_table() {
  static const KernelTable table(all_families());
  return table;
}

StatusOr<std::unique_ptr<Kernel>> make_kernel(const KernelSetup& setup, const KernelRow* row) {
  if (row != nullptr && row->refusal != nullptr) TARRY_RETURN_IF_ERROR(row->refusal(setup));
  if (row != nullptr && row->kernel != nullptr) return row->kernel(setup);
  if (const FuncRef* f = called_by(setup.attrs); row == nullptr && f != nullptr) return not_called(setup, f->name);
  if (row == nullptr && ops_of_tf215().find(setup.op) == nullptr) return not_called(setup, std::string(setup.op));
  const auto* recorded = setup.attrs.get<AttrList>("_output_shapes");
  const bool has_shapes = recorded != nullptr && std::ranges::all_of(recorded->shape, &Shape::fully_known) &&
                          recorded->shape.size() == setup.outputs.size();
  if (row == nullptr && (!has_shapes || setup.outputs.empty()))  // without outputs a node is there for what it does
    return error(Code::kUnimplemented,
                 "node '{}': tarry does not compute op {} and the graph has no full shape for it; give its output a "
                 "shape in the script (set_shape)",
                 setup.name, setup.op);
  return std::make_unique<ComputeKernel>(setup, row == nullptr ? Behaviour{} : behaviour_of(*row, setup));
}

}  // namespace tarry
