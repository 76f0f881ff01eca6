// Which keys of a scenario a cause is about.
#pragma once

#include <string>

#include "results/proof.hpp"
#include "results/task_names.hpp"
#include "scenarios/file/spec.hpp"

namespace tarry {

// "costs[] with 'task: worker/2'": keys that the scenario has, or that can be added to it and would take the cause
// away.
[[nodiscard]] std::string keys_of(const Proof& proof, const TaskNames& tasks, const Scenario& scenario);

}  // namespace tarry
