// Which keys of a scenario a cause is about.
#pragma once

#include <string>

#include "results/proof.hpp"
#include "results/task_names.hpp"

namespace tarry {

// "costs[] with 'task: worker/2'".
[[nodiscard]] std::string keys_of(const Proof& proof, const TaskNames& tasks);

}  // namespace tarry
