#include "workers/kernels/cancellation.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

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
