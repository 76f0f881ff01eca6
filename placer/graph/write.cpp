#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <cstring>
#include <map>

#include "placer/graph/read.hpp"
#include "placer/graph/wire.hpp"

namespace tarry {
namespace {

void put(const Shape& shape, tensorflow::TensorShapeProto& out) {
  out.set_unknown_rank(shape.unknown_rank);
  for (const std::int64_t d : shape.dims) out.add_dim()->set_size(d);
}

template <class Element, class Add>
void put_each(const std::string& content, const Add& add) {
  for (std::size_t at = 0; at + sizeof(Element) <= content.size(); at += sizeof(Element)) {
    Element element;
    std::memcpy(&element, content.data() + at, sizeof element);
    add(element);
  }
}

void put_integers(const TensorSpec& t, tensorflow::TensorProto& out) {
  const auto add = [&out](auto v) { out.add_int_val(v); };
  switch (t.dtype) {
    case DataType::kInt16:
    case DataType::kQint16:
      return put_each<std::int16_t>(t.content, add);
    case DataType::kUint16:
    case DataType::kQuint16:
      return put_each<std::uint16_t>(t.content, add);
    case DataType::kInt8:
    case DataType::kQint8:
    case DataType::kInt4:
      return put_each<std::int8_t>(t.content, add);
    case DataType::kUint8:
    case DataType::kQuint8:
    case DataType::kUint4:
      return put_each<std::uint8_t>(t.content, add);
    default:
      return put_each<std::int32_t>(t.content, add);
  }
}

void put_reals(const TensorSpec& t, tensorflow::TensorProto& out) {
  switch (t.dtype) {
    case DataType::kHalf:
    case DataType::kBfloat16:
      return put_each<std::uint16_t>(t.content, [&out](auto v) { out.add_half_val(v); });
    case DataType::kFloat:
      return put_each<float>(t.content, [&out](auto v) { out.add_float_val(v); });
    case DataType::kDouble:
      return put_each<double>(t.content, [&out](auto v) { out.add_double_val(v); });
    case DataType::kComplex64:
      return put_each<float>(t.content, [&out](auto v) { out.add_scomplex_val(v); });
    case DataType::kComplex128:
      return put_each<double>(t.content, [&out](auto v) { out.add_dcomplex_val(v); });
    default:
      out.set_float8_val(t.content);
  }
}

void put_numbers(const TensorSpec& t, tensorflow::TensorProto& out) {
  switch (t.dtype) {
    case DataType::kBool:
      return put_each<std::uint8_t>(t.content, [&out](auto v) { out.add_bool_val(v != 0); });
    case DataType::kUint32:
      return put_each<std::uint32_t>(t.content, [&out](auto v) { out.add_uint32_val(v); });
    case DataType::kInt64:
      return put_each<std::int64_t>(t.content, [&out](auto v) { out.add_int64_val(v); });
    case DataType::kUint64:
      return put_each<std::uint64_t>(t.content, [&out](auto v) { out.add_uint64_val(v); });
    default:
      return is_kept_as_int(t.dtype) ? put_integers(t, out) : put_reals(t, out);
  }
}

// Its last element fills a tensor up. Only lists of elements may be shorter than the shape, and contents may not.
bool is_filled_up(const TensorSpec& t) {
  std::int64_t bytes = static_cast<std::int64_t>(type_size(t.dtype));
  return bytes > 0 && (__builtin_mul_overflow(bytes, t.shape.elements(), &bytes) ||
                       bytes > static_cast<std::int64_t>(t.content.size()));
}

void put(const TensorSpec& t, tensorflow::TensorProto& out) {
  if (!t.unread.empty()) return void(google::protobuf::TextFormat::ParseFromString(t.unread, &out));
  out.set_dtype(static_cast<tensorflow::DataType>(t.dtype));
  put(t.shape, *out.mutable_tensor_shape());
  for (const std::string& s : t.strings) out.add_string_val(s);
  if (t.content.empty()) return;
  is_filled_up(t) ? put_numbers(t, out) : out.set_tensor_content(t.content);
}

void put(const AttrValue& value, tensorflow::AttrValue& out);

void put(const FuncRef& f, tensorflow::NameAttrList& out) {
  out.set_name(f.name);
  if (!f.attrs) return;
  for (const auto& [name, value] : *f.attrs) put(value, (*out.mutable_attr())[name]);
}

void put(const AttrList& l, tensorflow::AttrValue::ListValue& out) {
  for (const auto& v : l.s) out.add_s(v);
  for (const auto v : l.i) out.add_i(v);
  for (const auto v : l.f) out.add_f(v);
  for (const bool v : l.b) out.add_b(v);
  for (const auto v : l.type) out.add_type(static_cast<tensorflow::DataType>(v));
  for (const auto& v : l.shape) put(v, *out.add_shape());
  for (const auto& v : l.tensor) put(*v, *out.add_tensor());
  for (const auto& v : l.func) put(v, *out.add_func());
}

struct Put {
  tensorflow::AttrValue& out;
  void operator()(std::monostate) const {}
  void operator()(const std::string& v) const { out.set_s(v); }
  void operator()(std::int64_t v) const { out.set_i(v); }
  void operator()(float v) const { out.set_f(v); }
  void operator()(bool v) const { out.set_b(v); }
  void operator()(DataType v) const { out.set_type(static_cast<tensorflow::DataType>(v)); }
  void operator()(const Shape& v) const { put(v, *out.mutable_shape()); }
  void operator()(const std::shared_ptr<const TensorSpec>& v) const { put(*v, *out.mutable_tensor()); }
  void operator()(const std::shared_ptr<const AttrList>& v) const { put(*v, *out.mutable_list()); }
  void operator()(const std::shared_ptr<const FuncRef>& v) const { put(*v, *out.mutable_func()); }
  void operator()(const Placeholder& v) const { out.set_placeholder(v.name); }
};

void put(const AttrValue& value, tensorflow::AttrValue& out) { std::visit(Put{out}, value.value); }

void put(const NodeSpec& n, tensorflow::NodeDef& out) {
  out.set_name(n.name);
  out.set_op(n.op);
  out.set_device(n.device);
  for (const std::string& input : n.inputs) out.add_input(input);
  for (const auto& [name, value] : n.attrs) put(value, (*out.mutable_attr())[name]);
}

void put(const ArgDef& a, tensorflow::OpDef::ArgDef& out) {
  out.set_name(a.name);
  out.set_type(static_cast<tensorflow::DataType>(a.type));
  out.set_type_attr(a.type_attr);
  out.set_number_attr(a.number_attr);
  out.set_type_list_attr(a.type_list_attr);
  out.set_is_ref(a.is_ref);
}

void put(const AttrDef& a, tensorflow::OpDef::AttrDef& out) {
  out.set_name(a.name);
  out.set_type(a.type);
  out.set_has_minimum(a.has_minimum);
  out.set_minimum(a.minimum);
  if (a.default_value) put(*a.default_value, *out.mutable_default_value());
  if (a.allowed_values) put(*a.allowed_values, *out.mutable_allowed_values());
}

void put(const OpDef& op, tensorflow::OpDef& out) {
  out.set_name(op.name);
  for (const ArgDef& a : op.inputs) put(a, *out.add_input_arg());
  for (const ArgDef& a : op.outputs) put(a, *out.add_output_arg());
  for (const std::string& c : op.control_outputs) out.add_control_output(c);
  for (const AttrDef& a : op.attrs) put(a, *out.add_attr());
  out.set_is_stateful(op.is_stateful);
}

void put(const FunctionSpec& f, tensorflow::FunctionDef& out) {
  put(f.signature, *out.mutable_signature());
  for (const NodeSpec& n : f.nodes) put(n, *out.add_node_def());
  for (const auto& [name, tensor] : f.returns) (*out.mutable_ret())[name] = tensor;
  for (const auto& [name, node] : f.control_returns) (*out.mutable_control_ret())[name] = node;
  for (const auto& [name, value] : f.attrs) put(value, (*out.mutable_attr())[name]);
}

// Files are numbered in the order in which the traces, by node name, mention them.
void put(const StackTraces& traces, tensorflow::GraphDebugInfo& out) {
  std::map<std::string_view, int> files;
  for (const auto& [node, frames] : traces) {
    auto& trace = (*out.mutable_traces())[node];
    for (const StackFrame& f : frames) {
      const auto [file, is_new] = files.emplace(f.file, out.files_size());
      if (is_new) out.add_files(f.file);
      auto& frame = *trace.add_file_line_cols();
      frame.set_file_index(file->second);
      frame.set_line(f.line);
      frame.set_col(f.column);
      frame.set_func(f.function);
      frame.set_code(f.code);
    }
  }
}

}  // namespace

void to_proto(const GraphSpec& spec, tensorflow::GraphDef& proto) {
  for (const NodeSpec& n : spec.nodes) put(n, *proto.add_node());
  auto& v = *proto.mutable_versions();
  v.set_producer(spec.versions.producer);
  v.set_min_consumer(spec.versions.min_consumer);
  for (const std::int32_t bad : spec.versions.bad_consumers) v.add_bad_consumers(bad);
  for (const FunctionSpec& f : spec.functions) put(f, *proto.mutable_library()->add_function());
  if (!spec.stack_traces.empty()) put(spec.stack_traces, *proto.mutable_debug_info());
}

std::string to_binary(const GraphSpec& graph) {
  tensorflow::GraphDef proto;
  to_proto(graph, proto);
  std::string out;
  google::protobuf::io::StringOutputStream stream(&out);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  proto.SerializeToCodedStream(&coded);
  coded.Trim();
  return out;
}

std::string library_text(std::span<const FunctionSpec> functions) {
  tensorflow::FunctionDefLibrary library;
  for (const FunctionSpec& f : functions) put(f, *library.add_function());
  return library.DebugString();
}

std::string to_text(const GraphSpec& graph) {
  tensorflow::GraphDef proto;
  to_proto(graph, proto);
  std::string out;
  google::protobuf::TextFormat::PrintToString(proto, &out);
  return out;
}

}  // namespace tarry
