// Data types and shapes, as TensorFlow numbers and prints them.
//
// A reference type is its base type + 100. Sizes are bytes of one element; strings, resources and variants have none
// (0).
#pragma once

#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tarry {

enum class DataType : std::uint8_t {
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQint8 = 11,
  kQuint8 = 12,
  kQint32 = 13,
  kBfloat16 = 14,
  kQint16 = 15,
  kQuint16 = 16,
  kUint16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,
  kVariant = 21,
  kUint32 = 22,
  kUint64 = 23,
  kFloat8E5m2 = 24,
  kFloat8E4m3fn = 25,
  kInt4 = 29,
  kUint4 = 30,
};
using DataTypes = std::vector<DataType>;

inline constexpr std::uint8_t kRefOffset = 100;

[[nodiscard]] constexpr bool is_complex(DataType t) { return t == DataType::kComplex64 || t == DataType::kComplex128; }
[[nodiscard]] constexpr bool is_ref(DataType t) { return static_cast<std::uint8_t>(t) > kRefOffset; }
[[nodiscard]] constexpr DataType base_type(DataType t) {
  return is_ref(t) ? static_cast<DataType>(static_cast<std::uint8_t>(t) - kRefOffset) : t;
}
[[nodiscard]] constexpr DataType ref_type(DataType t) {
  return is_ref(t) ? t : static_cast<DataType>(static_cast<std::uint8_t>(t) + kRefOffset);
}
[[nodiscard]] std::string type_name(DataType t);                               // "float", "float_ref", "resource"
[[nodiscard]] std::string type_enum_name(DataType t);                          // "DT_FLOAT", "DT_FLOAT_REF"
[[nodiscard]] std::optional<DataType> parse_type_name(std::string_view name);  // "float", "float32" -> kFloat
[[nodiscard]] std::size_t type_size(DataType t);
[[nodiscard]] bool is_known_type(int number);
// Types that TensorFlow always keeps in host memory, whatever a kernel says: strings and
// resources (placer/partition/memory_types.hpp).
[[nodiscard]] bool is_always_on_host(DataType t);

using Dims = absl::InlinedVector<std::int64_t, 4>;

// A shape, perhaps not fully known: rank unknown, or dimensions of -1. What a file says may be none (shape_faults.hpp).
struct Shape {
  bool unknown_rank = false;
  Dims dims;

  Shape() = default;  // a scalar
  explicit Shape(Dims d) : dims(std::move(d)) {}
  explicit Shape(std::initializer_list<std::int64_t> d) : dims(d) {}
  explicit Shape(const std::vector<std::int64_t>& d) : dims(d.begin(), d.end()) {}
  static Shape unknown() {
    Shape s;
    s.unknown_rank = true;
    return s;
  }
  [[nodiscard]] bool fully_known() const;
  [[nodiscard]] int rank() const { return unknown_rank ? -1 : static_cast<int>(dims.size()); }
  // REQUIRES: fully_known(). Saturates at the largest int64.
  [[nodiscard]] std::int64_t elements() const;
  friend bool operator==(const Shape&, const Shape&) = default;
};
[[nodiscard]] std::string to_string(const Shape& s);  // "[2,?]", "[]", "<unknown>"

}  // namespace tarry
