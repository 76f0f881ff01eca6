// The moments that a fault may wait for, with their keys and meanings.
#pragma once

#include <cstdint>
#include <string_view>

#include "placer/core/ids.hpp"
#include "workers/nanos.hpp"

namespace tarry {

enum class Moment : std::uint8_t { pushed, token_taken, session_ready };

struct MomentText {
  Moment moment;
  std::string_view key, meaning;
};
inline constexpr MomentText kMoments[] = {{Moment::pushed, "pushed", "its gradient reached an accumulator"},
                                          {Moment::token_taken, "token_taken", "a token left the queue for it"},
                                          {Moment::session_ready, "session_ready", "its session can train"}};

// A time: `delay` after `moment` has happened to the client of `task` for the count-th time since the start.
struct Trigger {
  Moment moment = Moment::pushed;
  TaskId task;
  std::int64_t count = 1;
  Nanos delay = 0;
  friend bool operator==(const Trigger&, const Trigger&) = default;
};

}  // namespace tarry
