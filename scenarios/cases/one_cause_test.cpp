// Jobs with one cause that costs time, and their twins without it: what `tarry run` says first names the cause, and
// says nothing of it where it is not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/cases/shipped.hpp"
#include "scenarios/job/prove.hpp"

namespace tarry {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Workers, each on a host of its own, and parameter servers; steps of 100 ms. Texts are keys of the scenario.
struct Cluster {
  int workers = 4, servers = 1;
  std::string graph = "softmax_async_ps1_task0", build = "protocol: async", network = "latency: 1ms", costs, training,
              more, stop = "steps: 40", hosts, tasks;

  [[nodiscard]] std::string text() const {
    std::string h = hosts, t = tasks;
    for (int s = 0; s < servers && hosts.empty(); ++s) h += fmt::format("server{}, ", s);
    for (int w = 0; w < workers && hosts.empty(); ++w) h += fmt::format("host{}, ", w);
    for (int s = 0; s < servers && tasks.empty(); ++s) t += fmt::format("ps/{0}: server{0}, ", s);
    for (int w = 0; w < workers && tasks.empty(); ++w) t += fmt::format("worker/{0}: host{0}, ", w);
    return fmt::format(
        "title: one cause\ncluster:\n  hosts: [{}]\n  tasks: {{{}}}\n  network: {{engine: shared, {}}}\n"
        "build: {{graph: {}, ps: {}, {}}}\nfeeds: {{batch: 32}}\ncosts:\n{}"
        "  - {{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 100ms}}\n"
        "training: {{soft_placement: true{}}}\n{}stop: {{{}}}\n",
        h, t, network, graph, servers, build, costs, training, more, stop);
  }
  [[nodiscard]] std::vector<Verdict> verdicts() const {
    const Scenario scenario = parse_scenario(text(), "one_cause.yaml").value();
    const Job job = job_for(scenario).value();
    const Outcome outcome = run_apart(job).value();
    return judge(outcome.log, read_contributions(outcome.log), outcome.tasks, prove(job, outcome).value());
  }
};

// What they say of that kind.
std::string said(const std::vector<Verdict>& verdicts, std::string_view kind) {
  std::string text;
  for (const Verdict& v : verdicts)
    if (v.kind == kind) text += v.text + "\n";
  return text;
}

// ---- workers that leave one after the other ----

TEST(WorkersThatLeave, leave_no_standstill_behind_for_one_that_a_fault_slowed_down) {
  Cluster c{.more = "faults:\n  - {at: 800ms, slow: {task: worker/2, percent: 400, lasts: 8s}}\n"};
  const auto told = c.verdicts();
  EXPECT_EQ(said(told, "stalled") + said(told, "stuck"), "");
  EXPECT_THAT(said(told, "slowed"), HasSubstr("the kernels of worker 2"));
}

TEST(WorkersThatLeave, are_not_stuck_while_the_chief_saves_its_last_checkpoint) {
  for (const char* time : {"200ms", "40s"}) {
    Cluster c{.costs = fmt::format("  - {{op: SaveV2, time: {}}}\n", time), .training = ", save_steps: 1000"};
    EXPECT_EQ(said(c.verdicts(), "stuck"), "") << time;
  }
}

TEST(WorkersThatLeave, are_not_what_a_pause_of_the_last_one_is_explained_by) {
  Cluster c{.more = "faults:\n  - {at: 1s, pause: {task: worker/2, lasts: 10s}}\n"};
  const std::string stalled = said(c.verdicts(), "stalled");
  EXPECT_THAT(stalled, AllOf(HasSubstr("worker 2 stands still"), Not(HasSubstr("left training"))));
}

TEST(WorkersThatLeave, are_waited_for_where_an_aggregate_needs_them) {
  Cluster c{.build = "protocol: sync, num_tokens: 0",
            .training = ", workers: {worker/1: {steps: 10}}",
            .stop = "aggregates: 40, time: 60s"};
  EXPECT_THAT(said(c.verdicts(), "stuck"), HasSubstr("worker 1 left training"));
}

}  // namespace
}  // namespace tarry
