#include "scenarios/sweep/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/file/make_job.hpp"
#include "scenarios/job/why.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

const std::string kGraphs = TARRY_SOURCE_DIR "/scenarios/graphs";

ScenarioText job(const std::string& workers, const std::string& graph = "softmax_async_ps1_task0") {
  return {"cluster: {hosts: [a], tasks: {ps/0: a, worker/0: a}, workers: " + workers + "}\nbuild: {graph: " + graph +
              ", protocol: async}\nfeeds: {batch: 4}\ncosts: [{op: SparseSoftmaxCrossEntropyWithLogits, time: "
              "{uniform: {low: 1s, high: 2s}}}]\nstop: {time: 20s}\n",
          "s.yaml"};
}

SweepPlan plan_of_jobs(std::vector<std::uint64_t> seeds) { return plan_of_two(job("1"), job("2"), std::move(seeds)); }

std::string sweep(const SweepPlan& plan, RowFile& file, int at_once) {
  const auto rows = run_sweep(plan, file, {in_children(kGraphs, at_once), {}});
  return rows.ok() ? csv_of(plan, *rows) : std::string(text_of(rows.status()));
}
RowFile in_memory(const SweepPlan& plan) { return RowFile::open(":memory:", plan, "v").value(); }

TEST(Sweep, has_the_same_rows_whatever_the_number_of_processes) {
  const SweepPlan plan = plan_of_jobs({1, 2, 3});
  RowFile one = in_memory(plan), three = in_memory(plan);
  const std::string rows = sweep(plan, one, 1);
  EXPECT_EQ(std::ranges::count(rows, '\n'), 7);
  EXPECT_EQ(sweep(plan, three, 3), rows);
}

TEST(Sweep, goes_on_where_it_stopped) {
  const SweepPlan few = plan_of_jobs({1, 2}), all = plan_of_jobs({1, 2, 3});
  RowFile stopped = in_memory(all), whole = in_memory(all);
  std::size_t runs = 0;
  const SweepOptions options{in_children(kGraphs, 2), [&](std::size_t, std::size_t) { ++runs; }};
  ASSERT_TRUE(run_sweep(few, stopped, options).ok());
  const auto rows = run_sweep(all, stopped, options);
  EXPECT_EQ(runs, 6u);
  EXPECT_EQ(csv_of(all, *rows), sweep(all, whole, 2));
}

TEST(Sweep, says_how_many_of_its_runs_are_done) {
  SweepPlan plan = plan_of_jobs({1, 2, 3});
  const std::vector<RunRow> rows{
      {0, 1, "h", "", "", {}}, {1, 1, "h", "", "", {}}, {0, 9, "of another seed", "", "", {}}};
  EXPECT_EQ(done_in_words(plan, rows), "2 of 6 runs are done");
  plan.until = Until{0.02, find_measure("time")};
  EXPECT_EQ(done_in_words(plan, rows), "2 of 6 runs at the most are done");
}

TEST(Sweep, has_a_row_with_its_error_for_a_run_that_fails) {
  const SweepPlan plan = plan_of_two(job("1"), job("1", "no_such_graph"), {1});
  RowFile file = in_memory(plan);
  const auto rows = run_sweep(plan, file, {in_children(kGraphs, 1), {}}).value();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].error, "");
  EXPECT_THAT(rows[1].error, HasSubstr("no_such_graph"));
  EXPECT_FALSE(rows[1].measures[0]);
}

TEST(Sweep, takes_more_seeds_until_the_interval_of_every_arm_is_narrow_enough) {
  std::vector<std::uint64_t> seeds(20);
  std::iota(seeds.begin(), seeds.end(), std::uint64_t{1});
  SweepPlan plan = plan_of_jobs(seeds);
  const auto runs = [&](double half_width) {
    plan.until = Until{half_width, find_measure("steps_per_second")};
    RowFile file = in_memory(plan);
    return std::ranges::count(sweep(plan, file, 2), '\n') - 1;
  };
  EXPECT_EQ(runs(0.5), 2 * 5);
  EXPECT_EQ(runs(0.000'001), 2 * 20);
  const auto between = runs(0.04);
  EXPECT_GT(between, 2 * 5);
  EXPECT_LT(between, 2 * 20);
}

TEST(Sweep, says_in_which_arms_the_interval_did_not_become_narrow_enough) {
  SweepPlan plan{
      .axes = {"x"}, .arms = {{{"a"}, {}}, {{"b"}, {}}}, .seeds = {1, 2}, .measures = {find_measure("time")}};
  const std::vector<RunRow> rows{
      {0, 1, "h", "", "", {1}}, {0, 2, "h", "", "", {1}}, {1, 1, "h", "", "", {1}}, {1, 2, "h", "", "", {9}}};
  EXPECT_EQ(too_wide_in_words(plan, rows), "");
  plan.until = Until{0.02, find_measure("time")};
  EXPECT_EQ(
      too_wide_in_words(plan, rows),
      "After 2 seeds the interval of time is not as narrow as 2 % of its mean to either side in 1 of 2 arms: (b).\n");
  EXPECT_EQ(too_wide_in_words(plan, {rows[0], rows[1]}), "");
  EXPECT_THAT(arms_too_wide(plan, {{0, 1, "", "", "", {0}}, {0, 2, "", "", "", {0}}}), testing::IsEmpty()) << "0 of 0";
  EXPECT_THAT(arms_too_wide(plan, {rows[0], rows[1], {0, 3, "", "", "failed", {std::nullopt}}}), testing::IsEmpty());
}

// Two workers of five steps of 1 s each, the second of them slower.
ScenarioText job_with_slow_worker(const std::string& slow) {
  return {
      "cluster: {hosts: [a], tasks: {ps/0: a, worker/0: a, worker/1: a}}\n"
      "build: {graph: softmax_async_ps1_task0, protocol: async}\nfeeds: {batch: 4}\n"
      "costs:\n  - {op: SparseSoftmaxCrossEntropyWithLogits, task: worker/1, time: " +
          slow + "}\n  - {op: SparseSoftmaxCrossEntropyWithLogits, time: 1s}\nstop: {steps: 5}\n",
      "s.yaml"};
}
std::vector<RunRow> rows_of(const SweepPlan& plan) {
  RowFile file = in_memory(plan);
  return run_sweep(plan, file, {in_children(kGraphs, 2), {}}).value();
}

TEST(Sweep, measures_the_slowdown_that_why_tells_and_leaves_the_run_as_it_is) {
  SweepPlan plan = plan_of_two(job_with_slow_worker("1s"), job_with_slow_worker("3s"), {1});
  const auto usual = rows_of(plan);
  plan.measures = {find_measure("slowdown")};
  const auto rows = rows_of(plan);
  EXPECT_EQ(rows[0].measures[0], 1);
  const ScenarioText& text = plan.arms[1].scenario;
  const Job job = make_job(parse_scenario(text.text, text.file).value(), {kGraphs, true, 1}).value();
  EXPECT_EQ(rows[1].measures[0], why(job, run_apart(job).value(), {})->slowdown());
  EXPECT_GT(rows[1].measures[0], 1.2);
  for (std::size_t arm : {0u, 1u}) EXPECT_EQ(rows[arm].hash, usual[arm].hash);
}

TEST(Sweep, has_the_time_to_so_many_steps_as_the_time_of_runs_that_stop_there) {
  SweepPlan plan = plan_of_two(job_with_slow_worker("1s"), job_with_slow_worker("3s"), {1});
  plan.measures = {find_measure("time")};
  const auto rows = rows_of(plan);
  EXPECT_EQ(rows[0].measures[0], 5);
  EXPECT_EQ(rows[1].measures[0], 15);
}

}  // namespace
}  // namespace tarry
