// A process stands still, as one that is stopped (SIGSTOP), swapped out or frozen with its virtual machine: its
// kernels, its timers, and what it does with messages. Its sockets stay open: what is sent to it waits. Afterwards all
// goes on.
//
// In real TensorFlow nobody is told: a silent peer is never noticed (recorded: docs/rules/runtime.md#E.3.8). Timers
// that fall due meanwhile do so when it goes on, as the system's timers do; a time limit that another process set goes
// on.
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct Pause {
  static constexpr std::string_view kKey = "pause", kExample = "{task: worker/0, lasts: 5s}",
                                    kMeaning = "a process stands still, and nobody is told; then it goes on";
  TaskId task;
  std::optional<Nanos> lasts;

  static constexpr auto fields() {
    return std::tuple(field("task", &Pause::task, "whose process"),
                      field("lasts", &Pause::lasts, "that long; else for good"));
  }
  void happen(FaultContext& c) const {
    if (!c.directory.is_present(task)) return;
    c.note(fmt::format("the process of {} stands still", c.name(task)), kKey, c.name(task), "", true);
    c.world.stand_still(task);
    c.undo_after(lasts, kKey, c.name(task), "", [&c, paused = task] {
      if (!c.world.stands_still(paused)) return;  // it ended meanwhile
      c.note(fmt::format("the process of {} goes on", c.name(paused)), kKey, c.name(paused), "", false);
      c.world.go_on(paused);
    });
  }
  friend bool operator==(const Pause&, const Pause&) = default;
};

}  // namespace tarry
