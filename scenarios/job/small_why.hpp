// For tests: a small healthy job, one with a slow worker, and what `why` says of a job.
#pragma once

#include "scenarios/job/faults/small_run.hpp"
#include "scenarios/job/why.hpp"

namespace tarry {

inline constexpr TaskId kSlowed{2u};
inline constexpr const char* kCompute = "SparseSoftmaxCrossEntropyWithLogits";

// Two workers of twenty steps of 0.1 s.
inline Job healthy() {
  Job job = small_job(Kill{kWorker});
  job.faults.clear();
  job.cluster.hosts.push_back({"host1"});
  job.cluster.tasks.push_back({"/job:worker/replica:0/task:1", HostId{2u}});
  TrainOptions options = job.clients[0].options;
  options.session.device_filters.clear();
  options.steps = 20;
  job.clients[0].options = options;
  job.clients.push_back({kSlowed, shipped_program("softmax_async_ps1_task1", {.batch = 4}), options});
  job.stop.time = {};
  job.keep_kernels = true;
  return job;
}

inline Job with_slow_other() {
  Job job = healthy();
  job.costs.rules.insert(
      job.costs.rules.begin(),
      CostRule{.op = kCompute, .task = job.cluster.tasks[kSlowed.index()].name, .amount = Constant{kSecond / 5}});
  return job;
}

inline Why why_of(const Job& job) { return why(job, run_apart(job).value(), {}).value(); }

inline const WhyCause* find(const Why& w, Proof::Cause cause) {
  for (const auto* list : {&w.causes, &w.itself})
    for (const WhyCause& c : *list)
      if (c.proof.cause == cause) return &c;
  return nullptr;
}

}  // namespace tarry
