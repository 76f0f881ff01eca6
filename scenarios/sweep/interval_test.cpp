#include "scenarios/sweep/interval.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

namespace tarry {
namespace {

TEST(Interval, is_students_t_of_the_standard_error) {
  const Interval i = mean_interval(std::vector{1.0, 2.0, 3.0, 4.0}, 0.95);
  EXPECT_DOUBLE_EQ(i.mean, 2.5);
  EXPECT_NEAR(i.half, 3.182446 * 1.290994 / 2, 1e-5);  // t of 3 degrees of freedom, sd, sqrt(4)
  EXPECT_EQ(i.n, 4u);
}

TEST(Interval, of_one_number_has_no_end) { EXPECT_TRUE(std::isinf(mean_interval(std::vector{7.0}, 0.95).half)); }

TEST(Interval, of_equal_numbers_has_no_width) { EXPECT_EQ(mean_interval(std::vector{7.0, 7.0, 7.0}, 0.95).half, 0); }

RC_GTEST_PROP(Interval, is_wider_for_more_confidence, ()) {
  const auto whole = *rc::gen::container<std::vector<int>>(5, rc::gen::inRange(-1000, 1000));
  const std::vector<double> numbers(whole.begin(), whole.end());
  const Interval narrow = mean_interval(numbers, 0.9), wide = mean_interval(numbers, 0.99);
  RC_ASSERT(narrow.half <= wide.half);
  RC_ASSERT(narrow.mean == wide.mean);
}

}  // namespace
}  // namespace tarry
