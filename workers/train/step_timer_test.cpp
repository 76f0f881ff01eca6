#include "workers/train/step_timer.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

TEST(StepTimer, is_due_at_the_first_question_and_then_every_so_many_steps) {
  StepTimer t(5, std::nullopt);
  EXPECT_TRUE(t.is_due(0, 0));
  t.acted(0, 0);
  EXPECT_FALSE(t.is_due(4, 1'000'000));
  EXPECT_TRUE(t.is_due(5, 0));
  EXPECT_TRUE(t.is_due(9, 0));
}

TEST(StepTimer, is_due_every_so_long) {
  StepTimer t(std::nullopt, 100);
  t.acted(0, 50);
  EXPECT_FALSE(t.is_due(7, 149));
  EXPECT_TRUE(t.is_due(7, 150));
}

TEST(StepTimer, is_never_due_twice_at_one_step) {
  StepTimer t(1, 1);
  t.acted(3, 0);
  EXPECT_FALSE(t.is_due(3, 1'000));
}

TEST(StepTimer, without_a_distance_is_never_due) { EXPECT_FALSE(StepTimer().is_due(100, 100)); }

}  // namespace
}  // namespace tarry
