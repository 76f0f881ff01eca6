// Where a run is: what each task did last, and how full queues and accumulators are.
#pragma once

#include <map>

#include "workers/events.hpp"

namespace tarry {

// An event without what only tells alike ones apart: its kind, and its purpose, code, stage or acceptance.
[[nodiscard]] std::uint64_t shape_of(const Event& event);
[[nodiscard]] TaskId task_of(const Event& event);  // none: it is of no single task

class Situation {
 public:
  // To be called for every event of a log, in order.
  void note(const Event& event);
  // The shape of the last event of the task; 0 = none.
  [[nodiscard]] std::uint64_t last_of(TaskId task) const;
  // Elements of a queue, or gradients of an accumulator, since the start; at least -16, at most 16.
  [[nodiscard]] std::int64_t fill_of(NameId place) const;
  // Two situations that look alike have the same.
  [[nodiscard]] std::uint64_t hash() const;

 private:
  void add(NameId place, std::int64_t count) { fill_[place] += count; }

  std::map<TaskId, std::uint64_t> last_;
  std::map<NameId, std::int64_t> fill_;
};

// The queue or accumulator whose fill the event changes; none for other events.
[[nodiscard]] NameId place_of(const Event& event);

}  // namespace tarry
