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
  EXPECT_EQ(change_in_words({-0.0004, 0.01, 5}), "-0.0 % ± 1.0");
  EXPECT_EQ(change_in_words({0.0002, 0.00029, 5}), "+0.020 % ± 0.029");
  EXPECT_EQ(change_in_words({0.0002, std::numeric_limits<double>::infinity(), 1}), "+0.02 %");
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
  EXPECT_EQ(in_words(second_against_first({0, 0}, {0, 0})), "0");
  EXPECT_EQ(in_words(second_against_first({0, 0}, {})), "-");
}

TEST(Against, says_of_how_many_seeds_a_difference_is_where_some_lack_the_number) {
  auto all = rows_with({{1, 2, 4}, {2, 4, 8}});
  all[4].measures[0] = all[5].measures[0] = std::nullopt;
  const auto rows = rows_by_arm(kLess, all);
  EXPECT_EQ(in_words(against(rows[0], rows[1], 0, 0.95)), "+100.0 % (1 of 3 seeds)");
}

// The ratio of A to B may leave no doubt where that of B to A does.
TEST(Against, says_the_same_whichever_comes_first) {
  const std::vector<double> a{11, 11, 7}, b{15, 20, 10};
  const Measure& m = *find_measure("updates_per_second");
  const Against forth = second_against_first(a, b), back = second_against_first(b, a);
  EXPECT_GT(forth.change->half, forth.change->mean);
  EXPECT_GT(-back.change->mean, back.change->half) << "the ratio alone would say that one is better";
  EXPECT_EQ(which_is_better(m, forth), "no difference shown");
  EXPECT_EQ(which_is_better(m, back), "no difference shown");
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

// Of updates_per_second: the second arm has more, the runs of an arm from its `reached` on did not reach their stop.
struct ArmOfRuns {
  double pace = 0;
  std::size_t reached = 3;
  std::string update_is = "step";
};
const SweepPlan kPaces{.arms = {{{"a"}, {}}, {{"b"}, {}}, {{"c"}, {}}},
                       .measures = {find_measure("updates_per_second"), find_measure("step_time_p50")}};
std::vector<RunRow> rows_of_runs(const std::vector<ArmOfRuns>& arms) {
  std::vector<RunRow> out;
  for (std::size_t a = 0; a < arms.size(); ++a)
    for (std::size_t s = 0; s < 3; ++s)
      out.push_back({a, s + 1, "h", "", "", {arms[a].pace, arms[a].pace}, s < arms[a].reached, arms[a].update_is});
  return out;
}
std::string judged(const ArmOfRuns& a, const ArmOfRuns& b, std::size_t measure = 0) {
  const auto all = rows_of_runs({a, b});
  const auto rows = rows_by_arm(kPaces, all);
  return which_is_better(*kPaces.measures[measure], against(rows[0], rows[1], measure, 0.95));
}
std::vector<std::size_t> best_pace(const std::vector<ArmOfRuns>& arms, std::size_t measure = 0) {
  const auto all = rows_of_runs(arms);
  return best_arms(kPaces, rows_by_arm(kPaces, all), measure);
}

TEST(Against, calls_no_arm_better_that_did_not_reach_its_stop_beside_one_that_did) {
  EXPECT_EQ(judged({9, 1}, {5}), "A did not reach its stop in 2 of 3");
  EXPECT_EQ(judged({5}, {9, 0}), "B did not reach its stop in 3 of 3");
  EXPECT_EQ(judged({5, 1}, {9}), "B is better");
  EXPECT_EQ(judged({5, 2}, {9, 1}), "B is better") << "neither did in all runs";
  EXPECT_EQ(judged({5, 1}, {9}, 1), "A did not reach its stop in 2 of 3") << "of the time of a step, too";
}

TEST(Against, does_not_compare_aggregates_with_steps) {
  EXPECT_EQ(judged({5, 3, "aggregate"}, {9}), "counts other things");
  EXPECT_EQ(judged({5, 3, ""}, {9}), "B is better") << "nobody knows what the first one counts";
  EXPECT_EQ(judged({5, 3, "aggregate"}, {9}, 1), "A is better");
  EXPECT_THAT(best_pace({{5, 3, "aggregate"}, {9}}), IsEmpty());
}

TEST(Against, names_no_arm_as_best_that_did_not_reach_its_stop_where_others_did) {
  EXPECT_THAT(best_pace({{9, 2}, {5}, {7}}), ElementsAre(2));
  EXPECT_THAT(best_pace({{9, 2}, {7}, {7}}), ElementsAre(1, 2));
  EXPECT_THAT(best_pace({{9, 2}, {5, 0}, {7, 1}}), ElementsAre(0)) << "none did";
  EXPECT_THAT(best_pace({{5, 2}, {7}, {9}}, 1), ElementsAre(1)) << "of the time of a step, too";
}

}  // namespace
}  // namespace tarry
