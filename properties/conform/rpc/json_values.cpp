// Tensors, statuses, graphs and statistics.

#include <absl/strings/escaping.h>

#include <algorithm>
#include <array>

#include "properties/conform/checked.hpp"
#include "properties/conform/rpc/json.hpp"
#include "workers/kernels/dispatch.hpp"

namespace tarry::rpc {
namespace {

constexpr std::size_t kMostValues = 64;

Json value_at(const TensorBody& t, std::size_t i) {
  if (t.dtype() == DataType::kString) return t.strings()[i];
  Json j;
  (void)for_number_or_bool(t.dtype(), [&]<class T>() {
    j = t.as<T>()[i];
    return Status();
  });
  return j;
}

bool is_kept(std::string_view op, std::string_view attr) {
  using Names = std::vector<std::string_view>;
  const auto among = [&](const Names& names) { return std::ranges::find(names, attr) != names.end(); };
  if (attr.starts_with("_")) return true;
  if (op == "_Send" || op == "_Recv" || op == "_HostSend" || op == "_HostRecv")
    return among({"T", "tensor_type", "tensor_name", "send_device", "send_device_incarnation", "recv_device",
                  "client_terminated"});
  if (op == "Enter") return among({"T", "frame_name", "is_constant", "parallel_iterations"});
  if (op == "Cast") return among({"SrcT", "DstT", "Truncate"});
  return op == "Const" && among({"dtype", "value"});
}

// Bytes, as proto3 JSON has them.
std::vector<std::string> base64(std::vector<std::string> texts) {
  for (std::string& t : texts) t = absl::Base64Escape(t);
  return texts;
}

Json list_json(const AttrList& l) {
  Json j = Json::object();
  if (!l.s.empty()) j["s"] = base64(l.s);
  for (const std::int64_t i : l.i) j["i"].push_back(fmt::format("{}", i));
  for (const float f : l.f) j["f"].push_back(f);
  for (const bool b : l.b) j["b"].push_back(b);
  for (const DataType t : l.type) j["type"].push_back(enum_name(t));
  for (const Shape& s : l.shape) j["shape"].push_back(to_json(s));
  return j;
}

Json attr_json(std::string_view name, const AttrValue& v) {
  if (const auto* s = v.get<std::string>()) return *s;
  if (const auto* i = v.get<std::int64_t>())
    return name == "send_device_incarnation" ? fmt::format("{}", static_cast<std::uint64_t>(*i))
                                             : fmt::format("{}", *i);
  if (const auto* b = v.get<bool>()) return *b;
  if (const auto* t = v.get<DataType>()) return enum_name(*t);
  if (const auto* t = v.get<std::shared_ptr<const TensorSpec>>())
    return to_json(*from_spec(**t, std::int64_t{1} << 30));
  if (const auto* l = v.get<AttrList>()) return {{"list", list_json(*l)}};
  return summarize(v);
}

Json node_json(const NodeSpec& n) {
  Json attrs = Json::object();
  for (const auto& [name, value] : n.attrs)
    if (is_kept(n.op, name)) attrs[name] = attr_json(name, value);
  Json j{{"name", n.name}, {"op", n.op}, {"input", n.inputs}, {"device", n.device}};
  if (!attrs.empty()) j["attr"] = std::move(attrs);
  return j;
}

// DT_FLOAT
DataType value_type(const std::string& written) {
  std::string name = written.substr(std::min<std::size_t>(3, written.size()));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto type = parse_type_name(name);
  if (!type || *type == DataType::kInvalid || is_ref(*type)) malformed("a tensor has the unknown dtype '{}'", written);
  return *type;
}

Shape known_shape(const Json& dims) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20;
  const Shape shape(integers_within(dims, 0, kMost, "a shape"));
  (void)within(shape.elements(), std::int64_t{0}, kMost, "the number of a tensor's elements");
  return shape;
}

void set_value(TensorBody& t, std::size_t i, const Json& value) {
  if (t.dtype() == DataType::kString) {
    t.mutable_strings()[i] = value.get<std::string>();
    return;
  }
  (void)for_number_or_bool(t.dtype(), [&]<class T>() {
    if constexpr (std::is_same_v<T, bool>)
      t.mutable_as<T>()[i] = value == true || value == 1;  // what a fake answers by default is a number
    else
      t.mutable_as<T>()[i] = value.get<T>();
    return Status();
  });
}

}  // namespace

Json sorted(const Json& list) {
  auto items = list.get<std::vector<Json>>();
  std::ranges::sort(items);
  return items;
}

Json sorted_by_name(const Json& list) {
  auto items = list.get<std::vector<Json>>();
  std::ranges::sort(
      items, {}, [](const Json& j) { return j.is_string() ? j.get<std::string>() : j.at("name").get<std::string>(); });
  return items;
}

std::string enum_name(DataType t) { return summarize(AttrValue(t)); }

Json to_json(const TensorBody& t) {
  Json values = Json::array();
  const auto n = t.has_data() ? std::min(static_cast<std::size_t>(t.elements()), kMostValues) : 0;
  for (std::size_t i = 0; i < n; ++i) values.push_back(value_at(t, i));
  return {{"dtype", enum_name(t.dtype())}, {"shape", t.shape().dims}, {"value", std::move(values)}};
}

TensorRef tensor_from(const Json& j) {
  const DataType type = value_type(j.at("dtype").get<std::string>());
  MutableTensor t = make_tensor(type, known_shape(j.at("shape")));
  const Json& values = j.at("value");
  if (std::cmp_greater(values.size(), t->elements()))
    malformed("a tensor of shape {} has {} values", to_string(t->shape()), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) set_value(*t, i, values.at(i));
  return t;
}

Json to_json(const Status& s) {
  Json j{{"code", s.ok() ? "OK" : code_name(s.code())}};
  if (s.ok()) return j;
  j["message"] = std::string(text_of(s));
  std::vector<std::string> payloads;
  s.ForEachPayload([&](absl::string_view type, const absl::Cord&) { payloads.emplace_back(type.data(), type.size()); });
  std::ranges::sort(payloads);
  if (!payloads.empty()) j["payloads"] = payloads;
  return j;
}

Code code_from(const Json& j) {
  if (j.is_number()) return static_cast<Code>(j.get<int>());
  for (int c = 0; c <= 16; ++c)
    if (code_name(static_cast<Code>(c)) == j.get<std::string>()) return static_cast<Code>(c);
  return Code::kUnknown;
}

Json to_json(const GraphSpec& g) {
  std::vector<const NodeSpec*> nodes;
  for (const NodeSpec& n : g.nodes) nodes.push_back(&n);
  std::ranges::sort(nodes, {}, &NodeSpec::name);
  Json j{{"nodes", Json::array()}};
  for (const NodeSpec* n : nodes) j["nodes"].push_back(node_json(*n));
  Json versions = Json::object();
  if (g.versions.producer != 0) versions["producer"] = g.versions.producer;
  if (g.versions.min_consumer != 0) versions["minConsumer"] = g.versions.min_consumer;
  if (!versions.empty()) j["versions"] = std::move(versions);
  for (const FunctionSpec& f : g.functions) j["functions"].push_back(f.signature.name);
  return j;
}

Json to_json(const DeviceAttributes& d) {
  Json j{{"name", d.name},
         {"device_type", d.type},
         {"memory_limit", fmt::format("{}", d.memory_limit)},
         {"incarnation", fmt::format("{}", d.incarnation)}};
  if (d.xla_global_id != 0) {
    j["xla_global_id"] = fmt::format("{}", d.xla_global_id);
    j["locality"] = Json::object();
  }
  return j;
}

Json to_json(const Shape& s) {
  Json dims = Json::array();
  for (const std::int64_t d : s.dims) dims.push_back({{"size", fmt::format("{}", d)}});
  return dims.empty() ? Json::object() : Json{{"dim", std::move(dims)}};
}

namespace {
Json stats_json(const NodeStats& n) {
  Json node{{"node_name", n.node}};
  if (!n.label.empty()) node["timeline_label"] = n.label;
  for (const auto& [type, shape] : n.outputs)
    node["output"].push_back({{"tensor_description", {{"dtype", enum_name(type)}, {"shape", to_json(shape)}}}});
  if (n.bytes > 0)
    node["output"].push_back(
        {{"tensor_description", {{"allocation_description", {{"requested_bytes", fmt::format("{}", n.bytes)}}}}}});
  return node;
}
}  // namespace

Json to_json(const StepStats& s) {
  Json devices = Json::array();
  for (const DeviceStats& d : s) {
    Json nodes = Json::array();
    for (const NodeStats& n : d.nodes) nodes.push_back(stats_json(n));
    devices.push_back({{"device", d.device}, {"node_stats", std::move(nodes)}});
  }
  return {{"dev_stats", std::move(devices)}};
}

}  // namespace tarry::rpc
