// Numbers of every type, narrow ones too, as C++ types of their own.
//
// Most kernels compute narrow values in a wider type (narrow.hpp). Where one element changes several times in one
// execution, each change is rounded to the element's own type, so those kernels use this.
#pragma once

#include "workers/kernels/dispatch.hpp"
#include "workers/tensor/half.hpp"

namespace tarry {

template <>
struct TypeOf<std::uint8_t> {
  static constexpr DataType value = DataType::kUint8;
};
template <>
struct TypeOf<std::int8_t> {
  static constexpr DataType value = DataType::kInt8;
};
template <>
struct TypeOf<std::uint16_t> {
  static constexpr DataType value = DataType::kUint16;
};
template <>
struct TypeOf<std::int16_t> {
  static constexpr DataType value = DataType::kInt16;
};
template <>
struct TypeOf<Eigen::bfloat16> {
  static constexpr DataType value = DataType::kBfloat16;
};

template <>
struct TypeOf<std::uint32_t> {
  static constexpr DataType value = DataType::kUint32;
};
template <>
struct TypeOf<std::uint64_t> {
  static constexpr DataType value = DataType::kUint64;
};

// Whether a node adds up halves or bfloat16s, of which each sum is rounded (Behaviour::own_types).
[[nodiscard]] inline bool rounds_each(const KernelSetup& s) {
  const DataType type = base_type(attr_or(s.attrs, "T", s.inputs[0]));
  return type == DataType::kHalf || type == DataType::kBfloat16;
}

// As for_number, and what is added up in its own type: halves, bfloat16s and complex numbers.
template <class F>
Status for_summed(DataType t, F&& f) {
  if (base_type(t) == DataType::kHalf) return f.template operator()<Eigen::half>();
  if (base_type(t) == DataType::kBfloat16) return f.template operator()<Eigen::bfloat16>();
  return for_number_or_complex(t, std::forward<F>(f));
}

// Calls `f.template operator()<T>()` for the element type, narrow or not. Fails for other types: UNIMPLEMENTED.
template <class F>
Status for_every_number(DataType t, F&& f) {
  switch (base_type(t)) {
    case DataType::kUint8:
      return f.template operator()<std::uint8_t>();
    case DataType::kInt8:
      return f.template operator()<std::int8_t>();
    case DataType::kUint16:
      return f.template operator()<std::uint16_t>();
    case DataType::kInt16:
      return f.template operator()<std::int16_t>();
    case DataType::kUint32:
      return f.template operator()<std::uint32_t>();
    case DataType::kUint64:
      return f.template operator()<std::uint64_t>();
    case DataType::kHalf:
      return f.template operator()<Eigen::half>();
    case DataType::kBfloat16:
      return f.template operator()<Eigen::bfloat16>();
    default:
      return for_number(t, std::forward<F>(f));
  }
}

}  // namespace tarry
