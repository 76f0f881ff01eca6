// For tests: the recorded training graphs that tarry ships.
#pragma once

#include <string>

#include "scenarios/job/programs.hpp"

namespace tarry {

inline const std::string kHome = TARRY_SOURCE_DIR;
inline const std::string kCases = kHome + "/scenarios/cases";
inline const std::string kGraphs = kHome + "/scenarios/graphs";

// Throws with load_program's error if there is no such graph.
[[nodiscard]] inline ClientProgram shipped_program(const std::string& graph, const FeedSizes& feeds = {}) {
  return load_program(graph, kGraphs, feeds).value();
}

}  // namespace tarry
