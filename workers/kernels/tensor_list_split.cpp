// TensorListSplit: a list of parts of a tensor, which is the gradient of a list that was joined. Inputs: the tensor,
// the elements' shape, and how many rows each of them has.

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/tensor_list.hpp"

namespace tarry {
namespace {

Status check_parts(const TensorBody& t, const Shape& element, const Shape& lengths) {
  if (!element.unknown_rank && element.dims.empty())
    return invalid("TensorListSplit requires element_shape to be at least of rank 1, but saw: {}", to_string(element));
  if (t.shape().rank() < 1) return invalid("Tensor must be at least a vector, but saw shape: {}", to_string(t.shape()));
  Shape of_any_length = element;
  if (!element.unknown_rank) of_any_length.dims[0] = -1;
  if (!fits_shape(of_any_length, t.shape()))
    return invalid("tensor shape {} is not compatible with element_shape {}", to_string(t.shape()), to_string(element));
  if (lengths.rank() != 1) return invalid("Expected lengths to be a vector, received shape: {}", to_string(lengths));
  return {};
}

TensorRef rows_from(const TensorBody& t, std::int64_t first, std::int64_t count) {
  Shape shape = t.shape();
  shape.dims[0] = 1;
  const std::int64_t width = shape.elements();
  shape.dims[0] = count;
  MutableTensor part(new TensorBody(t.dtype(), shape));
  if (!t.has_data()) return part;
  part->allocate();
  copy_elements(*part, 0, t, static_cast<std::size_t>(first * width), static_cast<std::size_t>(count * width));
  return part;
}

StatusOr<std::vector<TensorRef>> parts_of(const TensorBody& t, const Dims& lengths) {
  const std::int64_t all = t.shape().dims[0];
  std::vector<TensorRef> parts;
  std::int64_t at = 0;
  for (const std::int64_t length : lengths) {
    if (length < 0) return invalid("Invalid value in lengths: {}", length);
    if (length > all - at)
      return invalid("Attempting to slice [{}, {}] from tensor with length {}", at, at + length, all);
    parts.push_back(rows_from(t, at, length));
    at += length;
  }
  if (at < all) return invalid("Unused values in tensor. Length of tensor: {} Values used: {}", all, at);
  return parts;
}

class ListSplitKernel : public Kernel {
 public:
  explicit ListSplitKernel(const KernelSetup& s) : type_(attr_or(s.attrs, "element_dtype", DataType::kFloat)) {}
  [[nodiscard]] bool is_of_node_alone() const override { return true; }
  Status compute(KernelContext& c) override {
    TARRY_ASSIGN(const Shape element, shape_in(c, 1));
    TARRY_RETURN_IF_ERROR(check_parts(c.in(0), element, c.shape(2)));
    if (!c.in(2).has_data()) return error(Code::kUnimplemented, "the lengths have no values here: raise values_up_to");
    TARRY_ASSIGN(std::vector<TensorRef> parts, parts_of(c.in(0), integers_of(c.in(2))));
    return c.give(0, make_variant({.element_type = type_, .element_shape = element, .tensors = std::move(parts)}));
  }

 private:
  DataType type_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> make_list_split(const KernelSetup& s) { return std::make_unique<ListSplitKernel>(s); }

}  // namespace tarry
