// The scenario that a user names.
#pragma once

#include <string>

#include "scenarios/cli/commands.hpp"
#include "scenarios/file/load.hpp"

namespace tarry {

// A folder or a file, or the name of one that ships with tarry. Fails: as load_scenario and find_case.
[[nodiscard]] StatusOr<Scenario> open_scenario(const std::string& name, const Home& home);
// As it is written.
[[nodiscard]] StatusOr<ScenarioText> open_scenario_text(const std::string& name, const Home& home);

}  // namespace tarry
