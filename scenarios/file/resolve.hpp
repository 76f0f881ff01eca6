// From names to ids: a scenario's file, once read, becomes a Scenario.
//
// Whatever can only be seen with the whole file at hand is checked here: hosts, tasks, jobs and verdicts that are named
// but not there, links of a host with itself, laws that are upside down. Errors go to the reader, at the name's place.
#pragma once

#include "scenarios/file/raw.hpp"

namespace tarry {

// Meaningless when the reader holds an error afterwards.
[[nodiscard]] Scenario resolve(Reader& in, const RawScenario& raw, const std::string& file);

}  // namespace tarry
