#include "properties/programs/saved.hpp"

#include <yaml-cpp/yaml.h>

#include "properties/hunting/saved_pair.hpp"

namespace tarry {
namespace {

std::string yaml_text(const SavedProgram& s, const std::string& graph_file) {
  YAML::Emitter y;
  const auto entry = [&y](const char* key, const auto& value) { y << YAML::Key << key << YAML::Value << value; };
  y << YAML::BeginMap;
  entry("program", s.program.id);
  entry("property", s.property);
  entry("graph", graph_file);
  entry("steps", s.program.steps);
  entry("devices", s.program.devices);
  entry("fetches", s.program.fetches);
  y << YAML::EndMap;
  return std::string(y.c_str()) + "\n";
}

// Throws YAML::Exception.
SavedProgram read_yaml(const YAML::Node& y, GraphSpec graph) {
  SavedProgram s{y["property"].as<std::string>(), {.id = y["program"].as<std::string>()}};
  s.program.devices = y["devices"].as<std::vector<std::string>>();
  s.program.fetches = y["fetches"].as<std::vector<std::string>>();
  s.program.steps = y["steps"].as<int>();
  s.program.nodes = std::move(graph.nodes);
  return s;
}

constexpr int kMostSteps = 1000;

Status check(const SavedProgram& s, const std::string& yaml_file) {
  if (s.program.devices.empty()) return invalid("{}: a program needs a device", yaml_file);
  if (s.program.steps < 0 || s.program.steps > kMostSteps)
    return invalid("{}: 'steps' is {}; expected 0 to {}", yaml_file, s.program.steps, kMostSteps);
  return {};
}

}  // namespace

StatusOr<std::string> save_program(const SavedProgram& saved, const std::string& folder, const std::string& name) {
  return save_pair(spec_of(saved.program), yaml_text(saved, name + ".pbtxt"), folder, name);
}

StatusOr<SavedProgram> parse_program(const std::string& text, const std::string& yaml_file, GraphSpec graph) {
  SavedProgram s;
  TARRY_RETURN_IF_ERROR(take_yaml(text, yaml_file, [&](const YAML::Node& y) {
    s = read_yaml(y, std::move(graph));
    return check(s, yaml_file);
  }));
  return s;
}

StatusOr<SavedProgram> load_program(const std::string& yaml_file) {
  SavedProgram s;
  TARRY_RETURN_IF_ERROR(load_pair(yaml_file, [&](const YAML::Node& y, GraphSpec graph) {
    s = read_yaml(y, std::move(graph));
    return check(s, yaml_file);
  }));
  return s;
}

StatusOr<bool> is_saved_program(const std::string& yaml_file) {
  bool is_program = false;
  TARRY_RETURN_IF_ERROR(read_yaml_file(yaml_file, [&](const YAML::Node& y) {
    is_program = y.IsMap() && y["program"].IsDefined();
    return Status();
  }));
  return is_program;
}

}  // namespace tarry
