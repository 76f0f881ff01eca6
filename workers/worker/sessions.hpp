// The sessions of a worker (docs/rules/runtime.md#D.2).
//
// A session has its own registered graphs. Devices, and so variables, are the process's unless the session is isolated.
// One legacy session is always there, for calls that name none. A master that comes back under another incarnation
// makes its earlier sessions disappear; those of other masters, and of masters that gave no name, stay.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "workers/worker/graph_manager.hpp"

namespace tarry {

struct WorkerSession {
  std::string master_task;
  std::uint64_t master_incarnation = 0;
  std::unique_ptr<LocalDevices> own_devices;  // of an isolated session
  std::unique_ptr<GraphManager> graphs;
};

class WorkerSessions {
 public:
  // `make_devices` gives a fresh set with the process's incarnations, under this task's name.
  using MakeDevices = std::function<std::unique_ptr<LocalDevices>(const std::string& task)>;
  WorkerSessions(Env& env, std::string worker, LocalDevices& shared, MakeDevices make_devices,
                 GraphManagerOptions options);

  // Fails: INVALID_ARGUMENT `Session must be non-empty.` A handle that is there stays as it is. Gives the number of
  // sessions at hand if any of the same master under another incarnation had to go, else 0.
  [[nodiscard]] StatusOr<std::size_t> create(const CreateWorkerSessionRequest& request);
  void remove(const std::string& handle) { sessions_.erase(handle); }
  // Fails: ABORTED `Session handle is not found: H. Possibly this worker ("W") just restarted.`
  [[nodiscard]] StatusOr<std::shared_ptr<WorkerSession>> find(const std::string& handle, bool was_created) const;

 private:
  [[nodiscard]] bool drop_older(const CreateWorkerSessionRequest& request);

  Env& env_;
  std::string worker_;
  LocalDevices& shared_;
  MakeDevices make_devices_;
  GraphManagerOptions options_;
  std::shared_ptr<WorkerSession> legacy_ = std::make_shared<WorkerSession>();
  std::map<std::string, std::shared_ptr<WorkerSession>> sessions_;
};

// An error that says so to machines too.
[[nodiscard]] Status possibly_restarted(Status s);

}  // namespace tarry
