// The scenario that a user names, and the keys that the user sets otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/cli/commands.hpp"
#include "scenarios/file/load.hpp"

namespace tarry {

struct ScenarioChoice {
  std::string name;                     // a folder or a file, or the name of one that ships with tarry
  std::vector<std::string> set;         // "costs[0].time=2s", in this order
  std::optional<std::int64_t> workers;  // as cluster.workers

  [[nodiscard]] bool changes() const { return workers || !set.empty(); }
};

// The argument SCENARIO, --set and --workers.
void add_options(CLI::App& command, ScenarioChoice& choice);
// --faults, for faults in place of the scenario's own.
void add_faults_option(CLI::App& command, std::optional<std::string>& faults);
// Fails: as parse_faults, with the option in front.
[[nodiscard]] Status use_faults(const std::optional<std::string>& faults, Scenario& scenario);
// As a shell reads it back: "uneven_ps --set 'costs[0].time=2s'".
[[nodiscard]] std::string in_words(const ScenarioChoice& choice);

// Fails: as load_scenario and find_case; and as changed_scenario, with the option that is wrong in front.
[[nodiscard]] StatusOr<Scenario> open_scenario(const ScenarioChoice& choice, const Home& home);
[[nodiscard]] StatusOr<Scenario> open_scenario(const std::string& name, const Home& home);
// As it is written.
[[nodiscard]] StatusOr<ScenarioText> open_scenario_text(const std::string& name, const Home& home);

}  // namespace tarry
