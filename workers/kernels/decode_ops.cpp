// Numbers from bytes.

#include <algorithm>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"

namespace tarry {
namespace {

// DecodeRaw (strings): the bytes of each as a row of numbers.
Status check_raw(const std::vector<std::string>& rows, DataType type) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].size() != rows[0].size())
      return invalid("DecodeRaw requires input strings to all be the same size, but element {} has size {} != {}", i,
                     rows[0].size(), rows[i].size());
  if (!rows.empty() && rows[0].size() % type_size(type) != 0)
    return invalid("Input to DecodeRaw has length {} that is not a multiple of {}, the size of {}", rows[0].size(),
                   type_size(type), type_name(type));
  return {};
}

Status decode_raw(KernelContext& c, DataType type, bool is_little_endian) {
  const auto& rows = c.in(0).strings();
  TARRY_RETURN_IF_ERROR(check_raw(rows, type));
  Shape shape = c.shape(0);
  const std::size_t bytes = rows.empty() ? 0 : rows[0].size(), size = type_size(type);
  shape.dims.push_back(static_cast<std::int64_t>(bytes / size));
  const std::size_t part = is_complex(type) ? size / 2 : size;
  MutableTensor to = make_tensor(type, shape);
  std::span<std::byte> rest = to->mutable_raw();
  for (const std::string& row : rows) {
    std::ranges::copy(std::as_bytes(std::span(row)), rest.begin());
    for (std::size_t at = 0; at < bytes && !is_little_endian; at += part) std::ranges::reverse(rest.subspan(at, part));
    rest = rest.subspan(bytes);
  }
  return c.give(0, to);
}

Behaviour make_decode_raw(const KernelSetup& s) {
  return {[type = attr_or(s.attrs, "out_type", DataType::kFloat),
           little = attr_or(s.attrs, "little_endian", true)](KernelContext& c) { return decode_raw(c, type, little); },
          nullptr};
}

// DecodePaddedRaw (strings, how many bytes of each): what a string lacks is zero.
Status check_padded(const KernelContext& c, DataType type) {
  TARRY_ASSIGN(const std::int64_t length, integer_in(c, {1, "k must be scalar, got shape {}"}));
  const auto size = static_cast<std::int64_t>(type_size(type));
  if (length % size != 0)
    return invalid("fixed_length ({}) must be a multiple of the size of out_type ({})", length, size);
  return length > 0 ? Status() : invalid("fixed_length ({}) must be greater than zero.", length);
}

Status decode_padded(KernelContext& c, DataType type, bool is_little_endian) {
  TARRY_RETURN_IF_ERROR(check_padded(c, type));
  const auto length = static_cast<std::size_t>(integers_of(c.in(1))[0]), size = type_size(type);
  Shape shape = c.shape(0);
  shape.dims.push_back(static_cast<std::int64_t>(length / size));
  TARRY_RETURN_IF_ERROR(check_can_be_kept(shape));
  MutableTensor to = make_tensor(type, shape);
  std::span<std::byte> rest = to->mutable_raw();
  for (const std::string& row : c.in(0).strings()) {
    std::ranges::copy(std::as_bytes(std::span(row)).first(std::min(length, row.size())), rest.begin());
    for (std::size_t at = 0; at < length && !is_little_endian; at += size) std::ranges::reverse(rest.subspan(at, size));
    rest = rest.subspan(length);
  }
  return c.give(0, to);
}

Behaviour make_decode_padded(const KernelSetup& s) {
  return {[type = attr_or(s.attrs, "out_type", DataType::kFloat), little = attr_or(s.attrs, "little_endian", true)](
              KernelContext& c) { return decode_padded(c, type, little); },
          nullptr};
}

constexpr KernelRow kDecodeRows[] = {
    {"DecodeRaw", make_decode_raw},
    {"DecodePaddedRaw", make_decode_padded},
};

}  // namespace

KernelFamily decode_ops() { return kDecodeRows; }

}  // namespace tarry
