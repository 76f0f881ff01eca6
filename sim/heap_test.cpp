#include "sim/heap.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "placer/core/check.hpp"

namespace tarry {
namespace {

struct Trace {
  EventHeap heap;
  std::vector<std::uint64_t> ran;
  static void mark(void* self, std::uint64_t argument) { static_cast<Trace*>(self)->ran.push_back(argument); }
  Continuation event(std::uint64_t argument) { return {mark, this, argument}; }
  void run_all() {
    while (!heap.empty()) heap.run_next();
  }
};

RC_GTEST_PROP(EventHeap, events_run_in_order_of_time_and_then_of_asking, (const std::vector<std::uint8_t>& times)) {
  Trace t;
  std::vector<std::uint64_t> expected(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    expected[i] = i;
    t.heap.at(times[i] % 16, t.event(i));
  }
  std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return times[a] % 16 < times[b] % 16; });
  t.run_all();
  RC_ASSERT(t.ran == expected);
}

RC_GTEST_PROP(EventHeap, a_cancelled_timer_never_runs_and_the_others_do,
              (const std::vector<std::pair<std::uint8_t, bool>>& timers)) {
  EventHeap heap;
  std::size_t ran = 0;
  std::vector<TimerId> ids;
  for (const auto& [delay, cancelled] : timers)
    ids.push_back(heap.after(delay, [&ran, cancelled = cancelled] { RC_ASSERT(!cancelled), ++ran; }));
  for (std::size_t i = 0; i < timers.size(); ++i)
    if (timers[i].second) heap.cancel(ids[i]);
  while (!heap.empty()) heap.run_next();
  RC_ASSERT(ran == std::size_t(std::ranges::count_if(timers, [](const auto& t) { return !t.second; })));
  RC_ASSERT(heap.executed() == ran);
}

RC_GTEST_PROP(EventHeap, what_is_not_cancelled_keeps_its_order,
              (const std::vector<std::pair<std::uint8_t, bool>>& timers)) {
  EventHeap heap;
  std::vector<std::size_t> ran, expected;
  std::vector<TimerId> ids;
  for (std::size_t i = 0; i < timers.size(); ++i)
    ids.push_back(heap.after(timers[i].first % 16, [&ran, i] { ran.push_back(i); }));
  for (std::size_t i = 0; i < timers.size(); ++i)
    if (timers[i].second)
      heap.cancel(ids[i]);
    else
      expected.push_back(i);
  std::ranges::stable_sort(expected, {}, [&](std::size_t i) { return timers[i].first % 16; });
  while (!heap.empty()) heap.run_next();
  RC_ASSERT(ran == expected);
}

// The last entry takes the place of the cancelled one, in another branch of the tree: there it must rise.
TEST(EventHeap, keeps_its_order_when_the_last_timer_but_one_is_cancelled) {
  EventHeap heap;
  std::vector<Nanos> ran;
  std::vector<TimerId> ids;
  for (const Nanos at : {1, 50, 2, 40, 41, 60, 61, 62, 63, 3})
    ids.push_back(heap.after(at, [&] { ran.push_back(heap.now()); }));
  heap.cancel(ids[8]);
  for (const Nanos at : {64, 65, 66}) heap.after(at, [&] { ran.push_back(heap.now()); });
  while (!heap.empty()) heap.run_next();
  EXPECT_EQ(ran, (std::vector<Nanos>{1, 2, 3, 40, 41, 50, 60, 61, 62, 64, 65, 66}));
}

TEST(EventHeap, a_timer_of_this_very_instant_can_be_cancelled) {
  EventHeap heap;
  bool ran = false;
  heap.after(0, [&] { ran = true; });
  heap.cancel(heap.after(0, [] { FAIL(); }));
  while (!heap.empty()) heap.run_next();
  EXPECT_TRUE(ran);
}

TEST(EventHeap, an_event_asked_for_now_runs_after_all_that_was_due_now) {
  Trace t;
  t.heap.after(5, [&] { t.heap.at(5, t.event(3)); });
  t.heap.at(5, t.event(1));
  t.heap.at(5, t.event(2));
  t.run_all();
  EXPECT_EQ(t.ran, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(EventHeap, a_timer_that_has_run_is_ignored_by_cancel_even_when_its_slot_is_used_again) {
  Trace t;
  const TimerId first = t.heap.after(1, [] {});
  t.heap.run_next();
  bool ran = false;
  t.heap.after(1, [&] { ran = true; });
  t.heap.cancel(first);
  t.run_all();
  EXPECT_TRUE(ran);
}

TEST(EventHeap, a_cancelled_timer_does_not_move_time) {
  EventHeap heap;
  heap.cancel(heap.after(1000, [] {}));
  EXPECT_TRUE(heap.empty());
  EXPECT_EQ(heap.now(), 0);
}

TEST(EventHeap, the_past_is_a_bug) {
  Trace t;
  t.heap.at(5, t.event(0));
  t.heap.run_next();
  EXPECT_THROW(t.heap.at(4, t.event(1)), Bug);
  EXPECT_THROW(t.heap.after(-1, [] {}), Bug);
  EXPECT_THROW(t.heap.run_next(), Bug);
}

TEST(EventHeap, a_parked_timer_runs_when_the_park_opens_unless_it_is_cancelled_before) {
  EventHeap heap;
  Park park;
  const std::uint32_t lives = 0;
  std::vector<std::pair<Nanos, int>> ran;
  const LifeGuard guard{&lives, 0, &park};
  const auto mark = [&](int which) { return [&, which] { ran.emplace_back(heap.now(), which); }; };
  heap.after(5, mark(0), guard);
  const TimerId cancelled = heap.after(6, mark(1), guard);
  heap.after(60, mark(2), guard);
  heap.after(7, mark(3));
  park.is_closed = true;
  heap.after(50, [&] {
    heap.cancel(cancelled);
    heap.park(park, mark(4), guard);
    heap.open(park);
  });
  while (!heap.empty()) heap.run_next();
  EXPECT_EQ(ran, (std::vector<std::pair<Nanos, int>>{{7, 3}, {50, 0}, {50, 4}, {60, 2}}));
}

}  // namespace
}  // namespace tarry
