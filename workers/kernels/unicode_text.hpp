// Code points of texts, and texts of code points, in the encodings that ops know.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "placer/core/status.hpp"

namespace tarry {

enum class Encoding { utf8, utf16_be, utf16_le, utf32_be, utf32_le, ascii, latin1 };

// By its name, in whatever case and with or without hyphens. Fails: INVALID_ARGUMENT as TensorFlow does for a name that
// is none; UNIMPLEMENTED for an encoding that tarry does not know.
[[nodiscard]] StatusOr<Encoding> encoding_named(const std::string& name);

struct CodePoint {
  char32_t value = 0;
  std::size_t at = 0;    // of its first byte
  bool is_valid = true;  // false: no code point begins here; `value` is then 0xFFFD
};

// As many bytes as can begin a code point, and are none, count as one that is not valid.
[[nodiscard]] std::vector<CodePoint> code_points(std::string_view text, Encoding encoding);
// REQUIRES: a code point that is valid; `encoding` is utf8, utf16_be or utf32_be.
void append_code_point(std::string& to, char32_t value, Encoding encoding);

}  // namespace tarry
