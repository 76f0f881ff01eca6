// The report page of a scenario's run.
#pragma once

#include <string>

#include "results/report.hpp"
#include "scenarios/file/spec.hpp"
#include "scenarios/job/job.hpp"

namespace tarry {

// The page (results/page/page.hpp); `command` made it. Without causes in the outcome it has no critical path.
// REQUIRES: the outcome's log has its kernels.
[[nodiscard]] std::string page_of_run(const Scenario& scenario, const Report& report, const Outcome& outcome,
                                      const std::string& command);

}  // namespace tarry
