// The kernels of a task take a percentage of their usual time.
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct Slow {
  static constexpr std::string_view kKey = "slow", kExample = "{task: worker/0, percent: 300, lasts: 5s}",
                                    kMeaning = "a task's kernels take longer, or less";
  TaskId task;
  Percent percent;
  std::optional<Nanos> lasts;

  static constexpr auto fields() {
    return std::tuple(field("task", &Slow::task, "whose kernels"),
                      field("percent", &Slow::percent, "of their usual time"),
                      field("lasts", &Slow::lasts, "that long; else for good"));
  }
  void happen(FaultContext& c) const {
    c.note(fmt::format("the kernels of {} take {}", c.name(task), pace_in_words(percent, "their")), kKey, c.name(task),
           "", percent.value > 100);
    c.world.paces().set_task(task, percent.value);
    c.undo_after(lasts, kKey, c.name(task), "", [&c, slowed = task] {
      c.note(fmt::format("the kernels of {} take their usual time", c.name(slowed)), kKey, c.name(slowed), "", false);
      c.world.paces().set_task(slowed, 100);
    });
  }
  friend bool operator==(const Slow&, const Slow&) = default;
};

}  // namespace tarry
