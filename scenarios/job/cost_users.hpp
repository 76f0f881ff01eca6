// Which cost rules are for which kernels of a job.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string_view>
#include <vector>

#include "scenarios/job/job.hpp"

namespace tarry {

// By node, of the graph that the first client gave; looked up, never iterated.
using OpNames = absl::flat_hash_map<std::string_view, std::string_view>;
[[nodiscard]] OpNames ops_of(const Job& job);

// For each kind of device that the task has, the first rule that applies to the node there; none where no rule does.
[[nodiscard]] std::vector<const CostRule*> rules_for(const Job& job, TaskId task, std::string_view node,
                                                     std::string_view op);

// Whether rates, a cost rule, an interference or a variation names this task alone.
[[nodiscard]] bool has_own_costs(const Job& job, TaskId task);
// The same without interferences.
[[nodiscard]] bool has_own_kernels(const Job& job, TaskId task);

// Whether the rule says so, or every kernel that ran with it was a parameter server's.
[[nodiscard]] bool is_of_servers(const CostRule& rule, const Job& job, const Outcome& outcome);

// Of the time of the task's kernels, the share of those that a cost rule for this task alone fits.
[[nodiscard]] double share_of_own_costs(const Job& job, const Outcome& outcome, TaskId task);

}  // namespace tarry
