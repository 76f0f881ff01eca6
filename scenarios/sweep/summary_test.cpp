#include "scenarios/sweep/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tarry {
namespace {

using testing::HasSubstr;

const SweepPlan kPlan{
    .axes = {"workers"}, .arms = {{{"4"}, {"x", "s"}}, {{"8"}, {"y", "s"}}}, .measures = {find_measure("time")}};

std::vector<RunRow> rows() {
  std::vector<RunRow> out;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const auto noise = static_cast<double>(seed * seed);
    out.push_back({0, seed, "h", "backup", "", {10 + noise}});
    out.push_back({1, seed, "h", seed == 1 ? "backup hang" : "backup", "", {5 + noise}});
  }
  return out;
}

TEST(Summary, pairs_the_runs_with_the_same_seed) {
  const auto arms = summarise(kPlan, rows());
  EXPECT_NEAR(arms[1].measures[0].mean->mean, 5 + 14.0 / 3, 1e-9);
  EXPECT_GT(arms[1].measures[0].mean->half, 5);
  EXPECT_NEAR(arms[1].measures[0].change->mean, -5 / (10 + 14.0 / 3), 1e-9);
  EXPECT_NEAR(arms[1].measures[0].change->half, 0, 1e-9);
  EXPECT_FALSE(arms[0].measures[0].change);
}

TEST(Summary, leaves_out_what_was_not_measured_and_counts_what_failed) {
  auto all = rows();
  all[1].measures[0].reset();
  all[1].error = "no such graph";
  const auto arms = summarise(kPlan, all);
  EXPECT_EQ(arms[1].measures[0].mean->n, 2u);
  EXPECT_EQ(arms[1].measures[0].change->n, 2u);
  EXPECT_EQ(std::pair(arms[1].failed, arms[1].first_error), std::pair(std::size_t{1}, std::string("no such graph")));
  EXPECT_THAT(text_of_summary(kPlan, all), HasSubstr("1 of 3 failed: no such graph"));
}

TEST(Summary, says_in_how_many_runs_a_verdict_was_given) {
  EXPECT_THAT(text_of_summary(kPlan, rows()), HasSubstr("backup, hang in 1 of 3\n"));
}

TEST(Summary, shows_as_many_digits_as_the_interval_leaves) {
  EXPECT_EQ(with_half_width({12.3456, 0.0321, 5}), "12.346 ± 0.032");
  EXPECT_EQ(with_half_width({12345.6, 321, 5}), "12346 ± 321");
  EXPECT_EQ(with_half_width({12.3456, std::numeric_limits<double>::infinity(), 1}), "12.35");
  EXPECT_EQ(change_in_words({-0.25, 0.011, 5}), "-25.0 % ± 1.1");
}

TEST(Summary, calls_an_arm_better_where_its_interval_leaves_no_doubt) {
  const Measure &speed = *find_measure("updates_per_second"), &step = *find_measure("step_time_p50");
  EXPECT_EQ(which_is_better(speed, {0.05, 0.04, 5}), "B is better");
  EXPECT_EQ(which_is_better(step, {0.05, 0.04, 5}), "A is better");
  EXPECT_EQ(which_is_better(step, {-0.05, 0.04, 5}), "B is better");
  EXPECT_EQ(which_is_better(step, {0.05, 0.05, 5}), "no difference shown");
  EXPECT_EQ(which_is_better(step, {0, 0, 5}), "no difference shown");
  EXPECT_EQ(which_is_better(step, {0.05, std::numeric_limits<double>::infinity(), 1}), "one seed is too few");
  EXPECT_EQ(which_is_better(*find_measure("bytes"), {0.05, 0.04, 5}), "");
}

TEST(Summary, as_json_has_the_same_figures) {
  const auto j = json_of_summary(kPlan, rows());
  EXPECT_EQ(j["arms"][1]["values"]["workers"], "8");
  EXPECT_EQ(j["arms"][1]["verdicts"]["hang"], 1);
  EXPECT_EQ(j["arms"][1]["measures"]["time"]["change"]["n"], 3);
  EXPECT_TRUE(j["arms"][0]["measures"]["time"]["change"].is_null());
}

}  // namespace
}  // namespace tarry
