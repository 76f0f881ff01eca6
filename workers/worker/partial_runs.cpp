#include "workers/worker/partial_runs.hpp"

#include <utility>

namespace tarry {

std::shared_ptr<RunningStep> PartialRuns::find(StepId step) const {
  const auto it = runs_.find(step);
  return it == runs_.end() ? nullptr : it->second.run;
}

void PartialRuns::executors_done(StepId step, const Status& s) {
  const auto it = runs_.find(step);
  if (it == runs_.end()) return;
  Run& run = it->second;
  run.executors_ended = true;
  if (!s.ok()) run.status = s;
  if (!run.last) return;
  auto ended = runs_.extract(it);
  std::move(ended.mapped().last)(ended.mapped().status);
}

void PartialRuns::outputs_done(StepId step, Status s, StatusCallback done) {
  const auto it = runs_.find(step);
  if (it == runs_.end()) return std::move(done)(std::move(s));
  Run& run = it->second;
  if (run.status.ok()) run.status = std::move(s);
  if (!run.executors_ended) {
    run.last = std::move(done);
    return;
  }
  auto ended = runs_.extract(it);
  std::move(done)(ended.mapped().status);
}

}  // namespace tarry
