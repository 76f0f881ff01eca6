// The worker service of one task (runtime.md D).
//
// Answers GetStatus, CreateWorkerSession, RegisterGraph, RunGraph, RecvTensor and CleanupGraph. Variables, queues and accumulators belong to the
// task's devices and are shared by all sessions: between-graph replication relies on that. RunGraph answers when all local executors have
// finished. An error inside aborts the step's rendezvous and cancels what waits, here; the master cancels the other tasks.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "workers/worker/graph_manager.hpp"
#include "workers/worker/step_rendezvous.hpp"

namespace tarry {

class Worker {
 public:
  Worker(Directory& directory, TaskId task, std::int64_t values_up_to);

  [[nodiscard]] const LocalDevices& devices() const { return devices_; }

  void create_session(const std::string& handle, Responder<Status> respond);
  void delete_session(const std::string& handle, Responder<Status> respond);
  void register_graph(const RegisterGraphRequest& request, Responder<StatusOr<std::string>> respond);
  void run_graph(RunGraphRequest request, Responder<StatusOr<RunGraphResponse>> respond);
  void recv_tensor(const RecvTensorRequest& request, Responder<StatusOr<Received>> respond);
  void cleanup_graph(StepId step, Responder<Status> respond);
  // What a cancelled RunGraph call does: waiting queue ops end now, receives too.
  void cancel_step(StepId step);
  [[nodiscard]] std::uint64_t nodes_run() const { return nodes_run_; }  // by steps that have ended

 private:
  struct RunningStep;
  void finish_executors(const std::shared_ptr<RunningStep>& step);
  void fetch_outputs(const std::shared_ptr<RunningStep>& step);
  StepRendezvous& rendezvous(StepId step);
  void add_device(const std::string& name);
  [[nodiscard]] StatusOr<GraphManager*> find_session(const std::string& handle);

  Directory& directory_;
  TaskId task_;
  std::int64_t values_up_to_;
  std::uint64_t nodes_run_ = 0;
  LocalDevices devices_;
  std::map<std::string, std::unique_ptr<GraphManager>> sessions_;
  std::map<StepId, std::unique_ptr<StepRendezvous>> rendezvous_;
  std::map<StepId, std::vector<std::shared_ptr<RunningStep>>> running_;
};

}  // namespace tarry
