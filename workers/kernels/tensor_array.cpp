#include "workers/kernels/tensor_array.hpp"

#include <algorithm>

#include "workers/kernels/update.hpp"

namespace tarry {

bool is_compatible(const Shape& wanted, const Shape& given) {
  if (wanted.unknown_rank || given.unknown_rank) return true;
  return std::ranges::equal(wanted.dims, given.dims,
                            [](std::int64_t x, std::int64_t y) { return x < 0 || y < 0 || x == y; });
}

Status TensorArray::check_open() const {
  return closed ? invalid("TensorArray {} has already been closed.", name) : Status();
}

Status TensorArray::check_write(std::int64_t index, const TensorBody& value) {
  TARRY_RETURN_IF_ERROR(check_open());
  const auto size = static_cast<std::int64_t>(elements.size());
  if (index < 0 || (!dynamic && index >= size))
    return invalid("TensorArray {}: Tried to write to index {} but array is not resizeable and size is: {}", name,
                   index, size);
  if (index >= size) elements.resize(static_cast<std::size_t>(index) + 1);
  const auto refuse = [&](const std::string& why) {
    return invalid("TensorArray {}: Could not write to TensorArray index {} because {}", name, index, why);
  };
  if (value.dtype() != type)
    return refuse(
        fmt::format("the value dtype is {} but TensorArray dtype is {}.", type_name(value.dtype()), type_name(type)));
  if (!is_compatible(element_shape, value.shape()))
    return refuse(
        fmt::format("the value shape is {} which is incompatible with the TensorArray's inferred element shape: {} "
                    "(consider setting infer_shape=False).",
                    to_string(value.shape()), to_string(element_shape)));
  const Element& e = elements[static_cast<std::size_t>(index)];
  if (e.read) return refuse("it has already been read.");
  if (!is_gradient && e.written) return refuse("it has already been written to.");
  if (identical_shapes) element_shape = value.shape();
  return {};
}

Status TensorArray::write(std::int64_t index, TensorRef value) {
  TARRY_RETURN_IF_ERROR(check_write(index, *value));
  Element& e = elements[static_cast<std::size_t>(index)];
  if (e.written) return add_to(index, e, value);
  e.shape = value->shape();
  e.value = snapshot(value);
  e.written = true;
  return {};
}

Status TensorArray::add_to(std::int64_t index, Element& e, const TensorRef& value) const {
  if (e.shape != value->shape())
    return invalid(
        "TensorArray {}: Could not aggregate to TensorArray index {} because the existing shape is {} but the new "
        "input shape is {}.",
        name, index, to_string(e.shape), to_string(value->shape()));
  if (!e.value || !e.value->has_data() || !value->has_data()) {
    e.value = snapshot(value);
    return {};
  }
  if (type == DataType::kString) return invalid("tensor_array::AddToTensor type not supported: string");
  MutableTensor sum = make_tensor(type, e.shape);
  TARRY_RETURN_IF_ERROR(for_every_updated(type, [&]<class T>() {
    std::ranges::transform(e.value->as<T>(), value->as<T>(), sum->mutable_as<T>().begin(),
                           [](T x, T y) { return static_cast<T>(x + y); });
    return Status();
  }));
  e.value = sum;
  return {};
}

Status TensorArray::set_element_shape(const Shape& shape) {
  if (shape.unknown_rank) return {};
  if (element_shape.unknown_rank) return element_shape = shape, Status();
  if (element_shape.dims.size() != shape.dims.size())
    return invalid("PartialTensorShape: Incompatible ranks during merge: {} vs. {}", element_shape.dims.size(),
                   shape.dims.size());
  if (!is_compatible(element_shape, shape))
    return invalid("PartialTensorShape: Incompatible shapes during merge: {} vs. {}", to_string(element_shape),
                   to_string(shape));
  for (std::size_t i = 0; i < shape.dims.size(); ++i)
    element_shape.dims[i] = std::max(element_shape.dims[i], shape.dims[i]);
  return {};
}

StatusOr<TensorRef> TensorArray::read(std::int64_t index) {
  TARRY_RETURN_IF_ERROR(check_open());
  if (is_gradient && index >= 0 && std::cmp_greater_equal(index, elements.size()) && element_shape.fully_known())
    elements.resize(static_cast<std::size_t>(index) + 1, {nullptr, element_shape, true, false, false});
  if (index < 0 || std::cmp_greater_equal(index, elements.size()))
    return invalid("Tried to read from index {} but array size is: {}", index, elements.size());
  Element& e = elements[static_cast<std::size_t>(index)];
  if (!e.written && !element_shape.fully_known())
    return invalid(
        "TensorArray {}: Could not read from TensorArray index {}.  Furthermore, the element shape is not fully "
        "defined: {}.  It is possible you are working "
        "with a resizeable TensorArray and stop_gradients is not allowing the gradients to be written.  If you set the "
        "full element_shape property on the forward "
        "TensorArray, the proper all-zeros tensor will be returned instead of incurring this error.",
        name, index, to_string(element_shape));
  if (e.cleared)
    return invalid(
        "TensorArray {}: Could not read index {} twice because it was cleared after a previous read (perhaps try "
        "setting clear_after_read = false?).",
        name, index);
  if (!e.written) e.shape = element_shape;
  if (!e.value && type == DataType::kString && e.shape.elements() > 0)
    return invalid("tensor_array::TensorSetZero type not supported: string");
  if (!e.value) e.value = make_tensor(type, e.shape);
  e.written = true;
  TensorRef value = e.value;
  e.read = true;
  if (clear_after_read) {
    e.value = nullptr;
    e.cleared = true;
  }
  return value;
}

}  // namespace tarry
