// What a worker calls the cluster's tasks: the directory's names, and those of clients that brought a cluster of their
// own (docs/rules/runtime.md#D.3).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "workers/worker/directory.hpp"

namespace tarry {

class ClusterNames {
 public:
  ClusterNames(const Directory& directory, TaskId own) : directory_(directory), own_(own) {}

  // A session may bring its own names of the tasks, by their addresses; the last one counts.
  void learn(const ServerDef& server);
  // Of a device's full name; invalid when no task has it.
  [[nodiscard]] TaskId task_of(std::string_view device) const;
  [[nodiscard]] bool is_own(std::string_view device) const;
  [[nodiscard]] const std::string& own() const { return directory_.tasks[own_.index()].name; }

 private:
  const Directory& directory_;
  TaskId own_;
  std::map<std::string, TaskId, std::less<>> learned_;
};

}  // namespace tarry
