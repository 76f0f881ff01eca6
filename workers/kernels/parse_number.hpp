// Numbers in texts, as TensorFlow's ops read them.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace tarry {

inline bool is_hexadecimal(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.starts_with("0x") || text.starts_with("0X");
}

// Where a real number is wanted, "0x10" is 16.
bool parse_hexadecimal(std::string_view text, auto& value) {
  const bool is_negative = text.starts_with('-');
  text.remove_prefix(is_negative ? 3 : 2);
  std::uint64_t bits = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
  using Value = std::remove_reference_t<decltype(value)>;
  value = is_negative ? -static_cast<Value>(bits) : static_cast<Value>(bits);
  return fault == std::errc{} && end == text.data() + text.size();
}

// Whether the text, but for white space around it, is a number of that type.
template <class T>
[[nodiscard]] bool parse_number(std::string_view text, T& value) {
  const auto first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  text = text.substr(first, last - first + 1);
  if (text.starts_with('+')) text.remove_prefix(1);
  if (std::is_floating_point_v<T> && is_hexadecimal(text)) return parse_hexadecimal(text, value);
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc{} && end == text.data() + text.size();
}

}  // namespace tarry
