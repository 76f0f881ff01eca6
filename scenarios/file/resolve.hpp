// From names to ids: makes a Scenario from the scenario as read.
//
// Checks what can only be checked with the whole file: unknown hosts, tasks, jobs and verdicts, links from a host to
// itself, distributions whose bounds are reversed. Errors go to the reader, at the name's place.
#pragma once

#include "scenarios/file/raw.hpp"

namespace tarry {

// The result is meaningless when the reader holds an error afterwards.
[[nodiscard]] Scenario resolve(Reader& in, const RawScenario& raw, const std::string& file);

}  // namespace tarry
