#include "scenarios/file/load.hpp"

#include <filesystem>

#include "scenarios/file/fault_resolve.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/groups.hpp"
#include "scenarios/file/platform_resolve.hpp"
#include "scenarios/file/raw.hpp"
#include "scenarios/file/resolve.hpp"
#include "scenarios/file/yaml.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

constexpr char kDocument[] = "a scenario: a map with cluster, programs or build, stop";

StatusOr<Scenario> read_document(const YAML::Node& document, const std::string& file) try {
  if (document.IsMap() && document["programs"] && document["build"]) {
    const YAML::Mark at = document["build"].Mark();
    return invalid(
        "{}:{}:{}: the scenario has both 'programs' and 'build': the graphs of 'programs' have been built, and what "
        "'build' would say is in them; to change that, put 'build' in their place, with the graph of one worker: "
        "build: {{graph: softmax_async_ps1_task0, protocol: sync}}, say",
        file, at.line + 1, at.column + 1);
  }
  Reader in(file);
  RawScenario raw;
  scenario_type().read(in, document, raw);
  if (in.ok()) expand_groups(in, raw.cluster);
  if (in.ok()) take_hosts_of_platform(raw.cluster);
  if (!in.ok()) return in.status();
  Scenario scenario = resolve(in, raw, file);
  if (!in.ok()) return in.status();
  return scenario;
} catch (const YAML::Exception& e) {
  return invalid("{}:{}:{}: {}", file, e.mark.line + 1, e.mark.column + 1, e.msg);
}

// The names of a scenario that was read before.
Lookup lookup_of(Reader& in, const Scenario& s) {
  Lookup names(in, s.cluster);
  for (const ProgramSpec& p : s.programs) names.with_program.insert(p.task);
  for (std::size_t i = 0; s.build && i < s.cluster.tasks.size(); ++i)
    if (s.cluster.tasks[i].name.starts_with("/job:worker/replica:0/")) names.with_program.insert(TaskId{i});
  return names;
}

}  // namespace

StatusOr<Scenario> parse_scenario(std::string_view text, const std::string& file) {
  if (text.size() > kMostYamlBytes)
    return invalid("{}: has {} bytes; a scenario has at most {}", file, text.size(), kMostYamlBytes);
  TARRY_ASSIGN(const YAML::Node document, parse_yaml(text, file, kDocument));
  return read_document(document, file);
}

StatusOr<Fault> parse_fault(std::string_view text, const Scenario& scenario) {
  const std::string file = "fault";
  if (text.size() > kMostYamlBytes) return invalid("{}: has {} bytes; expected one fault", file, text.size());
  TARRY_ASSIGN(const YAML::Node document, parse_yaml(text, file, kDocument));
  Reader in(file);
  RawFault raw;
  fault_type().read(in, document, raw);
  if (!in.ok()) return in.status();
  Fault fault = resolve_fault(in, lookup_of(in, scenario), scenario.cluster, raw);
  if (!in.ok()) return in.status();
  return fault;
}

StatusOr<Must> parse_must(std::string_view text, const Scenario& scenario) {
  const std::string file = "must";
  if (text.size() > kMostYamlBytes) return invalid("{}: has {} bytes; expected one section", file, text.size());
  TARRY_ASSIGN(const YAML::Node document, parse_yaml(fmt::format("{{{}}}", text), file, kDocument));
  Reader in(file);
  RawMust raw;
  must_type().read(in, document, raw);
  if (!in.ok()) return in.status();
  Must must = resolve_must(in, raw, scenario.stop.time);
  if (!in.ok()) return in.status();
  return must;
}

StatusOr<ScenarioText> read_scenario(const std::string& path) {
  std::error_code failed;
  const bool folder = fs::is_directory(path, failed);
  const std::string file = folder ? (fs::path(path) / "scenario.yaml").string() : path;
  if (folder && !fs::exists(file, failed))
    return invalid("{}: a folder without a scenario.yaml; expected a scenario", path);
  for (const char* ending : {".pb", ".pbtxt", ".meta", ".pb.zst", ".pb.gz"})
    if (file.ends_with(ending))
      return invalid(
          "{}: this is a graph, and a scenario is wanted: a YAML file that names the graph under 'build' or "
          "'programs' (`tarry place` and `tarry exec` take graphs)",
          file);
  TARRY_ASSIGN(std::string text, read_yaml_file(file, "a scenario"));
  return ScenarioText{std::move(text), file};
}

StatusOr<Scenario> load_scenario(const std::string& path) {
  TARRY_ASSIGN(const ScenarioText read, read_scenario(path));
  return parse_scenario(read.text, read.file);
}

std::string scenario_schema() {
  Json schema = scenario_type().schema;
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "tarry scenario";
  schema["oneOf"] = Json::array({{{"required", {"programs"}}}, {{"required", {"build"}}}});
  return schema.dump(2) + "\n";
}

}  // namespace tarry
