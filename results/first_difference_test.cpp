#include "results/first_difference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_story.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::Not;

Story steps(double last) {
  Story s;
  for (std::uint64_t i = 1; i <= 30; ++i) s.step(static_cast<double>(i), kChief, i);
  s.step(last, kChief, 31);
  return s;
}

TEST(FirstDifference, is_nowhere_in_equal_logs) {
  EXPECT_EQ(first_difference(steps(40).log, steps(40).log, kTasks), "");
}

TEST(FirstDifference, is_told_with_the_twenty_events_before_it) {
  const std::string text = first_difference(steps(40).log, steps(41).log, kTasks);
  EXPECT_THAT(text, HasSubstr("event 31, at 40000000000 ns in the first and at 41000000000 ns in the second run."));
  const std::string began = "worker 0: a step begins (training)";
  EXPECT_THAT(text, HasSubstr(" In the first:\n  40000000000 ns  " + began + "\n"));
  EXPECT_THAT(text, HasSubstr("\nIn the second:\n  41000000000 ns  " + began + "\n"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 24);
  EXPECT_THAT(text, HasSubstr("\n  11000000000 ns  "));
  EXPECT_THAT(text, Not(HasSubstr("\n  10000000000 ns  ")));
}

TEST(FirstDifference, knows_whose_step_it_is) {
  const auto pushed = [](double at) {
    Story s;
    s.step(1, kOther, 5).push(at, 5);
    return s;
  };
  EXPECT_THAT(first_difference(pushed(2).log, pushed(3).log, kTasks),
              HasSubstr(" In the first:\n  2000000000 ns  worker 1: its gradient of step 0 reaches v:0/grad_accum"));
}

TEST(FirstDifference, is_after_the_last_common_event_where_one_log_is_shorter) {
  EXPECT_THAT(first_difference(steps(40).log, steps(40).step(41, kChief, 32).log, kTasks),
              HasSubstr("after 31 events"));
}

}  // namespace
}  // namespace tarry
