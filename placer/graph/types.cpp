#include "placer/graph/types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "placer/core/check.hpp"

namespace tarry {
namespace {

struct TypeRow {
  DataType type;
  const char* name;
  const char* alias;  // as Python prints it
  std::uint8_t size;
};

constexpr std::array kTypes = {
    TypeRow{DataType::kInvalid, "invalid", "invalid", 0},
    TypeRow{DataType::kFloat, "float", "float32", 4},
    TypeRow{DataType::kDouble, "double", "float64", 8},
    TypeRow{DataType::kInt32, "int32", "int32", 4},
    TypeRow{DataType::kUint8, "uint8", "uint8", 1},
    TypeRow{DataType::kInt16, "int16", "int16", 2},
    TypeRow{DataType::kInt8, "int8", "int8", 1},
    TypeRow{DataType::kString, "string", "string", 0},
    TypeRow{DataType::kComplex64, "complex64", "complex64", 8},
    TypeRow{DataType::kInt64, "int64", "int64", 8},
    TypeRow{DataType::kBool, "bool", "bool", 1},
    TypeRow{DataType::kQint8, "qint8", "qint8", 1},
    TypeRow{DataType::kQuint8, "quint8", "quint8", 1},
    TypeRow{DataType::kQint32, "qint32", "qint32", 4},
    TypeRow{DataType::kBfloat16, "bfloat16", "bfloat16", 2},
    TypeRow{DataType::kQint16, "qint16", "qint16", 2},
    TypeRow{DataType::kQuint16, "quint16", "quint16", 2},
    TypeRow{DataType::kUint16, "uint16", "uint16", 2},
    TypeRow{DataType::kComplex128, "complex128", "complex128", 16},
    TypeRow{DataType::kHalf, "half", "float16", 2},
    TypeRow{DataType::kResource, "resource", "resource", 0},
    TypeRow{DataType::kVariant, "variant", "variant", 0},
    TypeRow{DataType::kUint32, "uint32", "uint32", 4},
    TypeRow{DataType::kUint64, "uint64", "uint64", 8},
    TypeRow{DataType::kFloat8E5m2, "float8_e5m2", "float8_e5m2", 1},
    TypeRow{DataType::kFloat8E4m3fn, "float8_e4m3fn", "float8_e4m3fn", 1},
    TypeRow{DataType::kInt4, "int4", "int4", 1},
    TypeRow{DataType::kUint4, "uint4", "uint4", 1},
};

// By number, reference types included.
constexpr auto kSizes = [] {
  std::array<std::uint8_t, 256> sizes{};
  for (const TypeRow& row : kTypes)
    sizes[static_cast<std::size_t>(row.type)] = sizes[static_cast<std::size_t>(row.type) + kRefOffset] = row.size;
  return sizes;
}();

const TypeRow* find_row(DataType t) {
  const auto it = std::ranges::find(kTypes, base_type(t), &TypeRow::type);
  return it == kTypes.end() ? nullptr : &*it;
}

}  // namespace

std::string type_name(DataType t) {
  const TypeRow* row = find_row(t);
  if (row == nullptr) return fmt::format("unknown dtype enum ({})", static_cast<int>(t));
  return fmt::format("{}{}", row->name, is_ref(t) ? "_ref" : "");
}

std::string type_enum_name(DataType t) {
  std::string name = "DT_" + type_name(t);
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return name;
}

std::optional<DataType> parse_type_name(std::string_view name) {
  for (const TypeRow& row : kTypes)
    if (name == row.name || name == row.alias) return row.type;
  return std::nullopt;
}

std::size_t type_size(DataType t) { return kSizes[static_cast<std::size_t>(t)]; }

bool is_known_type(int number) {
  if (number < 0 || number > 255) return false;
  return find_row(static_cast<DataType>(number)) != nullptr;
}

bool is_always_on_host(DataType t) {
  const DataType base = base_type(t);
  return base == DataType::kString || base == DataType::kResource;
}

bool Shape::fully_known() const {
  return !unknown_rank && std::ranges::all_of(dims, [](std::int64_t d) { return d >= 0; });
}

std::int64_t Shape::elements() const {
  check(fully_known(), "Shape::elements of a shape that is not fully known");
  if (std::ranges::find(dims, 0) != dims.end()) return 0;
  std::int64_t n = 1;
  for (const std::int64_t d : dims)
    if (__builtin_mul_overflow(n, d, &n)) return std::numeric_limits<std::int64_t>::max();
  return n;
}

std::string to_string(const Shape& s) {
  if (s.unknown_rank && s.dims.empty()) return "<unknown>";
  std::string out = s.unknown_rank ? "<unknown>[" : "[";
  for (std::size_t i = 0; i < s.dims.size(); ++i) {
    if (i > 0) out += ',';
    out += s.dims[i] == -1 ? "?" : std::to_string(s.dims[i]);
  }
  return out + "]";
}

}  // namespace tarry
