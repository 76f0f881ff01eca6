// When a hook that acts every few steps or seconds is due (docs/rules/runtime.md#E.6).
#pragma once

#include <optional>

#include "workers/env.hpp"

namespace tarry {

class StepTimer {
 public:
  StepTimer() = default;
  // REQUIRES: one of the two; the hook never acts with neither.
  StepTimer(std::optional<std::int64_t> every_steps, std::optional<Nanos> every)
      : every_steps_(every_steps), every_(every) {}

  // True at the first call, and whenever the distance from the last action is reached; never twice at one step.
  [[nodiscard]] bool is_due(std::int64_t step, Nanos now) const {
    if (!every_steps_ && !every_) return false;
    if (!last_step_) return true;
    if (step == *last_step_) return false;
    return (every_steps_ && step >= *last_step_ + *every_steps_) || (every_ && now >= last_time_ + *every_);
  }
  void acted(std::int64_t step, Nanos now) {
    last_step_ = step;
    last_time_ = now;
  }
  [[nodiscard]] std::optional<std::int64_t> last_step() const { return last_step_; }

 private:
  std::optional<std::int64_t> every_steps_;
  std::optional<Nanos> every_;
  std::optional<std::int64_t> last_step_;
  Nanos last_time_ = 0;
};

}  // namespace tarry
