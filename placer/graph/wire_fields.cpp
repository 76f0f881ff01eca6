#include "placer/graph/wire_fields.hpp"

#include <fmt/format.h>

namespace tarry {
namespace {

bool read_varint(std::string_view bytes, std::size_t& at, std::uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= std::uint64_t{byte & 127u} << shift;
    if (byte < 128) return true;
  }
  return false;
}

}  // namespace

std::string step_over_field(std::string_view bytes, std::size_t& at, WireField& field) {
  field.at = at;
  std::uint64_t tag = 0;
  if (!read_varint(bytes, at, tag)) return "the tag is cut off";
  field.number = tag >> 3;
  field.wire_type = tag & 7;
  if (field.number == 0) return "field number 0 does not exist";
  field.body = at;
  if (field.wire_type == 0) return read_varint(bytes, at, field.length) ? "" : "the number is cut off";
  if (field.wire_type == 2 && !read_varint(bytes, at, field.length)) return "the length is cut off";
  if (field.wire_type == 1) field.length = 8;
  if (field.wire_type == 5) field.length = 4;
  if (field.wire_type == 3 || field.wire_type == 4 || field.wire_type > 5)
    return fmt::format("wire type {} is not used", field.wire_type);
  field.body = at;
  if (field.length > bytes.size() - at)
    return fmt::format("it says {} bytes follow, {} do", field.length, bytes.size() - at);
  at += field.length;
  return "";
}

}  // namespace tarry
