// A client has no more data: it ends its training in order, as at its last step; its server goes on.
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct Leave {
  static constexpr std::string_view kKey = "leave", kExample = "worker/0",
                                    kMeaning =
                                        "a task's client ends by itself after the present step, as at the end of its "
                                        "data; its server goes on";
  TaskId task;

  static constexpr auto fields() { return std::tuple(field("task", &Leave::task, "whose client ends")); }
  void happen(FaultContext& c) const {
    c.say(fmt::format("the data of {} is at its end", c.name(task)), kKey, c.name(task));
    c.processes.leave(task);
  }
  friend bool operator==(const Leave&, const Leave&) = default;
};

}  // namespace tarry
