// The fields of a binary protobuf message, stepped over one by one without reading what is in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tarry {

struct WireField {
  std::size_t at = 0;  // offset of the tag
  std::uint64_t number = 0, wire_type = 0, length = 0;
  std::size_t body = 0;
};

// Steps over the field that begins at `at`. Gives "", or what is wrong with the field.
[[nodiscard]] std::string step_over_field(std::string_view bytes, std::size_t& at, WireField& field);

}  // namespace tarry
