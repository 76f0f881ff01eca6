// One event of a log as a sentence, for reports about single moments.
#pragma once

#include <map>
#include <string>

#include "results/log.hpp"
#include "results/task_names.hpp"

namespace tarry {

class EventTeller {
 public:
  // Both outlive it.
  EventTeller(const EventLog& log, const TaskNames& tasks) : log_(log), tasks_(tasks) {}

  // To be called for every event of the log, in order: an event at a server names only the step that it belongs to.
  void note(const Event& event);
  // "worker 1's gradient of step 7 reaches softmax/kernel:0/grad_accum: accepted". No time: the caller has it.
  [[nodiscard]] std::string tell(const Event& event) const;

 private:
  const EventLog& log_;
  const TaskNames& tasks_;
  std::map<StepId, TaskId> clients_;
};

// What happened from `from` to `to` (since the start), a line each with its time, messages and kernels left out; at
// most `most` of them, and then how many more there are.
[[nodiscard]] std::vector<std::string> events_in_words(const EventLog& log, const TaskNames& tasks, Nanos from,
                                                       Nanos to, std::size_t most);

}  // namespace tarry
