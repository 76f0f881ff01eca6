// For tests: the scenarios that tarry ships, and jobs made of them.
#pragma once

#include <string>

#include "scenarios/file/load.hpp"
#include "scenarios/file/make_job.hpp"
#include "scenarios/job/shipped_graphs.hpp"

namespace tarry {

// Throws with the loader's words if there is no such scenario.
[[nodiscard]] inline Scenario shipped(const std::string& name) { return load_scenario(kCases + "/" + name).value(); }

[[nodiscard]] inline StatusOr<Job> job_for(const Scenario& s, std::optional<std::uint64_t> seed = {}) {
  return make_job(s, {.graphs_folder = kGraphs, .keep_kernels = false, .seed = seed});
}

}  // namespace tarry
