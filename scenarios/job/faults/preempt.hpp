// A machine is taken away and comes back: the process ends, and another one begins later.
#pragma once

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct Preempt {
  static constexpr std::string_view kKey = "preempt", kExample = "{task: worker/0, back_after: 20s}",
                                    kMeaning = "a task's process ends with all its state, and a new one begins later";
  TaskId task;
  Nanos back_after = 0;

  static constexpr auto fields() {
    return std::tuple(field("task", &Preempt::task, "whose process ends"),
                      field("back_after", &Preempt::back_after, "how long there is none"));
  }
  void happen(FaultContext& c) const {
    if (c.directory.is_present(task)) c.processes.end(task);
    c.begin_after(task, back_after);
  }
  friend bool operator==(const Preempt&, const Preempt&) = default;
};

}  // namespace tarry
