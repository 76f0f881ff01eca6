#include "workers/state/fifo_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <queue>

namespace tarry {
namespace {

using testing::ElementsAre;

QueueElement element(std::int64_t v) { return {make_scalar(v)}; }
std::int64_t value_of(const QueueElement& e) { return e[0]->as<std::int64_t>()[0]; }

// A queue and what became of each call, as words: "5" a value taken, "ok", or an error's text.
struct World {
  explicit World(std::int64_t capacity = -1) : queue("q", capacity) {}

  struct Outcome {
    std::string text;
    Code code = Code::kOk;
  };
  std::optional<Outcome>& slot() { return outcomes.emplace_back(); }
  StatusCallback report(std::optional<Outcome>& to) {
    return [&to](Status s) { to = Outcome{s.ok() ? "ok" : std::string(text_of(s)), s.code()}; };
  }
  const std::optional<Outcome>& put(std::int64_t v, CancellationManager& step) {
    auto& to = slot();
    queue.enqueue(element(v), step, report(to));
    return to;
  }
  const std::optional<Outcome>& put(std::int64_t v) { return put(v, step); }
  const std::optional<Outcome>& put_all(std::initializer_list<std::int64_t> values) {
    auto& to = slot();
    std::vector<QueueElement> elements;
    for (const std::int64_t v : values) elements.push_back(element(v));
    queue.enqueue_many(std::move(elements), step, report(to));
    return to;
  }
  const std::optional<Outcome>& take(CancellationManager& step) {
    auto& to = slot();
    queue.dequeue(step, [&to](StatusOr<QueueElement> e) {
      to =
          e.ok() ? Outcome{std::to_string(value_of(*e))} : Outcome{std::string(text_of(e.status())), e.status().code()};
    });
    return to;
  }
  const std::optional<Outcome>& take() { return take(step); }
  const std::optional<Outcome>& close(bool cancel_pending = false) {
    auto& to = slot();
    queue.close(cancel_pending, report(to));
    return to;
  }

  std::deque<std::optional<Outcome>> outcomes;
  CancellationManager step, other;
  FifoQueue queue;
};

std::string words(const std::optional<World::Outcome>& o) { return o ? o->text : "waits"; }

TEST(FifoQueue, gives_back_in_the_order_of_coming) {
  World w;
  for (const std::int64_t v : {1, 2, 3}) EXPECT_EQ(words(w.put(v)), "ok");
  EXPECT_EQ(words(w.take()), "1");
  EXPECT_EQ(words(w.take()), "2");
  EXPECT_EQ(w.queue.size(), 1u);
}

TEST(FifoQueue, a_dequeue_waits_for_an_element_and_earlier_ones_are_served_first) {
  World w;
  const auto &first = w.take(), &second = w.take();
  EXPECT_EQ(words(first), "waits");
  w.put(7);
  EXPECT_EQ(words(first), "7");
  EXPECT_EQ(words(second), "waits");
  EXPECT_EQ(w.queue.waiting_dequeues(), 1u);
}

TEST(FifoQueue, an_enqueue_waits_for_room_and_keeps_its_place) {
  World w(1);
  w.put(1);
  const auto &second = w.put(2), &third = w.put(3);
  EXPECT_EQ(words(second), "waits");
  EXPECT_EQ(words(w.take()), "1");
  EXPECT_EQ(words(second), "ok");
  EXPECT_EQ(words(third), "waits");
}

TEST(FifoQueue, that_is_cleared_lets_in_who_waits_for_room) {
  World w(1);
  w.put(1);
  const auto& second = w.put(2);
  w.queue.clear();
  EXPECT_EQ(words(second), "ok");
  EXPECT_EQ(words(w.take()), "2");
}

TEST(FifoQueue, many_elements_go_in_as_room_comes_and_hold_up_who_is_behind) {
  World w(2);
  const auto &many = w.put_all({1, 2, 3}), &behind = w.put(4);
  EXPECT_EQ(w.queue.size(), 2u);
  EXPECT_EQ(words(many), "waits");
  w.take();
  EXPECT_EQ(words(many), "ok");
  EXPECT_EQ(words(behind), "waits");
  for (const char* next : {"2", "3", "4"}) EXPECT_EQ(words(w.take()), next);
}

TEST(FifoQueue, a_cancelled_dequeue_fails_and_the_next_one_takes_its_turn) {
  World w;
  const auto &cancelled = w.take(w.other), &next = w.take();
  w.other.start();
  EXPECT_EQ(words(cancelled), "Dequeue operation was cancelled");
  EXPECT_EQ(cancelled->code, Code::kCancelled);
  w.put(5);
  EXPECT_EQ(words(next), "5");
}

TEST(FifoQueue, cancelling_the_enqueue_in_front_lets_the_next_one_in) {
  World w(1);
  w.put(1);
  const auto& many = w.put(2, w.other);
  const auto& next = w.put(3);
  w.other.start();
  EXPECT_EQ(words(many), "Enqueue operation was cancelled");
  w.take();
  EXPECT_EQ(words(next), "ok");
  EXPECT_EQ(words(w.take()), "3");
}

TEST(FifoQueue, refuses_a_step_that_was_cancelled_before) {
  World w;
  w.step.start();
  EXPECT_EQ(words(w.put(1)), "Enqueue operation was cancelled");
  EXPECT_EQ(words(w.take()), "Dequeue operation was cancelled");
  EXPECT_EQ(w.queue.size(), 0u);
}

TEST(FifoQueue, a_late_cancellation_does_nothing) {
  World w;
  const auto& taken = w.take(w.other);
  w.put(1);
  w.other.start();
  EXPECT_EQ(words(taken), "1");
}

TEST(FifoQueue, closed_refuses_new_elements_and_gives_out_what_is_inside) {
  World w;
  w.put(1);
  EXPECT_EQ(words(w.close()), "ok");
  const auto& refused = w.put(2);
  EXPECT_EQ(words(refused), "FIFOQueue 'q' is closed.");
  EXPECT_EQ(refused->code, Code::kCancelled);
  EXPECT_EQ(words(w.take()), "1");
  const auto& empty = w.take();
  EXPECT_EQ(words(empty), "FIFOQueue 'q' is closed and has insufficient elements (requested 1, current size 0)");
  EXPECT_EQ(empty->code, Code::kOutOfRange);
}

TEST(FifoQueue, closing_wakes_the_dequeues_that_nobody_can_serve) {
  World w;
  const auto& waiting = w.take();
  w.close();
  EXPECT_EQ(waiting->code, Code::kOutOfRange);
}

// A dequeue of three that has two, and what it says.
struct TooMany {
  World w;
  std::string said = "waits";
  explicit TooMany(bool up_to) {
    w.put_all({1, 2});
    w.queue.dequeue_many(3, up_to, w.step, [this](StatusOr<std::vector<QueueElement>> e) {
      said = e.ok() ? "" : std::string(text_of(e.status()));
      if (e.ok())
        for (const QueueElement& one : *e) said += std::to_string(value_of(one));
    });
  }
};

TEST(FifoQueue, a_close_that_ends_a_dequeue_of_many_puts_what_it_had_back_in_its_order) {
  TooMany t(false);
  EXPECT_EQ(t.said, "waits");
  t.w.close();
  EXPECT_EQ(t.said, "FIFOQueue 'q' is closed and has insufficient elements (requested 1, current size 0)");
  for (const char* next : {"1", "2"}) EXPECT_EQ(words(t.w.take()), next);
}

TEST(FifoQueue, a_close_gives_a_dequeue_of_up_to_many_what_there_is_in_its_order) {
  TooMany t(true);
  EXPECT_EQ(t.said, "waits");
  t.w.close();
  EXPECT_EQ(t.said, "12");
  EXPECT_EQ(t.w.queue.size(), 0u);
}

// TensorFlow's padding queue names itself where several elements are asked for, even where that is one.
TEST(FifoQueue, that_pads_has_another_name_where_many_are_asked_for) {
  FifoQueue q("q", 1, {.one = "FIFOQueue", .many = "PaddingFIFOQueue"});
  CancellationManager step;
  q.close(false, [](const Status&) {});
  std::string said;
  q.dequeue_many(1, false, step, [&](const auto& e) { said = text_of(e.status()); });
  EXPECT_EQ(said, "PaddingFIFOQueue 'q' is closed and has insufficient elements (requested 1, current size 0)");
  q.dequeue(step, [&](const auto& e) { said = text_of(e.status()); });
  EXPECT_EQ(said, "FIFOQueue 'q' is closed and has insufficient elements (requested 1, current size 0)");
}

TEST(FifoQueue, a_second_close_is_cancelled) {
  World w;
  w.close();
  const auto& again = w.close();
  EXPECT_EQ(words(again), "Queue 'q' is already closed.");
  EXPECT_EQ(again->code, Code::kCancelled);
}

TEST(FifoQueue, a_second_close_that_cancels_is_fine) {
  World w;
  w.close();
  EXPECT_EQ(words(w.close(true)), "ok");
}

TEST(FifoQueue, a_close_waits_behind_pending_enqueues) {
  World w(1);
  w.put(1);
  const auto &pending = w.put(2), &closing = w.close(), &late = w.put(3);
  EXPECT_EQ(words(closing), "waits");
  EXPECT_EQ(words(w.take()), "1");
  EXPECT_EQ(words(pending), "ok");
  EXPECT_EQ(words(closing), "ok");
  EXPECT_EQ(words(late), "FIFOQueue 'q' is closed.");
  EXPECT_EQ(words(w.take()), "2");
}

TEST(FifoQueue, a_close_that_cancels_fails_pending_enqueues_at_once) {
  World w(1);
  w.put(1);
  const auto& pending = w.put(2);
  EXPECT_EQ(words(w.close(true)), "ok");
  EXPECT_EQ(words(pending), "Enqueue operation was cancelled");
  EXPECT_TRUE(w.queue.is_closed());
  EXPECT_EQ(words(w.take()), "1");
}

TEST(FifoQueue, a_continuation_may_use_the_queue_again) {
  World w(1);
  std::vector<std::int64_t> seen;
  w.queue.dequeue(w.step, [&](StatusOr<QueueElement> e) {
    seen.push_back(value_of(*e));
    w.queue.dequeue(w.step, [&](StatusOr<QueueElement> f) { seen.push_back(value_of(*f)); });
    w.put(2);
  });
  w.put(1);
  EXPECT_THAT(seen, ElementsAre(1, 2));
}

// Whatever the calls: values come out once, in the order in which they went in, and never more than fit are inside.
RC_GTEST_PROP(FifoQueueProperty, comes_out_in_the_order_of_going_in, ()) {
  const auto capacity = *rc::gen::inRange<std::int64_t>(1, 4);
  const auto calls = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 10));
  World w(capacity);
  std::vector<std::int64_t> entered, left;
  w.queue.on_enqueued = [&](const QueueElement& e, std::uint64_t) { entered.push_back(value_of(e)); };
  w.queue.on_dequeued = [&](const QueueElement& e, std::uint64_t) { left.push_back(value_of(e)); };
  std::deque<CancellationManager> steps;
  std::int64_t next = 0;
  for (const int call : calls) {
    steps.emplace_back();
    if (call < 4)
      w.put(++next, steps.back());
    else if (call < 8)
      w.take(steps.back());
    else
      steps[steps.size() / 2].start();
    RC_ASSERT(std::cmp_less_equal(w.queue.size(), capacity));
    RC_ASSERT(w.queue.waiting_dequeues() == 0 || w.queue.size() == 0);
  }
  RC_ASSERT(left.size() + w.queue.size() == entered.size());
  RC_ASSERT(std::equal(left.begin(), left.end(), entered.begin()));
  RC_ASSERT(std::ranges::is_sorted(entered));
}

RC_GTEST_PROP(FifoQueueProperty, every_call_is_answered_once_the_queue_is_closed_and_cancelled, ()) {
  const auto calls = *rc::gen::container<std::vector<bool>>(rc::gen::arbitrary<bool>());
  World w(2);
  for (const bool puts : calls) puts ? w.put(1) : w.take();
  w.close(true);
  for (const auto& o : w.outcomes) RC_ASSERT(o.has_value());
}

// As the standard library's heap leaves them, which TensorFlow keeps them in.
TEST(PriorityQueue, gives_equals_in_the_order_of_a_heap) {
  using Element = std::pair<std::int64_t, std::int64_t>;
  const auto later = [](const Element& a, const Element& b) { return a.first > b.first; };
  std::priority_queue<Element, std::vector<Element>, decltype(later)> heap(later);
  FifoQueue q("q", -1, {.by_priority = true});
  CancellationManager step;
  for (std::int64_t i = 0; i < 12; ++i) {
    heap.emplace(i % 3, i);
    q.enqueue({make_scalar(i % 3), make_scalar(i)}, step, [](const Status&) {});
  }
  for (; !heap.empty(); heap.pop())
    q.dequeue(step, [&](StatusOr<QueueElement> e) { EXPECT_EQ(integer_or((*e)[1], -1), heap.top().second); });
}
TEST(PriorityQueue, a_cancelled_dequeue_of_several_loses_nothing) {
  FifoQueue q("q", -1, {.by_priority = true});
  CancellationManager enqueues, step;
  for (const std::int64_t priority : {2, 1}) q.enqueue({make_scalar(priority)}, enqueues, [](const Status&) {});
  q.dequeue_many(3, false, step, [](StatusOr<std::vector<QueueElement>>) {});
  step.start();
  EXPECT_EQ(q.size(), 2U);
}

}  // namespace
}  // namespace tarry
