#include "workers/kernels/element_text.hpp"

#include <cstdlib>

#include "workers/kernels/every_number.hpp"

namespace tarry {
namespace {

template <class T>
std::string real_text(T x) {
  constexpr int kDigits = std::numeric_limits<T>::digits10, kAll = std::numeric_limits<T>::max_digits10;
  std::string text = fmt::format("{:.{}g}", x, kDigits);
  if (x == x && static_cast<T>(std::strtod(text.c_str(), nullptr)) != x) text = fmt::format("{:.{}g}", x, kAll);
  return x == x ? text : "nan";
}

template <class T>
std::string number_text(T x) {
  if constexpr (std::is_same_v<T, double>)
    return real_text(x);
  else if constexpr (std::is_integral_v<T>)
    return std::to_string(x);
  else
    return real_text(static_cast<float>(x));
}

}  // namespace

std::string escaped(std::string_view text) {
  constexpr std::string_view kNamed = "\n\r\t\"'\\", kNames = "nrt\"'\\";
  std::string to;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (const std::size_t at = kNamed.find(c); at != kNamed.npos)
      (to += '\\') += kNames[at];
    else if (byte < 0x20 || byte == 0x7F)
      to += fmt::format("\\{:03o}", byte);
    else
      to += c;
  }
  return to;
}

std::string element_text(const TensorBody& t, std::size_t i) {
  if (t.dtype() == DataType::kString) return escaped(t.strings()[i]);
  if (t.dtype() == DataType::kBool) return t.as<bool>()[i] ? "1" : "0";
  std::string text = "?";
  (void)for_every_number(t.dtype(), [&]<class T>() { return text = number_text(t.as<T>()[i]), Status(); });
  return text;
}

}  // namespace tarry
