#include "placer/graph/wire.hpp"

#include <algorithm>

namespace tarry {
namespace {

DataType type_of(int number) { return is_known_type(number) ? static_cast<DataType>(number) : DataType::kInvalid; }

// An attribute keeps a number that names no type: the importer's error says it.
DataType attr_type_of(int number) {
  return number > 0 && number < 256 ? static_cast<DataType>(number) : type_of(number);
}

// The framework's own attributes (`_output_shapes`) are never checked: what is no shape there says nothing.
AttrValue own_value(const tensorflow::AttrValue& proto);

template <class Map>
std::vector<AttrEntry> entries_of(const Map& map) {
  std::vector<AttrEntry> entries;
  entries.reserve(map.size());
  for (const auto& [name, value] : map)
    entries.emplace_back(name, name.starts_with('_') ? own_value(value) : from_proto(value));
  return entries;
}

FuncRef func_of(const tensorflow::NameAttrList& proto) {
  std::vector<AttrEntry> entries = entries_of(proto.attr());
  std::ranges::sort(entries, {}, &AttrEntry::first);
  return {proto.name(), std::make_shared<const std::vector<AttrEntry>>(std::move(entries))};
}

AttrList list_of(const tensorflow::AttrValue::ListValue& proto) {
  AttrList l;
  l.s.assign(proto.s().begin(), proto.s().end());
  l.i.assign(proto.i().begin(), proto.i().end());
  l.f.assign(proto.f().begin(), proto.f().end());
  l.b.assign(proto.b().begin(), proto.b().end());
  for (const int t : proto.type()) l.type.push_back(attr_type_of(t));
  for (const auto& s : proto.shape()) l.shape.push_back(from_proto(s));
  for (const auto& t : proto.tensor()) l.tensor.push_back(from_proto(t));
  for (const auto& f : proto.func()) l.func.push_back(func_of(f));
  return l;
}

AttrValue own_value(const tensorflow::AttrValue& proto) {
  if (!proto.has_list()) return from_proto(proto);
  AttrList l = list_of(proto.list());
  for (Shape& s : l.shape) {
    if (s.unknown_rank) s.dims.clear();
    for (std::int64_t& d : s.dims) d = std::max<std::int64_t>(d, -1);
  }
  return l;
}

NodeSpec node_of(const tensorflow::NodeDef& proto) {
  return {proto.name(),
          proto.op(),
          proto.device(),
          {proto.input().begin(), proto.input().end()},
          Attrs(entries_of(proto.attr()))};
}

ArgDef arg_of(const tensorflow::OpDef::ArgDef& proto) {
  return {proto.name(),        type_of(proto.type()),  proto.type_attr(),
          proto.number_attr(), proto.type_list_attr(), proto.is_ref()};
}

AttrDef attr_def_of(const tensorflow::OpDef::AttrDef& proto) {
  AttrDef a{.name = proto.name(), .type = proto.type(), .has_minimum = proto.has_minimum(), .minimum = proto.minimum()};
  if (proto.has_default_value()) a.default_value = from_proto(proto.default_value());
  if (proto.has_allowed_values()) a.allowed_values = from_proto(proto.allowed_values());
  return a;
}

template <class Map>
std::vector<std::pair<std::string, std::string>> sorted_pairs(const Map& map) {
  std::vector<std::pair<std::string, std::string>> pairs(map.begin(), map.end());
  std::ranges::sort(pairs);
  return pairs;
}

FunctionSpec function_of(const tensorflow::FunctionDef& proto) {
  FunctionSpec f{.signature = from_proto(proto.signature())};
  for (const auto& n : proto.node_def()) f.nodes.push_back(node_of(n));
  f.returns = sorted_pairs(proto.ret());
  f.control_returns = sorted_pairs(proto.control_ret());
  f.attrs = Attrs(entries_of(proto.attr()));
  return f;
}

Status read_traces(const tensorflow::GraphDebugInfo& proto, StackTraces& out) {
  for (const auto& [node, trace] : proto.traces()) {
    StackTrace& frames = out[node];
    for (const auto& f : trace.file_line_cols()) {
      if (f.file_index() < 0 || f.file_index() >= proto.files_size())
        return invalid("debug_info: the stack trace of node '{}' names file {}; it lists {} files, counted from 0.",
                       node, f.file_index(), proto.files_size());
      frames.push_back({proto.files(f.file_index()), f.func(), f.code(), f.line(), f.col()});
    }
  }
  return {};
}

}  // namespace

AttrValue from_proto(const tensorflow::AttrValue& proto) {
  using Case = tensorflow::AttrValue::ValueCase;
  switch (proto.value_case()) {
    case Case::kList:
      return list_of(proto.list());
    case Case::kS:
      return proto.s();
    case Case::kI:
      return static_cast<std::int64_t>(proto.i());
    case Case::kF:
      return proto.f();
    case Case::kB:
      return proto.b();
    case Case::kType:
      return attr_type_of(proto.type());
    case Case::kShape:
      return from_proto(proto.shape());
    case Case::kTensor:
      return from_proto(proto.tensor());
    case Case::kPlaceholder:
      return Placeholder{proto.placeholder()};
    case Case::kFunc:
      return func_of(proto.func());
    case Case::VALUE_NOT_SET:
      break;
  }
  return {};
}

OpDef from_proto(const tensorflow::OpDef& proto) {
  OpDef op{.name = proto.name()};
  for (const auto& a : proto.input_arg()) op.inputs.push_back(arg_of(a));
  for (const auto& a : proto.output_arg()) op.outputs.push_back(arg_of(a));
  op.control_outputs.assign(proto.control_output().begin(), proto.control_output().end());
  for (const auto& a : proto.attr()) op.attrs.push_back(attr_def_of(a));
  op.is_stateful = proto.is_stateful();
  op.is_commutative = proto.is_commutative();
  op.is_aggregate = proto.is_aggregate();
  op.allows_uninitialized_input = proto.allows_uninitialized_input();
  op.deprecated_since = proto.deprecation().version();
  op.deprecation_explanation = proto.deprecation().explanation();
  return op;
}

KernelDef from_proto(const tensorflow::KernelDef& proto) {
  KernelDef k{proto.op(), proto.device_type(), proto.label(), proto.priority(), {}, {}};
  k.constraints.reserve(static_cast<std::size_t>(proto.constraint_size()));
  for (const auto& c : proto.constraint()) k.constraints.push_back({c.name(), list_of(c.allowed_values().list())});
  k.host_memory_args.assign(proto.host_memory_arg().begin(), proto.host_memory_arg().end());
  return k;
}

StatusOr<GraphSpec> from_proto(const tensorflow::GraphDef& proto) {
  GraphSpec g;
  g.nodes.reserve(proto.node_size());
  for (const auto& n : proto.node()) g.nodes.push_back(node_of(n));
  const auto& v = proto.versions();
  g.versions = {v.producer(), v.min_consumer(), {v.bad_consumers().begin(), v.bad_consumers().end()}};
  for (const auto& f : proto.library().function()) g.functions.push_back(function_of(f));
  TARRY_RETURN_IF_ERROR(read_traces(proto.debug_info(), g.stack_traces));
  return g;
}

}  // namespace tarry
