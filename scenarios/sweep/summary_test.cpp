#include "scenarios/sweep/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "results/text_table.hpp"

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
  EXPECT_NEAR(arms[1].measures[0].first.change->mean, -5 / (10 + 14.0 / 3), 1e-9);
  EXPECT_NEAR(arms[1].measures[0].first.difference->half, 0, 1e-9);
  EXPECT_GT(arms[1].measures[0].first.change->half, 0.1);  // what the first arm's mean is not known to
  EXPECT_FALSE(arms[0].measures[0].first.difference);
}

TEST(Summary, leaves_out_what_was_not_measured_and_counts_what_failed) {
  auto all = rows();
  all[1].measures[0].reset();
  all[1].error = "no such graph";
  const auto arms = summarise(kPlan, all);
  EXPECT_EQ(arms[1].measures[0].mean->n, 2u);
  EXPECT_EQ(arms[1].measures[0].first.difference->n, 2u);
  EXPECT_EQ(std::pair(arms[1].failed, arms[1].first_error), std::pair(std::size_t{1}, std::string("no such graph")));
  const std::string text = text_of_summary(kPlan, all);
  EXPECT_THAT(text, HasSubstr("1 of 3 failed: no such graph"));
  EXPECT_THAT(text, HasSubstr(mean_in_words(arms[1].measures[0], 3)));
  EXPECT_THAT(mean_in_words(arms[1].measures[0], 3), testing::EndsWith(" (2 of 3 runs)"));
  EXPECT_EQ(mean_in_words({}, 3), "-");
}

TEST(Summary, compares_with_the_first_arm_where_there_are_two) {
  const std::string one =
      text_of_summary({.title = "TITLE", .axes = {"workers"}, .arms = {kPlan.arms[0]}, .measures = kPlan.measures},
                      {{0, 1, "h", "", "", {10}}, {0, 2, "h", "", "", {12}}}, 200);
  EXPECT_THAT(one,
              testing::StartsWith("TITLE\n1 arm, 2 runs. Each number is a mean over the seeds, and ± the half-width "
                                  "of its 95 % interval (Student's t).\n\n"));
  EXPECT_THAT(one, testing::Not(HasSubstr("Against the first arm")));
  EXPECT_THAT(text_of_summary(kPlan, rows(), 200),
              HasSubstr("\nAgainst the first arm (4), as differences with the same seed; without %, in the measure's "
                        "unit:\n\n"));
}

TEST(Summary, has_no_interval_where_nothing_is_drawn_or_one_seed_ran) {
  auto all = rows();
  for (RunRow& r : all) r.measures[0] = r.arm == 0 ? 10 : 5;
  const std::string same = text_of_summary(kPlan, all);
  EXPECT_THAT(same, HasSubstr("2 arms, 6 runs. Each number is that of every seed: nothing that is measured is drawn."));
  EXPECT_THAT(same, testing::Not(HasSubstr("±")));
  EXPECT_THAT(text_of_summary(kPlan, {all[0], all[1]}), HasSubstr("that of one run; intervals need more seeds."));
}

TEST(Summary, of_all_measures_stands_in_lines_that_fit) {
  SweepPlan plan = kPlan;
  for (const char* name : {"gradients_per_second", "updates_per_second", "step_time_p50", "staleness", "bytes"})
    plan.measures.push_back(find_measure(name));
  auto all = rows();
  for (RunRow& r : all) r.measures.assign(plan.measures.size(), 1e6 + static_cast<double>(r.seed));
  std::istringstream lines(text_of_summary(plan, all, 60));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(letters_in(line), 60u) << line;
}

TEST(Summary, says_in_how_many_runs_a_verdict_was_given) {
  EXPECT_THAT(text_of_summary(kPlan, rows()), HasSubstr("backup, hang in 1 of 3\n"));
}

TEST(Summary, says_in_how_many_runs_the_stop_was_not_reached) {
  auto all = rows();
  all[1].reached_stop = false;
  EXPECT_THAT(text_of_summary(kPlan, all), HasSubstr("backup, hang in 1 of 3, stop not reached in 1 of 3\n"));
  EXPECT_EQ(json_of_summary(kPlan, all)["arms"][1]["stop_not_reached"], 1);
  EXPECT_EQ(json_of_summary(kPlan, all)["arms"][0]["stop_not_reached"], 0);
  all[3].reached_stop = all[5].reached_stop = false;
  EXPECT_THAT(text_of_summary(kPlan, all), HasSubstr("stop not reached\n"));
}

TEST(Summary, says_that_updates_are_not_the_same_in_all_arms) {
  SweepPlan plan = kPlan;
  auto all = rows();
  for (RunRow& r : all) r.update_is = r.arm == 0 ? "aggregate" : "step";
  const char* said =
      "\nAn update, and so a global step, is an aggregate in some arms, and in others a step of one worker.\n";
  EXPECT_THAT(text_of_summary(plan, all), testing::Not(HasSubstr(said))) << "no updates are measured";
  plan.measures = {find_measure("updates_per_second")};
  EXPECT_THAT(text_of_summary(plan, all), testing::EndsWith(said));
  for (RunRow& r : all) r.update_is = "step";
  EXPECT_THAT(text_of_summary(plan, all), testing::Not(HasSubstr(said)));
}

TEST(Summary, as_json_has_the_same_figures) {
  const auto j = json_of_summary(kPlan, rows());
  EXPECT_EQ(j["arms"][1]["values"]["workers"], "8");
  EXPECT_EQ(j["arms"][1]["verdicts"]["hang"], 1);
  EXPECT_EQ(j["arms"][1]["measures"]["time"]["change"]["n"], 3);
  EXPECT_NEAR(j["arms"][1]["measures"]["time"]["difference"]["mean"].get<double>(), -5, 1e-9);
  EXPECT_TRUE(j["arms"][0]["measures"]["time"]["change"].is_null());
  EXPECT_EQ(j["arms"][1]["runs"], 3);
  auto failed = rows();
  failed[1].error = "no such graph", failed[1].measures[0].reset();
  EXPECT_EQ(json_of_summary(kPlan, failed)["arms"][1]["failed"], 1);
  EXPECT_EQ(json_of_summary(kPlan, failed)["arms"][1]["first_error"], "no such graph");
}

}  // namespace
}  // namespace tarry
