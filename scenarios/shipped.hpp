// For tests: the scenarios that tarry ships, and jobs made of them.
#pragma once

#include <string>

#include "scenarios/load.hpp"
#include "scenarios/run.hpp"
#include "scenarios/shipped_graphs.hpp"

namespace tarry {

// Throws with the loader's words if there is no such scenario.
[[nodiscard]] inline Scenario shipped(const std::string& name) { return load_scenario(kHome + "/scenarios/" + name).value(); }

[[nodiscard]] inline StatusOr<Job> job_for(const Scenario& s, std::optional<std::uint64_t> seed = {}) {
  return make_job(s, {.graphs_folder = kGraphs, .keep_kernels = false, .seed = seed});
}

}  // namespace tarry
