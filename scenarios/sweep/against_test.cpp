#include "scenarios/sweep/against.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const SweepPlan kLess{.arms = {{{"a"}, {}}, {{"b"}, {}}, {{"c"}, {}}}, .measures = {find_measure("staleness")}};

// Rows of arms by their numbers, seed by seed.
std::vector<RunRow> rows_with(const std::vector<std::vector<double>>& arms) {
  std::vector<RunRow> out;
  for (std::size_t a = 0; a < arms.size(); ++a)
    for (std::size_t s = 0; s < arms[a].size(); ++s) out.push_back({a, s + 1, "h", "", "", {arms[a][s]}});
  return out;
}
Against second_against_first(const std::vector<double>& first, const std::vector<double>& second) {
  const auto all = rows_with({first, second});
  const auto rows = rows_by_arm(kLess, all);
  return against(rows[0], rows[1], 0, 0.95);
}
std::vector<std::size_t> best_of(const std::vector<std::vector<double>>& arms) {
  const auto all = rows_with(arms);
  return best_arms(kLess, rows_by_arm(kLess, all), 0);
}

TEST(Against, shows_as_many_digits_as_the_interval_leaves) {
  EXPECT_EQ(with_half_width({12.3456, 0.0321, 5}), "12.346 ± 0.032");
  EXPECT_EQ(with_half_width({12345.6, 321, 5}), "12346 ± 321");
  EXPECT_EQ(with_half_width({12.3456, std::numeric_limits<double>::infinity(), 1}), "12.35");
  EXPECT_EQ(change_in_words({-0.25, 0.011, 5}), "-25.0 % ± 1.1");
}

TEST(Against, calls_an_arm_better_where_its_interval_leaves_no_doubt) {
  const Measure &speed = *find_measure("updates_per_second"), &step = *find_measure("step_time_p50");
  EXPECT_EQ(which_is_better(speed, Interval{0.05, 0.04, 5}), "B is better");
  EXPECT_EQ(which_is_better(step, Interval{0.05, 0.04, 5}), "A is better");
  EXPECT_EQ(which_is_better(step, Interval{-0.05, 0.04, 5}), "B is better");
  EXPECT_EQ(which_is_better(step, Interval{0.05, 0.05, 5}), "no difference shown");
  EXPECT_EQ(which_is_better(step, Interval{0, 0, 5}), "no difference shown");
  EXPECT_EQ(which_is_better(step, Interval{0.05, std::numeric_limits<double>::infinity(), 1}), "one seed is too few");
  EXPECT_EQ(which_is_better(*find_measure("bytes"), Interval{0.05, 0.04, 5}), "");
}

TEST(Against, says_the_difference_from_an_arm_of_zeros_and_who_is_better) {
  const Against stale = second_against_first({0, 0, 0}, {7, 7.1, 6.9});
  EXPECT_FALSE(stale.change);
  EXPECT_EQ(in_words(stale), "+7.00 ± 0.25");
  EXPECT_EQ(which_is_better(*find_measure("staleness"), stale), "A is better");
  EXPECT_EQ(in_words(second_against_first({0, 0}, {0, 0})), "0 ± 0");
  EXPECT_EQ(in_words(second_against_first({0, 0}, {})), "-");
}

TEST(Against, names_the_best_arm_where_its_difference_from_every_other_is_shown) {
  EXPECT_THAT(best_of({{3, 5, 4}, {1, 3, 2}, {2, 4.1, 3}}), ElementsAre(1));
  EXPECT_THAT(best_of({{0, 0, 0}, {7, 7.1, 6.9}, {5, 5.1, 4.9}}), ElementsAre(0));
}

TEST(Against, names_the_arms_that_cannot_be_told_from_the_best_one_beside_it) {
  EXPECT_THAT(best_of({{3, 5, 4}, {1, 3, 2}, {2, 2, 2.1}}), ElementsAre(1, 2));
  EXPECT_THAT(best_of({{0, 0, 0}, {7, 7.1, 6.9}, {0, 0, 0}}), ElementsAre(0, 2));
  EXPECT_THAT(best_of({{3}, {1}, {2}}), ElementsAre(1, 0, 2));  // one seed is too few
  EXPECT_THAT(best_of({{3, 4}, {}, {}}), ElementsAre(0));
  EXPECT_THAT(best_of({{}, {}, {}}), IsEmpty());
}

}  // namespace
}  // namespace tarry
