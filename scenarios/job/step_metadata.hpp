// One training step of a run as TensorFlow's step statistics (placer/graph/step_stats.hpp): what a client gets that
// asks session.run for RunMetadata with a full trace.
//
// Kernels are on the devices that ran them, at all tasks; those that took no time are in no log. A tensor from another
// task is a node `RecvTensor` on the device that receives it, from the request until it is there
// (docs/rules/runtime.md#H.4). Times are by the log's clock.
#pragma once

#include <optional>
#include <vector>

#include "placer/graph/spec.hpp"
#include "placer/graph/step_stats.hpp"
#include "results/log.hpp"

namespace tarry {

struct NumberedStep {
  TaskId task;
  std::int64_t number = 0;  // of the task's training steps, from 1
  friend bool operator==(const NumberedStep&, const NumberedStep&) = default;
};

// The last training step that succeeded of the first task that has one; nullopt when there is none.
[[nodiscard]] std::optional<NumberedStep> last_whole_step(const EventLog& log);

// By the time when each began. `graph` is what the step's client runs: it says the inputs of nodes. nullopt when the
// step did not begin, or did not end.
// REQUIRES: the log kept its kernels (EventLog(true)).
[[nodiscard]] std::optional<std::vector<NodeExecTime>> times_of_step(const EventLog& log, const NumberedStep& step,
                                                                     const GraphSpec& graph);

}  // namespace tarry
