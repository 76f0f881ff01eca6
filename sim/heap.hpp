// The clock and the event queue of a run.
//
// Events are ordered by (integer nanosecond, sequence number): at one instant they run in the order in which they were
// added, unless draw_order() was called: then strands take turns by drawn priorities (sim/tie_order.hpp). An event is a
// Continuation, kept in the heap's own array (no allocation), or a cancellable timer with a Callback. Nothing runs from
// inside `at` or `after`. Time moves only in `run_next` and `pass_time_to`, and never back. It ends at about 292 years;
// an event later than that is a bug.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/park.hpp"
#include "sim/pool.hpp"
#include "sim/tie_order.hpp"
#include "workers/causes.hpp"
#include "workers/env.hpp"

namespace tarry {

// Ties a timer to one process of a task: it does nothing once the task's count of ended processes has changed, and
// waits while the process stands still.
struct LifeGuard {
  const std::uint32_t* lives = nullptr;  // null = the guard always holds; REQUIRES: outlives the timer
  std::uint32_t then = 0;
  Park* park = nullptr;  // null = the process never stands still; REQUIRES: outlives the timer
  [[nodiscard]] bool holds() const { return lives == nullptr || *lives == then; }
};

class EventHeap {
 public:
  [[nodiscard]] Nanos now() const { return now_; }
  [[nodiscard]] std::uint64_t executed() const { return executed_; }
  // How many events it was asked for so far: of one instant, those asked for earlier come first.
  [[nodiscard]] std::uint64_t asked() const { return sequence_; }

  // Keeps what each event waited for. REQUIRES: no event was asked for yet; `causes` is empty, and outlives the heap.
  void keep_causes(Causes& causes) { causes_ = &causes; }
  // The number of the event that happens now, or that happened last; 0 before the first one.
  [[nodiscard]] std::uint32_t present() const { return static_cast<std::uint32_t>(executed_); }

  // REQUIRES: when >= now().
  void at(Nanos when, Continuation event, Strand strand = {}, const Wait& wait = {});
  // REQUIRES: delay >= 0.
  TimerId after(Nanos delay, Callback&& done, LifeGuard guard = {}, Strand strand = {}, const Wait& wait = {});
  // A timer that has run or was cancelled is ignored. Its callback is destroyed at once.
  void cancel(TimerId timer);

  // A timer that falls due when the park opens. REQUIRES: the park is closed.
  void park(Park& park, Callback&& done, LifeGuard guard);
  // Opens the park: what waits there is due now, in order.
  void open(Park& park);
  // From now on. A second call replaces the first.
  void draw_order(const DrawnOrder& order) { drawn_.emplace(order); }

  [[nodiscard]] bool empty() const { return heap_.empty() && next_due_ == due_.size(); }
  // REQUIRES: !empty().
  [[nodiscard]] Nanos next_time() const { return next_is_due() ? now_ : heap_.front().at; }
  void run_next();
  // Moves time without an event. REQUIRES: time >= now(), and no event is left before it.
  void pass_time_to(Nanos time);

 private:
  // The part of an event that the heap moves; the event itself keeps its slot.
  struct Entry {
    Nanos at = 0;
    std::uint64_t sequence = 0;
    std::uint32_t event = 0;  // slot
    Strand strand;
    // Compared as one number of 128 bits, without branches. Times are never negative.
    [[nodiscard]] bool before(const Entry& o) const { return order() < o.order(); }
    [[nodiscard]] unsigned __int128 order() const { return static_cast<unsigned __int128>(at) << 64 | sequence; }
  };
  struct Timer {
    Callback done;
    TimerId id;  // `none` = it has run or was cancelled
    LifeGuard guard;
  };

  void push(Nanos when, Continuation event, Strand strand, const Wait& wait);
  void keep_wait(std::uint32_t event, const Wait& wait);
  // Events of this instant in the heap were added before the instant began, those in `due_` after, so the heap's come
  // first.
  [[nodiscard]] bool next_is_due() const {
    return next_due_ < due_.size() && (heap_.empty() || heap_.front().at > now_);
  }
  Entry pop();
  Entry take_from_heap(std::size_t i);
  bool take_from_park(std::uint32_t timer);
  Entry take_out(std::uint32_t timer);  // the entry of the timer in that slot
  Entry pop_due();
  Entry pop_drawn();
  void gather_instant();
  [[nodiscard]] std::size_t drawn_turn();
  [[nodiscard]] std::size_t least_child(std::size_t first) const;
  [[nodiscard]] std::optional<std::uint32_t> find(TimerId id) const;  // slot
  void sift_up(std::size_t i);
  void sift_down(std::size_t i);
  [[nodiscard]] bool is_timer(const Entry& entry, std::uint32_t slot) const;
  Timer end_timer(std::uint64_t slot);
  TimerId fresh_id();
  void run_timer(std::uint64_t slot);

  Nanos now_ = 0;
  std::uint64_t sequence_ = 0, executed_ = 0;
  Pool<Continuation> events_;  // when `run` is null, the timer in slot `argument`
  std::vector<Entry> heap_;    // a 4-ary heap: half the depth of a binary one, and siblings share cache lines
  std::vector<Entry> due_;     // added during this instant, for this instant; they run after the heap's events of it
  std::size_t next_due_ = 0;
  std::optional<TieOrder> drawn_;
  Causes* causes_ = nullptr;  // null = nobody asks
  std::vector<Wait> waits_;   // by slot, if there are causes_
  Pool<Timer> timers_;
  std::uint32_t last_id_ = 0;
  bool all_ids_used_ = false;
};

}  // namespace tarry
