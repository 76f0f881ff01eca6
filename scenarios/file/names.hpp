// Whether what a scenario names is there: ops and nodes of cost rules, fed tensors, jobs of tasks, ops that steps run
// besides.
//
// Only the graphs can tell, so this is asked when they are read, of all of them: also of those whose worker is absent.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/file/spec.hpp"

namespace tarry {

using TaskProgram = std::pair<TaskId, ClientProgram>;

// "; did you mean 'X'?"; where none is near, "; expected one of A, B, ...".
[[nodiscard]] std::string suggestion(std::string_view word, std::span<const std::string> names);

// "/job:worker/replica:0/task:2" as people write it: "worker/2"; a task of another replica keeps its name.
[[nodiscard]] std::string short_task(std::string_view canonical);

// "scenario.yaml:3:7: "; of what a file does not say, the file's beginning.
[[nodiscard]] std::string place_text(const Scenario& s, Position at);
[[nodiscard]] std::string place_text(const Scenario& s, const std::vector<Position>& places, std::size_t i);

// Fails: INVALID_ARGUMENT at the first name that fits nothing, with what may have been meant.
[[nodiscard]] Status check_names(const Scenario& s, const std::vector<TaskProgram>& programs);

}  // namespace tarry
