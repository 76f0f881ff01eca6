#include "workers/kernels/unicode_text.hpp"

#include <algorithm>
#include <cctype>
#include <span>

#include "placer/core/check.hpp"
#include "placer/core/text.hpp"

namespace tarry {
namespace {

constexpr char32_t kNone = 0xFFFD;

unsigned byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

// The bytes that may follow the first one of a code point of several in UTF-8.
struct Follow {
  std::size_t count = 0;
  unsigned least = 0x80, most = 0xBF;  // of the second byte
};
Follow follow_of(unsigned first) {
  if (first >= 0xC2 && first <= 0xDF) return {1};
  if (first == 0xE0) return {2, 0xA0};
  if (first == 0xED) return {2, 0x80, 0x9F};
  if (first >= 0xE1 && first <= 0xEF) return {2};
  if (first == 0xF0) return {3, 0x90};
  if (first >= 0xF1 && first <= 0xF3) return {3};
  return first == 0xF4 ? Follow{3, 0x80, 0x8F} : Follow{};
}

// Each of these reads one code point at `at`, which moves behind it.
CodePoint read_utf8(std::string_view text, std::size_t& at) {
  CodePoint c{kNone, at, false};
  const unsigned first = byte_at(text, at++);
  if (first < 0x80) return {first, c.at};
  Follow f = follow_of(first);
  if (f.count == 0) return c;
  char32_t value = first & (0x3FU >> f.count);
  for (std::size_t i = 0; i < f.count; ++i, f.least = 0x80, f.most = 0xBF) {
    if (at >= text.size() || byte_at(text, at) < f.least || byte_at(text, at) > f.most) return c;
    value = value << 6 | (byte_at(text, at++) & 0x3F);
  }
  return {value, c.at};
}

// A number of that many bytes; false when fewer are left, which are then skipped.
bool read_unit(std::string_view text, std::size_t& at, std::size_t size, bool is_little, char32_t& unit) {
  if (at + size > text.size()) return at = text.size(), false;
  unit = 0;
  for (std::size_t i = 0; i < size; ++i) unit = unit << 8 | byte_at(text, at + (is_little ? size - 1 - i : i));
  return at += size, true;
}

bool is_high(char32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(char32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

CodePoint read_utf16(std::string_view text, std::size_t& at, bool is_little) {
  const CodePoint none{kNone, at, false};
  char32_t unit = 0, low = 0;
  if (!read_unit(text, at, 2, is_little, unit) || is_low(unit)) return none;
  if (!is_high(unit)) return {unit, none.at};
  std::size_t behind = at;
  if (!read_unit(text, behind, 2, is_little, low)) return at = behind, none;
  if (!is_low(low)) return none;
  return at = behind, CodePoint{0x10000 + ((unit & 0x3FF) << 10) + (low & 0x3FF), none.at};
}

CodePoint read_utf32(std::string_view text, std::size_t& at, bool is_little) {
  const CodePoint none{kNone, at, false};
  char32_t unit = 0;
  if (!read_unit(text, at, 4, is_little, unit)) return none;
  return unit > 0x10FFFF || is_high(unit) || is_low(unit) ? none : CodePoint{unit, none.at};
}

CodePoint read_code_point(std::string_view text, std::size_t& at, Encoding encoding) {
  switch (encoding) {
    case Encoding::utf8:
      return read_utf8(text, at);
    case Encoding::utf16_be:
    case Encoding::utf16_le:
      return read_utf16(text, at, encoding == Encoding::utf16_le);
    case Encoding::utf32_be:
    case Encoding::utf32_le:
      return read_utf32(text, at, encoding == Encoding::utf32_le);
    default:
      break;
  }
  const std::size_t from = at++;
  const bool is_valid = encoding == Encoding::latin1 || byte_at(text, from) < 0x80;
  return {is_valid ? byte_at(text, from) : kNone, from, is_valid};
}

void append_big_endian(std::string& to, char32_t value, int bytes) {
  while (bytes-- > 0) to += static_cast<char>(value >> (8 * bytes) & 0xFF);
}

void append_utf8(std::string& to, char32_t c) {
  if (c < 0x80) return to.push_back(static_cast<char>(c));
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr char32_t kFirst[] = {0, 0xC0, 0xE0, 0xF0};
  to += static_cast<char>(kFirst[more] | c >> (6 * more));
  for (int i = more; i-- > 0;) to += static_cast<char>(0x80 | (c >> (6 * i) & 0x3F));
}

struct EncodingName {
  std::string_view name;
  Encoding encoding;
};
constexpr EncodingName kEncodings[] = {
    {"utf8", Encoding::utf8},        {"utf16be", Encoding::utf16_be}, {"utf16", Encoding::utf16_be},
    {"utf16le", Encoding::utf16_le}, {"utf32be", Encoding::utf32_be}, {"utf32", Encoding::utf32_be},
    {"utf32le", Encoding::utf32_le}, {"usascii", Encoding::ascii},    {"ascii", Encoding::ascii},
    {"iso88591", Encoding::latin1},  {"latin1", Encoding::latin1},
};
constexpr std::string_view kOthers[] = {"windows", "cp",   "ibm", "iso", "koi8", "shiftjis", "sjis",
                                        "euc",     "big5", "gb",  "utf", "mac",  "hz",       "scsu"};

}  // namespace

StatusOr<Encoding> encoding_named(const std::string& name) {
  std::string plain;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto* const it = std::ranges::find(kEncodings, plain, &EncodingName::name);
  if (it != std::end(kEncodings)) return it->encoding;
  if (std::ranges::any_of(kOthers, [&](std::string_view family) { return plain.starts_with(family); }))
    return error(Code::kUnimplemented, "tarry does not know the encoding {}", name);
  return invalid("Could not create converter for input encoding: {}", name);
}

std::vector<CodePoint> code_points(std::string_view text, Encoding encoding) {
  std::vector<CodePoint> all;
  for (std::size_t at = 0; at < text.size();) all.push_back(read_code_point(text, at, encoding));
  return all;
}

void append_code_point(std::string& to, char32_t value, Encoding encoding) {
  if (encoding == Encoding::utf8) return append_utf8(to, value);
  if (encoding == Encoding::utf32_be) return append_big_endian(to, value, 4);
  check(encoding == Encoding::utf16_be, "a code point is written in an encoding that no op asks for");
  if (value < 0x10000) return append_big_endian(to, value, 2);
  append_big_endian(to, 0xD800 + ((value - 0x10000) >> 10), 2);
  append_big_endian(to, 0xDC00 + (value & 0x3FF), 2);
}

}  // namespace tarry
