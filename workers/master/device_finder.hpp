// Finds the tasks that take part in a session, and their devices (docs/rules/runtime.md#E.1).
#pragma once

#include <string>
#include <vector>

#include "workers/worker/directory.hpp"

namespace tarry {

struct NamedTask {
  std::string name;  // as the session calls it
  TaskId task;
};

// Partial device names that admit tasks and devices; without any, everything is admitted.
class DeviceFilters {
 public:
  // Fails: INVALID_ARGUMENT for a text that is no device name (the real process ends there).
  [[nodiscard]] static StatusOr<DeviceFilters> parse(const std::vector<std::string>& texts);
  // Whether there is a filter with which no field of `name` differs, which is a task's or a device's, parsed. What is
  // no device name is admitted only where there are no filters.
  [[nodiscard]] bool admits(const std::optional<DeviceName>& name) const;

 private:
  std::vector<DeviceName> filters_;
};

// The server's tasks that the filters admit, and always the master's own.
[[nodiscard]] std::vector<NamedTask> admitted_tasks(const Directory& directory, TaskId master,
                                                    const DeviceFilters& filters);

using DevicesFound = absl::AnyInvocable<void(StatusOr<std::vector<std::vector<DeviceAttributes>>>) &&>;

// Calls GetStatus at all of `tasks` at once. When all have answered, `done` gets the devices by task, under the
// session's names of the tasks, or the first error. A task without a process is waited for without end, with a log line
// every 10 s.
void find_devices(Directory& directory, TaskId master, std::vector<NamedTask> tasks, DevicesFound done);

}  // namespace tarry
