// An outcome on its way from the process of its run.
#pragma once

#include <string>
#include <string_view>

#include "scenarios/job/job.hpp"

namespace tarry {

// The log, the statistics, the causes; of the audit what broke and which marks were reached. For the same program only.
[[nodiscard]] std::string to_bytes(const Outcome& outcome);
// Without the names of tasks. REQUIRES: to_bytes made them. Fails: as EventLog::from_bytes.
[[nodiscard]] StatusOr<Outcome> outcome_from_bytes(std::string_view bytes);

}  // namespace tarry
