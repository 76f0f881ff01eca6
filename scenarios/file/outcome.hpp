// What a run of a scenario gave, as a report and beside the outcome that the scenario expects.
//
// A scenario's folder holds `expected.json`: verdict kinds, aggregates, steps, drops and the hash of the run. A hash
// that depends on SimGrid's release (the run had flows) is kept once for each.
#pragma once

#include <string>

#include "results/report.hpp"
#include "scenarios/file/spec.hpp"
#include "scenarios/job/job.hpp"

namespace tarry {

[[nodiscard]] Report make_report(const Scenario& scenario, const Job& job, const Outcome& outcome);

// The verdict kinds that the scenario names under `expect` are those of the report, in any order; true when it names
// none.
[[nodiscard]] bool meets_expectation(const Scenario& scenario, const Report& report);

// What is checked in beside a scenario. `engine` names the SimGrid release, "" for a run without flows.
[[nodiscard]] std::string expected_text(const Report& report, const std::string& engine, const std::string& previous);
// "" when the report is as expected; else the first difference, in words.
[[nodiscard]] std::string compare_with_expected(const Report& report, const std::string& engine,
                                                const std::string& expected);

}  // namespace tarry
