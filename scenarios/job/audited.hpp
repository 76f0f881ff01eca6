// What a job adds to the audit of its run; and what an audit came to on its way between two processes.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "scenarios/job/job.hpp"

namespace tarry {

// By task: the tasks that the device filters of its client admit, its own among them. A task without a client, or whose
// client has no filters, may call all. Empty where no client has filters.
[[nodiscard]] std::vector<std::vector<std::uint64_t>> tasks_to_call(const Job& job);

// The marks that a run came by, and the laws that it broke.
[[nodiscard]] nlohmann::json audited_to_json(const Outcome& outcome);
// REQUIRES: audited_to_json made it.
void add_audited(const nlohmann::json& json, Outcome& outcome);

}  // namespace tarry
