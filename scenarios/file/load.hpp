// Loads a scenario from a YAML file and checks all of it, names included.
//
// Fails with one message, "file:line:column: what is wrong; what was expected or is near": NOT_FOUND (no such file or
// folder), INVALID_ARGUMENT (all else: a folder without scenario.yaml, broken YAML, an unknown key, a wrong type or
// unit, an unknown host, task or verdict). The file is bounded: 512 KiB, 60,000 values, 100,000 with aliases counted
// each time, and yaml-cpp's own limit on nesting. The graphs are only named here; programs.hpp loads them.
#pragma once

#include <string>
#include <string_view>

#include "placer/core/status.hpp"
#include "scenarios/file/spec.hpp"

namespace tarry {

// A scenario as it is written, and the path of its file.
struct ScenarioText {
  std::string text, file;
};
// `path` is as for load_scenario.
[[nodiscard]] StatusOr<ScenarioText> read_scenario(const std::string& path);

// `path` is a YAML file, or a folder with a scenario.yaml.
[[nodiscard]] StatusOr<Scenario> load_scenario(const std::string& path);
// `file` is its name in errors; graphs with a relative path are looked for in its folder.
[[nodiscard]] StatusOr<Scenario> parse_scenario(std::string_view text, const std::string& file);

// Reads "progress: 60s, never: [stuck]", the keys of the section `must`, for this scenario.
[[nodiscard]] StatusOr<Must> parse_must(std::string_view text, const Scenario& scenario);

// The JSON Schema of a scenario file.
[[nodiscard]] std::string scenario_schema();

}  // namespace tarry
