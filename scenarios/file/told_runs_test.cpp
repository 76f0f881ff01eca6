// What is said of jobs that ran, beside runs without a cause.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/file/ran_case.hpp"
#include "scenarios/job/prove.hpp"
#include "scenarios/job/why.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

std::string told(const std::string& kind, const std::string& rest, const std::string& cluster) {
  const RanCase c = ran_case(rest, cluster);
  const std::vector<Proof> proofs = prove(c.job, c.outcome).value();
  const Contributions contributions = read_contributions(c.outcome.log);
  std::string all;
  for (const Verdict& v : judge(c.outcome.log, contributions, c.outcome.tasks, proofs))
    if (v.kind == kind) all += v.text;
  return all;
}

std::string with_costs(const std::string& costs) {
  return "title: t\ncluster:\n  hosts: [server, host0, host1, host2]\n"
         "  tasks: {ps/0: server, worker/0: host0, worker/1: host1, worker/2: host2}\n  network: {latency: 100us}\n"
         "costs:\n" +
         costs;
}
std::string cost(const std::string& of, const std::string& time) {
  return "- {op: SparseSoftmaxCrossEntropyWithLogits, " + of + ", time: " + time + "}\n";
}

// Two of three workers are slow by costs of their own: the median is slow itself.
TEST(Told, stragglers_may_be_most_of_the_workers) {
  const std::string slow =
      cost("task: worker/1", "60ms") + cost("task: worker/2", "60ms") + cost("job: worker", "20ms");
  EXPECT_THAT(told("straggler", kSyncBuild + "stop: {aggregates: 20}", with_costs(slow)),
              HasSubstr("the kernels of worker 1 and worker 2 take longer than those of worker 0: 0.060 s a step each; "
                        "usual is 0.020 s a step"));
  const std::string fast = cost("task: worker/0", "20ms") + cost("job: worker", "60ms");
  EXPECT_EQ(told("straggler", kSyncBuild + "stop: {aggregates: 20}", with_costs(fast)), "")
      << "one is fast by a cost of its own";
}

// A cost that names a worker and changes nothing, whatever it is of, makes it no worker that is slow by that.
TEST(Told, workers_are_slow_by_costs_of_their_own_only_where_they_are_faster_without) {
  const std::string rest =
      kSyncBuild + "stop: {aggregates: 20}\nfaults: [{at: 0s, slow: {task: worker/0, percent: 20}}]";
  const std::string all = cost("job: worker", "100ms");
  EXPECT_EQ(told("straggler", rest, with_costs(all)), "");
  const std::string of_1 = "- {op: AddV2, task: worker/1, time: 1us}\n",
                    of_2 = "- {op: AddV2, task: worker/2, time: 1us}\n";
  EXPECT_EQ(told("straggler", rest, with_costs(of_1 + of_2 + all)), "");
  const std::string same = cost("task: worker/1", "100ms") + cost("task: worker/2", "100ms");
  EXPECT_EQ(told("straggler", rest, with_costs(same + all)), "");
  const std::string at_once = "variations: [{task: worker/1, factor: 1}, {task: worker/2, factor: 1}]\n";
  EXPECT_EQ(told("straggler", at_once + rest, with_costs(all)), "");
}

std::string with_five_workers(const std::string& costs) {
  return "title: t\ncluster:\n  hosts: [server, host0, host1, host2, host3, host4]\n  tasks: {ps/0: server, worker/0: "
         "host0, worker/1: host1, worker/2: host2, worker/3: host3, worker/4: host4}\n  network: {latency: "
         "1ms}\ncosts:\n" +
         costs;
}

// The usual one is whom nothing is said of, and not another of its pace; nor is one that is faster by a cost of its
// own.
TEST(Told, stragglers_are_compared_with_one_without_costs_of_its_own) {
  const std::string slow =
      cost("task: worker/2", "80ms") + cost("task: worker/3", "80ms") + cost("task: worker/4", "80ms");
  for (const char* own : {"20ms", "5ms"})
    EXPECT_THAT(told("straggler", kSyncBuild + "stop: {aggregates: 20}",
                     with_five_workers(slow + cost("task: worker/0", own) + cost("job: worker", "20ms"))),
                HasSubstr("longer than those of worker 1: 0.080 s a step each; usual is 0.020 s a step"))
        << own;
}

TEST(Told, stragglers_among_many_are_compared_with_one_that_no_cost_of_its_own_slows_down) {
  const std::string slow =
      cost("task: worker/2", "80ms") + cost("task: worker/3", "80ms") + cost("task: worker/4", "80ms");
  EXPECT_THAT(
      told("straggler", kSyncBuild + "stop: {aggregates: 20}", with_five_workers(slow + cost("job: worker", "20ms"))),
      HasSubstr("longer than those of worker 0: 0.080 s a step each; usual is 0.020 s"));
}

// Two of three workers have a CPU of their own, whose launches take so long.
std::string with_slow_devices(const std::string& own) {
  return "title: t\ncluster:\n  hosts: [server, host0, host1, host2]\n  tasks:\n    ps/0: server\n    worker/0: host0\n"
         "    worker/1: {host: host1, cpu: {launch: " +
         own + "}}\n    worker/2: {host: host2, cpu: {launch: " + own +
         "}}\n  devices: {cpu: {launch: 1ms}}\n  network: {latency: 1ms}\n";
}

TEST(Told, stragglers_by_devices_of_their_own_are_compared_with_the_one_that_has_the_usual_ones) {
  const std::string rest =
      "build: {graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}\nfeeds: {batch: 4}\nstop: {aggregates: "
      "9}";
  EXPECT_THAT(
      told("straggler", rest, with_slow_devices("4ms")),
      HasSubstr("Some workers are what the others wait for: the kernels of worker 1 and worker 2 take longer than "
                "those of worker 0"));
  EXPECT_EQ(told("straggler", rest, with_slow_devices("1ms")), "");
}

// One parameter server sends nearly all bytes. Its process is away from 2 s to 4 s, and two workers look for a model
// only half a minute later: a quicker run has done as much before 2 s, and stands still after that.
const std::string kBusyServer =
    "title: t\ncluster:\n  hosts: [a, b, h0, h1, h2, h3]\n  tasks: {ps/0: a, ps/1: b, worker/0: h0, worker/1: h1, "
    "worker/2: h2, worker/3: h3}\n  network: {latency: 1ms, nic: 100Mbps}\ncosts:\n" +
    cost("job: worker", "20ms");
const std::string kHundred =
    "build: {graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}\nfeeds: {batch: 100}\n"
    "stop: {aggregates: 100}\n";
const std::string kAwayForTwoSeconds = "faults: [{at: 2s, kill: ps/1}, {at: 4s, restart: ps/1}]\n";

TEST(Told, a_load_gains_nothing_by_what_is_done_before_a_fault) {
  for (const char* load : {"ps_imbalance", "network_bound"}) {
    EXPECT_EQ(told(load, kHundred + kAwayForTwoSeconds, kBusyServer), "");
    EXPECT_THAT(told(load, kHundred, kBusyServer), HasSubstr("% less time"));
  }
}

// It stands still again without the load; most of its aggregates are lost in both runs.
TEST(Told, a_time_without_a_load_is_of_what_was_lost_as_well) {
  const RanCase c = ran_case(kHundred + kAwayForTwoSeconds, kBusyServer);
  const Why w = why(c.job, c.outcome, {}).value();
  const auto network = std::ranges::find(w.causes, Proof::Cause::network, [](const auto& x) { return x.proof.cause; });
  ASSERT_NE(network, w.causes.end());
  EXPECT_GT(w.base.lost, 0);
  EXPECT_NEAR(static_cast<double>(network->without),
              (1 - network->proof.gain) * static_cast<double>(w.base.as_if_nothing_was_lost().progressed), 10);
}

// Worker 1 does its steps, after which all wait, until worker 2 is lost and leaves a token to the others.
TEST(Told, a_fault_without_which_the_job_hangs_costs_no_time) {
  const std::string costs = with_costs(cost("job: worker", "100ms"));
  const std::string rest =
      "build: {graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}\n"
      "training: {workers: {worker/1: {steps: 20}}}\nstop: {time: 20s}\n"
      "faults: [{at: 4s, preempt: {task: worker/2, back_after: 1s}}]\n";
  const std::string went_on = told("went_on", rest, costs);
  EXPECT_THAT(went_on, HasSubstr("Training waited for other workers, too"));
  EXPECT_EQ(went_on.find("less time"), std::string::npos) << went_on;
}

// Three workers whose kernels take what their devices need; worker 2 has so many GPUs.
std::string with_gpus(int of_worker_2) {
  return fmt::format(
      "title: t\ncluster:\n  hosts: [s, a, b, c]\n  tasks: {{ps/0: s, worker/0: {{host: a, gpus: 1}}, worker/1: "
      "{{host: "
      "b, gpus: 1}}, worker/2: {{host: c, gpus: {}}}}}\n  devices: {{cpu: {{flops: 20Gflop/s}}, gpu: {{flops: "
      "9Tflop/s, launch: 5us}}}}\n  network: {{latency: 10us}}\n",
      of_worker_2);
}

TEST(Told, stragglers_without_a_gpu_are_to_get_one) {
  const std::string rest =
      "build: {graph: mlp_adam_async_res_ps2_task0, protocol: sync, num_tokens: 0}\ntraining: {soft_placement: true}\n"
      "feeds: {batch: 2000}\nstop: {aggregates: 8}";
  const std::string text = told("straggler", rest, with_gpus(0));
  EXPECT_THAT(text, HasSubstr("worker 2 is what the others wait for: worker 2 has no GPU: the kernels of a step of "
                              "worker 2 together take "));
  EXPECT_THAT(text, HasSubstr(" s on its CPU and those of the median worker "));
  EXPECT_THAT(text,
              HasSubstr(" s on a GPU. Run again with GPUs on worker 2 as on the median worker (same seed), the "));
  EXPECT_THAT(text, HasSubstr("To do: give it a GPU, as the others have, or have a backup worker"));
  EXPECT_EQ(told("straggler", rest, with_gpus(1)), "");
  const std::string of_its_own =
      told("straggler", rest + "\ncosts: [{op: MatMul, task: worker/2, time: 100ms}, {op: MatMul, time: 10ms}]",
           with_gpus(0));
  EXPECT_THAT(of_its_own, HasSubstr("Run again with worker 2 as fast as ")) << "on a GPU it is as slow";
}

// Two parameter servers, of which the second takes so long to save its part of a checkpoint.
std::string saving(const char* of_1, const char* of_0 = "100ms", const char* faults = "") {
  return told("checkpoint_bound",
              "build: {graph: softmax_async_ps2_task0, protocol: sync}\ntraining: {save_steps: 10}\n"
              "stop: {aggregates: 40}" +
                  std::string(faults),
              fmt::format("title: t\ncluster:\n  hosts: [r, s, a, b]\n  tasks: {{ps/0: r, ps/1: s, worker/0: a, "
                          "worker/1: b}}\n  network: {{latency: 1ms}}\ncosts:\n- {{op: SaveV2, task: ps/1, time: "
                          "{}}}\n- {{op: SaveV2, time: {}}}\n",
                          of_1, of_0));
}

TEST(Told, slow_saves_of_one_parameter_server_name_it) {
  EXPECT_THAT(saving("2s"), HasSubstr("between its steps: a save takes ps 1 2.000 s, and the median parameter server "
                                      "0.100 s. Run again with saves of ps 1 as short as those of the median parameter "
                                      "server (same seed), the same work takes "));
  EXPECT_THAT(saving("2s"), HasSubstr("To do: give ps 1 a faster disk, or save less often."));
  EXPECT_THAT(saving("2s"), testing::Not(HasSubstr("without checkpoints"))) << "it is nearly all of the time";
  EXPECT_THAT(saving("2s", "1s"), testing::AllOf(HasSubstr("as short as those of the median parameter server (same "
                                                           "seed), "),
                                                 HasSubstr(" less time. Run again without checkpoints (same seed), ")));
}

TEST(Told, slow_saves_name_the_parameter_server_also_where_the_others_save_in_no_time) {
  EXPECT_THAT(saving("2s", "0s"), HasSubstr("a save takes ps 1 2.000 s, and the median parameter server 0.000 s."));
  EXPECT_THAT(saving("0s", "0s"), testing::Not(HasSubstr("a save takes")));
  const std::string spare =
      told("checkpoint_bound",
           "build: {graph: softmax_async_ps1_task0, protocol: async, ps: 4}\n"
           "training: {save_steps: 5}\nstop: {steps: 20}",
           "title: t\ncluster:\n  hosts: [p, q, r, s, a]\n  tasks: {ps/0: p, ps/1: q, ps/2: r, "
           "ps/3: s, worker/0: a}\n  network: {latency: 1ms}\ncosts:\n- {op: SaveV2, time: 500ms}\n");
  EXPECT_THAT(spare, HasSubstr("without checkpoints"));
  EXPECT_THAT(spare, testing::Not(HasSubstr("a save takes"))) << "the others have nothing to save";
}

TEST(Told, saves_that_are_as_slow_everywhere_name_no_parameter_server) {
  EXPECT_THAT(saving("100ms"), HasSubstr("between its steps. Run again without checkpoints"));
  EXPECT_THAT(saving("100ms"), testing::Not(HasSubstr("ps 1")));
  EXPECT_THAT(saving("100ms", "100ms", "\nfaults: [{at: 0s, slow: {task: ps/1, percent: 2000}}]"),
              testing::Not(HasSubstr("ps 1")))
      << "the fault is told";
  EXPECT_THAT(saving("{exponential: {mean: 2s}}", "{exponential: {mean: 100ms}}"), testing::Not(HasSubstr("ps 1")))
      << "it may be chance";
}

std::string with_servers(int servers, const std::string& nic) {
  std::string hosts, tasks;
  for (int i = 0; i < servers; ++i) hosts += fmt::format("s{}, ", i), tasks += fmt::format("ps/{0}: s{0}, ", i);
  return fmt::format(
      "title: t\ncluster:\n  hosts: [{}a, b]\n  tasks: {{{}worker/0: a, worker/1: b}}\n  network: {{latency: 100us, "
      "nic: {}}}\n",
      hosts, tasks, nic);
}

TEST(Told, parameter_servers_without_variables_are_to_get_some) {
  const auto built = [](const std::string& ps) {
    return told("ps_imbalance",
                "build: {graph: mlp_adam_async_res_ps2_task0, protocol: sync, num_tokens: 0" + ps +
                    "}\ntraining: {soft_placement: true}\nfeeds: {batch: 100}\nstop: {aggregates: 8}",
                with_servers(4, "1Gbps"));
  };
  EXPECT_THAT(
      built(", ps: 1"),
      HasSubstr("To do: spread the variables by bytes (greedy) over all 4 parameter servers; or split that variable"));
  EXPECT_THAT(built(""), testing::Not(HasSubstr("over all")));
}

// Ids that are even are rows of the first of two parts, those that are odd of the second.
TEST(Told, rows_that_one_server_has_of_a_table_in_parts_are_to_be_spread) {
  const auto looked_up = [](int step) {
    std::string words, context;
    for (int i = 0; i < 128; ++i) words += fmt::format("{}, ", step * (i % 50));
    for (int i = 0; i < 128; ++i) context += fmt::format("[{}], ", step * (i % 50));
    return told("ps_imbalance",
                fmt::format("build: {{graph: word2vec_nce_ps2_task0, protocol: async}}\nfeeds: {{values: {{'words:0': "
                            "[{}], 'context:0': [{}]}}}}\nstop: {{steps: 10}}",
                            words.substr(0, words.size() - 2), context.substr(0, context.size() - 2)),
                with_servers(2, "100Mbps"));
  };
  EXPECT_THAT(looked_up(2),
              HasSubstr("Most of what ps 1 sends are rows of embedding, nce_w, whose parts are on several "
                        "servers: those that steps look up are on it. To do: spread these rows"));
  EXPECT_EQ(looked_up(1), "");
}

// Of three workers until 15 s, whose steps take so long; the parameter server stands still from a moment on.
std::string with_pause(const std::string& kind, const std::string& protocol, const char* step, const char* pause) {
  return told(
      kind,
      fmt::format("build: {{graph: softmax_async_ps1_task0, protocol: {}}}\nfeeds: {{batch: 10}}\nstop: {{time: "
                  "15s}}\nfaults: [{}]",
                  protocol, pause),
      with_costs(cost("job: worker", step)));
}

TEST(Told, a_pause_that_is_over_is_no_cause_where_the_first_steps_take_longer_than_the_run) {
  const char* pause = "{at: 2s, pause: {task: ps/0, lasts: 3s}}";
  EXPECT_EQ(with_pause("stuck", "async", "20s", pause), "");
  EXPECT_EQ(with_pause("stalled", "async", "20s", pause), "");
  EXPECT_NE(with_pause("not_started", "async", "20s", pause), "");
  const char* long_pause = "{at: 2s, pause: {task: ps/0, lasts: 12s}}";
  EXPECT_EQ(with_pause("stalled", "async", "20s", long_pause), "") << "without it nothing more is done";
  EXPECT_EQ(with_pause("stuck", "sync, num_tokens: 0", "20s", pause), "");
}

TEST(Told, a_pause_that_kept_the_first_steps_until_the_end_is_their_cause) {
  for (const char* protocol : {"async", "sync"}) {
    const std::string text = with_pause("stalled", protocol, "1s", "{at: 0s, pause: {task: ps/0, lasts: 14.5s}}");
    EXPECT_THAT(text,
                HasSubstr(" from 0.000 s to 15.000 s (15.000 s). The cause: the process of ps 0 stands still from "
                          "0.000 s to 14.500 s."));
    EXPECT_THAT(text, HasSubstr("Run again without the faults of ps 0 (same seed), the job goes on. To do: "));
    EXPECT_THAT(text, testing::Not(HasSubstr("It ended")));
  }
}

TEST(Told, nobody_goes_on_without_a_worker_before_the_first_aggregate) {
  const auto said = [](const char* kind) {
    return told(kind,
                "build: {graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}\nfeeds: {batch: 10}\ntraining: "
                "{workers: {worker/2: {first_step_after: 30s}}}\nstop: {time: 20s}\nfaults: [{at: 2s, part: {between: "
                "[host1, server], lasts: 500ms}}]",
                with_costs(cost("job: worker", "100ms")));
  };
  EXPECT_EQ(said("went_on"), "");
  EXPECT_THAT(said("no_aggregate"), HasSubstr("worker 2 had begun no step"));
}

TEST(Told, a_pause_that_is_over_is_no_cause_where_the_first_batch_takes_longer_to_read_than_the_run) {
  const auto said = [](const char* kind) {
    return told(kind,
                "build: {graph: input_files_ps1_task0, protocol: sync, num_tokens: 0}\nfeeds: {files: [{name: '*', "
                "records: 100000}]}\nstop: {time: 15s}\nfaults: [{at: 2.5s, pause: {task: ps/0, lasts: 3s}}]",
                with_costs("- {op: ReaderReadV2, time: 20ms}\n- {op: MatMul, time: 200ms}\n"));
  };
  EXPECT_EQ(said("stuck"), "");
  EXPECT_THAT(said("no_aggregate"), HasSubstr("The first steps wait for examples"));
}

// The parameter server and worker 1 lose their host, or each its own, for 2 s; clients sleep for 30 s then.
std::string lost_for_a_while(const char* kind, const char* until, const char* host_of_1, const char* fault) {
  return told(kind,
              fmt::format("build: {{graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}}\nfeeds: {{batch: "
                          "32}}\nstop: {{time: {}}}\nfaults: [{{at: 3s, {}}}]",
                          until, fault),
              fmt::format("title: t\ncluster:\n  hosts: [server, h0, h1, h2]\n  tasks: {{ps/0: server, worker/0: h0, "
                          "worker/1: {}, worker/2: h2}}\n  network: {{latency: 1ms}}\ncosts:\n",
                          host_of_1) +
                  cost("job: worker", "100ms"));
}

TEST(Told, a_host_that_is_back_leaves_no_job_stuck_whose_clients_look_again_later) {
  const char* host = "lose_host: {host: server, back_after: 2s}";
  EXPECT_EQ(lost_for_a_while("stuck", "12s", "server", host), "");
  EXPECT_THAT(
      lost_for_a_while("stalled", "12s", "server", host),
      HasSubstr("When the run ended, worker 1 and worker 2 slept: a client that finds no model looks again after "
                "30 s."));
  EXPECT_EQ(lost_for_a_while("stuck", "60s", "server", host), "") << "then they train";
  EXPECT_THAT(lost_for_a_while("stalled", "60s", "server", host),
              HasSubstr("To do: restart ps 0 and worker 1 sooner, and save checkpoints; let clients that find no model "
                        "look again sooner (recovery_wait_secs)."));
}

TEST(Told, a_rack_that_was_lost_names_the_server_that_was_back_long_before_the_worker_was_ready) {
  const std::string text = lost_for_a_while("stalled", "60s", "h1", "lose_rack: {hosts: [h1, server], back_after: 2s}");
  EXPECT_THAT(text, HasSubstr("the process of ps 0 ended at 3.000 s"));
  EXPECT_THAT(text, HasSubstr("the process of worker 1 ended at 3.000 s"));
}

}  // namespace
}  // namespace tarry
