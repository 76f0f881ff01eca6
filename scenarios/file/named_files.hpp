// The files that a scenario names: traces, graphs, measurements, arrays, a platform.
#pragma once

#include <yaml-cpp/yaml.h>

#include <functional>
#include <map>
#include <string>

#include "scenarios/file/load.hpp"

namespace tarry {

// Calls `on` with each word of a scenario that may name a file, wherever it stands.
void for_each_named_file(YAML::Node scenario, const std::function<void(YAML::Node)>& on);

// Adds the files that are there, as the scenario names them, with a digest of what is in them; of a graph with its
// sidecar. A name that is known is not looked at once more. REQUIRES: the scenario is YAML.
void add_named_files(const ScenarioText& scenario, std::map<std::string, std::string>& files);

}  // namespace tarry
