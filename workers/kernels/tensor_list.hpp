// Lists of tensors in a variant: what TensorList ops have in common (texts of 2.15.1).
#pragma once

#include "workers/kernels/kernel.hpp"
#include "workers/tensor/variant.hpp"

namespace tarry {

// The list in an input. Fails: INVALID_ARGUMENT when it is no list.
[[nodiscard]] StatusOr<const Variant*> list_in(const KernelContext& c, std::size_t i);

// A shape as an input says it: a vector, or -1 for one of which nothing is known. Without data nothing is known.
[[nodiscard]] StatusOr<Shape> shape_in(const KernelContext& c, std::size_t i);

// What both say. Fails: INVALID_ARGUMENT `PartialTensorShape: Incompatible shapes during merge: [1] vs. [2]`, or
// `ranks` and both ranks.
[[nodiscard]] StatusOr<Shape> merged_shape(const Shape& a, const Shape& b);
[[nodiscard]] bool fits_shape(const Shape& partial, const Shape& given);

// Zeros; without data when they are more elements than `limit`. REQUIRES: `shape` is fully known.
[[nodiscard]] TensorRef zero_tensor(DataType type, const Shape& shape, std::int64_t limit);

// All elements in one tensor with a first dimension more; elements that are not set are zeros. Without data when an
// element has none, or when it has more elements than `limit`. REQUIRES: all have the shape `element`.
[[nodiscard]] TensorRef stacked(const std::vector<TensorRef>& tensors, DataType type, const Shape& element,
                                std::int64_t limit);
// The rows of a tensor. REQUIRES: it has a dimension.
[[nodiscard]] std::vector<TensorRef> rows_of(const TensorBody& t);

// ZerosLike and AddN of variants, and of those that they hold. Fails: INVALID_ARGUMENT for lists of different lengths,
// types or shapes and for an optional with a value and one without; INTERNAL for a list and an optional;
// RESOURCE_EXHAUSTED for variants that hold others more than 64 deep.
[[nodiscard]] StatusOr<TensorRef> zeros_like(const TensorBody& variant);
[[nodiscard]] StatusOr<TensorRef> sum_of(std::span<const Value> variants);

// TensorListSplit (tensor_list_split.cpp).
[[nodiscard]] StatusOr<std::unique_ptr<Kernel>> make_list_split(const KernelSetup& s);

}  // namespace tarry
