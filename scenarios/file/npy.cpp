#include "scenarios/file/npy.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <regex>

namespace tarry {
namespace {

constexpr std::size_t kMostOfHead = 1 << 16;
constexpr std::int64_t kMostOfDimension = std::int64_t{1} << 40;

// By NumPy's letter and size.
constexpr std::pair<std::string_view, DataType> kTypes[] = {
    {"f2", DataType::kHalf},   {"f4", DataType::kFloat}, {"f8", DataType::kDouble}, {"i1", DataType::kInt8},
    {"i2", DataType::kInt16},  {"i4", DataType::kInt32}, {"i8", DataType::kInt64},  {"u1", DataType::kUint8},
    {"u2", DataType::kUint16}, {"b1", DataType::kBool},
};

// The text of the dictionary; `begin` is what comes after it.
StatusOr<std::string> head_text(std::string_view bytes, std::size_t& begin) {
  const std::size_t at = kNpyMagic.size() + 2;
  if (!bytes.starts_with(kNpyMagic) || bytes.size() < at + 4)
    return invalid("no .npy file; expected one that numpy.save wrote");
  const std::size_t digits = bytes[kNpyMagic.size()] == 1 ? 2 : 4;
  std::size_t size = 0;
  for (std::size_t i = digits; i > 0; --i) size = size << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
  begin = at + digits + size;
  if (size > kMostOfHead || begin > bytes.size())
    return invalid("the file ends within its head; expected all that numpy.save wrote");
  return std::string(bytes.substr(at + digits, size));
}

StatusOr<DataType> type_of(const std::string& head) {
  static const std::regex kDescr(R"('descr': *'([<>|=])(\w+)')");
  std::smatch m;
  if (!std::regex_search(head, m, kDescr)) return invalid("the array has records or no type; expected plain numbers");
  for (const auto& [letter, type] : kTypes)
    if (m.str(2) == letter && m.str(1) != ">") return type;
  return invalid("the array has the type {}{}; expected one of f2, f4, f8, i1, i2, i4, i8, u1, u2, b1, little endian",
                 m.str(1), m.str(2));
}

StatusOr<Shape> shape_of(const std::string& head) {
  static const std::regex kShape(R"('shape': *\(([\d, ]*)\))"), kSize(R"(\d+)");
  std::smatch m;
  if (!std::regex_search(head, m, kShape)) return invalid("the array's head has no shape");
  const std::string sizes = m[1];
  Shape shape;
  for (std::sregex_iterator it(sizes.begin(), sizes.end(), kSize), end; it != end; ++it) {
    const std::string digits = it->str();
    std::int64_t size = 0;
    const auto fault = std::from_chars(digits.data(), digits.data() + digits.size(), size).ec;
    if (fault != std::errc() || size > kMostOfDimension) return invalid("a dimension of {} is too large", digits);
    shape.dims.push_back(size);
  }
  return shape;
}

}  // namespace

StatusOr<NpyHead> read_npy_head(std::string_view bytes) {
  NpyHead head;
  TARRY_ASSIGN(const std::string text, head_text(bytes, head.begin));
  if (text.find("'fortran_order': False") == std::string::npos)
    return invalid("the array is in Fortran's order; expected C's, as numpy.ascontiguousarray gives it");
  TARRY_ASSIGN(head.dtype, type_of(text));
  TARRY_ASSIGN(head.shape, shape_of(text));
  return head;
}

}  // namespace tarry
