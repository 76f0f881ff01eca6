#include "scenarios/sweep/interval.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "placer/core/random.hpp"

namespace tarry {
namespace {

struct Coverage {
  double spread = 0;  // of the first of a pair, as a share of its mean
  double ratio = 1;   // of the means
  double shared = 0;  // the correlation of a pair
  std::size_t pairs = 5;
};

constexpr int kSamples = 4000;

// In how many of the samples the interval of the relative change contains the change that they were drawn with.
int covered(const Coverage& c) {
  Random random(7);
  const auto normal = [&random] { return std::ldexp(static_cast<double>(draw_normal_q32(random)), -32); };
  int out = 0;
  for (int sample = 0; sample < kSamples; ++sample) {
    std::vector<double> base, other;
    for (std::size_t i = 0; i < c.pairs; ++i) {
      const double own = normal(), both = normal();
      base.push_back(1 + c.spread * both);
      other.push_back(c.ratio * (1 + c.spread * (c.shared * both + std::sqrt(1 - c.shared * c.shared) * own)));
    }
    const auto change = relative_change(base, other, 0.95);
    out += !change || std::abs(change->mean - (c.ratio - 1)) <= change->half ? 1 : 0;
  }
  return out;
}

TEST(Interval, is_students_t_of_the_standard_error) {
  const Interval i = mean_interval(std::vector{1.0, 2.0, 3.0, 4.0}, 0.95);
  EXPECT_DOUBLE_EQ(i.mean, 2.5);
  EXPECT_NEAR(i.half, 3.182446 * 1.290994 / 2, 1e-5);  // t of 3 degrees of freedom, sd, sqrt(4)
  EXPECT_EQ(i.n, 4u);
}

TEST(Interval, of_one_number_has_no_end) { EXPECT_TRUE(std::isinf(mean_interval(std::vector{7.0}, 0.95).half)); }

TEST(Interval, of_equal_numbers_has_no_width) {
  EXPECT_EQ(mean_interval(std::vector{7.0, 7.0, 7.0}, 0.95).half, 0);
  EXPECT_EQ(mean_interval(std::vector{0.1, 0.1, 0.1}, 0.95).half, 0);  // their sum is not 0.3
  EXPECT_GT(mean_interval(std::vector{0.1, 0.1, 0.1 + 1e-7}, 0.95).half, 0);
}

RC_GTEST_PROP(Interval, is_wider_for_more_confidence, ()) {
  const auto whole = *rc::gen::container<std::vector<int>>(5, rc::gen::inRange(-1000, 1000));
  const std::vector<double> numbers(whole.begin(), whole.end());
  const Interval narrow = mean_interval(numbers, 0.9), wide = mean_interval(numbers, 0.99);
  RC_ASSERT(narrow.half <= wide.half);
  RC_ASSERT(narrow.mean == wide.mean);
}

// Of 4,000 samples 95 % are 3,800, with a standard deviation of 13.8.
TEST(Interval, of_a_relative_change_covers_it_as_often_as_it_says) {
  for (const Coverage& c : {Coverage{0.05, 14, 0.7, 5}, Coverage{0.2, 14, 0, 10}, Coverage{0.3, 2, 0, 5},
                            Coverage{0.3, 0.5, 0.7, 20}, Coverage{0.1, 1, 0.9, 5}}) {
    EXPECT_GE(covered(c), 3800 - 4 * 14) << c.spread << " " << c.ratio << " " << c.shared << " " << c.pairs;
    EXPECT_LE(covered(c), 3800 + 4 * 14) << c.spread << " " << c.ratio << " " << c.shared << " " << c.pairs;
  }
}

TEST(Interval, of_a_relative_change_has_no_width_where_each_pair_has_the_same_ratio) {
  const auto change = relative_change(std::vector{0.3, 0.35, 0.4}, std::vector{0.9, 1.05, 1.2}, 0.95);
  EXPECT_DOUBLE_EQ(change->mean, 2);
  EXPECT_EQ(change->half, 0);
}

TEST(Interval, of_a_relative_change_is_none_where_the_mean_is_not_told_from_0) {
  EXPECT_FALSE(relative_change(std::vector{-1.0, 1.0, 0.5}, std::vector{1.0, 2.0, 3.0}, 0.95));
  EXPECT_FALSE(relative_change(std::vector{0.0}, std::vector{1.0}, 0.95));
  EXPECT_TRUE(std::isinf(relative_change(std::vector{2.0}, std::vector{1.0}, 0.95)->half));
  EXPECT_DOUBLE_EQ(relative_change(std::vector{-2.0, -2.0}, std::vector{-3.0, -3.0}, 0.95)->mean, -0.5);
}

}  // namespace
}  // namespace tarry
