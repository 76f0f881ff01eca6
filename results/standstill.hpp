// When training, or one worker, stood still, and what it waited for.
//
// Progress is an aggregate; where nothing aggregates, a step of any worker. A pause is a standstill when it is
// much longer than the run's own pauses are while all is well (where nothing aggregates also than the longest one in as
// many steps as there are workers), and something that was wrong at that time, or a circle of waits, explains it. So is
// the pause at the end of the run, and one that never ended, unless the log knows that training would have gone on
// (EventLog::goes_on_at), or all that was wrong is over and so many workers were at work as the next aggregate or step
// needs (at_work.hpp). When the log knows that nothing would have come, when nothing computed and nothing was under way
// for longer than any client waits by itself (30 s, docs/rules/runtime.md#E.6), or when all workers were lost for good
// before they had left, nothing needs to explain it. A run of random step times that is healthy has none.
#pragma once

#include <vector>

#include "results/wait_for.hpp"

namespace tarry {

inline constexpr Nanos kManyPauses = 4;          // so many times the usual pause is much longer
inline constexpr Nanos kManyRounds = 2;          // so many times the longest pause of the usual round
inline constexpr Nanos kShortPause = 1'000'000;  // what is shorter than this beyond the usual is nobody's concern

inline constexpr Nanos kLongestWait = 30 * kSecond;  // of a client by itself, before it looks again for a session

// Clients that sleep at the end of the run, and will find a model when they look again: since they looked in vain,
// another client's session has got ready. A standstill that lasts until then ends with the run, and not never.
[[nodiscard]] std::vector<TaskId> find_a_model_later(const Evidence& e);

// The client that made the model and has yet to ask for the first aggregate, where it was busy with what comes before
// when the run ended; none where there is no such client.
[[nodiscard]] TaskId is_to_ask_for_aggregates(const Evidence& e);

// Of all training, in order.
[[nodiscard]] std::vector<Standstill> read_standstills(const Evidence& e);
// Of one worker's steps, where the others do not wait for it.
[[nodiscard]] std::vector<Standstill> read_standstills(const Evidence& e, std::size_t worker);

}  // namespace tarry
