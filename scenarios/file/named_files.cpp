#include "scenarios/file/named_files.hpp"

#include <algorithm>
#include <filesystem>

#include "placer/core/hash.hpp"
#include "placer/graph/read.hpp"
#include "scenarios/job/programs.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

std::string digest_of(const fs::path& file) {
  std::error_code failed;
  if (!fs::is_regular_file(file, failed)) return "";
  const auto bytes = read_file(file.string());
  return bytes.ok() ? to_string(hash_of(*bytes)) : "";
}

}  // namespace

void for_each_named_file(YAML::Node node, const std::function<void(YAML::Node)>& on) {
  constexpr std::string_view kKeys[] = {"graph", "trace", "file", "from", "platform"};
  if (node.IsSequence())
    for (auto each : node) for_each_named_file(each, on);
  if (!node.IsMap()) return;
  for (auto entry : node) {
    const std::string key = entry.first.Scalar();
    if (std::ranges::find(kKeys, key) != std::end(kKeys) && entry.second.IsScalar()) on(entry.second);
    if (key == "measured")
      for (auto file : entry.second)
        if (file.IsScalar()) on(file);
    for_each_named_file(entry.second, on);
  }
}

void add_named_files(const ScenarioText& scenario, std::map<std::string, std::string>& files) {
  const fs::path folder = fs::path(scenario.file).parent_path();
  const auto add = [&](const fs::path& name) {
    if (files.contains(name.string())) return;
    if (std::string digest = digest_of(folder / name); !digest.empty()) files[name.string()] = std::move(digest);
  };
  for_each_named_file(YAML::Load(scenario.text), [&](const YAML::Node& name) {
    add(name.Scalar());
    if (const auto graph = find_graph((folder / name.Scalar()).string(), ""); graph.ok())
      add(fs::path(graph->sidecar).lexically_relative(folder.empty() ? "." : folder));
  });
}

}  // namespace tarry
