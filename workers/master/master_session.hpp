// A master's session: one client's graph, run step by step over the cluster (docs/rules/runtime.md#A, #E).
//
// Creating waits for every task that the device filters admit, places the whole graph, and opens a worker session on
// each task. The first run of a signature (feeds, fetches, targets) prunes, cuts by task and registers the parts, all
// at once; the outcome, even an error, stays for the life of the session. Every run has a fresh random step id; all
// parts are asked to run at once; the reply comes when all have answered; cleaning up does not delay it, but closing
// waits for it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "workers/master/callables.hpp"
#include "workers/master/client_partial_runs.hpp"
#include "workers/master/device_finder.hpp"
#include "workers/master/step_input.hpp"
#include "workers/master/task_sessions.hpp"

namespace tarry {

struct SessionOptions {
  std::vector<std::string> device_filters;  // device name patterns; empty = every task
  bool soft_placement = false;
  std::shared_ptr<const SessionConfig> config = nullptr;  // what is passed on to the workers; null = nothing
  std::vector<NamedTask> cluster = {};                    // the session's own names of the tasks; empty = the server's
};

using RunDone = absl::AnyInvocable<void(StatusOr<std::vector<TensorRef>>) &&>;

class MasterSession {
 public:
  using Created = absl::AnyInvocable<void(StatusOr<std::unique_ptr<MasterSession>>) &&>;

  // Fails: a graph that cannot be imported or placed; a worker that answers with an error. A task without a process is
  // no error: it is waited for.
  static void create(Directory& directory, TaskId master, WrittenGraph graph, SessionOptions options, Created done);
  ~MasterSession();

  // Adds nodes; gives the new version. Fails with the errors of SessionGraph::extend.
  [[nodiscard]] StatusOr<std::int64_t> extend(const GraphSpec& more, std::int64_t expected_version) {
    return graph_.extend(more, expected_version);
  }

  // Prunes, cuts and registers ahead of the first run. `done` gets the outcome, which stays.
  void prepare(Signature signature, StatusCallback done);
  // `done` gets the fetched tensors in the order of `fetches`.
  void run(std::vector<FedTensor> feeds, SharedNames fetches, SharedNames targets, Purpose purpose, RunDone&& done);
  void run_step(StepInput input, const OnCancel& on_cancel, StepDone&& done);

  // `done` gets a handle. Fails with the errors of a signature's first run; a handle is used up even then.
  using SetUp = absl::AnyInvocable<void(StatusOr<std::string>) &&>;
  void set_up_partial_run(Signature signature, SetUp done);
  // Fails: INVALID_ARGUMENT `Must run PartialRunSetup before performing partial runs`, and with the texts of
  // partial_run.hpp; after these errors the partial run goes on, any other error ends it.
  void run_partially(const std::string& handle, StepInput input, const OnCancel& on_cancel, StepDone&& done);

  using Made = absl::AnyInvocable<void(StatusOr<std::int64_t>) &&>;
  void make_callable(CallableOptions options, Made done);
  // Results are in the callable's order. Fails with the errors of Callables::find, and with those of a step.
  void run_callable(std::int64_t handle, std::vector<TensorRef> feeds, const OnCancel& on_cancel, StepDone&& done);
  void release_callable(std::int64_t handle) { callables_.release(handle); }

  // In a session with its own names of tasks only the client device is local; otherwise all devices are.
  [[nodiscard]] ListDevicesResponse list_devices() const;

  // Cancels what runs, waits until it is cleaned up, then deletes the worker sessions.
  void close(StatusCallback done);

  [[nodiscard]] const Graph& graph() const { return graph_.placed(); }
  [[nodiscard]] const DeviceSet& devices() const { return site_.devices; }
  [[nodiscard]] const std::string& handle() const { return site_.handle.get(); }
  // Whether a client's cancellation has made a worker hang: then the process that serves the session never answers
  // again either (seen in 2.15.1).
  [[nodiscard]] bool is_wedged() const { return is_wedged_; }

 private:
  struct Creation;
  struct Step;
  using StepRef = std::shared_ptr<Step>;

  // Creation (session_creation.cpp).
  MasterSession(Directory& directory, TaskId master, SessionOptions options);
  [[nodiscard]] Status find_tasks();
  void ask_devices(const std::shared_ptr<Creation>& c);
  Status build(const std::vector<std::vector<DeviceAttributes>>& found, const WrittenGraph& written);
  Status add_devices(const NamedTask& task, const std::vector<DeviceAttributes>& found);
  void open_worker_sessions(const std::shared_ptr<Creation>& c);
  [[nodiscard]] bool is_renamed() const { return !options_.cluster.empty(); }

  // Steps (session_step.cpp).
  [[nodiscard]] StepRef new_step(StepInput input, StepDone&& done);
  [[nodiscard]] StepId new_step_id() { return StepId{site_.directory.env.random().next() >> 7}; }  // below 2^57
  void register_and_run(const StepRef& step, StatusOr<GraphRef> graph, const OnCancel& on_cancel);
  void begin(const StepRef& step, const OnCancel& on_cancel);
  [[nodiscard]] ExecOptions exec_options(const Step& step) const;
  void client_gave_up(const StepRef& step);
  void answered(const StepRef& step, StatusOr<StepAnswers> answers);
  void collect_logs(const StepRef& step);
  void set_logging(const Step& step, bool on);
  void end(const StepRef& step);
  void clean_up(const StepRef& step);
  void cleaned_up(const Status& s);
  void refuse(const StepRef& step, Status why);
  void step_over();

  SessionSite site_;
  SessionOptions options_;
  std::vector<NamedTask> tasks_;  // that take part
  DeviceFilters filters_;
  std::vector<DeviceAttributes> local_devices_, remote_devices_;
  SessionGraph graph_;
  PreparedGraphs graphs_;
  TaskSessions sessions_;
  ClientPartialRuns partial_runs_;
  Callables callables_;
  std::vector<std::shared_ptr<StepRun>> running_;
  std::size_t not_over_ = 0;  // steps that are not cleaned up yet
  std::vector<Callback> when_over_;
  bool closed_ = false, is_wedged_ = false;
};

}  // namespace tarry
