// TensorArrays: the ops around tensor_array.hpp.

#include <algorithm>
#include <numeric>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/handle.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/tensor_array.hpp"

namespace tarry {
namespace {

class TensorArrayKernel : public Kernel {
 public:
  explicit TensorArrayKernel(const KernelSetup& s) : host_(s.host), handle_(make_handle(s, std::string(s.name))) {
    like_.name = attr_or(s.attrs, "tensor_array_name", std::string());
    if (like_.name.empty()) like_.name = s.name;
    like_.type = attr_or(s.attrs, "dtype", DataType::kFloat);
    like_.element_shape = attr_or(s.attrs, "element_shape", Shape::unknown());
    like_.dynamic = attr_or(s.attrs, "dynamic_size", false);
    like_.clear_after_read = attr_or(s.attrs, "clear_after_read", true);
    like_.identical_shapes = attr_or(s.attrs, "identical_element_shapes", false);
  }
  Status compute(KernelContext& c) override {
    TARRY_ASSIGN(const std::int64_t size, integer_in(c, {0, "TensorArray size must be scalar, but had shape: {}"}));
    if (size < 0) return invalid("Size should be >= 0.");
    auto array = std::make_unique<TensorArray>(like_);
    array->name = fmt::format("{}_{}", like_.name, host_.counters->tensor_arrays++);
    array->elements.resize(static_cast<std::size_t>(size));
    const std::string name = array->name;
    c.outputs[0] = {handle_, c.step->container.add(name, std::move(array))};
    if (c.outputs.size() > 1) c.set(1, make_scalar(0.0F));
    return {};
  }

 private:
  KernelHost& host_;
  TensorRef handle_;
  TensorArray like_;
};

constexpr InputRule kIndex{1, "TensorArray index must be scalar, but had shape: {}"};
constexpr InputRule kIndices{1, "Expected indices to be a vector, but received shape: {}", Takes::vector};

TensorArray& array_of(const KernelContext& c) { return static_cast<TensorArray&>(*c.inputs[0].resource); }

Status check_type_written(const TensorArray& a, DataType type) {
  return a.type == type ? Status()
                        : invalid("TensorArray dtype is {} but Op is trying to write dtype {}.", type_name(a.type),
                                  type_name(type));
}

Status check_type_read(const TensorArray& a, DataType type) {
  return a.type == type
             ? Status()
             : invalid("TensorArray dtype is {} but Op requested dtype {}.", type_name(a.type), type_name(type));
}

// The array of a gradient, one for each (array, source): as large as the array is now, each element shaped like the
// array's, perhaps with dimensions before it (the third input).
class GradKernel : public Kernel {
 public:
  explicit GradKernel(const KernelSetup& s)
      : source_(attr_or(s.attrs, "source", std::string())), handle_(make_handle(s, std::string(s.name))) {}
  Status compute(KernelContext& c) override {
    TensorArray& forward = array_of(c);
    if (forward.is_gradient) return invalid("Wrong input container. _tensor_array_grads{}", forward.name);
    TARRY_RETURN_IF_ERROR(forward.check_open());
    const std::string name = forward.name + "@" + source_;
    forward.dynamic = false;  // it must not grow past its gradient
    Dims before;
    if (c.inputs.size() > 2) {
      TARRY_RETURN_IF_ERROR(check_input(c, kBefore));
      before = integers_of(c.in(2));
    }
    Resource* found = c.step->container.find(name);
    if (found == nullptr) found = c.step->container.add(name, make(forward, name, before));
    c.outputs[0] = {handle_, found};
    if (c.outputs.size() > 1) c.outputs[1] = c.inputs[1];
    return {};
  }

 private:
  static constexpr InputRule kBefore{2, "shape must be a vector of {{int32,int64}}, got shape {}", Takes::vector};

  static Shape with(const Dims& before, Shape shape) {
    if (!shape.unknown_rank) shape.dims.insert(shape.dims.begin(), before.begin(), before.end());
    return shape;
  }
  static std::unique_ptr<TensorArray> make(const TensorArray& forward, const std::string& name, const Dims& before) {
    auto g = std::make_unique<TensorArray>(forward);
    g->name = name;
    g->is_gradient = true;
    g->clear_after_read = true;
    g->element_shape = with(before, forward.element_shape);
    for (TensorArray::Element& e : g->elements)
      e = {nullptr, e.written ? with(before, e.shape) : e.shape, e.written, false, false};
    return g;
  }

  std::string source_;
  TensorRef handle_;
};

// Inputs: handle, index, value, flow.
class WriteKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    TARRY_ASSIGN(const std::int64_t index, integer_in(c, kIndex));
    TARRY_RETURN_IF_ERROR(check_type_written(array_of(c), c.in(2).dtype()));
    TARRY_RETURN_IF_ERROR(array_of(c).write(index, c.inputs[2].tensor));
    c.outputs[0] = c.inputs[3];
    return {};
  }
};

// Inputs: handle, index, flow.
class ReadKernel : public Kernel {
 public:
  explicit ReadKernel(const KernelSetup& s) : type_(s.outputs[0]) {}
  Status compute(KernelContext& c) override {
    TARRY_ASSIGN(const std::int64_t index, integer_in(c, kIndex));
    TARRY_RETURN_IF_ERROR(check_type_read(array_of(c), type_));
    TARRY_ASSIGN(TensorRef value, array_of(c).read(index));
    return c.give(0, std::move(value));
  }

 private:
  DataType type_;
};

// Inputs: handle, indices, flow. The elements stacked.
class GatherKernel : public Kernel {
 public:
  explicit GatherKernel(const KernelSetup& s)
      : type_(s.outputs[0]), element_shape_(attr_or(s.attrs, "element_shape", Shape::unknown())) {}
  Status compute(KernelContext& c) override {
    TensorArray& a = array_of(c);
    TARRY_RETURN_IF_ERROR(check_type_read(a, type_));
    TARRY_RETURN_IF_ERROR(a.set_element_shape(element_shape_));
    TARRY_RETURN_IF_ERROR(check_input(c, kIndices));
    std::vector<TensorRef> values;
    for (const std::int64_t index : integers_of(c.in(1))) {
      TARRY_ASSIGN(TensorRef value, a.read(index));
      values.push_back(std::move(value));
    }
    return values.empty() ? stack_nothing(c) : stack(values, c);
  }

 private:
  Status stack_nothing(KernelContext& c) const {
    Shape shape = element_shape_;
    if (!shape.fully_known())
      return error(Code::kUnimplemented,
                   "TensorArray has size zero, but element shape {} is not fully defined. Currently only static shapes "
                   "are supported when packing zero-size TensorArrays.",
                   to_string(shape));
    shape.dims.insert(shape.dims.begin(), 0);
    return c.give(0, make_tensor(type_, shape));
  }

  Status stack(const std::vector<TensorRef>& values, KernelContext& c) const {
    const Shape& first = values[0]->shape();
    if (!is_compatible(element_shape_, first))
      return invalid("TensorArray was passed element_shape {} which does not match the Tensor at index 0: {}",
                     to_string(element_shape_), to_string(first));
    Shape shape = first;
    shape.dims.insert(shape.dims.begin(), static_cast<std::int64_t>(values.size()));
    if (!std::ranges::all_of(values, [](const TensorRef& v) { return v->has_data(); }))
      return c.give(0, make_shape_only(type_, shape));
    MutableTensor to = make_tensor(type_, shape);
    if (to->elements() == 0) return c.give(0, to);  // whatever the others are
    const auto width = static_cast<std::size_t>(first.elements());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i]->shape() != first)
        return invalid("TensorArray has inconsistent shapes.  Index 0 has shape: {} but index {} has shape: {}",
                       to_string(first), i, to_string(values[i]->shape()));
      copy_elements(*to, i * width, *values[i], 0, width);
    }
    return c.give(0, to);
  }

  DataType type_;
  Shape element_shape_;
};

// A part of a tensor: as many elements as `shape` has, from element `at` on.
TensorRef part_of(const TensorBody& whole, const Shape& shape, std::int64_t at) {
  MutableTensor part(new TensorBody(whole.dtype(), shape));
  if (!whole.has_data()) return part;
  part->allocate();
  copy_elements(*part, 0, whole, static_cast<std::size_t>(at), static_cast<std::size_t>(shape.elements()));
  return part;
}

// Inputs: handle, indices, value, flow. Row i goes to indices[i].
class ScatterArrayKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    TensorArray& a = array_of(c);
    TARRY_RETURN_IF_ERROR(check_value(c, a));
    TARRY_RETURN_IF_ERROR(check_input(c, kIndices));
    const auto indices = integers_of(c.in(1));
    TARRY_RETURN_IF_ERROR(check_indices(c, a, indices));
    Shape row = c.shape(2);
    row.dims.erase(row.dims.begin());
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i) * row.elements();
      TARRY_RETURN_IF_ERROR(a.write(indices[i], part_of(c.in(2), row, at)));
    }
    c.outputs[0] = c.inputs[3];
    return {};
  }

 private:
  static Status check_value(const KernelContext& c, const TensorArray& a) {
    TARRY_RETURN_IF_ERROR(check_type_written(a, c.in(2).dtype()));
    if (c.shape(2).rank() < 1)
      return invalid("Input value for unpack must be at least a vector but received shape: {}", to_string(c.shape(2)));
    return a.check_open();
  }
  static Status check_indices(const KernelContext& c, const TensorArray& a, const Dims& indices) {
    if (c.shape(2).dims[0] != static_cast<std::int64_t>(indices.size()))
      return invalid("Expected len(indices) == values.shape[0], but saw: {} vs. {}", indices.size(),
                     c.shape(2).dims[0]);
    const std::int64_t largest = indices.empty() ? -1 : *std::ranges::max_element(indices);
    if (!a.dynamic && std::cmp_greater_equal(largest, a.elements.size()))
      return invalid("Max scatter index must be < array size ({} vs. {})", largest, a.elements.size());
    return {};
  }
};

constexpr InputRule kLengths{2, "Expected lengths to be a vector, received shape: {}", Takes::vector};

// Inputs: handle, value, lengths, flow. Element i is the next lengths[i] rows.
class SplitKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    TensorArray& a = array_of(c);
    TARRY_RETURN_IF_ERROR(check_input(c, kLengths));
    const auto lengths = integers_of(c.in(2));
    TARRY_RETURN_IF_ERROR(check(c, a, lengths));
    std::int64_t at = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      Shape shape = c.shape(1);
      shape.dims[0] = lengths[i];
      TARRY_RETURN_IF_ERROR(a.write(static_cast<std::int64_t>(i), part_of(c.in(1), shape, at)));
      at += shape.elements();
    }
    c.outputs[0] = c.inputs[3];
    return {};
  }

 private:
  // A negative length, with which TensorFlow's process would end, is refused like a wrong sum.
  static Status check(const KernelContext& c, const TensorArray& a, const Dims& lengths) {
    const Shape& shape = c.shape(1);
    if (shape.rank() < 1)
      return invalid("Expected value to be at least a vector, but received shape: {}", to_string(shape));
    const std::int64_t sum = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    if (sum != shape.dims[0] || std::ranges::any_of(lengths, [](std::int64_t n) { return n < 0; }))
      return invalid(
          "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is {} and value's shape is: {}",
          sum, to_string(shape));
    TARRY_RETURN_IF_ERROR(a.check_open());
    if (lengths.size() < a.elements.size() || (!a.dynamic && lengths.size() > a.elements.size()))
      return invalid(
          "TensorArray's size is not equal to the size of lengths ({} vs. {}), and the TensorArray is not marked as "
          "dynamically resizeable",
          a.elements.size(), lengths.size());
    return check_type_written(a, c.in(1).dtype());
  }
};

// Inputs: handle, flow. Outputs: the elements one after the other, and how many rows each has.
class ConcatKernel : public Kernel {
 public:
  explicit ConcatKernel(const KernelSetup& s)
      : type_(s.outputs[0]), row_(attr_or(s.attrs, "element_shape_except0", Shape::unknown())) {}
  Status compute(KernelContext& c) override {
    TensorArray& a = array_of(c);
    TARRY_RETURN_IF_ERROR(check_type_read(a, type_));
    TARRY_RETURN_IF_ERROR(a.check_open());
    if (a.elements.empty()) return concat_nothing(c);
    std::vector<TensorRef> values;
    for (std::size_t i = 0; i < a.elements.size(); ++i) {
      TARRY_ASSIGN(TensorRef value, a.read(static_cast<std::int64_t>(i)));
      values.push_back(std::move(value));
    }
    return concat(values, c);
  }

 private:
  Status concat_nothing(KernelContext& c) const {
    if (!row_.fully_known())
      return error(Code::kUnimplemented,
                   "TensorArray has size zero, but element_shape_except0 {} is not fully defined. Currently only "
                   "static shapes are supported when concatenating zero-size TensorArrays.",
                   to_string(row_));
    Shape shape = row_;
    shape.dims.insert(shape.dims.begin(), 0);
    c.set(0, make_tensor(type_, shape));
    return c.give(1, make_vector(Dims()));
  }

  static Shape row_of(const Shape& s) { return Shape(Dims(s.dims.begin() + 1, s.dims.end())); }

  Status check(const std::vector<TensorRef>& values, std::size_t i) const {
    const Shape& shape = values[i]->shape();
    if (shape.rank() < 1)
      return invalid("Concat saw a scalar shape at index {} but requires at least vectors.  Did you mean to call pack?",
                     i);
    const Shape first = row_of(values[0]->shape()), row = row_of(shape);
    if (i == 0 && !is_compatible(row_, row))
      return invalid(
          "TensorArray was passed element_shape_except0 {} but index 0 has (excepting dimension 0) shape: {} which "
          "does not match.",
          to_string(row_), to_string(row));
    if (row != first)
      return invalid(
          "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: {} but index {} has "
          "(excepting dimension 0) shape: {}",
          to_string(first), i, to_string(row));
    return {};
  }

  Status concat(const std::vector<TensorRef>& values, KernelContext& c) const {
    Dims lengths;
    for (std::size_t i = 0; i < values.size(); ++i) {
      TARRY_RETURN_IF_ERROR(check(values, i));
      lengths.push_back(values[i]->shape().dims[0]);
    }
    Shape shape = values[0]->shape();
    shape.dims[0] = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    c.set(1, make_vector(lengths));
    if (!std::ranges::all_of(values, [](const TensorRef& v) { return v->has_data(); }))
      return c.give(0, make_shape_only(type_, shape));
    MutableTensor to = make_tensor(type_, shape);
    std::size_t at = 0;
    for (const TensorRef& v : values) {
      copy_elements(*to, at, *v, 0, static_cast<std::size_t>(v->elements()));
      at += static_cast<std::size_t>(v->elements());
    }
    return c.give(0, to);
  }

  DataType type_;
  Shape row_;
};

class ArraySizeKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    TARRY_RETURN_IF_ERROR(array_of(c).check_open());
    return c.give(0, make_scalar(static_cast<std::int32_t>(array_of(c).elements.size())));
  }
};

class CloseArrayKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    array_of(c).closed = true;
    array_of(c).elements.clear();
    return {};
  }
};

constexpr KernelRow kTensorArrayRows[] = {
    {"TensorArrayV3", make_from_setup<TensorArrayKernel>},     {"TensorArrayGradV3", make_from_setup<GradKernel>},
    {"TensorArrayGradWithShape", make_from_setup<GradKernel>}, {"TensorArrayWriteV3", make_plain<WriteKernel>},
    {"TensorArrayReadV3", make_from_setup<ReadKernel>},        {"TensorArrayGatherV3", make_from_setup<GatherKernel>},
    {"TensorArrayScatterV3", make_plain<ScatterArrayKernel>},  {"TensorArraySplitV3", make_plain<SplitKernel>},
    {"TensorArrayConcatV3", make_from_setup<ConcatKernel>},    {"TensorArraySizeV3", make_plain<ArraySizeKernel>},
    {"TensorArrayCloseV3", make_plain<CloseArrayKernel>},
};

}  // namespace

KernelFamily tensor_array_ops() { return {kTensorArrayRows, ResourceKind::tensor_array}; }

}  // namespace tarry
