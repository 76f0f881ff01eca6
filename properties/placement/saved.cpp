#include "properties/placement/saved.hpp"

#include <yaml-cpp/yaml.h>

#include "properties/hunting/saved_pair.hpp"

namespace tarry {
namespace {

void emit_kernels(YAML::Emitter& y, const PlacementCase& c) {
  if (!c.kernels) return;
  y << YAML::Key << "kernels" << YAML::Value << YAML::BeginSeq;
  for (const KernelDef& k : *c.kernels)
    y << YAML::Flow << YAML::BeginSeq << k.op << k.device_type << k.priority << YAML::EndSeq;
  y << YAML::EndSeq;
}

void emit_devices(YAML::Emitter& y, const PlacementCase& c) {
  y << YAML::Key << "devices" << YAML::Value << YAML::BeginSeq;
  for (const CaseDevice& d : c.devices) {
    if (d.type.empty())
      y << d.name;
    else
      y << YAML::Flow << YAML::BeginSeq << d.name << d.type << YAML::EndSeq;
  }
  y << YAML::EndSeq;
}

void emit_assigned(YAML::Emitter& y, const PlacementCase& c) {
  y << YAML::Key << "assigned" << YAML::Value << YAML::BeginMap;
  for (const CaseNode& n : c.nodes)
    if (!n.assigned.empty()) y << YAML::Key << n.spec.name << YAML::Value << n.assigned;
  y << YAML::EndMap;
}

std::string yaml_text(const SavedCase& s, const std::string& graph_file) {
  YAML::Emitter y;
  y << YAML::BeginMap << YAML::Key << "property" << YAML::Value << s.property << YAML::Key << "rules" << YAML::Value
    << YAML::DoubleQuoted << s.rules << YAML::Key << "graph" << YAML::Value << graph_file << YAML::Key << "soft"
    << YAML::Value << s.c.soft;
  emit_devices(y, s.c);
  emit_assigned(y, s.c);
  if (!s.c.default_device.empty()) y << YAML::Key << "default" << YAML::Value << s.c.default_device;
  if (!s.c.local_task.empty()) y << YAML::Key << "local" << YAML::Value << s.c.local_task;
  emit_kernels(y, s.c);
  y << YAML::EndMap;
  return std::string(y.c_str()) + "\n";
}

void read_kernels(const YAML::Node& rows, PlacementCase& c) {
  if (!rows) return;
  auto kernels = std::make_shared<std::vector<KernelDef>>();
  for (const YAML::Node& k : rows)
    kernels->push_back(
        {.op = k[0].as<std::string>(), .device_type = k[1].as<std::string>(), .priority = k[2].as<int>()});
  c.kernels = std::move(kernels);
}

// Throws YAML::Exception.
SavedCase read_yaml(const YAML::Node& y, const GraphSpec& graph) {
  SavedCase s{y["property"].as<std::string>(), y["rules"].as<std::string>(), {}};
  s.c.soft = y["soft"].as<bool>();
  for (const YAML::Node& d : y["devices"])
    s.c.devices.push_back(d.IsScalar() ? CaseDevice{d.as<std::string>(), ""}
                                       : CaseDevice{d[0].as<std::string>(), d[1].as<std::string>()});
  if (y["default"]) s.c.default_device = y["default"].as<std::string>();
  if (y["local"]) s.c.local_task = y["local"].as<std::string>();
  read_kernels(y["kernels"], s.c);
  for (const NodeSpec& n : graph.nodes)
    s.c.nodes.push_back({n, y["assigned"][n.name] ? y["assigned"][n.name].as<std::string>() : ""});
  return s;
}

}  // namespace

StatusOr<std::string> save_case(const SavedCase& saved, const std::string& folder, const std::string& name) {
  GraphSpec graph;
  for (const CaseNode& n : saved.c.nodes) graph.nodes.push_back(n.spec);
  return save_pair(graph, yaml_text(saved, name + ".pbtxt"), folder, name);
}

StatusOr<SavedCase> parse_case(const std::string& text, const std::string& yaml_file, const GraphSpec& graph) {
  SavedCase s;
  TARRY_RETURN_IF_ERROR(take_yaml(text, yaml_file, [&](const YAML::Node& y) {
    s = read_yaml(y, graph);
    return Status();
  }));
  return s;
}

StatusOr<SavedCase> load_case(const std::string& yaml_file) {
  SavedCase s;
  TARRY_RETURN_IF_ERROR(load_pair(yaml_file, [&](const YAML::Node& y, const GraphSpec& graph) {
    s = read_yaml(y, graph);
    return Status();
  }));
  return s;
}

}  // namespace tarry
