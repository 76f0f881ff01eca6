#include "workers/kernels/tensor_message.hpp"

#include <cmath>

namespace tarry {
namespace {

enum WireType : std::uint64_t { kVarint = 0, kEightBytes = 1, kLengthAndBytes = 2, kFourBytes = 5 };

void append_varint(std::string& to, std::uint64_t value) {
  for (; value >= 128; value >>= 7) to += static_cast<char>(value | 128);
  to += static_cast<char>(value);
}

void append_tag(std::string& to, std::uint64_t number, WireType type) { append_varint(to, number << 3 | type); }

template <class T>
void append_bytes(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string content_of(const std::vector<std::string>& strings) {
  std::string content;
  for (const std::string& s : strings) append_varint(content, s.size());
  for (const std::string& s : strings) content += s;
  return content;
}

}  // namespace

void put_text(std::string& to, std::uint64_t number, std::string_view text, bool always) {
  if (text.empty() && !always) return;
  append_tag(to, number, kLengthAndBytes);
  append_varint(to, text.size());
  to += text;
}

void put_float(std::string& to, std::uint64_t number, float value, bool always) {
  if (value == 0 && !std::signbit(value) && !always) return;
  append_tag(to, number, kFourBytes);
  append_bytes(to, value);
}

void put_double(std::string& to, std::uint64_t number, double value) {
  if (value == 0 && !std::signbit(value)) return;
  append_tag(to, number, kEightBytes);
  append_bytes(to, value);
}

void put_number(std::string& to, std::uint64_t number, std::uint64_t value) {
  if (value == 0) return;
  append_tag(to, number, kVarint);
  append_varint(to, value);
}

void append_double(std::string& to, double value) { append_bytes(to, value); }

std::string tensor_message(const TensorBody& t, bool as_content) {
  std::string message, shape;
  for (const std::int64_t d : t.shape().dims) {
    std::string size;
    put_number(size, 1, static_cast<std::uint64_t>(d));
    put_text(shape, 2, size, true);
  }
  put_number(message, 1, static_cast<std::uint64_t>(base_type(t.dtype())));
  put_text(message, 2, shape, true);
  if (type_size(t.dtype()) == 0 && as_content)
    put_text(message, 4, content_of(t.strings()));
  else if (type_size(t.dtype()) == 0)
    for (const std::string& s : t.strings()) put_text(message, 8, s, true);
  else
    put_text(message, 4, {reinterpret_cast<const char*>(t.raw().data()), t.raw().size()});
  return message;
}

}  // namespace tarry
