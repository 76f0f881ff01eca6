// The worker service of one task (docs/rules/runtime.md#D).
//
// Variables, queues and accumulators belong to the task's devices and are shared by all sessions that are not isolated:
// between-graph replication relies on that.
#pragma once

#include <memory>

#include "workers/worker/graph_runs.hpp"
#include "workers/worker/own_devices.hpp"
#include "workers/worker/recent_request_ids.hpp"
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
  Worker(Directory& directory, TaskId task, const WorkerOptions& options);

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

  [[nodiscard]] bool takes_calls() const override { return !runs_.is_wedged(); }
  [[nodiscard]] const GraphRuns& runs() const { return runs_; }
  // Notes what stands here.
  void audit(Auditor& auditor) const;

 private:
  [[nodiscard]] StatusOr<std::shared_ptr<WorkerSession>> session_of(const RunGraphRequest& request);
  [[nodiscard]] bool is_first(std::uint64_t request_id, StepId step);
  void note(AuditFact fact) const;
  void rest(Auditor& auditor, AuditRest r, std::array<std::size_t, 4> figures) const;
  void audit(Auditor& auditor, std::string_view name, const Resource& resource) const;
  void note_session(AuditFact::What what, const std::string& handle) const;

  Directory& directory_;
  TaskId task_;
  std::uint32_t process_;  // how many the task had before
  ClusterNames names_;
  OwnDevices own_devices_;
  std::unique_ptr<LocalDevices> devices_;  // of all sessions that are not isolated
  WorkerSessions sessions_;
  RecentRequestIds request_ids_{kWorkerRequestIds};
  CheckedKeys keys_;
  RendezvousTable steps_;
  WorkerLog log_;
  GraphRuns runs_;
};

}  // namespace tarry
