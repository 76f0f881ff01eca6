// Lets the faults of a job happen to its world.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "scenarios/job/fault.hpp"
#include "sim/world.hpp"
#include "workers/worker/directory.hpp"

namespace tarry {

class FaultRun {
 public:
  struct Processes {  // what a kill and a restart do beside the world: clients and workers are the job's
    std::function<void(TaskId)> end, begin;
  };
  FaultRun(World& world, Directory& directory, std::span<const Fault> faults, Processes processes);

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
  void happen(const Fault& fault);
  void on(const Kill& k);
  void on(const Restart& r);
  void on(const Disconnect& d);
  void on(const Resend& r);
  void on(const Slow& s);
  void on(const Delay& d);
  void on(const Part& p);
  void say(std::string_view what);
  void undo_after(std::optional<Nanos> lasts, Callback undo);

  World& world_;
  Directory& directory_;
  std::span<const Fault> faults_;
  Processes processes_;
  std::vector<Waiting> waiting_;
  std::map<StepId, TaskId> steps_;  // and their clients, while some fault waits
  std::size_t pending_ = 0;
};

}  // namespace tarry
