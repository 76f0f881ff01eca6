#include "workers/state/tensor_slice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "placer/core/text.hpp"

namespace tarry {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

StatusOr<Shape> parse_shape(const std::vector<std::string_view>& dims, std::string_view spec) {
  Shape shape;
  for (const std::string_view text : dims) {
    const auto dim = whole_number(text);
    if (!dim || *dim < 0) return invalid("Non numerical dimension in shape_and_slice: {}", spec);
    shape.dims.push_back(*dim);
  }
  return shape;
}

StatusOr<SliceExtent> parse_extent(std::string_view text, std::string_view slice) {
  if (text == "-") return SliceExtent();
  const auto parts = split(text, ',');
  const auto start = whole_number(parts.front()), length = whole_number(parts.back());
  if (parts.size() != 2 || !start || !length)
    return invalid("Expected a pair of numbers or '-' but got '{}': string = {}", text, slice);
  if (*start < 0 || *length <= 0)
    return invalid("Expected non-negative start and positive length but got start = {}, length = {}: string = {}",
                   *start, *length, slice);
  return SliceExtent{*start, *length};
}

Status check_in_shape(const TensorSlice& s, std::string_view text) {
  const std::string where = fmt::format("shape = {}, slice = {}", to_string(s.whole), text);
  if (s.extents.size() != s.whole.dims.size()) return error(Code::kInternal, "Mismatching ranks: {}", where);
  for (std::size_t d = 0; d < s.extents.size(); ++d) {
    const SliceExtent e = s.extent(d);
    if (e.start > s.whole.dims[d] || e.length > s.whole.dims[d] - e.start)
      return error(Code::kInternal, "Extent in dimension {} out of bounds: {}", d, where);
  }
  return {};
}

// How far apart neighbours in each dimension are.
std::vector<std::int64_t> strides(const Shape& shape) {
  std::vector<std::int64_t> out(shape.dims.size(), 1);
  for (std::size_t d = out.size(); d-- > 1;) out[d - 1] = out[d] * shape.dims[d];
  return out;
}

// Where an element of the whole is in the tensor of a part.
struct PlaceIn {
  explicit PlaceIn(const TensorSlice& s) : strides(tarry::strides(s.shape())) {
    for (std::size_t d = 0; d < strides.size(); ++d) begin -= s.extent(d).start * strides[d];
  }
  [[nodiscard]] std::int64_t of(const std::vector<std::int64_t>& at) const {
    std::int64_t place = begin;
    for (std::size_t d = 0; d < at.size(); ++d) place += at[d] * strides[d];
    return place;
  }
  std::vector<std::int64_t> strides;
  std::int64_t begin = 0;
};

void copy_row(const TensorBody& source, std::int64_t from, TensorBody& target, std::int64_t to, std::int64_t length) {
  const std::size_t size = type_size(source.dtype());
  if (size == 0) {
    std::copy_n(source.strings().begin() + from, length, target.mutable_strings().begin() + to);
    return;
  }
  std::memcpy(target.mutable_raw().data() + static_cast<std::size_t>(to) * size,
              source.raw().data() + static_cast<std::size_t>(from) * size, static_cast<std::size_t>(length) * size);
}

// To the next row of the part; false after the last one.
bool next_row(const TensorSlice& part, std::vector<std::int64_t>& at) {
  for (std::size_t d = at.size(); d-- > 0;) {
    if (d + 1 == at.size()) continue;  // a row is the last dimension
    if (++at[d] < part.extent(d).start + part.extent(d).length) return true;
    at[d] = part.extent(d).start;
  }
  return false;
}

}  // namespace

Shape TensorSlice::shape() const {
  Shape out;
  for (std::size_t d = 0; d < extents.size(); ++d) out.dims.push_back(extent(d).length);
  return out;
}

std::string TensorSlice::text() const {
  std::vector<std::string> parts;
  for (const SliceExtent& e : extents) parts.push_back(e.length < 0 ? "-" : fmt::format("{},{}", e.start, e.length));
  return join(parts, ":");
}

TensorSlice whole_slice(const Shape& shape) { return {shape, std::vector<SliceExtent>(shape.dims.size())}; }

StatusOr<TensorSlice> parse_slice(std::string_view spec) {
  std::vector<std::string_view> pieces = split(spec, ' ');
  if (pieces.size() < 2) return invalid("Need least two elements in shape_and_slice specification: {}", spec);
  const std::string_view slice = pieces.back();
  pieces.pop_back();
  TensorSlice out;
  TARRY_ASSIGN(out.whole, parse_shape(pieces, spec));
  if (!slice.empty())
    for (const std::string_view text : split(slice, ':')) {
      TARRY_ASSIGN(const SliceExtent e, parse_extent(text, slice));
      out.extents.push_back(e);
    }
  TARRY_RETURN_IF_ERROR(check_in_shape(out, slice));
  return out;
}

TensorSlice common_part(const TensorSlice& a, const TensorSlice& b) {
  TensorSlice out{a.whole, {}};
  for (std::size_t d = 0; d < a.extents.size(); ++d) {
    const SliceExtent x = a.extent(d), y = b.extent(d);
    const std::int64_t from = std::max(x.start, y.start), to = std::min(x.start + x.length, y.start + y.length);
    out.extents.push_back({from, std::max<std::int64_t>(0, to - from)});
  }
  return out;
}

void copy_part(const TensorSlice& part, const TensorSlice& from, const TensorBody& source, const TensorSlice& to,
               TensorBody& target) {
  if (part.shape().elements() == 0) return;
  const PlaceIn in_source(from), in_target(to);
  std::vector<std::int64_t> at;
  for (std::size_t d = 0; d < part.extents.size(); ++d) at.push_back(part.extent(d).start);
  const std::int64_t row = at.empty() ? 1 : part.extent(at.size() - 1).length;
  do copy_row(source, in_source.of(at), target, in_target.of(at), row);
  while (next_row(part, at));
}

}  // namespace tarry
