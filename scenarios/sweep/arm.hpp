// An arm of a sweep: a scenario with some of its keys set to other values.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

#include "scenarios/file/load.hpp"

namespace tarry {

// "costs[0].time": the keys of maps, with dots between them, and places in lists, from 0; "faults[]": a new entry.
struct KeyChange {
  std::string key;
  YAML::Node value;  // nothing (~) takes the key away
};

// Whether the later of two changes takes back what the earlier one set, all of it or a part: "costs" after
// "costs[0].time", and "stop.time" after "stop" with a value that has a time. False for what is no key.
[[nodiscard]] bool takes_back(const KeyChange& later, const KeyChange& earlier);

// The text of the scenario with these values. Keys that it does not have are added, and entries of lists
// that `[]` asks for. Fails: INVALID_ARGUMENT "key: what is wrong" where the key leads through what is no map or no
// list, and as parse_scenario for the result, without a position, which would be one that nobody wrote.
[[nodiscard]] StatusOr<std::string> changed_scenario(const ScenarioText& base, const std::vector<KeyChange>& changes);

// A value on one line: "8", "[a, b]", "{lognormal: {mean: 1s, sd: 200ms}}".
[[nodiscard]] std::string on_one_line(const YAML::Node& value);

}  // namespace tarry
