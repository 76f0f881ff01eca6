#include "placer/graph/tensor_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace tarry {
namespace {

constexpr std::int64_t kShown = 3;

template <class T>
T read_as(const std::string& content, std::size_t i) {
  T value{};
  std::memcpy(&value, content.data() + i * sizeof(T), sizeof(T));
  return value;
}

std::string number_text(const TensorSpec& t, std::size_t i) {
  switch (t.dtype) {
    case DataType::kFloat:
      return fmt::format("{:g}", read_as<float>(t.content, i));
    case DataType::kDouble:
      return fmt::format("{:g}", read_as<double>(t.content, i));
    case DataType::kInt64:
      return std::to_string(read_as<std::int64_t>(t.content, i));
    case DataType::kUint64:
      return std::to_string(read_as<std::uint64_t>(t.content, i));
    case DataType::kInt32:
      return std::to_string(read_as<std::int32_t>(t.content, i));
    case DataType::kUint32:
      return std::to_string(read_as<std::uint32_t>(t.content, i));
    case DataType::kInt16:
      return std::to_string(read_as<std::int16_t>(t.content, i));
    case DataType::kUint16:
      return std::to_string(read_as<std::uint16_t>(t.content, i));
    case DataType::kInt8:
      return std::to_string(read_as<std::int8_t>(t.content, i));
    case DataType::kUint8:
    case DataType::kBool:
      return std::to_string(read_as<std::uint8_t>(t.content, i));
    default:
      return "?";
  }
}

// The last element listed stands for all that follow; none at all means zeros.
std::string element_text(const TensorSpec& t, std::size_t i) {
  const bool is_string = t.dtype == DataType::kString;
  const std::size_t size = is_string ? 1 : std::max<std::size_t>(type_size(t.dtype), 1);
  const std::size_t listed = is_string ? t.strings.size() : t.content.size() / size;
  if (listed == 0) return is_string ? "" : "0";
  return is_string ? t.strings[std::min(i, listed - 1)] : number_text(t, std::min(i, listed - 1));
}

// Walks the dimensions; `next` counts elements printed over all rows.
void append_rows(std::string& out, const TensorSpec& t, std::size_t dim, std::int64_t& next, bool mark) {
  const bool innermost = dim + 1 == t.shape.dims.size();
  for (std::int64_t i = 0; i < t.shape.dims[dim]; ++i) {
    if (next >= kShown) {
      if (innermost && dim != 0 && mark) out += "...";
      return;
    }
    if (innermost) {
      if (i > 0) out += ' ';
      out += element_text(t, static_cast<std::size_t>(next++));
    } else {
      out += '[';
      append_rows(out, t, dim + 1, next, mark);
      out += ']';
    }
  }
}

std::string values_text(const TensorSpec& t, bool mark) {
  if (t.shape.dims.empty()) return element_text(t, 0);
  std::string out;
  std::int64_t next = 0;
  append_rows(out, t, 0, next, mark);
  return t.shape.elements() > kShown ? out + "..." : out;
}

// The lines of a message, as one.
std::string on_one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n';
    if (!is_space || (!out.empty() && out.back() != ' ')) out += is_space ? ' ' : c;
  }
  return out.substr(0, out.find_last_not_of(' ') + 1);
}

}  // namespace

std::string tensor_text(const TensorSpec& t, bool mark_cut_rows) {
  if (!t.unread.empty()) return fmt::format("<TensorProto: {}>", on_one_line(t.unread));
  if (!t.shape.fully_known()) return "<Invalid TensorProto>";
  return fmt::format("Tensor<type: {} shape: {} values: {}>", type_name(t.dtype), to_string(t.shape),
                     values_text(t, mark_cut_rows));
}

}  // namespace tarry
