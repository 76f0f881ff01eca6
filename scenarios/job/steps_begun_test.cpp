#include "scenarios/job/steps_begun.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

constexpr StepId kFirst{1}, kSecondStep{2};

StepsBegun one_of_100() {
  StepsBegun s;
  s.begin(kFirst, 0);
  s.end(kFirst, 100, true);
  s.begin(kSecondStep, 100);
  return s;
}

TEST(StepsBegun, that_end_with_an_error_count_as_the_part_of_a_usual_step_that_they_lasted) {
  StepsBegun failed = one_of_100(), whole = one_of_100(), lost = one_of_100();
  failed.end(kSecondStep, 125, false);
  whole.end(kSecondStep, 125, true);
  lost.lose(150);
  EXPECT_DOUBLE_EQ(failed.count(1000), 1.25);
  EXPECT_DOUBLE_EQ(whole.count(1000), 2);
  EXPECT_DOUBLE_EQ(lost.count(1000), 1.5);
  EXPECT_DOUBLE_EQ(one_of_100().count(175), 1.75) << "it is still open";
}

}  // namespace
}  // namespace tarry
