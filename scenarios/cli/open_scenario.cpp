#include "scenarios/cli/open_scenario.hpp"

#include <filesystem>

#include "scenarios/cases/find_case.hpp"

namespace tarry {

StatusOr<ScenarioText> open_scenario_text(const std::string& name, const Home& home) {
  std::error_code none;
  if (std::filesystem::exists(name, none)) return read_scenario(name);
  TARRY_ASSIGN(const std::string folder, find_case(std::filesystem::path(name).filename(), home.cases()));
  return read_scenario(folder);
}

StatusOr<Scenario> open_scenario(const std::string& name, const Home& home) {
  TARRY_ASSIGN(const ScenarioText read, open_scenario_text(name, home));
  return parse_scenario(read.text, read.file);
}

}  // namespace tarry
