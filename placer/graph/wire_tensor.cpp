#include <numeric>

#include "placer/graph/shape_faults.hpp"
#include "placer/graph/wire.hpp"

namespace tarry {

bool is_kept_as_int(DataType type) {
  switch (type) {
    case DataType::kInt32:
    case DataType::kQint32:
    case DataType::kInt16:
    case DataType::kQint16:
    case DataType::kUint16:
    case DataType::kQuint16:
    case DataType::kInt8:
    case DataType::kQint8:
    case DataType::kUint8:
    case DataType::kQuint8:
    case DataType::kInt4:
    case DataType::kUint4:
      return true;
    default:
      return false;
  }
}

namespace {

template <class Element, class Values>
void append_as(std::string& out, const Values& values) {
  for (const auto v : values) {
    const auto element = static_cast<Element>(v);
    out.append(reinterpret_cast<const char*>(&element), sizeof element);
  }
}

void append_integers(const tensorflow::TensorProto& proto, DataType type, std::string& out) {
  switch (type_size(type)) {
    case 1:
      return append_as<std::uint8_t>(out, proto.int_val());
    case 2:
      return append_as<std::uint16_t>(out, proto.int_val());
    default:
      append_as<std::int32_t>(out, proto.int_val());
  }
}

void append_reals(const tensorflow::TensorProto& proto, DataType type, std::string& out) {
  switch (type) {
    case DataType::kFloat8E5m2:
    case DataType::kFloat8E4m3fn:
      out += proto.float8_val();
      return;
    case DataType::kHalf:
    case DataType::kBfloat16:
      return append_as<std::uint16_t>(out, proto.half_val());
    case DataType::kFloat:
      return append_as<float>(out, proto.float_val());
    case DataType::kDouble:
      return append_as<double>(out, proto.double_val());
    case DataType::kComplex64:
      return append_as<float>(out, proto.scomplex_val());
    case DataType::kComplex128:
      return append_as<double>(out, proto.dcomplex_val());
    default:
      return;
  }
}

// Each type has a list of its own; what other lists hold does not count.
void append_numbers(const tensorflow::TensorProto& proto, DataType type, std::string& out) {
  if (is_kept_as_int(type)) return append_integers(proto, type, out);
  switch (type) {
    case DataType::kBool:
      return append_as<std::uint8_t>(out, proto.bool_val());
    case DataType::kUint32:
      return append_as<std::uint32_t>(out, proto.uint32_val());
    case DataType::kInt64:
      return append_as<std::int64_t>(out, proto.int64_val());
    case DataType::kUint64:
      return append_as<std::uint64_t>(out, proto.uint64_val());
    default:
      append_reals(proto, type, out);
  }
}

bool read_length(std::string_view bytes, std::size_t& at, std::uint64_t& length) {
  length = 0;
  for (unsigned shift = 0; at < bytes.size() && shift < 32; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    length |= static_cast<std::uint64_t>(byte & 127) << shift;
    if (byte < 128) return true;
  }
  return false;
}

// Strings as content: the lengths of all, then all of them.
bool split_content(std::string_view bytes, std::int64_t count, std::vector<std::string>& out) {
  if (count > static_cast<std::int64_t>(bytes.size())) return false;
  std::vector<std::uint64_t> lengths(static_cast<std::size_t>(count));
  std::size_t at = 0;
  for (std::uint64_t& length : lengths)
    if (!read_length(bytes, at, length)) return false;
  if (std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{at}) != bytes.size()) return false;
  for (const std::uint64_t length : lengths) {
    out.emplace_back(bytes.substr(at, length));
    at += length;
  }
  return true;
}

// Fills in the elements; false when the content is not as long as the shape needs.
bool take_content(const tensorflow::TensorProto& proto, TensorSpec& t) {
  const std::int64_t count = t.shape.elements();
  if (count == 0) return true;
  if (t.dtype == DataType::kString) return split_content(proto.tensor_content(), count, t.strings);
  t.content = proto.tensor_content();
  std::int64_t size = static_cast<std::int64_t>(type_size(t.dtype));
  return size == 0 ||
         (!__builtin_mul_overflow(size, count, &size) && size == static_cast<std::int64_t>(t.content.size()));
}

bool read_tensor(const tensorflow::TensorProto& proto, TensorSpec& t) {
  if (!is_known_type(proto.dtype()) || proto.dtype() == tensorflow::DT_INVALID || is_ref(t.dtype)) return false;
  if (!fault_of_full(t.shape).empty()) return false;
  t.shape.unknown_rank = false;
  if (!proto.tensor_content().empty()) return take_content(proto, t);
  t.strings.assign(proto.string_val().begin(), proto.string_val().end());
  append_numbers(proto, t.dtype, t.content);
  return true;
}

}  // namespace

Shape from_proto(const tensorflow::TensorShapeProto& proto) {
  Shape shape;
  shape.unknown_rank = proto.unknown_rank();
  for (const auto& dim : proto.dim()) shape.dims.push_back(dim.size());
  return shape;
}

std::shared_ptr<const TensorSpec> from_proto(const tensorflow::TensorProto& proto) {
  auto t = std::make_shared<TensorSpec>();
  t->dtype = is_known_type(proto.dtype()) ? static_cast<DataType>(proto.dtype()) : DataType::kInvalid;
  t->shape = from_proto(proto.tensor_shape());
  if (!read_tensor(proto, *t)) {
    t->content.clear();
    t->strings.clear();
    t->unread = proto.DebugString();
  }
  return t;
}

}  // namespace tarry
