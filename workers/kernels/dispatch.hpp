// Choosing a C++ type for a DataType, once per execution.
#pragma once

#include "workers/kernels/families.hpp"

namespace tarry {

// Calls `f.template operator()<T>()` for the element type. Fails for other types: UNIMPLEMENTED, and so does the
// node.
template <class F>
Status for_number(DataType t, F&& f) {
  switch (base_type(t)) {
    case DataType::kFloat:
      return f.template operator()<float>();
    case DataType::kDouble:
      return f.template operator()<double>();
    case DataType::kInt32:
      return f.template operator()<std::int32_t>();
    case DataType::kInt64:
      return f.template operator()<std::int64_t>();
    default:
      return error(Code::kUnimplemented, "tarry computes no values of type {}", type_name(t));
  }
}
template <class F>
Status for_number_or_bool(DataType t, F&& f) {
  if (base_type(t) == DataType::kBool) return f.template operator()<bool>();
  return for_number(t, std::forward<F>(f));
}
template <class F>
Status for_number_or_complex(DataType t, F&& f) {
  if (base_type(t) == DataType::kComplex64) return f.template operator()<std::complex<float>>();
  if (base_type(t) == DataType::kComplex128) return f.template operator()<std::complex<double>>();
  return for_number(t, std::forward<F>(f));
}

// What many numbers are added up in: floats in double, which is near to TensorFlow's sums, as they are made in a tree.
template <class T>
using SumOf = std::conditional_t<std::is_same_v<T, float>, double, T>;

// An attribute of an imported node, or `otherwise`. The importer has already filled in the op's defaults.
template <class T>
T attr_or(const Attrs& attrs, std::string_view name, T otherwise) {
  const T* v = attrs.get<T>(name);
  return v == nullptr ? otherwise : *v;
}

// Makers of kernels: one without arguments, and one that takes the setup.
template <class K>
StatusOr<std::unique_ptr<Kernel>> make_plain(const KernelSetup&) {
  return std::make_unique<K>();
}
template <class K>
StatusOr<std::unique_ptr<Kernel>> make_from_setup(const KernelSetup& s) {
  return std::make_unique<K>(s);
}

// The behaviour of a kernel made of two plain functions. Without a value function it gives shapes only; without a shape
// function, the value function allocates the outputs.
template <auto value, auto shape = nullptr>
Behaviour behaves(const KernelSetup&) {
  return {value, shape};
}

// Sets the shape of a shape function's only output.
inline Status only(std::span<Shape> out, Shape shape) {
  out[0] = std::move(shape);
  return {};
}

// The shape function of ops whose (first) output has the shape of their first input.
inline Status same_shape(const KernelContext& c, std::span<Shape> out) { return only(out, c.shape(0)); }

// The shape function of ops that refuse inputs of different shapes (INVALID_ARGUMENT); the output has the same shape.
inline std::function<Status(const KernelContext&, std::span<Shape>)> equal_shapes(const KernelSetup& s) {
  return [name = std::string(s.name), op = std::string(s.op)](const KernelContext& c, std::span<Shape> out) -> Status {
    for (std::size_t i = 1; i < c.inputs.size(); ++i)
      if (c.shape(i) != c.shape(0))
        return invalid(
            "Inputs to operation {} of type {} must have the same size and shape.  Input 0: {} != input {}: {}", name,
            op, to_string(c.shape(0)), i, to_string(c.shape(i)));
    return same_shape(c, out);
  };
}

class AsyncKernel : public Kernel {
 public:
  [[nodiscard]] bool is_async() const override { return true; }
};

// NumPy broadcasting of two shapes. Fails: INVALID_ARGUMENT `Incompatible shapes: [2] vs. [3]`.
[[nodiscard]] Status broadcast(const Shape& a, const Shape& b, Shape& out);
// For each element of `out`, the element of `in` that broadcasting reads.
[[nodiscard]] std::vector<std::size_t> broadcast_indices(const Shape& in, const Shape& out);

}  // namespace tarry
