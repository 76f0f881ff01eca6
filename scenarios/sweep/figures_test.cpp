#include "scenarios/sweep/figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

const SweepPlan kArms{.title = "T",
                      .axes = {"workers", "policy"},
                      .arms = {{{"4", "sync"}, {"x", "s"}}, {{"8", "sync"}, {"y", "s"}}, {{"8", "async"}, {"z", "s"}}},
                      .measures = {find_measure("step_time_p50"), find_measure("bytes")}};

// Of the second arm every step takes half as long as of the first one; of the third, as long or twice as long.
std::vector<RunRow> rows_of_arms(std::uint64_t seeds) {
  std::vector<RunRow> out;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto step = static_cast<double>(seed);
    out.push_back({0, seed, "h", "fair", "", {step, 5.0}});
    out.push_back({1, seed, "h", "fair", "", {step / 2, 5.0}});
    out.push_back({2, seed, "h", "fair", "", {seed % 2 == 0 ? step / 2 : 2 * step, {}}});
  }
  return out;
}

TEST(SweepFigures, have_the_axes_the_measures_and_which_side_of_them_is_better) {
  const Json j = figures_of_sweep(kArms, rows_of_arms(4));
  EXPECT_EQ(j["axes"], Json({"workers", "policy"}));
  EXPECT_EQ(j["measures"][0]["better"], "less");
  EXPECT_EQ(j["measures"][1]["better"], "neither");
  EXPECT_EQ(j["arms"][2]["values"], Json({"8", "async"}));
  EXPECT_EQ(j["runs"], 12);
}

TEST(SweepFigures, have_a_point_for_each_run_and_the_mean_as_the_terminal_says_it) {
  const Json j = figures_of_sweep(kArms, rows_of_arms(4));
  const Json &first = j["arms"][0]["measures"][0], &none = j["arms"][2]["measures"][1];
  EXPECT_EQ(first["points"], Json({1.0, 2.0, 3.0, 4.0}));
  EXPECT_EQ(first["mean"]["mean"], 2.5);
  EXPECT_EQ(first["mean_text"], mean_in_words(summarise(kArms, rows_of_arms(4))[0].measures[0], 4));
  std::vector<RunRow> rows = rows_of_arms(4);
  rows[0].measures[0] = std::nullopt;
  const Json lacks_one = figures_of_sweep(kArms, rows);
  EXPECT_TRUE(
      lacks_one["arms"][rows[0].arm]["measures"][0]["mean_text"].get<std::string>().ends_with(" (3 of 4 runs)"));
  EXPECT_TRUE(none["mean"]["mean"].is_null());
  EXPECT_EQ(none["mean_text"], "-");
  EXPECT_TRUE(j["has_points"]);
}

TEST(SweepFigures, say_which_arm_is_shown_to_be_better_than_the_first_one) {
  const Json j = figures_of_sweep(kArms, rows_of_arms(8));
  EXPECT_EQ(j["arms"][1]["measures"][0]["says"], "better");
  EXPECT_EQ(j["arms"][1]["measures"][0]["change_text"], "-50.0 %");  // of every seed
  EXPECT_EQ(j["arms"][2]["measures"][0]["says"], "");                // its interval contains 0
  EXPECT_EQ(j["arms"][1]["measures"][1]["says"], "");                // neither more nor fewer bytes are better
  EXPECT_EQ(j["arms"][0]["measures"][0]["says"], "");
}

TEST(SweepFigures, have_the_arms_that_may_be_best_of_each_measure_with_a_better_side) {
  const Json j = figures_of_sweep(kArms, rows_of_arms(8));
  EXPECT_EQ(j["measures"][0]["best"], Json({1, 2}));
  EXPECT_EQ(figures_of_sweep(kArms, rows_of_arms(1))["measures"][0]["best"].size(), 3u);
  EXPECT_TRUE(j["measures"][1]["best"].empty());
}

TEST(SweepFigures, say_where_the_arms_count_other_things) {
  const SweepPlan plan{
      .axes = {"p"}, .arms = {{{"a"}, {}}, {{"b"}, {}}}, .measures = {find_measure("updates_per_second")}};
  const auto counts_alike = [&](const std::string& second) {
    return figures_of_sweep(plan, {{0, 1, "h", "", "", {1}, true, "step"}, {1, 1, "h", "", "", {2}, true, second}})
        .at("measures")[0]["counts_alike"];
  };
  EXPECT_EQ(counts_alike("step"), true);
  EXPECT_EQ(counts_alike("aggregate"), false);
  auto rows = rows_of_arms(1);
  for (RunRow& r : rows) r.update_is = r.arm == 0 ? "step" : "aggregate";
  EXPECT_EQ(figures_of_sweep(kArms, rows)["measures"][0]["counts_alike"], true) << "the time of a step";
}

TEST(SweepFigures, of_one_seed_have_no_interval) {
  const Json j = figures_of_sweep(kArms, rows_of_arms(1));
  EXPECT_TRUE(j["arms"][0]["measures"][0]["mean"]["half"].is_null());
  EXPECT_EQ(j["arms"][1]["measures"][0]["says"], "");
}

TEST(SweepFigures, of_very_many_runs_have_no_points) {
  const Json j = figures_of_sweep(kArms, rows_of_arms(kMostPointsOfASweep / 6 + 1));
  EXPECT_FALSE(j["has_points"]);
  EXPECT_TRUE(j["arms"][0]["measures"][0]["points"].empty());
}

}  // namespace
}  // namespace tarry
