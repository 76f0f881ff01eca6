// RunGraph at a worker: whole steps, and steps in parts (docs/rules/runtime.md#D.4, #D.5).
//
// A call is answered when all executors have finished and its outputs are fetched. An error inside aborts the step's
// rendezvous and cancels what waits, here; the master cancels the other tasks.
#pragma once

#include <array>
#include <memory>

#include "workers/worker/checked_keys.hpp"
#include "workers/worker/partial_runs.hpp"
#include "workers/worker/rendezvous_table.hpp"
#include "workers/worker/running_step.hpp"
#include "workers/worker/worker_log.hpp"

namespace tarry {

class GraphRuns {
 public:
  using RunPtr = std::shared_ptr<RunGraphCall>;
  GraphRuns(Directory& directory, TaskId task, CheckedKeys& keys, RendezvousTable& steps, WorkerLog& log)
      : directory_(directory), task_(task), process_(directory.life(task)), keys_(keys), steps_(steps), log_(log) {}
  ~GraphRuns();

  // Answers the call, later, with what TensorFlow would say; `graphs` are those of the call's session.
  void start(const RunPtr& r, GraphManager& graphs);
  // A partial call was cancelled while it waited: the real service deadlocks and never answers anything again (seen in
  // 2.15.1).
  [[nodiscard]] bool is_wedged() const { return is_wedged_; }

  [[nodiscard]] std::uint64_t nodes_run() const { return nodes_run_; }  // by steps that have ended
  using LiveBySource = std::array<std::uint64_t, kCostSources>;
  [[nodiscard]] const LiveBySource& live_by_source() const { return live_by_source_; }  // of those, the live ones

 private:
  using OutputDone = absl::AnyInvocable<void(StatusOr<NamedTensor>) &&>;

  [[nodiscard]] Status start_whole(const RunPtr& r, GraphManager& graphs);
  [[nodiscard]] Status send_inputs(RunGraphCall& r);
  [[nodiscard]] std::shared_ptr<RunningStep> new_run(StepId step);
  void begin_step(const RunPtr& r, std::shared_ptr<GraphItem> item);
  void run_executors(const RunPtr& r, StatusCallback&& done);
  void executors_done(const RunPtr& r, Status s);
  void end_step(const RunningStep& run);
  void receive_output(RunGraphCall& r, NameId key, OutputDone&& done);
  void fetch_in_turn(const RunPtr& r);
  void take_in_turn(const RunPtr& r, StatusOr<NamedTensor> output);
  void fetched(const RunPtr& r, const Status& s);
  void start_partial(const RunPtr& r, GraphManager& graphs);
  void start_without_graph(const RunPtr& r);
  void continue_partial(const RunPtr& r);
  void fetch_partial(const RunPtr& r);
  void fetched_partial(const RunPtr& r, Status s);
  void watch_for_cancellation(const RunPtr& r);
  void cancel(RunningStep& run);
  void note(AuditFact::What what, StepId step) const;

  Directory& directory_;
  TaskId task_;
  std::uint32_t process_;  // how many the task had before
  CheckedKeys& keys_;
  RendezvousTable& steps_;
  WorkerLog& log_;
  boost::intrusive::list<RunningStep, boost::intrusive::constant_time_size<false>> running_;
  PartialRuns partial_runs_;
  std::uint64_t nodes_run_ = 0;
  LiveBySource live_by_source_{};
  bool is_wedged_ = false;
};

}  // namespace tarry
