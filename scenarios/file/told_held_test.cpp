// What is told of jobs whose workers never begin, whose clients fail, and of loads that hide behind their neighbours.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/file/ran_case.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string told_of_faults(const std::string& faults, const std::string& protocol = "sync") {
  return said(ran_case(
      fmt::format("build: {{graph: softmax_async_ps1_task0, protocol: {}}}\nfaults: [{}]\nstop: {{global_step: 20}}",
                  protocol, faults)));
}

TEST(ToldHeld, of_a_process_that_stands_still_before_its_first_step_is_a_hang) {
  for (const char* protocol : {"sync", "async"}) {
    const std::string all = told_of_faults("{at: 0s, pause: {task: worker/1}}", protocol);
    EXPECT_THAT(all, StartsWith("stuck: Nothing moves any more: ")) << protocol;
    EXPECT_THAT(all, HasSubstr("The cause: the process of worker 1 stands still from 0.000 s on")) << protocol;
    EXPECT_THAT(told_of_faults("{at: 0s, pause: {task: worker/1, lasts: 1s}}", protocol), Not(HasSubstr("stuck")));
    const std::string until = fmt::format("{}", protocol) + "}\nstop: {global_step: 20, time: 60s}\nfaults: [";
    EXPECT_THAT(said(ran_case("build: {graph: softmax_async_ps1_task0, protocol: " + until +
                              "{at: 0s, pause: {task: worker/1}}]")),
                StartsWith("stuck: "))
        << "however the run is ended";
  }
}

TEST(ToldHeld, of_a_session_that_is_cut_off_for_good_is_a_hang) {
  const std::string cut_off = "{at: 1ms, part: {between: [server, host1]";
  EXPECT_THAT(told_of_faults(cut_off + "}}"), StartsWith("stuck: "));
  EXPECT_THAT(told_of_faults(cut_off + ", lasts: 200ms}}"), Not(HasSubstr("stuck")));
}

TEST(ToldHeld, are_no_clients_that_never_come) {
  EXPECT_THAT(said(ran_case("build: {graph: softmax_async_ps1_task0, protocol: sync}\n"
                            "training: {workers: {worker/1: {absent: true}}}\nstop: {global_step: 20}")),
              Not(HasSubstr("stuck")));
}

// The others begin at once: up to the first aggregate they wait for the process that is lost.
TEST(ToldHeld, of_a_first_aggregate_that_waits_for_a_lost_worker_says_that_training_waited) {
  const auto told = [](const char* back_after) {
    return said(ran_case(fmt::format("build: {{graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}}\n"
                                     "faults: [{{at: 0s, preempt: {{task: worker/1, back_after: {}}}}}]\n"
                                     "stop: {{aggregates: 10}}",
                                     back_after)),
                "went_on");
  };
  EXPECT_THAT(told("30ms"), HasSubstr("Training waited for it: no aggregate came before"));
}

TEST(ToldHeld, of_a_client_that_failed_are_no_kernels_that_were_slow) {
  const auto told = [](const char* slow) {
    return said(ran_case(
        fmt::format("build: {{graph: softmax_async_ps1_task0, protocol: sync}}\nfaults: [{}{{at: 1us, disconnect: "
                    "[worker/0, ps/0]}}]\nstop: {{time: 1s}}",
                    slow),
        "title: t\ncluster:\n  hosts: [a]\n  tasks: {ps/0: a, worker/0: a}\n  network: {}\n"
        "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 1s}]\n"));
  };
  EXPECT_THAT(told(""), StartsWith("failed: "));
  EXPECT_THAT(told("{at: 0s, slow: {task: ps/0, percent: 101}}, "), StartsWith("failed: "));
  EXPECT_THAT(told("{at: 0s, slow_save: {task: ps/0, time: 1us}}, "), StartsWith("failed: "));
}

TEST(ToldHeld, of_a_job_that_saves_nothing_are_no_slow_saves) {
  const auto told = [](const char* training) {
    return said(ran_case(fmt::format("build: {{graph: softmax_async_ps1_task0, protocol: sync}}\ntraining: {{{}}}\n"
                                     "faults: [{{at: 0s, slow_save: {{task: ps/0, time: 100s}}}}, {{at: 1s, kill: "
                                     "worker/1}}]\nstop: {{time: 60s}}",
                                     training)),
                "stuck");
  };
  EXPECT_THAT(told(""), HasSubstr("The cause: the process of worker 1 ended"));
  EXPECT_THAT(told(""), Not(HasSubstr("saves")));
  EXPECT_THAT(told("save_steps: 2"), HasSubstr("saves of ps 0 take 100 s longer"));
}

// No first step of it is to come: its queue is closed.
TEST(ToldHeld, of_a_worker_that_left_in_its_first_step_is_no_advice_to_wait) {
  const std::string all =
      said(ran_case("build: {graph: softmax_async_ps1_task0, protocol: stale_sync, staleness: 0}\nfaults: [{after: "
                    "{session_ready: worker/0}, leave: worker/0}]\nstop: {time: 60s}",
                    "title: t\ncluster:\n  hosts: [s, a, b]\n  tasks: {ps/0: s, worker/0: a, worker/1: b}\n  network: "
                    "{latency: 1ms}\n"
                    "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 500ms}]\n"));
  EXPECT_THAT(all, HasSubstr("ended_early: "));
  EXPECT_THAT(all, Not(HasSubstr("let it run longer")));
}

// ---- loads ----

std::string told_of_network(const std::string& network, const std::string& kind) {
  return said(
      ran_case("build: {graph: mlp_adam_async_res_ps2_task0, protocol: sync, num_tokens: 0}\nfeeds: {batch: 32}"
               "\ntraining: {soft_placement: true}\nstop: {aggregates: 15}",
               "title: t\ncluster:\n  hosts: [s, a, b, c, d]\n  tasks: {ps/0: s, worker/0: a, worker/1: b, "
               "worker/2: c, worker/3: d}\n  network: {engine: shared, " +
                   network + "}\ncosts: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 20ms}]\n"),
      kind);
}

TEST(ToldLoads, of_a_path_say_what_is_worse_of_it) {
  const auto told = [](const char* path) {
    return told_of_network(fmt::format("latency: 50us, links: [{{between: [s, d], {}}}]", path), "far");
  };
  EXPECT_THAT(
      told("latency: 60us, bandwidth: 1Gbps"),
      HasSubstr("the path of d (worker 3) to the parameter servers has 1 Gb/s and those of the others no limit"));
  EXPECT_THAT(told("latency: 20ms, bandwidth: 100Gbps"),
              HasSubstr("messages of d (worker 3) take 20 ms to the parameter servers and those of the others 50 us"));
}

TEST(ToldLoads, of_messages_say_whether_bytes_or_each_of_them_cost_time) {
  const auto told = [](const char* copy, const char* per_message) {
    return told_of_network(fmt::format("latency: 50us, transport: {{send: {{copy: {0}, per_message: {1}}}, receive: "
                                       "{{copy: {0}, per_message: {1}}}}}",
                                       copy, per_message),
                           "transport_bound");
  };
  EXPECT_THAT(told("50GB/s", "2ms"), HasSubstr("each message takes a thread's time, whatever its size. Run again with "
                                               "messages that take no thread's time but for their bytes"));
  EXPECT_THAT(told("50GB/s", "2ms"), Not(HasSubstr("copied in no time")));
  EXPECT_THAT(told("200MB/s", "1us"), HasSubstr("threads copy the bytes of messages. One tensor of 1.606 MB is 56 % of "
                                                "what ps 0 sends. Run again with messages whose "
                                                "bytes are copied in no time"));
  EXPECT_THAT(told("200MB/s", "1us"), Not(HasSubstr("each message takes")));
}

// More servers would not share it.
TEST(ToldLoads, of_one_tensor_that_is_most_of_the_bytes_are_to_be_split) {
  const std::string text = told_of_network("latency: 50us, nic: 1Gbps", "network_bound");
  EXPECT_THAT(text, HasSubstr("One tensor of 1.606 MB is 56 % of what ps 0 sends. Run again"));
  EXPECT_THAT(text, HasSubstr("To do: split that variable over several parameter servers, faster cards"));
}

TEST(ToldLoads, of_cards_that_vary_are_told) {
  const auto told = [](const char* variations) {
    return told_of_network(
        fmt::format("latency: 50us, nic: 10Gbps, variations: [{{every: 5ms, factors: {}}}]", variations), "varied");
  };
  EXPECT_THAT(told("[1, 0.05, 0.05, 0.05, 1]"), HasSubstr("It costs time that the bandwidth of network cards varies."));
  EXPECT_EQ(told("[1, 1]"), "");
}

// Each of its two engines is busy for less than a tenth of the time.
TEST(ToldLoads, of_copy_engines_count_both_of_a_gpu) {
  const RanCase c = ran_case(
      "build: {graph: mlp_adam_async_res_ps2_task0, protocol: async}\nfeeds: {batch: 32}\n"
      "training: {soft_placement: true}\nstop: {steps: 10}",
      "title: t\ncluster:\n  hosts: [s, a]\n  tasks: {ps/0: s, worker/0: {host: a, gpus: 1}}\n  devices: {gpu: "
      "{copy_bandwidth: 240MB/s}}\n  network: {latency: 50us}\n"
      "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 100ms}]\n");
  Nanos most = 0;
  for (const DeviceUse& d : c.outcome.stats.devices)
    if (d.name.find("memcpy") != d.name.npos) most = std::max(most, d.busy - d.busy_before);
  EXPECT_LT(10 * most, c.outcome.log.ended_at - c.outcome.log.started_at);
  EXPECT_THAT(said(c, "pcie_bound"), HasSubstr("Run again with copy engines of unlimited bandwidth"));
}

// What is copied passes the network at the same pace: without one of the two the other still holds it up.
TEST(ToldLoads, of_copies_and_of_the_network_that_hide_each_other_say_what_both_gain) {
  const auto told = [](const char* nic) {
    return said(
        ran_case("build: {graph: mlp_adam_async_res_ps2_task0, protocol: async}\nfeeds: {batch: 32}\n"
                 "training: {soft_placement: true}\nstop: {steps: 10}",
                 fmt::format("title: t\ncluster:\n  hosts: [s, a]\n  tasks: {{ps/0: s, worker/0: {{host: a, gpus: "
                             "1}}}}\n  devices: {{gpu: {{copy_bandwidth: 150MB/s}}}}\n  network: {{latency: 50us, "
                             "nic: {}, engine: shared}}\ncosts: [{{op: SparseSoftmaxCrossEntropyWithLogits, job: "
                             "worker, time: 10ms}}]\n",
                             nic)));
  };
  EXPECT_THAT(told("1200Mbps"), HasSubstr("the same work takes 31.8 % less time; with a network of unlimited bandwidth "
                                          "as well, 84.8 % less."));
  EXPECT_THAT(told("1200Mbps"), HasSubstr("with copy engines of unlimited bandwidth as well, 84.8 % less."));
  EXPECT_THAT(told("400Gbps"), Not(HasSubstr("as well")));
}

}  // namespace
}  // namespace tarry
