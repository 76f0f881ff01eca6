// A task cannot write its part of a checkpoint: SaveV2 ends with RESOURCE_EXHAUSTED
// `PREFIX.data-00000-of-00001.tempstateN; No space left on device`, as when a disk is full (seen in users' logs of
// releases 1.0 to 2.x; not recorded).
//
// The code is not one of those after which a client makes a new session (docs/rules/runtime.md#E.6.5): the chief leaves
// training with the error, and its sync thread with it. The checkpoint is not listed; the one before stays.
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct FailSave {
  static constexpr std::string_view kKey = "fail_save", kExample = "{task: ps/0, count: 2, lasts: 5s}",
                                    kMeaning = "a task cannot write its part of checkpoints";
  TaskId task;
  std::optional<Count> count;
  std::optional<Nanos> lasts;

  static constexpr auto fields() {
    return std::tuple(field("task", &FailSave::task, "which writes"),
                      field("count", &FailSave::count, "only so many times"),
                      field("lasts", &FailSave::lasts, "only that long; without both for good"));
  }
  void happen(FaultContext& c) const {
    const std::string who = c.name(task);
    Storage& storage = c.directory.files.storage(task);
    if (count) {
      storage.failures = count->value;
      c.note(fmt::format("the next saves of {} will fail, {} of them", who, count->value), kKey, who, "", true);
    } else {
      storage.is_full = true;
      c.note(fmt::format("saves of {} fail: no space is left", who), kKey, who, "", true);
    }
    c.undo_after(lasts, kKey, who, "", [&c, who, &storage] {
      c.note(fmt::format("saves of {} succeed again", who), kKey, who, "", false);
      storage.is_full = false;
      storage.failures = 0;
    });
  }
  friend bool operator==(const FailSave&, const FailSave&) = default;
};

}  // namespace tarry
