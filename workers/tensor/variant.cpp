#include "workers/tensor/variant.hpp"

namespace tarry {

TensorRef make_variant(Variant value) {
  MutableTensor t = make_tensor(DataType::kVariant, Shape());
  t->set_variant(std::make_shared<const Variant>(std::move(value)));
  return t;
}

const Variant& variant_of(const TensorBody& t) {
  check(t.variant() != nullptr, "a tensor is read as a variant");
  return *t.variant();
}

bool is_variant(const TensorBody& t, Variant::Kind kind) { return t.variant() != nullptr && t.variant()->kind == kind; }

}  // namespace tarry
