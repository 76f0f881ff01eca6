// What is told of jobs in which something else was wrong, and did no harm; and of workers that began late.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/file/ran_case.hpp"

namespace tarry {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kNoTokens = "build: {graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}\n";
constexpr char kShort[] = ", lasts: 300ms}}]\n", kForGood[] = "}}]\n";

const std::string kNear =
    "title: t\ncluster:\n  hosts: [server, host0, host1, host2]\n"
    "  tasks: {ps/0: server, worker/0: host0, worker/1: host1, worker/2: host2}\n  network: {latency: 300us, nic: "
    "10Gbps}\n"
    "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 100ms}]\n";

std::string parted(const char* until) {
  return std::string("faults: [{at: 1ms, part: {between: [server, host1]") + until;
}

TEST(ToldBeside, of_a_job_that_lacks_a_worker_are_no_faults_that_are_over) {
  const auto told = [](const char* until) {
    return said(
        ran_case(kNoTokens + parted(until) + "training: {workers: {worker/2: {absent: true}}}\nstop: {time: 5s}"));
  };
  EXPECT_THAT(told(kShort), AllOf(StartsWith("stuck: "), HasSubstr("Never came: worker 2"), Not(HasSubstr("passes"))));
  EXPECT_THAT(told(kForGood), AllOf(StartsWith("stuck: "), HasSubstr("nothing passes between server and host1")));
}

TEST(ToldBeside, of_a_job_whose_aggregates_nobody_takes_are_no_faults_that_are_over) {
  const auto told = [](const std::string& fault) {
    return said(
        ran_case(kSyncBuild + "training: {sync_thread: false}\nstop: {time: 5s}\nfaults: [" + fault + "]", kNear));
  };
  constexpr char kNobody[] = "nobody ever asked for an aggregate";
  EXPECT_THAT(told("{at: 10ms, swizzle: {hosts: [host1, server], step: 100ms, lasts: 300ms}}"), HasSubstr(kNobody));
  EXPECT_THAT(told("{at: 1ms, part: {between: [server, host1], lasts: 300ms}}"), HasSubstr(kNobody));
}

TEST(ToldBeside, of_steps_that_take_aggregates_for_themselves_are_no_faults_that_are_over) {
  std::string programs = "programs:\n";
  for (int w = 0; w < 3; ++w)
    programs += fmt::format("  - {{task: worker/{}, graph: sync_softmax_res_w3_r3_ps1_task{}}}\n", w, w);
  const std::string also =
      "training: {workers: {worker/2: {also: [sync_replicas/ResourceAccumulatorTakeGradient]}}}\nstop: {time: 5s}\n";
  EXPECT_THAT(said(ran_case(programs + also + "faults: [{at: 2s, preempt: {task: worker/1, back_after: 100ms}}]")),
              HasSubstr("The training steps of worker 2 take aggregates of their own"));
}

TEST(ToldBeside, of_clients_that_look_too_early_is_what_that_costs_whatever_else_was_wrong) {
  const auto told = [](const char* fault, const std::string& cluster) {
    return said(
        ran_case(kNoTokens + "training: {start: natural}\nstop: {aggregates: 50}\nfaults: [" + fault + "]", cluster),
        "late_start");
  };
  constexpr char kFound[] = "worker 1 and worker 2 found no model ready, and waited before another look",
                 kRestart[] = "{at: 500ms, restart: ps/0}";
  EXPECT_THAT(told("{at: 0s, part: {between: [host1, host2], lasts: 1s}}", kNear), HasSubstr(kFound));
  EXPECT_THAT(told("{at: 1ms, pause: {task: worker/0, lasts: 20s}}", kNear), HasSubstr(kFound)) << "without it, too";
  EXPECT_THAT(told(kRestart, kNear), HasSubstr(kFound));
  EXPECT_EQ(told(kRestart, kOneServer), "") << "they had trained before";
}

TEST(ToldBeside, of_a_server_that_holds_nothing_is_that_every_worker_has_its_share) {
  const std::string servers =
      "title: t\ncluster:\n  hosts: [server, host0, host1]\n  tasks: {ps/0: server, ps/1: server, ps/2: server, "
      "ps/3: server, worker/0: host0, worker/1: host1}\n"
      "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 20ms}]\n";
  EXPECT_THAT(said(ran_case(kNoTokens + "stop: {aggregates: 20}\nfaults: [{at: 100ms, restart: ps/3}]", servers)),
              StartsWith("fair: Every worker has its share"));
}

TEST(ToldBeside, of_a_chief_that_leaves_is_who_began_late_and_was_behind) {
  const std::string all =
      said(ran_case(kSyncBuild + "variations: [{task: worker/0, factor: 0.8}]\n"
                                 "training: {workers: {worker/2: {first_step_after: 400ms}}}\nstop: {steps: 40}"));
  EXPECT_THAT(all, StartsWith("ended_early: worker 0 left training"));
  EXPECT_THAT(all,
              HasSubstr("What held them back: worker 2 began 0.400 s after the worker that began first. Run again"));
  EXPECT_THAT(all, HasSubstr("To do: start the workers together, or let training stop at a global step"));
}

// The client's own host has no path to itself.
TEST(ToldBeside, of_one_client_on_two_hosts_is_neither_of_them_far) {
  const std::string graph =
      "programs: [{task: worker/0, graph: cond_in_loop_two_tasks}]\ntraining: {device_filters: false}\n"
      "feeds: {values: {\"n:0\": 6, \"x:0\": {normal: {}}}}\nstop: {steps: 20}";
  EXPECT_THAT(said(ran_case(graph,
                            "title: t\ncluster:\n  hosts: [c, d]\n  tasks: {worker/0: c, worker/1: d}\n"
                            "  network: {latency: 300us, nic: 10Gbps}\ncosts: [{op: MatMul, time: 1ms}]\n")),
              AllOf(HasSubstr("latency_bound: "), Not(HasSubstr("far: "))));
}

// Worker 0 runs what puts the parts of all together.
TEST(ToldBeside, of_one_client_whose_task_does_more_than_the_others_is_no_slow_worker) {
  const auto told = [](const std::string& variation) {
    return said(ran_case("build: {graph: handwritten_sparse_w3, protocol: handwritten}\n" + variation +
                             "feeds: {values: {\"worker0/indices:0\": {uniform: {high: 33000}}, \"worker1/indices:0\": "
                             "{uniform: {high: 33000}}, \"worker2/indices:0\": {uniform: {high: 33000}}}}\n"
                             "stop: {steps: 30}",
                         "title: t\ncluster:\n  hosts: [m0, m1, m2]\n"
                         "  tasks: {worker/0: m0, worker/1: m1, worker/2: m2}\n"
                         "  devices: {cpu: {flops: 10Gflop/s, memory_bandwidth: 1GB/s, launch: 200us}}\n"
                         "  network: {latency: 20us, nic: 10Gbps}\n"),
                "straggler");
  };
  EXPECT_EQ(told(""), "");
  EXPECT_THAT(told("variations: [{task: worker/1, factor: 3}]\n"), HasSubstr("worker 1 is "));
}

// The others have looked for a model again and again by then.
TEST(ToldBeside, of_a_chief_that_comes_after_a_quarter_of_an_hour_is_no_job_that_never_begins) {
  const std::string all = said(ran_case(
      kSyncBuild + "training: {start: natural, workers: {worker/0: {start_after: 15min}}}\nstop: {aggregates: 20}"));
  EXPECT_THAT(all, AllOf(Not(HasSubstr("not_started")), HasSubstr("late_start")));
}

// The others know of the model before it does.
TEST(ToldBeside, of_a_chief_that_is_late_and_far_is_that_it_was_late) {
  EXPECT_THAT(said(ran_case(kSyncBuild + "training: {start: natural, workers: {worker/0: {start_after: 119200ms}}}\n"
                                         "stop: {aggregates: 5}",
                            "title: t\ncluster:\n  hosts: [s, far, h1, h2]\n"
                            "  tasks: {ps/0: s, worker/0: far, worker/1: h1, worker/2: h2}\n"
                            "  network: {latency: 1ms, links: [{between: [s, far], latency: 100ms}]}\n"
                            "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 1s}]\n"),
                   "late_start"),
              HasSubstr("worker 0 began 119.200 s after the worker that began first"));
}

// One common look of fifteen workers is no sign that the chief, which has just begun, will not make the model.
TEST(ToldBeside, of_a_late_chief_of_many_workers_is_no_job_that_never_begins_either) {
  const std::string all =
      said(ran_case(kSyncBuild + "training: {start: natural, workers: {worker/0: {start_after: 3601430ms}}}\n"
                                 "stop: {aggregates: 5}",
                    "title: t\ncluster:\n  hosts: [s, {name: \"h{index}\", count: 16}]\n"
                    "  tasks: {ps/0: s, worker: {count: 16, host: \"h{index}\"}}\n  network: {latency: 1ms}\n"
                    "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 100ms}]\n"));
  EXPECT_THAT(all, HasSubstr("It makes the model: worker 1, worker 2, worker 3, worker 4 and 11 more found none"));
}

std::string with_first_steps_of(const char* time, const char* stop) {
  return said(ran_case(kNoTokens + stop,
                       "title: t\ncluster:\n  hosts: [server, host0, host1, host2]\n  tasks: {ps/0: server, worker/0: "
                       "host0, worker/1: host1, worker/2: host2}\n  network: {latency: 1ms}\ncosts:\n"
                       "  - {op: SparseSoftmaxCrossEntropyWithLogits, task: worker/1, time: " +
                           std::string(time) +
                           "}\n  - {op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 20ms}\n"));
}

TEST(ToldBeside, of_a_first_aggregate_that_lacks_a_worker_is_how_slow_that_one_is) {
  const std::string all = with_first_steps_of("500s", "stop: {time: 10s}");
  EXPECT_THAT(all, StartsWith("no_aggregate: "));
  EXPECT_THAT(all, HasSubstr("2 of 3 gradients were there, none of them from worker 1. "));
  EXPECT_THAT(all, HasSubstr("The cause: the kernels of the first step of worker 1, which does not end, take more than "
                             "9.998 s and those of a step of the median worker 0.020 s."));
  EXPECT_THAT(all, HasSubstr("the job goes on. To do: look at what else its host does"));
  EXPECT_THAT(with_first_steps_of("20ms", "stop: {time: 15ms}"), Not(HasSubstr("The cause:")));
}

TEST(ToldBeside, of_a_step_that_waits_for_its_token_is_all_that_it_computed) {
  EXPECT_THAT(
      with_first_steps_of("5s", "stop: {time: 6s}"),
      HasSubstr("the kernels of a step of worker 1 together take 5.000 s and those of the median worker 0.020 s"));
}

}  // namespace
}  // namespace tarry
