// Numbers in texts, as TensorFlow's ops read them.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace tarry {

// What is too large for the type is infinite, and what is too small is zero. REQUIRES: the text is such a number.
template <class T>
T rounded_number(const std::string& text) {
  if constexpr (std::is_same_v<T, float>)
    return std::strtof(text.c_str(), nullptr);
  else
    return std::strtod(text.c_str(), nullptr);
}

inline bool is_hexadecimal(std::string_view digits) {
  return !digits.empty() && digits.find_first_not_of("0123456789abcdefABCDEF") == digits.npos;
}

inline bool is_word(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i)
    if ((text[i] | 0x20) != word[i]) return false;
  return true;
}

// A real number without its sign. "0x10" is 16; a float that is not normal is 0, as TensorFlow's threads flush them.
template <class T>
[[nodiscard]] bool parse_magnitude(std::string_view text, T& value) {
  if (is_word(text, "inf")) return value = std::numeric_limits<T>::infinity(), true;
  if (is_word(text, "nan")) return value = std::numeric_limits<T>::quiet_NaN(), true;
  const bool has_prefix = text.starts_with("0x") || text.starts_with("0X");
  if (has_prefix && !is_hexadecimal(text.substr(2))) return false;
  if (text.find_first_of("0123456789.") != 0) return false;
  if (!has_prefix) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault == std::errc::invalid_argument || end != text.data() + text.size()) return false;
  }
  value = rounded_number<T>(std::string(text));
  if (std::is_same_v<T, float> && value < std::numeric_limits<T>::min()) value = 0;
  return true;
}

// Whether the text, but for white space around it, is a number of that type. White space alone is the real number 0.
template <class T>
[[nodiscard]] bool parse_number(std::string_view text, T& value) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const auto first = text.find_first_not_of(kBlanks), last = text.find_last_not_of(kBlanks);
  if (first == std::string_view::npos) return value = 0, std::is_floating_point_v<T> && !text.empty();
  text = text.substr(first, last - first + 1);
  if constexpr (std::is_floating_point_v<T>) {
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) text.remove_prefix(1);
    if (!parse_magnitude(text, value)) return false;
    if (is_negative) value = -value;
    return true;
  } else {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    return fault == std::errc{} && end == text.data() + text.size();
  }
}

}  // namespace tarry
