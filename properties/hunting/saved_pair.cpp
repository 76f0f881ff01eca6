#include "properties/hunting/saved_pair.hpp"

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <fstream>

#include "placer/graph/read.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

}  // namespace

Status save_text(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  out.close();
  return out ? Status() : error(Code::kUnavailable, "{}: cannot be written", path);
}

Status make_folder(const std::string& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  return failed ? error(Code::kUnavailable, "{}: cannot be made: {}", folder, failed.message()) : Status();
}

StatusOr<std::string> save_pair(const GraphSpec& graph, const std::string& yaml, const std::string& folder,
                                const std::string& name) {
  TARRY_RETURN_IF_ERROR(make_folder(folder));
  const fs::path file = fs::path(folder) / (name + ".yaml");
  TARRY_RETURN_IF_ERROR(save_text(fs::path(folder) / (name + ".pbtxt"), to_text(graph)));
  TARRY_RETURN_IF_ERROR(save_text(file, yaml));
  return file.string();
}

Status take_yaml(const std::string& text, const std::string& yaml_file,
                 const std::function<Status(const YAML::Node&)>& take) {
  try {
    return take(YAML::Load(text));
  } catch (const YAML::Exception& e) {
    return invalid("{}:{}:{}: {}; expected what tarry hunt has saved", yaml_file, e.mark.line + 1, e.mark.column + 1,
                   e.msg);
  }
}

Status read_yaml_file(const std::string& yaml_file, const std::function<Status(const YAML::Node&)>& take) {
  TARRY_ASSIGN(const std::string text, read_file(yaml_file));
  return take_yaml(text, yaml_file, take);
}

Status load_pair(const std::string& yaml_file, const std::function<Status(const YAML::Node&, GraphSpec)>& take) {
  return read_yaml_file(yaml_file, [&](const YAML::Node& y) -> Status {
    TARRY_ASSIGN(GraphSpec graph,
                 read_graph((fs::path(yaml_file).parent_path() / y["graph"].as<std::string>()).string()));
    return take(y, std::move(graph));
  });
}

}  // namespace tarry
