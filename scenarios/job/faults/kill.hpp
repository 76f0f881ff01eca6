// A task's process ends, with all its state.
#pragma once

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct Kill {
  static constexpr std::string_view kKey = "kill", kExample = "worker/0",
                                    kMeaning = "a task's process ends with all its state, server and client";
  TaskId task;

  static constexpr auto fields() { return std::tuple(field("task", &Kill::task, "whose process ends")); }
  void happen(FaultContext& c) const {
    if (c.directory.is_present(task)) c.processes.end(task);
  }
  friend bool operator==(const Kill&, const Kill&) = default;
};

}  // namespace tarry
