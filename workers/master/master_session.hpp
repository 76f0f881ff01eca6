// A master's session: one client's graph, run step by step over the cluster (runtime.md A, E).
//
// Creating waits for every task that the device filters admit, places the whole graph, and opens a worker session on each task. The first run
// of a signature (feeds, fetches, targets) prunes, cuts by task and registers the parts, all at once; the outcome, even an error, stays for the life
// of the session. Every run has a fresh random step id; all parts are asked to run at once; the reply comes when all have answered; cleaning up
// does not delay it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "placer/place/place.hpp"
#include "workers/master/client_graph.hpp"
#include "workers/worker/worker.hpp"

namespace tarry {

struct SessionOptions {
  std::vector<std::string> device_filters;  // device name patterns; empty = every task
  bool soft_placement = false;
  Rules rules = rules_2_15();
};

struct FedTensor {
  std::string tensor;
  TensorRef value;
};
using RunDone = absl::AnyInvocable<void(StatusOr<std::vector<TensorRef>>) &&>;

class MasterSession {
 public:
  using Created = absl::AnyInvocable<void(StatusOr<std::unique_ptr<MasterSession>>) &&>;

  // Fails: a graph that cannot be imported or placed; UNAVAILABLE never: creation waits for tasks that do not answer.
  static void create(Directory& directory, TaskId master, std::shared_ptr<const GraphSpec> graph, SessionOptions options, Created done);
  ~MasterSession();

  // Adds nodes. Fails: ABORTED `Current version is X but caller expected Y.`; as the importer; a name that is there already.
  [[nodiscard]] Status extend(const GraphSpec& more, std::int64_t expected_version);

  // Prunes, cuts and registers ahead of the first run; `done` gets the sticky outcome.
  void prepare(const Signature& signature, StatusCallback done);
  // Fetched tensors in the order asked for.
  void run(const std::vector<FedTensor>& feeds, const std::vector<std::string>& fetches, const std::vector<std::string>& targets, Purpose purpose, RunDone done);
  // Cancels what runs, then deletes the worker sessions.
  void close(StatusCallback done);

  [[nodiscard]] const Graph& graph() const { return full_; }
  [[nodiscard]] const DeviceSet& devices() const { return devices_; }
  [[nodiscard]] const std::string& handle() const { return handle_; }

 private:
  struct Part {
    TaskId task;
    std::shared_ptr<const GraphSpec> graph;
    std::string handle;  // of the registered graph
  };
  struct Prepared {  // one signature
    std::vector<Part> parts;
    Status status;
    bool is_ready = false;
    std::size_t left = 0;
    std::vector<StatusCallback> waiting;
  };
  struct Step;
  struct Creation;

  MasterSession(Directory& directory, TaskId master, SessionOptions options);
  void ask_devices(const std::shared_ptr<Creation>& c);
  void open_worker_sessions(const std::shared_ptr<Creation>& c);
  Status build(const GraphSpec& graph, const std::vector<std::vector<DeviceAttributes>>& found);
  Status place_graph(Graph& g);
  Status cut(const Signature& signature, Prepared& prepared);
  void register_parts(Prepared& prepared);
  void launch(const Prepared& prepared, std::shared_ptr<Step> step);
  void part_finished(const std::shared_ptr<Step>& step, std::size_t part, StatusOr<RunGraphResponse> response);
  void finish(const std::shared_ptr<Step>& step);
  void cancel(const std::shared_ptr<Step>& step);
  [[nodiscard]] const std::string& task_name(TaskId t) const { return directory_.tasks[t.index()].name; }

  Directory& directory_;
  TaskId master_;
  SessionOptions options_;
  std::string handle_;
  std::vector<TaskId> tasks_;  // that the filters admit
  DeviceSet devices_;
  ClientDevice client_;
  Graph full_;
  std::map<std::string, DeviceId> stateful_devices_;  // stay over an Extend
  std::int64_t version_ = 0;
  std::uint64_t names_ = 0;
  std::map<Signature, std::unique_ptr<Prepared>> prepared_;
  std::vector<std::shared_ptr<Step>> running_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool closed_ = false;
};

}  // namespace tarry
