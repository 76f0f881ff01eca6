#include "properties/programs/saved.hpp"

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <fstream>

#include "placer/graph/read.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

Status write_file(const fs::path& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  out.close();
  return out ? Status() : error(Code::kUnavailable, "{}: cannot be written", path.string());
}

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

Status not_saved(const std::string& file, const YAML::Exception& e) {
  return invalid("{}:{}:{}: {}; expected what tarry hunt has saved", file, e.mark.line + 1, e.mark.column + 1, e.msg);
}

}  // namespace

StatusOr<std::string> save_program(const SavedProgram& saved, const std::string& folder, const std::string& name) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return error(Code::kUnavailable, "{}: cannot be made: {}", folder, failed.message());
  const fs::path yaml = fs::path(folder) / (name + ".yaml");
  TARRY_RETURN_IF_ERROR(write_file(fs::path(folder) / (name + ".pbtxt"), to_text(spec_of(saved.program))));
  TARRY_RETURN_IF_ERROR(write_file(yaml, yaml_text(saved, name + ".pbtxt")));
  return yaml.string();
}

StatusOr<SavedProgram> load_program(const std::string& yaml_file) {
  TARRY_ASSIGN(const std::string text, read_file(yaml_file));
  try {
    const YAML::Node y = YAML::Load(text);
    TARRY_ASSIGN(GraphSpec graph, read_graph((fs::path(yaml_file).parent_path() / y["graph"].as<std::string>()).string()));
    SavedProgram s = read_yaml(y, std::move(graph));
    if (s.program.devices.empty()) return invalid("{}: a program needs a device", yaml_file);
    return s;
  } catch (const YAML::Exception& e) {
    return not_saved(yaml_file, e);
  }
}

StatusOr<bool> is_saved_program(const std::string& yaml_file) {
  TARRY_ASSIGN(const std::string text, read_file(yaml_file));
  try {
    const YAML::Node y = YAML::Load(text);
    return y.IsMap() && y["program"].IsDefined();
  } catch (const YAML::Exception& e) {
    return not_saved(yaml_file, e);
  }
}

}  // namespace tarry
