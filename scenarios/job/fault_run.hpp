// Lets the faults of a job happen to its world.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "scenarios/job/fault.hpp"

namespace tarry {

class FaultRun {
 public:
  FaultRun(FaultContext context, std::span<const Fault> faults);

  // Time counts from now.
  void start();
  // The log's events, as they come: some faults wait for one.
  void note(const Event& event) {
    if (!waiting_.empty()) look_at(event);
  }
  // The run is over: notes the faults that waited in vain.
  void finish();
  // Something is still to come by itself: the run is not over while nothing else happens.
  [[nodiscard]] bool is_pending() const { return pending_ > 0; }

 private:
  void look_at(const Event& event);

  struct Waiting {
    Trigger trigger;
    std::int64_t seen = 0;
    const Fault* fault = nullptr;
  };

  [[nodiscard]] TaskId whose(const Event& event, Moment moment) const;
  void schedule(const Fault& fault, Nanos delay);

  FaultContext context_;
  std::span<const Fault> faults_;
  std::vector<Waiting> waiting_;
  std::map<StepId, TaskId> steps_;  // and their clients, while some fault waits
  std::size_t pending_ = 0;
};

}  // namespace tarry
