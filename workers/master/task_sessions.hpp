// The worker sessions of a master's session: one on each task that takes part (docs/rules/runtime.md#E.1).
#pragma once

#include <vector>

#include "workers/master/device_finder.hpp"
#include "workers/master/messages.hpp"
#include "workers/master/session_site.hpp"

namespace tarry {

class TaskSessions {
 public:
  // REQUIRES: `site` outlives it.
  explicit TaskSessions(const SessionSite& site) : site_(site) {}

  // Opens one on each of the tasks; `done` gets the first error, or OK. The workers get `devices` if the session's
  // config asks for it.
  void open(std::vector<NamedTask> tasks, const ListDevicesResponse& devices, StatusCallback done);
  // Deletes them all. Failures are only logged: `done` gets OK.
  void close(StatusCallback done);

 private:
  [[nodiscard]] CreateWorkerSessionRequest request_for(const NamedTask& task, const ListDevicesResponse& devices) const;
  void add_cluster_devices(CreateWorkerSessionRequest& request, const ListDevicesResponse& devices) const;
  void close_one(TaskId task, StatusCallback done);

  const SessionSite& site_;
  std::vector<NamedTask> tasks_;
};

}  // namespace tarry
