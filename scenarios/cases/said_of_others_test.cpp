// What is said of who never came, who left, whom chance slowed down, and of jobs that one client runs; and their twins,
// of which it is not said.

#include "scenarios/cases/one_cause.hpp"
#include "scenarios/job/why.hpp"

namespace tarry {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(SlowCards, are_named_where_a_variation_of_their_own_narrows_them) {
  Cluster c{.network = "latency: 1ms, nic: 100Mbps, variations: [{host: host2, every: 100ms, factors: [0.02]}]"};
  c.build = "protocol: sync", c.stop = "aggregates: 20";
  expect_first(c, "slow_card",
               {"the network card of host2 (worker 2) has 2 Mb/s on average and those of the others 100 Mb/s"});
  c.network = "latency: 1ms, nic: 100Mbps, variations: [{every: 100ms, factors: [0.9]}]";
  EXPECT_EQ(said(c.verdicts(), "slow_card"), "");
}

TEST(Barriers, name_the_worker_that_never_came) {
  Cluster c{.build = "protocol: stale_sync, staleness: 2", .training = ", workers: {worker/2: {absent: true}}"};
  EXPECT_THAT(said(c.verdicts(), "stuck"), HasSubstr("The cause: worker 2 never came, and every worker has a part"));
}

TEST(Absent, is_a_worker_of_an_asynchronous_job_that_never_came) {
  Cluster c{.training = ", workers: {worker/2: {absent: true}}"};
  EXPECT_THAT(said(c.verdicts(), "absent"), HasSubstr("worker 2 never came. Nobody waits for it: the others train on "
                                                      "without its data. Run again with worker 2 (same seed), the same "
                                                      "work takes 25.0 % less time. To do: start it."));
  c.training = ", workers: {worker/2: {absent: true}, worker/3: {absent: true}}";
  EXPECT_THAT(said(c.verdicts(), "absent"), HasSubstr("worker 2 and worker 3 never came. Nobody waits for them"));
  c.training = "";
  EXPECT_EQ(said(c.verdicts(), "absent"), "");
}

TEST(Absent, is_nobody_who_was_to_come_after_the_end) {
  Cluster c{.training = ", workers: {worker/2: {start_after: 100s}}", .stop = "time: 5s"};
  const auto told = c.verdicts();
  EXPECT_EQ(said(told, "absent"), "");
  EXPECT_THAT(said(told, "late_start"), HasSubstr("worker 2"));
}

// ---- who left ----

TEST(EndedEarly, names_the_chief_that_left_and_whom_it_cut_short) {
  Cluster c = kSync;
  c.training = ", workers: {worker/0: {steps: 10}}";
  c.stop = "steps: 40";
  EXPECT_THAT(said(c.verdicts(), "ended_early"),
              AllOf(HasSubstr("worker 0 left training at "), HasSubstr("worker 1 after 10 steps of 40, worker 2"),
                    HasSubstr("1 more"), HasSubstr("To do: let worker 0 train as long as the others")));
  c.training = "";
  EXPECT_EQ(said(c.verdicts(), "ended_early"), "");
}

TEST(EndedEarly, is_not_said_where_a_step_or_two_were_left) {
  Cluster c = kSync;
  c.training = ", workers: {worker/0: {steps: 37}}";
  c.stop = "steps: 40";
  EXPECT_EQ(said(c.verdicts(), "ended_early"), "");
  c.training = ", workers: {worker/0: {steps: 35}}";
  EXPECT_NE(said(c.verdicts(), "ended_early"), "");
}

TEST(EndedEarly, is_proved_where_a_fault_made_the_chief_leave) {
  Cluster c = kSync;
  c.more = "faults: [{at: 500ms, leave: worker/0}]\n";
  EXPECT_THAT(said(c.verdicts(), "ended_early"),
              HasSubstr("Run again without the faults of worker 0 (same seed), the job goes on."));
  c.more = "faults: [{at: 500ms, leave: worker/1}]\n";
  EXPECT_EQ(said(c.verdicts(), "ended_early"), "");
}

TEST(EndedEarly, is_not_what_reached_its_last_global_step) {
  Cluster c = kSync;
  c.stop = "global_step: 20";
  EXPECT_EQ(said(c.verdicts(), "ended_early"), "");
  c.training = ", workers: {worker/0: {steps: 10}}";
  EXPECT_THAT(said(c.verdicts(), "ended_early"), HasSubstr("after 10 steps, to train up to global step 20"));
}

TEST(SlowChiefs, are_told_as_slow_and_not_as_lost) {
  Cluster c = kSync;
  c.more = "faults:\n  - {at: 500ms, slow: {task: worker/0, percent: 300}}\n";
  EXPECT_THAT(said(c.verdicts(), "slowed"), AllOf(HasSubstr("the kernels of worker 0"), Not(HasSubstr("sync thread"))));
}

TEST(ProgressLost, by_a_lost_folder_is_not_told_to_save) {
  Cluster c = kSync;
  c.training = ", save_steps: 3";
  c.more = "faults:\n  - {at: 1s, lose_checkpoints: all}\n  - {at: 1010ms, preempt: {task: ps/0, back_after: 1s}}\n";
  EXPECT_THAT(said(c.verdicts(), "progress_lost"),
              HasSubstr("To do: find out what removed the checkpoints: they were gone at 1.000 s."));
}

TEST(Faults, of_several_at_once_are_proved_together_where_each_alone_changes_little) {
  Cluster c = kSync;
  c.more = "faults:\n";
  for (int w : {1, 2}) c.more += fmt::format("  - {{at: 1s, preempt: {{task: worker/{}, back_after: 2s}}}}\n", w);
  EXPECT_THAT(said(c.verdicts(), "stalled"), HasSubstr("Run again without any fault (same seed), the same work takes"));
  c.more = "faults:\n  - {at: 1s, preempt: {task: worker/1, back_after: 2s}}\n";
  EXPECT_THAT(said(c.verdicts(), "stalled"), HasSubstr("Run again without the faults of worker 1 (same seed)"));
  c.more += "  - {at: 3500ms, preempt: {task: worker/2, back_after: 20s}}\n";  // another standstill, of its own
  c.stop = "aggregates: 60";
  EXPECT_THAT(said(c.verdicts(), "stalled"),
              AllOf(HasSubstr("Run again without the faults of worker 2"), Not(HasSubstr("without any fault"))));
}

// ---- one client that runs parts on the others ----

std::vector<Verdict> of_in_graph(const std::string& costs, const std::string& network = "{}") {
  const std::string text = fmt::format(
      "title: in-graph\ncluster:\n  hosts: [a, b, c, d]\n"
      "  tasks: {{worker/0: a, worker/1: b, worker/2: c, worker/3: d, /job:idle/task:0: a, /job:idle/task:1: a, "
      "/job:idle/task:2: a, /job:idle/task:3: a}}\n  network: {}\n"
      "build: {{graph: handwritten_dense_w3, protocol: handwritten}}\n"
      "costs: [{}{{node: worker*/MatMul, time: 40ms}}, {{task: worker/0, time: 100us}}]\nstop: {{steps: 20}}\n",
      network, costs);
  return verdicts_of(parse_scenario(text, "s.yaml").value());
}

TEST(InGraph, names_the_task_whose_part_takes_longest) {
  EXPECT_THAT(said(of_in_graph("{node: worker2/MatMul, time: 120ms}, "), "straggler"),
              HasSubstr("worker 2 is what the others wait for"));
  EXPECT_EQ(said(of_in_graph(""), "straggler"), "");
}

TEST(InGraph, names_the_host_that_is_far_from_the_client) {
  const std::string network = "{{engine: shared, latency: 500us, links: [{{between: [a, d], latency: {}}}]}}";
  const auto far = [&](const char* latency) {
    return said(of_in_graph("", fmt::format(fmt::runtime(network), latency)), "far");
  };
  EXPECT_THAT(far("40ms"), AllOf(HasSubstr("messages of d ("),
                                 HasSubstr("take 40 ms to worker 0 and those of the "
                                           "others 500 us"),
                                 HasSubstr("To do: bring it nearer to the others.")));
  EXPECT_EQ(far("550us"), "");
}

TEST(IdealJobs, are_no_slower_where_workers_that_have_done_their_steps_leave_the_others_waiting) {
  Cluster c{.workers = 8, .build = "protocol: sync", .network = "latency: 1ms, nic: 1Gbps", .stop = "steps: 30"};
  c.costs = "  - {op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: {lognormal: {mean: 20ms, sd: 10ms}}}\n";
  for (int seed = 13; seed < 17; ++seed) {
    c.more = fmt::format("seed: {}\n", seed);
    const Job job = job_for(parse_scenario(c.text(), "ideal.yaml").value()).value();
    const Why w = why(job, run_apart(job).value(), {}).value();
    if (w.ideal) EXPECT_LE(*w.ideal, w.base.time) << seed;
  }
}

// ---- luck ----

// Every worker draws from one law, of which the longest times are a hundred times the shortest.
Cluster with_heavy_tail(int seed) {
  Cluster c = kSync;
  c.costs = "  - {op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: {pareto: {least: 30ms, shape: 1.3}}}\n";
  c.more = fmt::format("seed: {}\n", seed);
  return c;
}

TEST(Luck, makes_nobody_a_straggler) {
  for (int seed = 1; seed <= 8; ++seed) EXPECT_EQ(said(with_heavy_tail(seed).verdicts(), "straggler"), "") << seed;
}

TEST(Luck, does_not_end_where_something_is_said_of_another) {
  for (int seed = 1; seed <= 4; ++seed) {
    Cluster c = with_heavy_tail(seed);
    c.costs += "  - {op: ApplyGradientDescent, task: ps/0, time: 1ms}\n";
    c.more += "faults: [{at: 1s, pause: {task: ps/0, lasts: 100ms}}]\n";
    EXPECT_EQ(said(c.verdicts(), "straggler"), "") << seed;
  }
}

TEST(Luck, is_no_excuse_for_a_worker_of_which_the_scenario_says_that_it_is_slow) {
  Cluster c = with_heavy_tail(1);
  c.more += "variations: [{task: worker/2, factor: 4}]\n";
  expect_first(c, "straggler", {"worker 2 is what the others wait for"});
}

}  // namespace
}  // namespace tarry
