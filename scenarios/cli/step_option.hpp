// The option --step: a training step of a task.
#pragma once

#include <string>

#include "placer/core/status.hpp"
#include "scenarios/job/step_metadata.hpp"
#include "sim/cluster.hpp"

namespace tarry {

// "worker/1:7": the task and the number of its step, from 1. Fails: INVALID_ARGUMENT.
[[nodiscard]] StatusOr<NumberedStep> parse_step(const std::string& text, const ClusterSpec& cluster);

}  // namespace tarry
