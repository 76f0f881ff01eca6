// For tests: one asynchronous worker on a host of its own under one fault, and the events of its run.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "results/contributions.hpp"
#include "scenarios/job/job.hpp"
#include "scenarios/job/shipped_graphs.hpp"

namespace tarry {

inline constexpr TaskId kPs{0u}, kWorker{1u};
inline constexpr HostId kServer{0u}, kHost0{1u};

struct SmallRun {
  std::vector<std::string> told;    // the conditions that faults noted, in order
  std::vector<bool> processes;      // of the worker: true = one began, false = one ended
  std::vector<double> step_ended;   // of the worker, in seconds
  std::vector<std::string> failed;  // the errors with which the worker's client left training
  std::vector<std::string> lines;   // what the worker's client logged

  [[nodiscard]] std::ptrdiff_t steps_between(double from, double to) const {
    return std::ranges::count_if(step_ended, [=](double at) { return at > from && at < to; });
  }
};

// Steps of 0.1 s, free messages; the fault happens at 1.05 s, and the run ends at 5 s.
[[nodiscard]] inline Job small_job(const FaultKinds& fault) {
  Job job;
  job.cluster.hosts = {{"server"}, {"host0"}};
  job.cluster.tasks = {{"/job:ps/replica:0/task:0", kServer}, {"/job:worker/replica:0/task:0", kHost0}};
  job.costs.rules.push_back({.op = "SparseSoftmaxCrossEntropyWithLogits", .amount = Constant{kSecond / 10}});
  TrainOptions options;
  options.session.device_filters = {"/job:ps", "/job:worker/task:0"};
  job.clients.push_back({kWorker, shipped_program("softmax_async_ps1_task0", {.batch = 4}), options});
  job.faults.push_back({kSecond + kSecond / 20, fault});
  job.stop.time = 5 * kSecond;
  return job;
}

// The same, with a GPU of a gigabyte, and with a second fault.
[[nodiscard]] inline Job small_gpu_job(const FaultKinds& fault, std::uint64_t memory = 1'000'000'000) {
  Job job = small_job(fault);
  job.cluster.tasks[1].gpus.push_back({.memory_bytes = memory});
  job.clients[0].options.session.soft_placement = true;
  return job;
}
[[nodiscard]] inline Job with(Job job, Nanos at, const FaultKinds& fault) {
  job.faults.push_back({at, fault});
  return job;
}
// The same, with a checkpoint every five steps.
[[nodiscard]] inline Job saving(Job job) {
  job.clients[0].options.save_steps = 5;
  return job;
}

[[nodiscard]] inline SmallRun read_small(const Outcome& outcome) {
  SmallRun run;
  for (const LoggedEvent& e : outcome.log.events()) {
    if (const auto* changed = std::get_if<ConditionChanged>(&e.event))
      run.told.emplace_back(outcome.log.name(changed->what));
    if (const auto* began = std::get_if<ProcessBegan>(&e.event); began && began->task == kWorker)
      run.processes.push_back(true);
    if (const auto* ended = std::get_if<ProcessEnded>(&e.event); ended && ended->task == kWorker)
      run.processes.push_back(false);
    if (const auto* moved = std::get_if<SessionMoved>(&e.event); moved && moved->stage == SessionStage::failed)
      run.failed.emplace_back(outcome.log.name(moved->detail));
    if (const auto* line = std::get_if<LogLine>(&e.event); line && line->task == kWorker)
      run.lines.emplace_back(outcome.log.name(line->text));
  }
  for (const WorkerStory& w : read_contributions(outcome.log).workers)
    for (const Nanos at : w.step_ended) run.step_ended.push_back(in_seconds(at));
  return run;
}

[[nodiscard]] inline SmallRun run_small(const Job& job) { return read_small(run_here(job)); }
[[nodiscard]] inline SmallRun run_under(const FaultKinds& fault) { return run_small(small_job(fault)); }

}  // namespace tarry
