// Makes the faults of a job happen in its world.
#pragma once

#include <span>
#include <vector>

#include "scenarios/job/fault.hpp"
#include "scenarios/job/moments.hpp"

namespace tarry {

// The kind of ConditionChanged that tells of a fault that never happened; of one that waited for a moment, `a` names
// the task of that.
inline constexpr char kNeverHappened[] = "never";

class FaultRun {
 public:
  FaultRun(FaultContext context, std::span<const Fault> faults);

  // Starts the faults; their times count from this moment.
  void start();
  // Called for every event of the log, since some faults wait for one.
  void note(const Event& event) {
    if (!waiting_.empty()) look_at(event);
  }
  // Called at the end of the run: notes the faults whose moment never came.
  void finish();
  // From now on no fault happens, and none that holds ends.
  void freeze() { context_.is_frozen = true, waiting_.clear(); }
  // Whether a timed fault or a process is still to come: then the run goes on even if nothing else is left to do.
  [[nodiscard]] bool is_pending() const { return pending_ > 0 || context_.to_begin > 0; }
  // When each fault happened, in their order, by the world's clock; -1 = not yet.
  [[nodiscard]] const std::vector<Nanos>& happened() const { return happened_; }
  // The cluster will change by itself: a fault is still to come, or one will end.
  [[nodiscard]] bool will_change() const { return is_pending() || context_.to_undo > 0; }
  // It may change by itself: a fault waits for something, too.
  [[nodiscard]] bool may_change() const { return will_change() || !waiting_.empty(); }

 private:
  void look_at(const Event& event);

  struct Waiting {
    Trigger trigger;
    std::int64_t seen = 0;
    const Fault* fault = nullptr;
  };

  void schedule(const Fault& fault, Nanos delay);

  FaultContext context_;
  std::span<const Fault> faults_;
  std::vector<Nanos> happened_;
  std::vector<Waiting> waiting_;
  Moments moments_;  // seen while some fault waits
  std::size_t pending_ = 0;
};

}  // namespace tarry
