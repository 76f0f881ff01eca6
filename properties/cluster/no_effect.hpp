// Faults that find nothing to act on: a save that fails in a job that never saves, a task without kernels that is
// slowed down, a path without a limit that is narrowed. The run under such a fault has the events of the run without
// faults, and lines that tell of the fault; no law and nothing of `must` depends on these lines where nothing stands
// still.
#pragma once

#include <set>

#include "properties/cluster/schedule.hpp"

namespace tarry {

class NoEffect {
 public:
  // `usual`: the audited run of the job without faults.
  NoEffect(const Job& job, const Outcome& usual);

  // Whether all its faults are such. False where it is not known.
  [[nodiscard]] bool is_of(const Schedule& schedule) const;

 private:
  template <class K>
  [[nodiscard]] bool is_of(const K& kind) const;

  const ClusterSpec& cluster_;
  bool is_known_ = false;                    // what the job does
  bool saves_ = false, has_limits_ = false;  // checkpoints; of bandwidth
  std::set<TaskId> computes_;                // tasks with kernels that take time
  std::set<TaskId> trains_;                  // tasks with clients
};

}  // namespace tarry
