#include "scenarios/sweep/measure.hpp"

#include <gtest/gtest.h>

#include "scenarios/file/load.hpp"
#include "scenarios/file/make_job.hpp"

namespace tarry {
namespace {

// Workers beside their parameter server: a step takes 1 s.
RunFacts run(const std::string& build, const std::string& workers, const std::string& times,
             const std::string& rest = "stop: {time: 8s}\n") {
  const auto scenario = parse_scenario(
      "cluster: {hosts: [a], tasks: {ps/0: a, worker/0: a}, workers: " + workers +
          "}\nbuild: {graph: softmax_async_ps1_task0, " + build +
          "}\nfeeds: {batch: 4}\ncosts: [{op: SparseSoftmaxCrossEntropyWithLogits, times: " + times + "}]\n" + rest,
      "s.yaml");
  const Job job = make_job(scenario.value(), {TARRY_SOURCE_DIR "/scenarios/graphs", false, {}}).value();
  return {job, run_here(job)};
}
double measured(const RunFacts& r, std::string_view name) { return find_measure(name)->of(r).value(); }

TEST(Measures, of_one_asynchronous_worker_are_those_of_its_steps) {
  const RunFacts r = run("protocol: async", "1", "[1s, 3s]");
  EXPECT_DOUBLE_EQ(measured(r, "time"), 8);
  EXPECT_DOUBLE_EQ(measured(r, "steps_per_second"), 0.5);
  EXPECT_DOUBLE_EQ(measured(r, "updates_per_second"), 0.5);
  EXPECT_DOUBLE_EQ(measured(r, "gradients_per_second"), 0.5);
  EXPECT_DOUBLE_EQ(measured(r, "step_time_p50"), 1);
  EXPECT_DOUBLE_EQ(measured(r, "step_time_p90"), 3);
  EXPECT_DOUBLE_EQ(measured(r, "step_time_p99"), 3);
  EXPECT_DOUBLE_EQ(measured(r, "staleness"), 0);
  EXPECT_DOUBLE_EQ(measured(r, "dropped_share"), 0);
  EXPECT_GT(measured(r, "bytes"), 0);
}

TEST(Measures, leave_the_time_out_of_steps_in_which_a_worker_had_no_session) {
  const RunFacts r = run("protocol: async", "2", "[1s]",
                         "stop: {time: 30s}\nfaults: [{at: 2500ms, preempt: {task: worker/1, back_after: 20s}}]\n");
  EXPECT_DOUBLE_EQ(measured(r, "step_time_p99"), 1);
  EXPECT_DOUBLE_EQ(measured(r, "step_time_p50"), 1);
}

TEST(Measures, of_asynchronous_workers_have_the_steps_of_the_others_as_staleness) {
  EXPECT_DOUBLE_EQ(measured(run("protocol: async", "3", "[1s]"), "staleness"), 2);
}

// Worker 0 is faster, and waits for the other one.
TEST(Measures, of_stale_synchronous_workers_leave_out_what_comes_while_they_wait) {
  const std::string build = "protocol: stale_sync, staleness: 0";
  const RunFacts r = run(build, "2", "[1s]", "variations: [{task: worker/1, factor: 3}]\nstop: {time: 10s}\n");
  EXPECT_DOUBLE_EQ(measured(r, "staleness"), 0.4) << "of 5 updates after the first ones, 2 are of worker 1";
  EXPECT_DOUBLE_EQ(measured(r, "gradients_per_second"), 0.7) << "4 of worker 0, which waits once more, and 3";
  EXPECT_DOUBLE_EQ(measured(r, "updates_per_second"), 0.7);
  EXPECT_DOUBLE_EQ(measured(r, "steps_per_second"), 0.6);
}

TEST(Measures, have_the_time_of_the_global_step_that_a_job_stops_at) {
  const RunFacts r =
      run("protocol: async", "2", "[1s]", "variations: [{task: worker/1, factor: 50}]\nstop: {global_step: 10}\n");
  EXPECT_DOUBLE_EQ(measured(r, "time_of_steps"), 10) << "worker 1 is in its first step up to 50 s";
  EXPECT_GE(measured(r, "time"), 50);
}

TEST(Measures, tell_aggregates_from_the_gradients_in_them) {
  const RunFacts r = run("protocol: sync", "2", "[1s]");
  EXPECT_DOUBLE_EQ(measured(r, "gradients_per_second"), 2 * measured(r, "updates_per_second"));
  EXPECT_GT(measured(r, "updates_per_second"), 0.5);
  EXPECT_EQ(measured(r, "staleness"), 0);
}

TEST(Measures, count_the_gradients_that_come_too_late) {
  const RunFacts r = run("protocol: sync, backup_workers: 2, num_tokens: 0", "3", "[1s]");
  EXPECT_GT(measured(r, "dropped_share"), 0.2);
  EXPECT_LT(measured(r, "dropped_share"), 1);
}

const std::string kSync = "protocol: sync, num_tokens: 0", kDies = "faults: [{at: 2.5s, kill: worker/1}]\n";

TEST(Measures, of_a_run_that_stands_still_have_no_time_and_the_pace_of_all_the_time_that_it_had) {
  const RunFacts r = run(kSync, "2", "[1s]", kDies + "stop: {aggregates: 5, time: 20s}\n");
  ASSERT_TRUE(r.ending.stands_still);
  EXPECT_LT(r.time, 20'000'000'000) << "nothing is left to happen";
  EXPECT_EQ(find_measure("time")->of(r), std::nullopt);
  EXPECT_EQ(find_measure("time_of_steps")->of(r), std::nullopt);
  EXPECT_DOUBLE_EQ(measured(r, "updates_per_second"), 2.0 / 20);
  EXPECT_DOUBLE_EQ(measured(r, "gradients_per_second"), 4.0 / 20);
  EXPECT_DOUBLE_EQ(measured(r, "global_steps_per_second"), 2.0 / 20);
  EXPECT_EQ(measured(r, "global_step"), 2);
}

TEST(Measures, of_a_run_that_stands_still_without_a_time_to_stop_have_no_pace) {
  const RunFacts r = run(kSync, "2", "[1s]", kDies + "stop: {aggregates: 5}\n");
  EXPECT_EQ(find_measure("time")->of(r), std::nullopt);
  EXPECT_EQ(measured(r, "updates_per_second"), 0);
}

TEST(Measures, of_a_run_that_leaves_early_and_has_no_time_to_stop_have_neither_time_nor_pace) {
  RunFacts r = run("protocol: async", "1", "[1s]", "stop: {steps: 5}\n");
  EXPECT_EQ(measured(r, "time_of_steps"), 5);
  r.ending.did_what_stop_asks = false;
  for (const char* name : {"time", "time_of_steps", "steps_per_second"})
    EXPECT_EQ(find_measure(name)->of(r), std::nullopt) << name;
}

TEST(Measures, tell_the_time_of_the_steps_from_that_of_closing_the_sessions) {
  const RunFacts r = run(kSync, "2", "[1s]", "stop: {steps: 5}\n");
  EXPECT_DOUBLE_EQ(measured(r, "time_of_steps"), 5);
  EXPECT_GT(measured(r, "time"), 30) << "the chief waits for its sync thread";
  EXPECT_DOUBLE_EQ(measured(run(kSync, "2", "[1s]"), "time_of_steps"), 8) << "of a run that stops at 8 s";
}

TEST(Measures, have_what_the_global_step_lost_and_the_pace_of_what_is_left) {
  const RunFacts r = run(kSync, "2", "[1s]",
                         "training: {save_steps: 4}\nfaults: [{at: 7.5s, preempt: {task: worker/0, back_after: 1s}}]\n"
                         "stop: {time: 60s}\n");
  const double step = measured(r, "global_step"), updates = measured(r, "updates_per_second") * 60;
  EXPECT_GT(measured(r, "lost_steps"), 0);
  EXPECT_NEAR(updates, step + measured(r, "lost_steps"), 1e-6);
  EXPECT_DOUBLE_EQ(measured(r, "global_steps_per_second"), step / 60);
}

TEST(Measures, have_names_of_their_own_and_none_is_found_by_another) {
  for (const Measure& m : measure_table()) EXPECT_EQ(find_measure(m.name), &m);
  EXPECT_EQ(find_measure("througput"), nullptr);
}

TEST(Measures, that_need_the_ideal_run_are_measured_only_where_a_plan_names_them) {
  const Measure* slowdown = find_measure("slowdown");
  EXPECT_EQ(std::ranges::count(usual_measures(), slowdown), 0);
  EXPECT_EQ(usual_measures().size() + 1, measure_table().size());
  EXPECT_EQ(slowdown->of(run("protocol: async", "1", "[1s]")), std::nullopt) << "nobody ran the ideal job";
}

}  // namespace
}  // namespace tarry
