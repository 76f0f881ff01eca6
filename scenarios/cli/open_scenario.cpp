#include "scenarios/cli/open_scenario.hpp"

#include <filesystem>

#include "scenarios/cases/find_case.hpp"

namespace tarry {

StatusOr<Scenario> open_scenario(const std::string& name, const Home& home) {
  std::error_code none;
  if (std::filesystem::exists(name, none)) return load_scenario(name);
  TARRY_ASSIGN(const std::string folder, find_case(std::filesystem::path(name).filename(), home.cases()));
  return load_scenario(folder);
}

}  // namespace tarry
