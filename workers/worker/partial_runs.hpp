// Steps at a worker that are fed and fetched in several calls (docs/rules/runtime.md#D.5).
//
// The first call of a step id starts the executors. The last call is answered when its outputs are there and the
// executors have ended, with the first error of either. Then the step id is free again.
#pragma once

#include <map>
#include <memory>

#include "placer/core/ids.hpp"
#include "workers/callbacks.hpp"

namespace tarry {

struct RunningStep;

class PartialRuns {
 public:
  [[nodiscard]] std::shared_ptr<RunningStep> find(StepId step) const;  // nullptr when none
  void begin(StepId step, std::shared_ptr<RunningStep> run) { runs_[step].run = std::move(run); }
  void executors_done(StepId step, const Status& s);
  // The last call has its outputs (`s` is OK) or failed to get them. `done` answers it once the executors have ended.
  void outputs_done(StepId step, Status s, StatusCallback done);

 private:
  struct Run {
    std::shared_ptr<RunningStep> run;
    bool executors_ended = false;
    Status status;
    StatusCallback last;  // answers the last call, which waits for the executors
  };
  std::map<StepId, Run> runs_;
};

}  // namespace tarry
