// How often clients have looked in vain whether they may go on.
#pragma once

#include <cstddef>
#include <set>

#include "workers/events.hpp"

namespace tarry {

inline bool is_training_step(const Event& e) {
  const auto* began = std::get_if<StepBegan>(&e);
  return began != nullptr && began->purpose == Purpose::train;
}

// A process or a condition of the cluster came or went: what clients found before says nothing of what they find now.
inline bool changes_the_cluster(const Event& e) {
  return std::holds_alternative<ProcessEnded>(e) || std::holds_alternative<ProcessBegan>(e) ||
         std::holds_alternative<ConditionChanged>(e);
}

// Counts how often clients looked whether they may go on, since training last did or the cluster last changed.
class Vigil {
 public:
  void note(const Event& e) {
    if (std::holds_alternative<AggregateTaken>(e) || std::holds_alternative<GradientPushed>(e) || is_training_step(e) ||
        changes_the_cluster(e))
      begin_anew();
    else if (const auto* s = std::get_if<SessionMoved>(&e))
      look(s->task);
    else if (const auto* l = std::get_if<LogLine>(&e))
      look(l->task);
  }
  void begin_anew() { looks_ = before_last_began_ = 0; }
  [[nodiscard]] std::size_t looks() const { return looks_; }
  // Since the last of them began: what they found before says nothing of what it will do.
  [[nodiscard]] std::size_t looks_since_one_began() const { return looks_ - before_last_began_; }
  [[nodiscard]] bool has_begun(TaskId task) const { return begun_.contains(task); }

 private:
  void look(TaskId task) {
    if (begun_.insert(task).second) before_last_began_ = looks_;
    ++looks_;
  }

  std::size_t looks_ = 0, before_last_began_ = 0;
  std::set<TaskId> begun_;
};

}  // namespace tarry
