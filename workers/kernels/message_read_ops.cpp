// Tensors, dense and sparse, that are read from serialized messages.

#include <absl/strings/escaping.h>

#include <algorithm>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/rearrange.hpp"
#include "workers/kernels/sparse_parts.hpp"
#include "workers/kernels/tensor_message.hpp"

namespace tarry {
namespace {

Status message_not_known() {
  return error(Code::kUnimplemented, "the shape of what a serialized tensor says is not known: it has no data here");
}

// ParseTensor (a message).
class ParseTensorKernel : public Kernel {
 public:
  explicit ParseTensorKernel(const KernelSetup& s) : type_(s.outputs[0]) {}
  Status compute(KernelContext& c) override {
    if (c.shape(0).rank() != 0)
      return invalid("Expected `serialized` to be a scalar, got shape: {}", to_string(c.shape(0)));
    if (!known(c, 0)) return message_not_known();
    const std::string& bytes = c.in(0).strings()[0];
    auto tensor = tensor_of_message(bytes);
    if (!tensor.ok() && tensor.status().code() == Code::kUnknown)
      return invalid("Could not parse `serialized` as TensorProto, base64: {}", absl::Base64Escape(bytes));
    if (!tensor.ok()) return tensor.status();
    if ((*tensor)->dtype() != type_)
      return invalid("Type mismatch between parsed tensor ({}) and dtype ({})", type_name((*tensor)->dtype()),
                     type_name(type_));
    return c.give(0, *tensor);
  }

 private:
  DataType type_;
};

// ---- DeserializeSparse, DeserializeManySparse (messages [..., 3]): one sparse tensor ----

struct ReadSparse {
  TensorRef indices, values, shape;
  [[nodiscard]] SparseParts parts() const { return {*indices, *values, *shape}; }
};

StatusOr<TensorRef> read_part(const std::string& bytes) {
  auto part = tensor_of_message(bytes);
  if (!part.ok() && part.status().code() == Code::kUnknown) return invalid("Could not parse serialized proto");
  if (!part.ok()) return invalid("Could not construct tensor from proto");
  return part;
}

Status check_counts(const ReadSparse& t, std::size_t i) {
  const Shape &indices = t.indices->shape(), &values = t.values->shape(), &shape = t.shape->shape();
  if (t.indices->dtype() != DataType::kInt64 || t.shape->dtype() != DataType::kInt64)
    return error(Code::kInternal, "the indices and the shape of a serialized sparse tensor must be of type int64");
  if (indices.dims[0] != values.dims[0])
    return invalid(
        "Expected row counts of SparseTensor[{0}].indices and SparseTensor[{0}].values to match but they do not: {1} "
        "vs. {2}",
        i, indices.dims[0], values.dims[0]);
  if (indices.dims[1] != shape.dims[0])
    return invalid(
        "Expected column counts of SparseTensor[{0}].indices to match size of SparseTensor[{0}].shape but they do not: "
        "{1} vs. {2}",
        i, indices.dims[1], shape.dims[0]);
  return {};
}

Status check_read(const ReadSparse& t, std::size_t i, DataType type) {
  const Shape &indices = t.indices->shape(), &values = t.values->shape(), &shape = t.shape->shape();
  if (indices.rank() != 2)
    return invalid("Expected serialized_sparse[{}, 0] to represent an index matrix but received shape {}", i,
                   to_string(indices));
  if (values.rank() != 1)
    return invalid("Expected serialized_sparse[{}, 1] to represent a values vector but received shape {}", i,
                   to_string(values));
  if (shape.rank() != 1)
    return invalid("Expected serialized_sparse[{}, 2] to represent a shape vector but received shape {}", i,
                   to_string(shape));
  if (t.values->dtype() != type)
    return invalid("Requested SparseTensor of type {} but SparseTensor[{}].values.dtype() == {}", type_name(type), i,
                   type_name(t.values->dtype()));
  return check_counts(t, i);
}

StatusOr<std::vector<ReadSparse>> read_all(const KernelContext& c, DataType type) {
  const Shape& s = c.shape(0);
  if (s.rank() == 0) return invalid("Serialized sparse should have non-zero rank {}", to_string(s));
  if (s.dims.back() != 3) return invalid("Serialized sparse should have 3 as the last dimension {}", to_string(s));
  if (c.in(0).elements() == 0)
    return invalid("Serialized sparse should have at least 1 serialized tensor, but has a zero dimension {}",
                   to_string(s));
  std::vector<ReadSparse> all;
  for (std::size_t i = 0; i + 2 < c.in(0).strings().size(); i += 3) {
    ReadSparse t;
    TARRY_ASSIGN(t.indices, read_part(c.in(0).strings()[i]));
    TARRY_ASSIGN(t.values, read_part(c.in(0).strings()[i + 1]));
    TARRY_ASSIGN(t.shape, read_part(c.in(0).strings()[i + 2]));
    TARRY_RETURN_IF_ERROR(check_read(t, i / 3, type));
    if (!all.empty() && t.shape->elements() != all[0].shape->elements())
      return invalid(
          "Inconsistent shape across SparseTensors: rank prior to SparseTensor[{0}] was: {1} but rank of "
          "SparseTensor[{0}] is: {2}",
          i / 3, all[0].shape->elements(), t.shape->elements());
    all.push_back(std::move(t));
  }
  return all;
}

// The size of each dimension: those of the messages' places, then the largest of all tensors.
Dims joined_shape(const Shape& places, const std::vector<ReadSparse>& all) {
  Dims shape = places.dims;
  const std::size_t outer = shape.size();
  shape.resize(outer + all[0].parts().rank());
  for (const ReadSparse& t : all)
    for (std::size_t d = outer; d < shape.size(); ++d)
      shape[d] = std::max(shape[d], t.shape->as<std::int64_t>()[d - outer]);
  return shape;
}

class DeserializeSparseKernel : public Kernel {
 public:
  explicit DeserializeSparseKernel(const KernelSetup& s) : type_(s.outputs[1]) {}
  Status compute(KernelContext& c) override {
    if (!known(c, 0)) return message_not_known();
    TARRY_ASSIGN(const std::vector<ReadSparse> all, read_all(c, type_));
    const Shape places(Dims(c.shape(0).dims.begin(), c.shape(0).dims.end() - 1));
    std::int64_t count = 0;
    for (const ReadSparse& t : all) count += t.values->elements();
    MutableTensor values = make_tensor(type_, Shape({count}));
    Dims indices;
    for (std::size_t i = 0, at = 0; i < all.size(); ++i) {
      const Dims place = coordinates(places, static_cast<std::int64_t>(i));
      const SparseParts p = all[i].parts();
      for (std::size_t e = 0; e < p.count(); ++e, ++at) {
        indices.insert(indices.end(), place.begin(), place.end());
        indices.insert(indices.end(), p.row(e).begin(), p.row(e).end());
        copy_elements(*values, at, p.values, e);
      }
    }
    return give_sparse(c, 0, indices, values, joined_shape(places, all)), Status();
  }

 private:
  DataType type_;
};

constexpr KernelRow kMessageReadRows[] = {
    {"ParseTensor", make_from_setup<ParseTensorKernel>},
    {"DeserializeSparse", make_from_setup<DeserializeSparseKernel>},
    {"DeserializeManySparse", make_from_setup<DeserializeSparseKernel>},
};

}  // namespace

KernelFamily message_read_ops() { return kMessageReadRows; }

}  // namespace tarry
