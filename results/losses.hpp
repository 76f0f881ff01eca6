// The losses of a run: processes, and progress of the global step.
//
// A worker that is lost while it computes takes a credit with it (docs/rules/runtime.md#F.6); one that is lost while it
// waits for a token has spent its own, and leaves its token to the others. A chief that restarts sets the global step
// back.
#pragma once

#include <string>
#include <vector>

#include "results/log.hpp"

namespace tarry {

struct Loss {
  TaskId task;
  // `waiting_for_token`: its gradients for all variables have arrived; until then it is `computing`. `nothing`: its
  // token is on its way, or its next step has not begun. A worker has no token in the first step of its
  // session: one that was given to it in a session before is gone with that session.
  enum class Doing : std::uint8_t {
    nothing,
    computing,
    waiting_for_token,
    before_first_step,
    in_first_step
  } doing = Doing::nothing;
  Nanos at = 0;  // since the start, as all times here
  // When its next session was ready (for a server without a client: when its process began); -1 = never.
  Nanos back = -1;
  Nanos last_aggregate = -1;  // before the loss; -1 = none
  Nanos next_aggregate = -1;  // after it; -1 = none
};

struct Setback {  // of the global step
  Nanos at = 0;
  std::int64_t from = 0, to = 0;
  Nanos trained_from = 0, trained_to = 0;  // when it came to `to`, and to `from`; 0 = before the start
};

struct Losses {
  std::vector<Loss> processes;
  std::vector<Setback> setbacks;
};

[[nodiscard]] Losses read_losses(const EventLog& log);

}  // namespace tarry
