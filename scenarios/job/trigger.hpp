// The moments that a fault may wait for, with their keys and meanings.
#pragma once

#include <cstdint>
#include <string_view>

#include "placer/core/ids.hpp"
#include "workers/nanos.hpp"

namespace tarry {

enum class Moment : std::uint8_t {
  pushed,
  token_taken,
  session_ready,
  step_began,
  step_ended,
  accepted,
  dropped,
  session_created,
  session_waiting,
  checkpoint_written,
  registered,
  rungraph_arrived,
  aggregate_taken,
};

struct MomentText {
  Moment moment;
  std::string_view key, meaning;
};
inline constexpr MomentText kMoments[] = {
    {Moment::pushed, "pushed", "its gradient reached an accumulator"},
    {Moment::token_taken, "token_taken", "a token left the queue for it"},
    {Moment::session_ready, "session_ready", "its session can train"},
    {Moment::step_began, "step_began", "it began a training step"},
    {Moment::step_ended, "step_ended", "a training step of it ended, well or not"},
    {Moment::accepted, "accepted", "an accumulator accepted its gradient"},
    {Moment::dropped, "dropped", "an accumulator dropped its gradient, which was stale"},
    {Moment::session_created, "session_created", "its session exists; nothing has run in it yet"},
    {Moment::session_waiting, "session_waiting", "it found the model not ready, and will look again"},
    {Moment::checkpoint_written, "checkpoint_written", "a checkpoint that it saved is complete"},
    {Moment::registered, "registered", "another task has told it that a graph is registered there"},
    {Moment::rungraph_arrived, "rungraph_arrived", "a RunGraph request of it arrived at another task"},
    {Moment::aggregate_taken, "aggregate_taken", "an aggregate was taken for it: it is the chief"}};

// A time: `delay` after `moment` has happened to the client of `task` for the count-th time since the start.
struct Trigger {
  Moment moment = Moment::pushed;
  TaskId task;
  std::int64_t count = 1;
  Nanos delay = 0;
  friend bool operator==(const Trigger&, const Trigger&) = default;
};

}  // namespace tarry
