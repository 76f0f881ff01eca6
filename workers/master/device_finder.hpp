// Who takes part in a session, and which devices they have (docs/rules/runtime.md#E.1).
#pragma once

#include <string>
#include <vector>

#include "workers/worker/directory.hpp"

namespace tarry {

struct NamedTask {
  std::string name;  // as the session calls it
  TaskId task;
};

// Device names that admit tasks and devices; none = everything.
class DeviceFilters {
 public:
  // Fails: INVALID_ARGUMENT for a text that is no device name (the real process ends there).
  [[nodiscard]] static StatusOr<DeviceFilters> parse(const std::vector<std::string>& texts);
  // No field differs from some filter's. REQUIRES: `name` is a task's or a device's.
  [[nodiscard]] bool admits(std::string_view name) const;

 private:
  std::vector<DeviceName> filters_;
};

// The server's tasks that the filters admit; the master's own always.
[[nodiscard]] std::vector<NamedTask> admitted_tasks(const Directory& directory, TaskId master,
                                                    const DeviceFilters& filters);

using DevicesFound = absl::AnyInvocable<void(StatusOr<std::vector<std::vector<DeviceAttributes>>>) &&>;

// GetStatus to all of `tasks` at once. `done` gets the devices by task, under the tasks' names, when all have answered,
// or the first error. A task that is not there is waited for without end, with a log line every 10 s.
void find_devices(Directory& directory, TaskId master, std::vector<NamedTask> tasks, DevicesFound done);

}  // namespace tarry
