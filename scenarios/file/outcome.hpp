// The outcome of a scenario's run: as a report, and compared with the expected outcome.
//
// A scenario's folder holds `expected.json`: verdict kinds, aggregates, steps, drops, what is broken of what the job
// must keep to, and the hash of the run. When the run had flows, the hash depends on the engine that computed them, and
// one hash is kept per engine.
#pragma once

#include <string>

#include "results/report.hpp"
#include "scenarios/file/spec.hpp"
#include "scenarios/job/job.hpp"

namespace tarry {

[[nodiscard]] Report make_report(const Scenario& scenario, const Job& job, const Outcome& outcome,
                                 std::span<const Proof> proofs);

// Whether the verdict kinds that the scenario names under `expect` are those of the report, in any order; true when it
// names none.
[[nodiscard]] bool meets_expectation(const Scenario& scenario, const Report& report);

// The text of `expected.json`. `engine` is what computed the flows (flow_engine), "" for a run without flows.
// `previous` is the text of the file so far, or "": its hashes for other engines are kept, and what it says is broken
// where the report was held against nothing.
[[nodiscard]] std::string expected_text(const Report& report, const std::string& engine, const std::string& previous);
// Gives "" when the report matches `expected`, the text of `expected.json`; else the first difference, in words. What
// is broken is not compared where the report was held against nothing.
[[nodiscard]] std::string compare_with_expected(const Report& report, const std::string& engine,
                                                const std::string& expected);

}  // namespace tarry
