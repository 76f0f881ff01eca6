#include "scenarios/sweep/measure.hpp"

#include <gtest/gtest.h>

#include "scenarios/file/load.hpp"
#include "scenarios/file/make_job.hpp"

namespace tarry {
namespace {

// One worker beside its parameter server: a step takes 1 s.
RunFacts run(const std::string& build, const std::string& workers, const std::string& times) {
  const auto scenario =
      parse_scenario("cluster: {hosts: [a], tasks: {ps/0: a, worker/0: a}, workers: " + workers +
                         "}\nbuild: {graph: softmax_async_ps1_task0, " + build +
                         "}\nfeeds: {batch: 4}\ncosts: [{op: SparseSoftmaxCrossEntropyWithLogits, times: " + times +
                         "}]\nstop: {time: 8s}\n",
                     "s.yaml");
  const Job job = make_job(scenario.value(), {TARRY_SOURCE_DIR "/scenarios/graphs", false, {}}).value();
  return RunFacts(run_here(job).log);
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

TEST(Measures, of_asynchronous_workers_have_the_steps_of_the_others_as_staleness) {
  EXPECT_DOUBLE_EQ(measured(run("protocol: async", "3", "[1s]"), "staleness"), 2);
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
