// The next part of a checkpoint that a task writes is torn, and nobody notices: the save succeeds and the checkpoint is
// listed. A later restore ends with DATA_LOSS `TensorBundle at PREFIX shard 0 (N bytes): Checksum does not match:
// stored X vs. calculated on the restored bytes Y` (seen in users' logs, older releases without the bundle; not
// recorded), and the chief leaves training with it: DATA_LOSS is not among the codes after which it tries again
// (docs/rules/runtime.md#E.6.5). The next good checkpoint takes its place.
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct TearSave {
  static constexpr std::string_view kKey = "tear_save", kExample = "ps/0",
                                    kMeaning = "the next part of a checkpoint that a task writes cannot be restored";
  TaskId task;

  static constexpr auto fields() { return std::tuple(field("task", &TearSave::task, "which writes")); }
  void happen(FaultContext& c) const {
    c.note(fmt::format("what {} saves next will be torn", c.name(task)), kKey, c.name(task), "", true);
    c.directory.files.storage(task).tears_next = true;
  }
  friend bool operator==(const TearSave&, const TearSave&) = default;
};

}  // namespace tarry
