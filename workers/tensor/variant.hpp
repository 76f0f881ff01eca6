// What an element of type variant is: a list of tensors, or an optional of several.
//
// Variants are scalars, and never change: an op that alters a list gives another one, which shares the tensors.
#pragma once

#include <memory>
#include <vector>

#include "workers/tensor/tensor.hpp"

namespace tarry {

struct Variant {
  enum class Kind { list, optional };
  Kind kind = Kind::list;
  bool has_value = true;                       // of an optional
  DataType element_type = DataType::kInvalid;  // of a list, as are:
  Shape element_shape = Shape::unknown();      // of each element, perhaps not fully known
  std::int64_t most_elements = -1;             // -1 = as many as one likes
  std::vector<TensorRef> tensors;              // null = reserved, and not set yet
};

[[nodiscard]] TensorRef make_variant(Variant value);
// REQUIRES: `t` is of type variant and was made by make_variant.
[[nodiscard]] const Variant& variant_of(const TensorBody& t);
[[nodiscard]] bool is_variant(const TensorBody& t, Variant::Kind kind);

}  // namespace tarry
