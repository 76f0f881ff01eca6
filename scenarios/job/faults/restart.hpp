// A new process begins at a task.
#pragma once

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct Restart {
  static constexpr std::string_view
      kKey = "restart",
      kExample = "worker/0",
      kMeaning = "a new process begins at a task, server and client; one that lives is killed first";
  TaskId task;

  static constexpr auto fields() { return std::tuple(field("task", &Restart::task, "whose process begins")); }
  void happen(FaultContext& c) const {
    if (c.directory.is_present(task)) c.processes.end(task);
    c.processes.begin(task);
  }
  friend bool operator==(const Restart&, const Restart&) = default;
};

}  // namespace tarry
