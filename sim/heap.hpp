// The one clock of a run: what happens next, and when.
//
// Events are ordered by (integer nanosecond, sequence number): at one instant they run in the order in which they were asked for. An
// event is a Continuation, kept in the heap's own array (no allocation), or a cancellable timer with a Callback. Nothing runs from inside
// `at` or `after`. Time moves only in `run_next` and never back; it ends at about 292 years, where asking for more is a bug.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <vector>

#include "sim/pool.hpp"
#include "workers/env.hpp"

namespace tarry {

class EventHeap {
 public:
  [[nodiscard]] Nanos now() const { return now_; }
  [[nodiscard]] std::uint64_t executed() const { return executed_; }

  // REQUIRES: when >= now().
  void at(Nanos when, Continuation event);
  // REQUIRES: delay >= 0.
  TimerId after(Nanos delay, Callback done);
  // A timer that has run or was cancelled is ignored. Its callback is destroyed at once.
  void cancel(TimerId timer);

  // Cancelled timers don't count.
  [[nodiscard]] bool empty();
  // REQUIRES: !empty().
  [[nodiscard]] Nanos next_time();
  void run_next();
  // Moves time without an event. REQUIRES: time >= now(), nothing is left to happen before it.
  void pass_time_to(Nanos time);

 private:
  struct Entry {
    Nanos at = 0;
    std::uint64_t sequence = 0;
    Continuation event;  // without `run`: the timer in slot `argument`
    [[nodiscard]] bool before(const Entry& o) const { return at != o.at ? at < o.at : sequence < o.sequence; }
  };
  struct Timer {
    Callback done;  // empty = cancelled
    TimerId id;
  };

  void push(Nanos when, Continuation event);
  [[nodiscard]] bool next_is_due() const;
  [[nodiscard]] const Entry& peek() const;
  Entry pop();
  Entry pop_heap();
  Entry pop_due();
  void sift_up(std::size_t i);
  void sift_down(std::size_t i);
  void drop_cancelled();
  TimerId fresh_id();
  void run_timer(std::uint64_t slot);

  Nanos now_ = 0;
  std::uint64_t sequence_ = 0, executed_ = 0;
  std::vector<Entry> heap_;  // four children each: half the depth of two, and siblings share cache lines
  std::vector<Entry> due_;   // asked for at this very instant: all come after the heap's events of this instant
  std::size_t next_due_ = 0;
  Pool<Timer> timers_;
  absl::flat_hash_map<TimerId, std::uint32_t> slot_of_;  // looked up, never iterated
  std::size_t cancelled_ = 0;  // timers that still hold a place in the heap
  std::uint32_t last_id_ = 0;
};

}  // namespace tarry
