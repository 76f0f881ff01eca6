#include "properties/placement/case.hpp"

#include <nlohmann/json.hpp>

#include "placer/core/text.hpp"
#include "properties/conform/recorded.hpp"

namespace tarry {
namespace {

using OrderedJson = Json;

OrderedJson shape_json(const Shape& s) {
  if (s.unknown_rank) return nullptr;
  return s.dims;
}

std::string type_text(DataType t) {
  std::string upper = "DT_" + type_name(t);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

template <class T>
OrderedJson elements_json(std::string_view content, const auto& shown) {
  OrderedJson values = OrderedJson::array();
  for (std::size_t i = 0; i + sizeof(T) <= content.size(); i += sizeof(T)) {
    T v{};
    content.copy(reinterpret_cast<char*>(&v), sizeof v, i);
    values.push_back(shown(v));
  }
  return values;
}

// As recorded.cpp reads them.
OrderedJson elements_json(const TensorSpec& t) {
  const auto as_is = [](auto v) { return v; };
  switch (t.dtype) {
    case DataType::kString:
      return t.strings;
    case DataType::kFloat:
      return elements_json<float>(t.content, as_is);
    case DataType::kDouble:
      return elements_json<double>(t.content, as_is);
    case DataType::kInt64:
      return elements_json<std::int64_t>(t.content, as_is);
    case DataType::kBool:
      return elements_json<std::uint8_t>(t.content, [](std::uint8_t v) { return v != 0; });
    default:
      return elements_json<std::int32_t>(t.content, as_is);
  }
}

OrderedJson tensor_json(const TensorSpec& t) {
  return {{"tensor", {type_text(t.dtype), shape_json(t.shape), elements_json(t)}}};
}

OrderedJson list_json(const AttrList& l) {
  OrderedJson out = OrderedJson::array();
  for (const std::string& s : l.s) out.push_back(s);
  for (const std::int64_t i : l.i) out.push_back(i);
  for (const DataType t : l.type) out.push_back(type_text(t));
  if (l.shape.empty()) return out;
  for (const Shape& s : l.shape) out.push_back(shape_json(s));
  return {{"shapes", out}};
}

OrderedJson attr_json(const AttrValue& value) {
  if (const auto* t = value.get<DataType>()) return type_text(*t);
  if (const auto* s = value.get<std::string>()) return {{"s", *s}};
  if (const auto* i = value.get<std::int64_t>()) return *i;
  if (const auto* b = value.get<bool>()) return *b;
  if (const auto* f = value.get<float>()) return {{"f", *f}};
  if (const auto* s = value.get<Shape>()) return {{"shape", shape_json(*s)}};
  if (const auto* t = value.get<std::shared_ptr<const TensorSpec>>()) return tensor_json(**t);
  if (const auto* f = value.get<FuncRef>()) return {{"func", f->name}};
  return list_json(*value.get<AttrList>());
}

OrderedJson node_json(const CaseNode& n) {
  OrderedJson attrs = OrderedJson::object();
  for (const auto& [name, value] : n.spec.attrs) attrs[name] = attr_json(value);
  OrderedJson row = {n.spec.name, n.spec.op, n.spec.inputs, n.spec.device, attrs, n.assigned};
  while (row.size() > 2 && row.back().empty()) row.erase(row.size() - 1);
  if (row.back().is_string() && row.back().get<std::string>().empty()) row.erase(row.size() - 1);
  return row;
}

OrderedJson device_json(const CaseDevice& d) {
  if (d.type.empty()) return d.name;
  return {d.name, d.type};
}

OrderedJson kernels_json(const std::vector<KernelDef>& kernels) {
  OrderedJson out = OrderedJson::array();
  for (const KernelDef& k : kernels) out.push_back({k.op, k.device_type, k.priority});
  return out;
}

std::shared_ptr<const std::vector<KernelDef>> kernels_from(const Json& rows) {
  auto kernels = std::make_shared<std::vector<KernelDef>>();
  for (const Json& row : rows)
    kernels->push_back(
        {.op = row[0].get<std::string>(), .device_type = row[1].get<std::string>(), .priority = row[2].get<int>()});
  return kernels;
}

CaseNode node_from(const Json& row) {
  CaseNode n{graph_from(Json::array({row})).nodes[0], ""};
  if (row.size() > 5) n.assigned = row[5].get<std::string>();
  return n;
}

std::string node_line(const CaseNode& n) {
  std::string line = fmt::format("  {} = {}({})", n.spec.name, n.spec.op, join(n.spec.inputs, ", "));
  for (const std::string_view key : loc_keys(n.spec)) line += fmt::format(" {{{}}}", key);
  if (!n.spec.device.empty()) line += " @" + n.spec.device;
  if (!n.assigned.empty()) line += " already on " + n.assigned;
  return line;
}

}  // namespace

OrderedJson to_json(const PlacementCase& c) {
  OrderedJson out = {{"id", c.id}, {"kind", "test"}, {"soft", c.soft}};
  out["devices"] = OrderedJson::array();
  for (const CaseDevice& d : c.devices) out["devices"].push_back(device_json(d));
  out["nodes"] = OrderedJson::array();
  for (const CaseNode& n : c.nodes) out["nodes"].push_back(node_json(n));
  if (!c.default_device.empty()) out["default"] = c.default_device;
  if (!c.local_task.empty()) out["local"] = c.local_task;
  if (c.kernels) out["kernels"] = kernels_json(*c.kernels);
  return out;
}

PlacementCase case_from_json(const Json& json) {
  PlacementCase c{.id = json.value("id", ""),
                  .soft = json.value("soft", false),
                  .default_device = json.value("default", ""),
                  .local_task = json.value("local", "")};
  for (const Json& d : json.at("devices"))
    c.devices.push_back(d.is_string() ? CaseDevice{d.get<std::string>(), ""}
                                      : CaseDevice{d[0].get<std::string>(), d[1].get<std::string>()});
  for (const Json& n : json.at("nodes")) c.nodes.push_back(node_from(n));
  if (json.contains("kernels")) c.kernels = kernels_from(json["kernels"]);
  return c;
}

StatusOr<PlacementAnswer> answer_from_json(const Json& json, const PlacementCase& c) {
  PlacementAnswer a;
  if (json.is_object() && json.contains("code") && json["code"].is_number_integer() && json.contains("msg") &&
      json["msg"].is_string()) {
    a.code = static_cast<Code>(json["code"].get<int>());
    a.message = json["msg"].get<std::string>();
    return a;
  }
  if (!json.is_object() || !json.contains("place") || !json["place"].is_array())
    return invalid("expected {{\"place\": [...]}} or {{\"code\": N, \"msg\": \"...\"}}, not {}",
                   json.dump().substr(0, 100));
  if (json["place"].size() != c.nodes.size())
    return invalid("\"place\" has {} items for {} nodes", json["place"].size(), c.nodes.size());
  for (const Json& p : json["place"]) {
    if (!p.is_number_integer() || p.get<std::int64_t>() < 0 ||
        p.get<std::int64_t>() >= static_cast<std::int64_t>(c.devices.size()))
      return invalid("\"place\" says {}, which is none of the {} devices", p.dump(), c.devices.size());
    a.place.push_back(p.get<int>());
  }
  return a;
}

std::string to_text(const PlacementCase& c, const PlacementAnswer* answer) {
  std::string out = fmt::format("{} placement on", c.soft ? "soft" : "hard");
  for (const CaseDevice& d : c.devices) out += " " + d.name;
  if (!c.default_device.empty()) out += "\n  default device " + c.default_device;
  if (!c.local_task.empty()) out += "\n  local task " + c.local_task;
  for (std::size_t i = 0; i < c.nodes.size(); ++i) {
    out += "\n" + node_line(c.nodes[i]);
    if (answer != nullptr && i < answer->place.size()) out += "  -> " + c.devices[answer->place[i]].name;
  }
  if (c.kernels)
    for (const KernelDef& k : *c.kernels)
      out += fmt::format("\n  kernel {} for {}, priority {}", k.op, k.device_type, k.priority);
  if (answer != nullptr && answer->code != Code::kOk)
    out += fmt::format("\n  -> {}: {}", code_name(answer->code), answer->message);
  return out + "\n";
}

std::string input_text(std::string_view node, int slot) {
  if (slot < 0) return fmt::format("^{}", node);
  return slot == 0 ? std::string(node) : fmt::format("{}:{}", node, slot);
}

std::vector<std::string_view> loc_keys(const NodeSpec& n) {
  std::vector<std::string_view> keys;
  if (const AttrList* entries = n.attrs.get<AttrList>("_class"))
    for (const std::string& entry : entries->s)
      if (entry.starts_with("loc:@")) keys.push_back(std::string_view(entry).substr(5));
  return keys;
}

}  // namespace tarry
