// What is told of clients that find no model and sleep, of workers that leave, and of hosts that hold servers and
// workers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/file/ran_case.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Worker 0 makes the model after 0.1 s: the other one has looked by then, and sleeps for 30 s.
std::string told_of_a_sleeper(const std::string& protocol, const std::string& fault, const std::string& stop) {
  return said(ran_case("build: {graph: softmax_async_ps1_task0, protocol: " + protocol +
                           "}\ntraining: {start: natural, save_steps: 5, workers: {worker/0: {start_after: 100ms}}}\n"
                           "faults: [" +
                           fault + "]\nstop: {" + stop + "}",
                       "title: t\ncluster:\n  hosts: [server, host0, host1]\n"
                       "  tasks: {ps/0: server, worker/0: host0, worker/1: host1}\n  network: {latency: 1ms}\n"
                       "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 1s}]\n"));
}

TEST(ToldAsleep, of_a_client_that_was_cut_off_before_it_woke_is_a_hang) {
  for (const char* protocol : {"sync", "async"}) {
    const std::string all =
        told_of_a_sleeper(protocol, "{at: 12s, part: {between: [host1, server]}}", "global_step: 50");
    EXPECT_THAT(all, StartsWith("stuck: Nothing moves any more: ")) << protocol;
    EXPECT_THAT(all, HasSubstr("The cause: nothing passes between host1 and server from 12.000 s on"));
    EXPECT_THAT(all, Not(HasSubstr("absent: ")));
    EXPECT_THAT(
        told_of_a_sleeper(protocol, "{at: 12s, part: {between: [host1, server], lasts: 5s}}", "global_step: 50"),
        Not(HasSubstr("stuck: ")));
  }
}

TEST(ToldAsleep, of_a_client_are_no_faults_that_only_slow_down_meanwhile) {
  const std::string slow_saves = "{at: 3s, slow_save: {task: ps/0, time: 100ms}}";
  EXPECT_THAT(told_of_a_sleeper("async", slow_saves, "time: 40s"), Not(HasSubstr("went_on: ")));
  EXPECT_THAT(told_of_a_sleeper("async", "{at: 3s, pause: {task: worker/1, lasts: 30s}}", "time: 60s"),
              HasSubstr("went_on: "))
      << "what stops it is";
  std::string late_model = kOneServer;
  late_model.insert(late_model.find("costs: [") + 8, "{op: Assign, job: ps, time: 20ms}, ");
  const auto told = [&](const char* fault) {
    return said(ran_case(fmt::format("build: {{graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}}\n"
                                     "training: {{start: natural}}\nfaults: [{}]\nstop: {{aggregates: 30}}",
                                     fault),
                         late_model));
  };
  EXPECT_THAT(told("{at: 0s, slow: {task: worker/0, percent: 101}}"), StartsWith("late_start: worker 1 and worker 2"));
}

TEST(ToldLeaving, of_an_asynchronous_worker_says_that_the_others_went_on) {
  const auto told = [](const std::string& at) {
    return said(ran_case("build: {graph: softmax_async_ps1_task0, protocol: async}\nfaults: [{at: " + at +
                         ", leave: worker/1}]\nstop: {steps: 30}"),
                "went_on");
  };
  EXPECT_THAT(told("100ms"), HasSubstr("worker 1 left training at 0."));
  EXPECT_THAT(told("100ms"), HasSubstr(": the others trained on without it, up to "));
  EXPECT_THAT(told("100ms"), HasSubstr("To do: let worker 1 train as long as the others."));
  EXPECT_EQ(told("660ms"), "") << "it had nearly done its steps";
  EXPECT_EQ(said(ran_case("build: {graph: softmax_async_ps1_task0, protocol: async}\nfaults: [{at: 540ms, leave: "
                          "worker/1}]\nvariations: [{task: worker/0, factor: 2}, {task: worker/2, factor: 2}]\n"
                          "stop: {steps: 25}"),
                 "went_on"),
            "")
      << "the others come to as many";
  EXPECT_THAT(told("100ms, leave: worker/2}, {at: 120ms"),
              HasSubstr("worker 1 and worker 2 left training, the first of them at 0.120 s: the others trained"));
}

// Each host has a parameter server and a worker, so that a far one is far from all.
TEST(ToldFar, of_a_host_of_a_server_and_a_worker_compares_their_nearest_neighbours) {
  const auto told = [](const std::string& links) {
    return said(ran_case("build: {graph: mlp_adam_async_res_ps2_task0, protocol: sync, num_tokens: 0}\n"
                         "training: {soft_placement: true}\nstop: {aggregates: 20}",
                         "title: t\ncluster:\n  hosts: [n0, n1, n2]\n  tasks: {ps/0: n0, ps/1: n1, ps/2: n2, "
                         "worker/0: n0, worker/1: n1, worker/2: n2}\n  network: {latency: 1ms, links: [" +
                             links + "]}\n"),
                "far");
  };
  const std::string first = "{between: [n2, n0], latency: 100ms}", second = "{between: [n2, n1], latency: 100ms}";
  EXPECT_THAT(told(first + ", " + second),
              HasSubstr("messages of n2 (ps 2, worker 2) take 100 ms to ps 0 and ps 1 and those of the others 1 ms."));
  EXPECT_EQ(told(first + ", " + second + ", {between: [n0, n1], latency: 100ms}"), "") << "all are as far";
}

}  // namespace
}  // namespace tarry
