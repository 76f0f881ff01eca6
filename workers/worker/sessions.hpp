// The sessions of a worker (docs/rules/runtime.md#D.2).
//
// A session has its own registered graphs. It shares the process's devices, and so their variables, unless it is
// isolated. One legacy session is always there, for calls that name no session. When a master returns under another
// incarnation, its earlier sessions are removed; those of other masters, and of masters that gave no name, stay.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <memory>
#include <string>

#include "workers/worker/graph_manager.hpp"

namespace tarry {

struct WorkerSession {
  std::string master_task;
  std::uint64_t master_incarnation = 0;
  std::unique_ptr<LocalDevices> own_devices;  // set in an isolated session only
  std::unique_ptr<GraphManager> graphs;
};

class WorkerSessions {
 public:
  // `make_devices` makes new devices with the process's incarnations, named after `task`.
  using MakeDevices = std::function<std::unique_ptr<LocalDevices>(const std::string& task)>;
  WorkerSessions(Env& env, std::string worker, LocalDevices& shared, MakeDevices make_devices,
                 GraphManagerOptions options);

  // Fails: INVALID_ARGUMENT `Session must be non-empty.` A session that exists under this handle is kept as it is.
  // Gives the number of sessions before the call if any of the same master under another incarnation was removed, else
  // 0.
  [[nodiscard]] StatusOr<std::size_t> create(const CreateWorkerSessionRequest& request);
  void remove(const std::string& handle) { sessions_.erase(handle); }
  // Calls `f(handle, session)` for each, in the order of the handles.
  template <class F>
  void for_each(F&& f) const {
    std::map<std::string, const WorkerSession*> sorted;
    for (const auto& [master, handles] : of_master_)
      for (const std::string& handle : handles)
        if (const auto it = sessions_.find(handle); it != sessions_.end()) sorted.emplace(handle, it->second.get());
    for (const auto& [handle, session] : sorted) f(handle, *session);
  }
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
  absl::flat_hash_map<std::string, std::shared_ptr<WorkerSession>> sessions_;  // looked up by each step, never iterated
  std::map<std::string, std::vector<std::string>>
      of_master_;  // by its task, or "": handles, those removed perhaps among them
};

// Adds TensorFlow's payload that marks the error for programs: the worker may have restarted.
[[nodiscard]] Status possibly_restarted(Status s);

}  // namespace tarry
