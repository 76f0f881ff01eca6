// Checks that the names in a scenario exist: ops and nodes of cost rules, fed tensors, jobs of tasks, further ops of
// steps.
//
// This needs the graphs, so it is done when they are loaded, for all of them, even for those of absent workers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/file/spec.hpp"

namespace tarry {

using TaskProgram = std::pair<TaskId, ClientProgram>;

// "; did you mean 'X'?", or, when no name is near, "; expected one of A, B, ...".
[[nodiscard]] std::string suggestion(std::string_view word, std::span<const std::string> names);

// "/job:worker/replica:0/task:2" as people write it: "worker/2"; a task of another replica keeps its name.
[[nodiscard]] std::string short_task(std::string_view canonical);

// "scenario.yaml:3:7: ", a position in the scenario's file; the file's beginning for what is not in the file.
[[nodiscard]] std::string place_text(const Scenario& s, Position at);
[[nodiscard]] std::string place_text(const Scenario& s, const std::vector<Position>& places, std::size_t i);

// Fails: INVALID_ARGUMENT at the first name that does not exist, with a suggestion.
[[nodiscard]] Status check_names(const Scenario& s, const std::vector<TaskProgram>& programs);

}  // namespace tarry
