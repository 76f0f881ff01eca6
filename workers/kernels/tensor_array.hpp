// A TensorArray: tensors by index, each written once and read as often as the flags allow. In a gradient's TensorArray,
// writes to one index add up.
//
// It belongs to a step. A gradient's array grows when it is read behind its end, if the element shape is known. Texts
// and codes are TensorFlow's (tensor_array_ops, 2.15). An element of which only the shape is known reads as zeros.
#pragma once

#include <string>
#include <vector>

#include "workers/kernels/kernel.hpp"

namespace tarry {

struct TensorArray : Resource {
  TensorArray() : Resource(ResourceKind::tensor_array) {}

  struct Element {
    TensorRef value;  // null while `written` is true = zeros of `shape`
    Shape shape;
    bool written = false, read = false, cleared = false;
  };

  std::string name;
  DataType type = DataType::kFloat;
  Shape element_shape = Shape::unknown();
  bool dynamic = false, clear_after_read = true, identical_shapes = false, is_gradient = false, closed = false;
  std::vector<Element> elements;

  [[nodiscard]] Status write(std::int64_t index, TensorRef value);
  [[nodiscard]] StatusOr<TensorRef> read(std::int64_t index);
  [[nodiscard]] Status check_open() const;
  // What is known of the elements' shape and of this one together. Fails: INVALID_ARGUMENT `PartialTensorShape:
  // Incompatible shapes during merge: [2] vs. [3]`.
  [[nodiscard]] Status set_element_shape(const Shape& shape);

 private:
  [[nodiscard]] Status check_write(std::int64_t index, const TensorBody& value);
  [[nodiscard]] Status add_to(std::int64_t index, Element& e, const TensorRef& value) const;
};

// Whether `given` fits `wanted`; unknown dimensions fit anything.
[[nodiscard]] bool is_compatible(const Shape& wanted, const Shape& given);

}  // namespace tarry
