// What a job adds to the audit of its run; and the breaches of laws on their way between two processes.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "scenarios/job/job.hpp"

namespace tarry {

// By task: the tasks that the device filters of its client admit, its own among them. A task without a client, or whose
// client has no filters, may call all.
[[nodiscard]] std::vector<std::vector<std::uint64_t>> tasks_to_call(const Job& job);

[[nodiscard]] nlohmann::json to_json(const std::vector<BrokenLaw>& breaches);
// REQUIRES: to_json made it.
[[nodiscard]] std::vector<BrokenLaw> breaches_from(const nlohmann::json& json);

}  // namespace tarry
