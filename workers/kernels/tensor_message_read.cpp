#include <algorithm>
#include <cstring>

#include "placer/graph/wire_fields.hpp"
#include "workers/kernels/element_text.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/tensor_message.hpp"

namespace tarry {
namespace {

enum ReadAs : std::uint64_t { kReadVarint = 0, kReadEight = 1, kReadBytes = 2, kReadFour = 5 };

// A number at `at`, which moves behind it; false when the bytes end first.
bool read_varint(std::string_view bytes, std::size_t& at, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; at < bytes.size() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= static_cast<std::uint64_t>(byte & 127) << shift;
    if (byte < 128) return true;
  }
  return false;
}

struct ReadTensor {
  std::uint64_t type = 0;
  TensorSpec tensor;                   // its content: elements that are listed as bytes
  std::vector<std::uint64_t> numbers;  // elements that are listed as numbers
  bool has_content = false;
};

// Calls `f(field, its bytes)` for each field; false when the bytes are no message, or `f` says so.
template <class F>
bool for_each_field(std::string_view bytes, F f) {
  for (std::size_t at = 0; at < bytes.size();) {
    WireField field;
    if (!step_over_field(bytes, at, field).empty()) return false;
    if (!f(field, bytes.substr(field.body, at - field.body))) return false;
  }
  return true;
}

bool read_size(std::string_view bytes, std::int64_t& size) {
  return for_each_field(bytes, [&](const WireField& field, std::string_view body) {
    std::size_t at = 0;
    std::uint64_t value = 0;
    if (field.number != 1 || field.wire_type != kReadVarint) return true;
    if (!read_varint(body, at, value)) return false;
    size = static_cast<std::int64_t>(value);
    return true;
  });
}
bool read_shape(std::string_view bytes, Shape& shape) {
  return for_each_field(bytes, [&](const WireField& field, std::string_view body) {
    if (field.number != 2 || field.wire_type != kReadBytes) return true;
    return read_size(body, shape.dims.emplace_back(0));
  });
}

bool read_numbers(std::string_view body, std::vector<std::uint64_t>& to) {
  for (std::size_t at = 0; at < body.size();)
    if (!read_varint(body, at, to.emplace_back(0))) return false;
  return true;
}

bool read_one(std::string_view body, std::uint64_t& value) {
  std::size_t at = 0;
  return read_varint(body, at, value);
}

bool read_field_of_tensor(const WireField& field, std::string_view body, ReadTensor& t) {
  const bool is_bytes = field.wire_type == kReadBytes;
  switch (field.number) {
    case 1:
      return field.wire_type != kReadVarint || read_one(body, t.type);
    case 2:
      return !is_bytes || read_shape(body, t.tensor.shape);
    case 4:
      if (is_bytes) t.tensor.content = body, t.has_content = !body.empty();
      return true;
    case 5:  // real numbers, one or packed
    case 6:
      if (is_bytes || field.wire_type == (field.number == 5 ? kReadFour : kReadEight)) t.tensor.content += body;
      return true;
    case 8:
      if (is_bytes) t.tensor.strings.emplace_back(body);
      return true;
    case 7:
    case 10:
    case 11:
    case 13:
      return (!is_bytes && field.wire_type != kReadVarint) || read_numbers(body, t.numbers);
    default:
      return true;
  }
}

// As protocol messages are written for people.
std::string described(const ReadTensor& t) {
  std::string text;
  if (t.type != 0) {
    text = "dtype: DT_";
    for (const char c : std::string(type_name(t.tensor.dtype))) text += static_cast<char>(std::toupper(c));
    text += '\n';
  }
  if (t.tensor.shape.rank() > 0) {
    text += "tensor_shape {\n";
    for (const std::int64_t d : t.tensor.shape.dims) text += fmt::format("  dim {{\n    size: {}\n  }}\n", d);
    text += "}\n";
  }
  if (t.has_content) text += fmt::format("tensor_content: \"{}\"\n", escaped(t.tensor.content));
  return text;
}

// All lengths, then all bytes.
bool split_content(ReadTensor& t) {
  std::size_t at = 0;
  if (std::cmp_greater(t.tensor.shape.elements(), t.tensor.content.size())) return false;  // a length has a byte
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(t.tensor.shape.elements()));
  for (std::uint64_t& size : sizes)
    if (!read_varint(t.tensor.content, at, size)) return false;
  t.tensor.strings.clear();
  for (const std::uint64_t size : sizes) {
    if (size > t.tensor.content.size() - at) return false;
    t.tensor.strings.push_back(t.tensor.content.substr(at, size));
    at += size;
  }
  return at == t.tensor.content.size();
}

bool says_a_tensor(ReadTensor& t) {
  const auto& dims = t.tensor.shape.dims;
  if (!is_known_type(static_cast<int>(t.type)) || std::ranges::any_of(dims, [](std::int64_t d) { return d < 0; }))
    return false;
  if (!check_can_be_kept(t.tensor.shape).ok()) return false;
  const std::size_t size = type_size(t.tensor.dtype);
  if (size == 0) return t.tensor.dtype == DataType::kString && (!t.has_content || split_content(t));
  if (t.has_content)
    return std::cmp_equal(t.tensor.content.size(), size * static_cast<std::uint64_t>(t.tensor.shape.elements()));
  for (std::uint64_t x : t.numbers) {
    if (t.tensor.dtype == DataType::kBool) x = x == 0 ? 0 : 1;
    t.tensor.content.append(reinterpret_cast<const char*>(&x), std::min<std::size_t>(size, 8));
  }
  return true;
}

}  // namespace

StatusOr<TensorRef> tensor_of_message(std::string_view bytes) {
  ReadTensor t;
  const bool is_message = for_each_field(
      bytes, [&](const WireField& field, std::string_view body) { return read_field_of_tensor(field, body, t); });
  if (!is_message) return error(Code::kUnknown, "no message");
  t.tensor.dtype = is_known_type(static_cast<int>(t.type)) ? static_cast<DataType>(t.type) : DataType::kInvalid;
  if (!says_a_tensor(t)) return invalid("Cannot parse tensor from proto: {}", described(t));
  return from_spec(t.tensor, t.tensor.shape.elements());
}

}  // namespace tarry
