// Which task an idle helper of a batch gets next, where a helper may be gone without a word.
//
// First every task once, in order. Then tasks that nobody has answered yet are handed out again, that of the fewest
// first, since their helpers may be dead. Whoever answers first counts: answers are the same, whoever makes them. So
// no clock has to say who is dead, and a batch ends as long as one helper lives.
#pragma once

#include <map>
#include <optional>
#include <set>

namespace tarry {

class HandOut {
 public:
  explicit HandOut(int tasks) : tasks_(tasks) {}

  // For this helper, which has none. nullopt: nothing is left to be answered, or nothing but what was given to it.
  std::optional<int> next(int helper);
  // True for the first answer to a task. A helper may be lost or late: then others have answered.
  bool answered(int task);
  [[nodiscard]] bool all_answered() const { return begun_ == tasks_ && open_.empty(); }

 private:
  int tasks_, begun_ = 0;              // tasks 0 to begun_ - 1 were handed out
  std::map<int, std::set<int>> open_;  // of these, those without an answer, and who has them
};

}  // namespace tarry
