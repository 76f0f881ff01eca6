#include "workers/tensor/cancellation.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

namespace tarry {
namespace {

RC_GTEST_PROP(CancellationManager, cancels_once_what_is_still_registered_in_the_order_of_registration, ()) {
  std::vector<int> cancelled, expected;
  std::map<int, CancellationManager::Registration> held;
  CancellationManager step;
  int next = 0;
  for (const int n : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100))) {
    if (n % 2 == 0) {
      held[next] = step.add([&cancelled, next] { cancelled.push_back(next); });
      ++next;
    } else if (!held.empty()) {
      held.erase(std::next(held.begin(), n % static_cast<int>(held.size())));
    }
  }
  for (const auto& [number, registration] : held) expected.push_back(number);
  step.start();
  step.start();
  RC_ASSERT(cancelled == expected);
}

TEST(CancellationManager, registers_nothing_once_it_has_started) {
  CancellationManager step;
  step.start();
  EXPECT_TRUE(step.is_cancelled());
  EXPECT_FALSE(step.add([] { FAIL() << "cancelled"; }));
}

TEST(CancellationManager, what_is_cancelled_may_end_registrations_its_own_included) {
  CancellationManager step;
  std::vector<CancellationManager::Registration> held;
  int cancelled = 0;
  for (int i = 0; i < 3; ++i)
    held.push_back(step.add([&] {
      ++cancelled;
      held.clear();
    }));
  step.start();
  EXPECT_EQ(cancelled, 1);
}

TEST(CancellationManager, refuses_what_is_registered_while_it_cancels) {
  CancellationManager step;
  bool was_refused = false;
  const auto held = step.add([&] { was_refused = !step.add([] { FAIL() << "cancelled"; }); });
  step.start();
  EXPECT_TRUE(was_refused);
}

// An error that cancelling brings about cancels the step again: what is under way comes to its end first.
TEST(CancellationManager, what_is_cancelled_ends_before_the_next_is_even_when_it_starts_cancelling_again) {
  CancellationManager step;
  std::vector<int> told;
  const auto first = step.add([&] {
    told.push_back(1);
    step.start();
    told.push_back(2);
  });
  const auto second = step.add([&] { told.push_back(3); });
  step.start();
  EXPECT_EQ(told, (std::vector<int>{1, 2, 3}));
}

struct Noting final : CancellationManager::Waiter {
  int cancelled = 0;
  void cancel() override { ++cancelled; }
};

TEST(CancellationManager, a_waiter_is_cancelled_in_its_turn_and_not_once_it_has_left) {
  CancellationManager step;
  Noting stays, left;
  int before = -1;
  const auto first = step.add([&] { before = stays.cancelled; });
  ASSERT_TRUE(step.add(stays));
  ASSERT_TRUE(step.add(left));
  left.deregister();
  left.deregister();
  step.start();
  EXPECT_EQ(before, 0);
  EXPECT_EQ(stays.cancelled, 1);
  EXPECT_EQ(left.cancelled, 0);
  EXPECT_FALSE(step.add(left));
}

TEST(CancellationManager, a_registration_may_outlive_its_step) {
  CancellationManager::Registration held;
  {
    CancellationManager step;
    held = step.add([] { FAIL() << "cancelled"; });
  }
  EXPECT_TRUE(held);
  held = {};
}

}  // namespace
}  // namespace tarry
