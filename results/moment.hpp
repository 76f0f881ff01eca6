// Where a job stood at one moment of its run: which steps were open, and what the accumulators held.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "results/log.hpp"

namespace tarry {

struct OpenStep {  // a training step
  StepId step;
  Nanos began = 0;                // since the start, as all times here
  std::vector<NameId> pushed_to;  // accumulators
  bool has_token = false;         // after its pushes it took something from a queue
};

struct AccumulatorAt {
  NameId name;
  TaskId task;  // its parameter server
  std::int64_t aggregates = 0, required = 0;
  bool take_is_open = false;            // somebody asked for an aggregate and has not got it
  std::map<TaskId, std::int64_t> left;  // accepted since the last aggregate, by worker
  [[nodiscard]] std::int64_t gradients() const;
};

struct JobState {
  std::map<TaskId, OpenStep> steps;         // by the client's task
  std::vector<AccumulatorAt> accumulators;  // in the order of their first event
  std::map<StepId, TaskId> sync_steps;      // that are open: whose client takes aggregates and hands out tokens
  TaskId sync_client;                       // of the last one that began; none = none ever began

  // Its gradient is in the accumulator (or was dropped there), and it has no token yet.
  [[nodiscard]] bool waits_for_token(TaskId worker, NameId accumulator) const;
  // The accumulator that still lacks gradients: of those whose aggregate somebody waits for the one that is furthest
  // behind; where nobody waits for such a one, of all others. The first one when none lacks any. Null: there is none.
  [[nodiscard]] const AccumulatorAt* next_to_fill() const;
};

// After everything that happened up to `at`, since the start.
[[nodiscard]] JobState moment_at(const EventLog& log, Nanos at);

}  // namespace tarry
