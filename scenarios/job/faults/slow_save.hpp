// The storage of a task is slow: each of its parts of a checkpoint takes that much longer to write. The chief's
// training stands still for that long: CheckpointSaverHook saves between two steps (docs/rules/runtime.md#E.6.3), and
// its sync thread goes on (derived).
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct SlowSave {
  static constexpr std::string_view kKey = "slow_save", kExample = "{task: ps/0, time: 2s, lasts: 5s}",
                                    kMeaning = "each save of a task takes longer";
  TaskId task;
  Nanos time = 0;
  std::optional<Nanos> lasts;

  static constexpr auto fields() {
    return std::tuple(field("task", &SlowSave::task, "which writes"),
                      field("time", &SlowSave::time, "that a save takes longer"),
                      field("lasts", &SlowSave::lasts, "for saves that begin that long; else for good"));
  }
  void happen(FaultContext& c) const {
    const std::string who = c.name(task);
    c.note(fmt::format("saves of {} take {:.6g} s longer", who, in_seconds(time)), kKey, who, "", true);
    c.directory.files.storage(task).delay = time;
    c.undo_after(lasts, kKey, who, "", [&c, who, storage = &c.directory.files.storage(task)] {
      c.note(fmt::format("saves of {} take their usual time", who), kKey, who, "", false);
      storage->delay = 0;
    });
  }
  friend bool operator==(const SlowSave&, const SlowSave&) = default;
};

}  // namespace tarry
