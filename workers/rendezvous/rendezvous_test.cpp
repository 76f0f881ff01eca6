#include "workers/rendezvous/rendezvous.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>

#include "placer/core/random.hpp"

namespace tarry {
namespace {

const NameId kFoo{1u}, kBar{2u};

struct World {
  using Outcome = std::optional<StatusOr<Received>>;

  Outcome& receive(NameId key, CancellationManager* step = nullptr) {
    Outcome& to = outcomes.emplace_back();
    table.receive(key, step, [&to](StatusOr<Received> r) { to = std::move(r); });
    return to;
  }
  Status send(NameId key, std::int64_t value) { return table.send(key, {make_scalar(value), false}); }

  std::deque<Outcome> outcomes;
  CancellationManager step;
  LocalRendezvous table;
};

// "7" a value, "dead", "waits", or an error's text.
std::string words(const World::Outcome& o) {
  if (!o) return "waits";
  if (!o->ok()) return std::string(text_of(o->status()));
  return (*o)->is_dead ? "dead" : std::to_string((*o)->tensor->as<std::int64_t>()[0]);
}

TEST(Rendezvous, holds_a_value_and_no_receiver) {
  World w;
  EXPECT_FALSE(w.table.holds(kFoo));
  w.receive(kBar);
  EXPECT_FALSE(w.table.holds(kBar));
  EXPECT_EQ(w.table.waiting(), 1u);
  EXPECT_TRUE(w.send(kFoo, 7).ok());
  EXPECT_TRUE(w.table.holds(kFoo));
  w.receive(kFoo);
  EXPECT_FALSE(w.table.holds(kFoo));
}

TEST(Rendezvous, a_value_waits_for_its_receiver) {
  World w;
  EXPECT_TRUE(w.send(kFoo, 7).ok());
  EXPECT_EQ(words(w.receive(kFoo)), "7");
  EXPECT_TRUE(w.table.is_empty());
}

TEST(Rendezvous, a_receiver_waits_for_its_value_and_is_called_inside_the_send) {
  World w;
  const auto& got = w.receive(kFoo);
  EXPECT_EQ(words(got), "waits");
  EXPECT_EQ(w.table.waiting(), 1u);
  (void)w.send(kFoo, 7);
  EXPECT_EQ(words(got), "7");
  EXPECT_TRUE(w.table.is_empty());
}

TEST(Rendezvous, a_continuation_may_send_on) {
  World w;
  w.table.receive(kFoo, nullptr, [&](StatusOr<Received> r) { (void)w.table.send(kBar, *r); });
  const auto& pong = w.receive(kBar);
  (void)w.send(kFoo, 1);
  EXPECT_EQ(words(pong), "1");
}

TEST(Rendezvous, deadness_travels) {
  World w;
  (void)w.table.send(kFoo, {nullptr, true});
  EXPECT_EQ(words(w.receive(kFoo)), "dead");
}

TEST(Rendezvous, a_key_is_a_queue_on_either_side) {
  World w;
  for (const std::int64_t v : {1, 2}) (void)w.send(kFoo, v);
  EXPECT_EQ(words(w.receive(kFoo)), "1");
  EXPECT_EQ(words(w.receive(kFoo)), "2");
  const auto &first = w.receive(kFoo), &second = w.receive(kFoo);
  (void)w.send(kFoo, 3);
  EXPECT_EQ(words(first), "3");
  EXPECT_EQ(words(second), "waits");
}

TEST(Rendezvous, cancelled_before_it_asks_a_receiver_fails_at_once) {
  World w;
  w.step.start();
  const auto& got = w.receive(kFoo, &w.step);
  EXPECT_EQ(words(got), "RecvAsync is cancelled.");
  EXPECT_EQ(got->status().code(), Code::kCancelled);
  EXPECT_TRUE(is_derived(got->status()));
  EXPECT_TRUE(w.table.is_empty());
}

TEST(Rendezvous, cancelled_while_it_waits_a_receiver_fails_and_leaves_nothing_behind) {
  World w;
  const auto& got = w.receive(kFoo, &w.step);
  w.step.start();
  EXPECT_EQ(words(got), "RecvAsync is cancelled.");
  EXPECT_TRUE(w.table.is_empty());
}

TEST(Rendezvous, cancelling_late_is_harmless) {
  World w;
  const auto& got = w.receive(kFoo, &w.step);
  (void)w.send(kFoo, 1);
  w.step.start();
  EXPECT_EQ(words(got), "1");
}

TEST(Rendezvous, cancelling_two_of_four_leaves_the_others_their_turn) {
  World w;
  const auto &a = w.receive(kFoo), &b = w.receive(kFoo, &w.step), &c = w.receive(kFoo), &d = w.receive(kFoo, &w.step);
  w.step.start();
  for (const std::int64_t v : {1, 2}) (void)w.send(kFoo, v);
  EXPECT_EQ(words(a), "1");
  EXPECT_EQ(words(b), "RecvAsync is cancelled.");
  EXPECT_EQ(words(c), "2");
  EXPECT_EQ(words(d), "RecvAsync is cancelled.");
}

TEST(Rendezvous, aborting_fails_those_who_wait_and_those_who_come) {
  World w;
  const auto& waiting = w.receive(kFoo);
  (void)w.send(kBar, 1);
  w.table.abort(error(Code::kAborted, "Step 5"));
  EXPECT_EQ(words(waiting), "Step 5");
  EXPECT_EQ(words(w.receive(kBar)), "Step 5");  // the value is gone
  EXPECT_EQ(w.send(kFoo, 2).code(), Code::kAborted);
}

// docs/rules/runtime.md#I.3, rows by name (there, threads; here, both orders). Texts carry no prefix (seen in 2.15.1).

TEST(RendezvousRows, random_send_recv_gives_each_of_100_keys_its_own_value) {
  World w;
  Random random(3);
  std::vector<const World::Outcome*> got(100);
  for (std::size_t i = 0; i < 100; ++i) {
    const bool sends_first = random.below(2) == 0;
    const auto send = [&] { EXPECT_TRUE(w.send(NameId{i}, static_cast<std::int64_t>(i)).ok()); };
    if (sends_first) send();
    got[i] = &w.receive(NameId{i});
    if (!sends_first) send();
  }
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(words(*got[i]), std::to_string(i));
}

TEST(RendezvousRows, multi_sends_all_100_on_one_key_are_received) {
  World w;
  for (std::int64_t i = 0; i < 100; ++i) EXPECT_TRUE(w.send(kFoo, i).ok());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(words(w.receive(kFoo)), std::to_string(i));
  EXPECT_TRUE(w.table.is_empty());
}

TEST(RendezvousRows, cancel_before_and_after_recv_say_the_same) {
  World w;
  const auto& waits = w.receive(kFoo, &w.step);
  w.step.start();
  for (const World::Outcome* o : {&waits, static_cast<const World::Outcome*>(&w.receive(kFoo, &w.step))}) {
    EXPECT_EQ((*o)->status().code(), Code::kCancelled);
    EXPECT_EQ(words(*o), "RecvAsync is cancelled.");
  }
}

TEST(RendezvousRows, recv_abort_and_abort_then_recv_or_send_are_aborted) {
  World w;
  const auto& waits = w.receive(kFoo);
  w.table.abort(error(Code::kAborted, ""));
  EXPECT_EQ((*waits).status().code(), Code::kAborted);
  EXPECT_EQ((*w.receive(kFoo)).status().code(), Code::kAborted);
  EXPECT_EQ(w.send(kFoo, 1).code(), Code::kAborted);
}

TEST(Rendezvous, who_comes_after_a_second_abort_gets_the_first_error) {
  World w;
  const auto& waiting = w.receive(kFoo);
  w.table.abort(error(Code::kInternal, "the cause"));
  w.table.abort(error(Code::kAborted, "what came of it"));
  EXPECT_EQ(words(waiting), "the cause");
  EXPECT_EQ(words(w.receive(kFoo)), "the cause");
}

TEST(Rendezvous, cancelled_and_aborted_are_derived_and_a_cause_is_not) {
  const auto after = [](Code code) {
    World w;
    w.table.abort(error(code, "x"));
    return w.send(kFoo, 1);
  };
  EXPECT_TRUE(is_derived(after(Code::kAborted)));
  EXPECT_TRUE(is_derived(after(Code::kCancelled)));
  EXPECT_FALSE(is_derived(after(Code::kInternal)));
}

TEST(Rendezvous, a_waiter_that_cancels_the_step_while_it_is_aborted_harms_nobody) {
  World w;
  w.table.receive(kFoo, &w.step, [&](StatusOr<Received>) { w.step.start(); });
  const auto& other = w.receive(kBar, &w.step);
  w.table.abort(error(Code::kInternal, "cause"));
  EXPECT_EQ(words(other), "cause");
  EXPECT_TRUE(w.table.is_empty());
}

// Sends and receives of a few keys in any order: each key pairs them up in order, and what is over waits.
RC_GTEST_PROP(RendezvousProperty, the_nth_receive_of_a_key_gets_its_nth_value, ()) {
  const auto calls = *rc::gen::container<std::vector<std::pair<bool, unsigned>>>(
      rc::gen::pair(rc::gen::arbitrary<bool>(), rc::gen::inRange(0u, 3u)));
  World w;
  std::map<unsigned, std::vector<World::Outcome*>> receives;
  std::map<unsigned, std::int64_t> sends;
  for (const auto& [is_send, key] : calls) {
    if (is_send)
      RC_ASSERT(w.send(NameId{key}, sends[key]++).ok());
    else
      receives[key].push_back(&w.receive(NameId{key}));
  }
  std::size_t waiting = 0;
  for (const auto& [key, outcomes] : receives)
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const bool served = std::cmp_less(i, sends[key]);
      RC_ASSERT(words(*outcomes[i]) == (served ? std::to_string(i) : "waits"));
      waiting += served ? 0 : 1;
    }
  RC_ASSERT(w.table.waiting() == waiting);
}

}  // namespace
}  // namespace tarry
