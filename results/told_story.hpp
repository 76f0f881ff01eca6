// For tests: the log of a parameter server and two workers, told event by event.
#pragma once

#include <string>
#include <vector>

#include "results/verdict.hpp"

namespace tarry {

inline constexpr TaskId kPs{0u}, kChief{1u}, kOther{2u};
inline constexpr NameId kAccumulator{0u}, kGlobalStep{1u}, kNoDetail{2u};
inline const TaskNames kTasks{
    {"/job:ps/replica:0/task:0", "/job:worker/replica:0/task:0", "/job:worker/replica:0/task:1"}};

struct Story {
  EventLog log;
  Story() { log.set_names({"v:0/grad_accum", "global_step", ""}); }
  Story& at(double seconds, const Event& e) {
    log.add(static_cast<Nanos>(seconds * kSecond), e);
    log.ended_at = static_cast<Nanos>(seconds * kSecond);
    return *this;
  }
  Story& ready(double t, TaskId task) { return at(t, SessionMoved{task, SessionStage::ready, kNoDetail}); }
  Story& step(double t, TaskId task, std::uint64_t id) { return at(t, StepBegan{task, StepId{id}, Purpose::train}); }
  Story& ended(double t, TaskId task, std::uint64_t id) { return at(t, StepEnded{task, StepId{id}, 0}); }
  Story& push(double t, std::uint64_t id, bool accepted = true) {
    return at(t, GradientPushed{kPs, kAccumulator, StepId{id}, 0, 0, accepted});
  }
  Story& take(double t, std::int64_t required) { return at(t, TakeIssued{kPs, kAccumulator, StepId{99}, required}); }
  Story& aggregate(double t, std::int64_t averaged = 2) {
    return at(t, AggregateTaken{kPs, kAccumulator, StepId{99}, averaged, 1});
  }
  [[nodiscard]] Contributions contributions() const { return read_contributions(log); }
  [[nodiscard]] std::vector<std::string> verdicts() const {
    std::vector<std::string> kinds;
    for (const Verdict& v : judge(log, contributions(), kTasks)) kinds.push_back(v.kind);
    return kinds;
  }
  // What the verdict of that kind says; "" when there is none.
  [[nodiscard]] std::string told(std::string_view kind) const {
    for (const Verdict& v : judge(log, contributions(), kTasks))
      if (v.kind == kind) return v.text;
    return "";
  }
};

// Both workers are in their first steps, 1 and 2, and two gradients are asked for.
inline Story two_workers() {
  Story s;
  s.ready(0, kChief).ready(0, kOther).step(0, kChief, 1).step(0, kOther, 2).take(0, 2);
  return s;
}

}  // namespace tarry
