// Optionals: several tensors or nothing, which conditionals of control flow v2 hand to their gradients.

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/tensor_list.hpp"

namespace tarry {
namespace {

class OptionalNone : public Kernel {
 public:
  [[nodiscard]] bool is_of_node_alone() const override { return true; }
  Status compute(KernelContext& c) override {
    return c.give(0, make_variant({.kind = Variant::Kind::optional, .has_value = false}));
  }
};

class OptionalFromValue : public Kernel {
 public:
  [[nodiscard]] bool is_of_node_alone() const override { return true; }
  Status compute(KernelContext& c) override {
    Variant value{.kind = Variant::Kind::optional};
    for (const Value& v : c.inputs) value.tensors.push_back(snapshot(v.tensor));
    return c.give(0, make_variant(std::move(value)));
  }
};

StatusOr<const Variant*> optional_in(const KernelContext& c, std::string_view op) {
  if (is_variant(c.in(0), Variant::Kind::optional)) return &variant_of(c.in(0));
  return invalid("Input to {} must be an OptionalVariant object.", op);
}

class OptionalHasValue : public Kernel {
 public:
  [[nodiscard]] bool is_of_node_alone() const override { return true; }
  Status compute(KernelContext& c) override {
    TARRY_ASSIGN(const Variant* optional, optional_in(c, "OptionalHasValue"));
    return c.give(0, make_scalar(optional->has_value));
  }
};

class OptionalGetValue : public Kernel {
 public:
  explicit OptionalGetValue(const KernelSetup& s) : types_(s.outputs) {
    if (const auto* shapes = s.attrs.get<AttrList>("output_shapes")) shapes_ = shapes->shape;
  }
  [[nodiscard]] bool is_of_node_alone() const override { return true; }
  Status compute(KernelContext& c) override {
    TARRY_ASSIGN(const Variant* optional, optional_in(c, "OptionalGetValue"));
    if (!optional->has_value) return invalid("The given optional does not have a value.");
    const auto& tensors = optional->tensors;
    if (tensors.size() != types_.size())
      return invalid("The given optional has {} components, expected {}", tensors.size(), types_.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      TARRY_RETURN_IF_ERROR(check_component(*tensors[i], i));
      c.set(i, tensors[i]);
    }
    return {};
  }

 private:
  [[nodiscard]] Status check_component(const TensorBody& t, std::size_t i) const {
    if (t.dtype() != types_[i])
      return invalid("The given optional does not match the expected type for component {}. Expected: {}. Actual: {}.",
                     i, type_name(types_[i]), type_name(t.dtype()));
    if (i < shapes_.size() && !fits_shape(shapes_[i], t.shape()))
      return invalid("The given optional does not match the expected shape for component {}. Expected: {}. Actual: {}.",
                     i, to_string(shapes_[i]), to_string(t.shape()));
    return {};
  }

  DataTypes types_;
  std::vector<Shape> shapes_;
};

constexpr KernelRow kOptionalRows[] = {
    {"OptionalNone", make_plain<OptionalNone>},
    {"OptionalFromValue", make_plain<OptionalFromValue>},
    {"OptionalHasValue", make_plain<OptionalHasValue>},
    {"OptionalGetValue", make_from_setup<OptionalGetValue>},
};

}  // namespace

KernelFamily optional_ops() { return kOptionalRows; }

}  // namespace tarry
