// Running a scenario: from its file to a report, and against its expected outcome.
//
// A scenario's folder holds `expected.json`: verdict kinds, aggregates, steps, drops and the hash of the run. A hash that depends on SimGrid's
// release (the run had flows) is kept once for each.
#pragma once

#include <optional>
#include <string>

#include "results/report.hpp"
#include "scenarios/job.hpp"
#include "scenarios/spec.hpp"

namespace tarry {

struct RunOptions {
  std::string graphs_folder;
  bool keep_kernels = false;
  std::optional<std::uint64_t> seed;  // instead of the scenario's
};

// Fails: as load_program; INVALID_ARGUMENT for programs that do not fit the cluster.
[[nodiscard]] StatusOr<Job> make_job(const Scenario& scenario, const RunOptions& options);
[[nodiscard]] Report make_report(const Scenario& scenario, const Job& job, const Outcome& outcome);

// The verdict kinds that the scenario names under `expect` are those of the report, in any order; true when it names none.
[[nodiscard]] bool meets_expectation(const Scenario& scenario, const Report& report);

// What is checked in beside a scenario. `engine` names the SimGrid release, "" for a run without flows.
[[nodiscard]] std::string expected_text(const Report& report, const std::string& engine, const std::string& previous);
// "" when the report is as expected; else the first difference, in words.
[[nodiscard]] std::string compare_with_expected(const Report& report, const std::string& engine, const std::string& expected);

// The SimGrid release that decides this job's flows ("simgrid 3.32"), or "" when no link has a limit.
[[nodiscard]] std::string flow_engine(const Job& job);

}  // namespace tarry
