// Findings kept in a file, a line each: they must come again, event by event, with every compiler and on every system.
#pragma once

#include <string>
#include <vector>

#include "properties/cluster/hunt.hpp"
#include "scenarios/file/spec.hpp"

namespace tarry {

struct RecordedFinding {
  std::string scenario;
  std::string planted = "none";  // a bug of planted_cluster_bugs(), or "none"
  std::uint64_t seed = 0;        // of the job
  std::string property;          // that is broken
  std::string hash;              // of the run
  std::string faults;            // as faults_line has them
};

[[nodiscard]] std::vector<RecordedFinding> read_recorded(const std::string& file);
[[nodiscard]] std::string to_text(const RecordedFinding& finding);

// What is not as recorded, as sentences; empty: all of it came again. `job` is the scenario's, without faults.
[[nodiscard]] std::string problem_of(const RecordedFinding& finding, const Scenario& scenario, Job job,
                                     const Must& must);

}  // namespace tarry
