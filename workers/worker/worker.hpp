// The worker service of one task (docs/rules/runtime.md#D).
//
// Variables, queues and accumulators belong to the task's devices and are shared by all sessions that are not isolated:
// between-graph replication relies on that. RunGraph answers when all local executors have finished. An error inside
// aborts the step's rendezvous and cancels what waits, here; the master cancels the other tasks.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "workers/worker/partial_runs.hpp"
#include "workers/worker/recent_request_ids.hpp"
#include "workers/worker/running_step.hpp"
#include "workers/worker/sessions.hpp"

namespace tarry {

struct WorkerOptions {
  std::int64_t values_up_to = 4096;  // elements of an output that is still computed
  GraphManagerOptions graphs = {};
  std::size_t forwarded_log_lines = 0;  // TF_WORKER_NUM_FORWARDED_LOG_MESSAGES: recent warnings at the end of steps'
                                        // errors; TensorFlow's own default is 5
};

class Worker final : public WorkerService {
 public:
  Worker(Directory& directory, TaskId task, WorkerOptions options);
  ~Worker() override;

  [[nodiscard]] const LocalDevices& devices() const { return *devices_; }

  void serve(GetStatusRequest, ServerCall<GetStatusResponse>) override;
  void serve(CreateWorkerSessionRequest, ServerCall<Empty>) override;
  void serve(DeleteWorkerSessionRequest, ServerCall<Empty>) override;
  void serve(RegisterGraphRequest, ServerCall<RegisterGraphResponse>) override;
  void serve(DeregisterGraphRequest, ServerCall<Empty>) override;
  void serve(RunGraphRequest, ServerCall<RunGraphResponse>) override;
  void serve(CleanupGraphRequest, ServerCall<Empty>) override;
  void serve(CleanupAllRequest, ServerCall<Empty>) override;
  void serve(RecvTensorRequest, ServerCall<RecvTensorResponse>) override;
  void serve(LoggingRequest, ServerCall<LoggingResponse>) override;
  void serve(TracingRequest, ServerCall<Empty>) override;
  void serve(MarkRecvFinishedRequest, ServerCall<Empty>) override;

  [[nodiscard]] std::uint64_t nodes_run() const { return nodes_run_; }  // by steps that have ended
  [[nodiscard]] const std::array<std::uint64_t, kCostSources>& live_by_source() const {
    return live_by_source_;
  }  // of those, the live ones

 private:
  using RunPtr = std::shared_ptr<RunGraphCall>;
  struct CheckedKey {
    TransferKey key;  // as one that is sent, or asked for by a peer
    Status parsed;    // Invalid  rendezvous key
    Status served;    // what RecvTensor says before it looks for the value
    bool receives_here = false;
  };

  [[nodiscard]] std::unique_ptr<LocalDevices> make_devices(const std::string& task);
  void add_device(LocalDevices& devices, const std::string& own_name, const std::string& name);
  void learn_names(const ServerDef& server);
  [[nodiscard]] TaskId task_of(std::string_view device) const;
  [[nodiscard]] bool is_own(std::string_view device) const;
  [[nodiscard]] std::string name() const { return directory_.tasks[task_.index()].name; }
  [[nodiscard]] const CheckedKey& check_key(NameId text);
  [[nodiscard]] CheckedKey parse(NameId text) const;
  [[nodiscard]] Status check_sender(const struct ParsedKey& key) const;

  [[nodiscard]] std::shared_ptr<StepRendezvous> rendezvous(StepId step);
  void release_if_idle(StepId step, const std::shared_ptr<StepRendezvous>& r);
  void abort_step_later(StepId step);

  [[nodiscard]] Status start_run(const RunPtr& r, const WorkerSession& session);
  [[nodiscard]] StatusOr<std::shared_ptr<WorkerSession>> prepare(const RunPtr& r);
  [[nodiscard]] Status send_inputs(RunGraphCall& r);
  [[nodiscard]] std::shared_ptr<RunningStep> new_run(StepId step);
  void begin_step(const RunPtr& r, std::shared_ptr<GraphItem> item);
  void run_executors(const RunPtr& r, StatusCallback&& done);
  void executors_done(const RunPtr& r, Status s);
  void end_step(const RunningStep& run);
  using OutputDone = absl::AnyInvocable<void(StatusOr<NamedTensor>) &&>;
  void receive_output(RunGraphCall& r, NameId key, OutputDone&& done);
  void fetch_in_turn(const RunPtr& r);
  void take_in_turn(const RunPtr& r, StatusOr<NamedTensor> output);
  void fetched(const RunPtr& r, const Status& s);
  void start_partial(const RunPtr& r, const WorkerSession& session);
  void start_without_graph(const RunPtr& r);
  void continue_partial(const RunPtr& r);
  void fetch_partial(const RunPtr& r);
  void fetched_partial(const RunPtr& r, Status s);
  void watch_for_cancellation(const RunPtr& r);
  void cancel(RunningStep& run);
  void watch_nodes(RunGraphCall& r) const;
  void collect_details(RunGraphCall& r) const;
  void log(char level, std::string_view text);
  // A step's error, with the warnings that were logged last, its own included (seen in 2.15.1).
  [[nodiscard]] Status with_recent_warnings(Status s);

  Directory& directory_;
  TaskId task_;
  WorkerOptions options_;
  std::shared_ptr<std::uint64_t> private_names_ = std::make_shared<std::uint64_t>(0);  // KernelHost's
  std::unique_ptr<LocalDevices> devices_;
  WorkerSessions sessions_;
  RecentRequestIds request_ids_{kWorkerRequestIds};
  boost::intrusive::list<RunningStep, boost::intrusive::constant_time_size<false>> running_;
  PartialRuns partial_runs_;
  TransferLog transfers_;
  absl::flat_hash_map<StepId, std::shared_ptr<StepRendezvous>> rendezvous_;  // looked up, never iterated
  std::map<std::string, TaskId, std::less<>>
      renamed_;  // tasks as clients name them that brought a cluster of their own; the last one counts
  absl::flat_hash_map<NameId, CheckedKey> keys_;  // every key that was asked for; looked up, never iterated
  std::deque<std::string> recent_warnings_;       // and errors; at most as many as are forwarded
  std::uint64_t nodes_run_ = 0;
  std::array<std::uint64_t, kCostSources> live_by_source_{};
  // A partial RunGraph was cancelled while it waited: the real service deadlocks and never answers anything again (seen
  // in 2.15.1).
  bool is_wedged_ = false;
};

}  // namespace tarry
