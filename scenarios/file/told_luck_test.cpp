// What is told, and what is not, of jobs that wait: for a client's next look, for a host, for a worker that has left.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/file/ran_case.hpp"
#include "scenarios/file/tried_cures.hpp"
#include "scenarios/job/prove.hpp"
#include "scenarios/job/what_if.hpp"
#include "scenarios/job/why.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::Not;

// A client finds no model at 9.6 s and looks again half a minute later; a run that is a little shorter has the model
// by then, and it takes two changes to be so much shorter.
TEST(ToldLuck, leaves_out_the_wait_of_a_client_that_two_changes_together_just_avoid) {
  const RanCase c = ran_case(
      "build: {graph: mlp_adam_async_res_ps2_task0, protocol: sync}\nfeeds: {batch: 32}\n"
      "training: {save_every: 60s, soft_placement: true}\n"
      "faults: [{at: 6.6s, preempt: {task: ps/0, back_after: 3s}}]\nstop: {global_step: 150, time: 150s}",
      "title: t\ncluster:\n  hosts: [p0, p1, h0, h1]\n  tasks: {ps/0: p0, ps/1: p1, worker/0: h0, worker/1: h1}\n"
      "  network: {latency: 50us, nic: 1Gbps}\ncosts:\n- {op: SaveV2, time: 200ms}\n- {op: "
      "SparseSoftmaxCrossEntropyWithLogits, job: worker, time: {lognormal: {mean: 60ms, sd: 3ms}}}\n");
  const std::string all = said(c);
  EXPECT_THAT(all, HasSubstr("Run again without the faults of ps 0"));
  EXPECT_THAT(all, Not(HasSubstr("gains much alone")));
}

// Three clients find no model and look again half a minute later. With the variables elsewhere the model is there in
// time, and what that saves is not due to worker 2, whose lateness costs nothing beside those looks.
TEST(ToldLuck, of_a_late_worker_is_told_after_the_waits_of_clients_that_cost_more) {
  const RanCase c = ran_case(
      "build: {graph: mlp_adam_async_res_ps2_task0, protocol: async}\nfeeds: {batch: 32}\n"
      "training: {start: natural, soft_placement: true, workers: {worker/2: {start_after: 12s}}}\n"
      "stop: {steps: 150}",
      "title: t\ncluster:\n  hosts: [p0, p1, h0, h1, h2, h3, h4]\n  tasks: {ps/0: p0, ps/1: p1, worker/0: h0, "
      "worker/1: h1, worker/2: h2, worker/3: h3, worker/4: h4}\n  network: {latency: 1ms, nic: 1Gbps}\n"
      "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: {lognormal: {mean: 60ms, sd: 6ms}}}]\n");
  const std::string all = said(c);
  EXPECT_EQ(all.find("late_start: worker 1, worker 3 and worker 4 found no model ready"), 0u) << all;
  EXPECT_THAT(all, Not(HasSubstr("left out and with"))) << "of several that are taken away together it is said once";
}

// With three other seeds worker 1 has bad luck again each time.
TEST(ToldLuck, asks_enough_other_seeds_before_it_calls_one_of_two_equal_workers_slow) {
  EXPECT_EQ(said(ran_case("build: {graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}\nseed: 111\n"
                          "stop: {aggregates: 12}",
                          "title: t\ncluster:\n  hosts: [s, a, b]\n  tasks: {ps/0: s, worker/0: a, worker/1: b}\n"
                          "  network: {latency: 1ms}\ncosts: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, "
                          "time: {lognormal: {mean: 100ms, sd: 60ms}}}]\n"),
                 "straggler"),
            "");
}

// A worker that is half again as slow, beside draws of all.
RanCase with_slow_worker_2(const char* factor) {
  return ran_case(
      fmt::format("build: {{graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}}\nvariations: "
                  "[{{task: worker/2, factor: {}}}, {{job: worker, factor: {{lognormal: {{mean: 1, sd: 0.6}}}}}}]\n"
                  "stop: {{aggregates: 30}}",
                  factor));
}
double seconds_of(const RanCase& c) { return in_seconds(c.outcome.log.ended_at - c.outcome.log.started_at); }

TEST(ToldLuck, leaves_all_other_variations_their_draws) {
  const RanCase slow = with_slow_worker_2("1.5");
  const std::vector<Proof> proofs = prove(slow.job, slow.outcome).value();
  const auto proof = std::ranges::find(proofs, Proof::Cause::slow_worker, &Proof::cause);
  ASSERT_NE(proof, proofs.end());
  EXPECT_NEAR(proof->gain, 1 - seconds_of(with_slow_worker_2("1")) / seconds_of(slow), 1e-6);
}

// Each of two slow workers gains nothing alone, since the other is as slow; checkpoints gain little.
TEST(ToldGroups, stand_alone_beside_a_small_load) {
  const auto told = [](const std::string& rest) {
    return said(
        ran_case("  - {op: SaveV2, time: 120ms}\nbuild: {graph: softmax_async_ps1_task0, protocol: sync, "
                 "num_tokens: 0}\ntraining: {save_steps: 5}\nstop: {aggregates: 30}",
                 "title: t\ncluster:\n  hosts: [s, a, b, c, d, e]\n  tasks: {ps/0: s, worker/0: a, worker/1: b, "
                 "worker/2: c, worker/3: d, worker/4: e}\n  network: {latency: 1ms}\ncosts:\n" +
                     rest + "  - {op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 100ms}\n"));
  };
  const std::string slow =
      "  - {op: SparseSoftmaxCrossEntropyWithLogits, task: worker/3, time: 200ms}\n"
      "  - {op: SparseSoftmaxCrossEntropyWithLogits, task: worker/4, time: 200ms}\n";
  EXPECT_THAT(told(slow), testing::StartsWith("straggler: "));
  EXPECT_THAT(told(slow),
              HasSubstr("with all workers as fast as the median worker (same seed), the same work takes 40.0 %"));
  EXPECT_THAT(told(slow), Not(HasSubstr("much alone")));
  EXPECT_THAT(told(""), Not(HasSubstr("straggler")));
}

// Each of two slow asynchronous workers takes as much away whatever the other does; one of them just less than a tenth.
TEST(ToldGroups, name_a_worker_that_costs_a_little_less_than_a_tenth_beside_one_that_costs_more) {
  const auto told = [](const char* other, const char* slow = "690ms") {
    return said(
        ran_case("build: {graph: softmax_async_ps1_task0, protocol: async}\nstop: {time: 60s}",
                 fmt::format("title: t\ncluster:\n  hosts: [s, a, b, c, d, e, f]\n  tasks: {{ps/0: s, worker/0: a, "
                             "worker/1: b, worker/2: c, worker/3: d, worker/4: e, worker/5: f}}\n  network: "
                             "{{latency: 100us}}\ncosts:\n"
                             "- {{op: SparseSoftmaxCrossEntropyWithLogits, task: worker/4, time: {}}}\n"
                             "- {{op: SparseSoftmaxCrossEntropyWithLogits, task: worker/2, time: {}}}\n"
                             "- {{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 300ms}}\n",
                             slow, other)),
        "straggler");
  };
  EXPECT_THAT(told("630ms"), HasSubstr("the kernels of worker 2 and worker 4 take longer"));
  EXPECT_THAT(told("630ms"), HasSubstr("the same work takes 18.2 % less time"));
  EXPECT_THAT(told("350ms", "800ms"), HasSubstr("worker 4 is slower than the others"));
  EXPECT_THAT(told("350ms", "800ms"), Not(HasSubstr("worker 2"))) << "it costs hardly anything";
  EXPECT_THAT(told("680ms"), HasSubstr("worker 2 is slower than the others")) << "each is told by itself";
}

// Parts of these jobs take turns at being the slowest: each host's interference gains alone, and both gain more.
TEST(ToldGroups, of_slow_workers_are_left_out_beside_what_makes_them_slow) {
  const RanCase c = ran_case(
      "build: {graph: mlp_adam_async_res_ps2_task0, protocol: sync, num_tokens: 0}\nfeeds: {batch: 32}\n"
      "training: {soft_placement: true}\nstop: {aggregates: 20}\ninterference:\n"
      "- {host: c, every: 300ms, lasts: 200ms, percent: 300}\n- {host: e, every: 300ms, lasts: 200ms, percent: 300}",
      "title: t\nseed: 3\ncluster:\n  hosts: [r, s, a, b, c, d, e, f]\n  tasks: {ps/0: r, ps/1: s, worker/0: a, "
      "worker/1: b, worker/2: c, worker/3: d, worker/4: e, worker/5: f}\n  network: {latency: 1ms}\ncosts:\n"
      "- {op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: {lognormal: {mean: 40ms, sd: 12ms}}}\n");
  const std::string text = said(c, "straggler");
  EXPECT_THAT(text, HasSubstr("without what interferes with e (worker 4)"));
  EXPECT_THAT(text, Not(HasSubstr("all workers as fast")));
}

// Of two ways to spread the variables one is told, and where a card is.
TEST(ToldGroups, of_cards_and_variables_say_where_and_one_way_to_spread) {
  const std::string text = said(ran_case(
      "build: {graph: mlp_adam_async_res_ps2_task0, protocol: sync, num_tokens: 0}\nfeeds: {batch: 32}\n"
      "training: {soft_placement: true}\nstop: {aggregates: 20}",
      "title: t\nseed: 57\ncluster:\n  hosts: [r, s, a, b, c, d, {name: e, nic: 2Gbps}, {name: f, nic: 2Gbps}]\n"
      "  tasks: {ps/0: r, ps/1: s, worker/0: a, worker/1: b, worker/2: c, worker/3: d, worker/4: e, worker/5: f}\n"
      "  network: {latency: 1ms, nic: 10Gbps, engine: shared}\ncosts:\n"
      "- {op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 40ms}\n"));
  EXPECT_THAT(text, HasSubstr("Run again with 10 Gb/s on e, with 10 Gb/s on f and with the bytes split evenly"));
}

// Two workers share a narrow card; the server, which sends all bytes, has a wide one.
TEST(ToldGroups, of_a_narrow_network_name_the_host_whose_card_is_full) {
  const auto told = [](const char* host, const char* of_server = "40Gbps") {
    return said(
        ran_case("build: {graph: mlp_adam_async_res_ps2_task0, protocol: sync, num_tokens: 0}\nfeeds: {batch: 32}\n"
                 "training: {soft_placement: true}\nstop: {aggregates: 15}",
                 fmt::format("title: t\ncluster:\n  hosts: [{{name: s, nic: {}}}, a, b, c, d]\n  tasks: {{ps/0: "
                             "s, worker/0: a, worker/1: {}, worker/2: c, worker/3: d}}\n  network: {{latency: "
                             "1ms, nic: 1Gbps, engine: shared}}\ncosts:\n- {{op: "
                             "SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 20ms}}\n",
                             of_server, host)),
        "network_bound");
  };
  EXPECT_THAT(told("a"), HasSubstr("Of all cards, those of a (worker 0, worker 1) are used most."));
  EXPECT_THAT(told("a"), HasSubstr("To do: fewer tasks on one host, faster cards,"));
  EXPECT_THAT(told("b"), HasSubstr("Of all cards, those of 4 hosts, such as a (worker 0), are used most."));
  EXPECT_THAT(told("b"), HasSubstr("To do: faster cards,"));
  EXPECT_THAT(told("b", "1Gbps"), HasSubstr("are sent or received by s (ps 0).")) << "its card is full, too";
}

// Two slow workers hide each other. That no save, or a short one, gains so much is one gain.
TEST(ToldGroups, are_hidden_beside_two_ways_to_save_less) {
  const RanCase c = ran_case(
      "build: {graph: softmax_async_ps2_task0, protocol: sync, num_tokens: 0}\ntraining: {save_steps: 5}\n"
      "stop: {aggregates: 30}",
      "title: t\ncluster:\n  hosts: [r, s, a, b, c]\n  tasks: {ps/0: r, ps/1: s, worker/0: a, worker/1: b, worker/2: "
      "c}\n"
      "  network: {latency: 1ms}\ncosts:\n- {op: SaveV2, task: ps/1, time: 1500ms}\n- {op: SaveV2, time: 100ms}\n"
      "- {op: SparseSoftmaxCrossEntropyWithLogits, task: worker/1, time: 200ms}\n"
      "- {op: SparseSoftmaxCrossEntropyWithLogits, task: worker/2, time: 200ms}\n"
      "- {op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 100ms}\n");
  const Why w = why(c.job, c.outcome, {}).value();
  EXPECT_EQ(std::ranges::count(w.hidden, Proof::Cause::slow_worker, [](const WhyCause& h) { return h.proof.cause; }),
            2);
}

// A window limits what passes; no card does.
TEST(ToldGroups, of_a_network_without_cards_name_no_card) {
  EXPECT_THAT(said(ran_case("build: {graph: mlp_adam_async_res_ps2_task0, protocol: sync}\nfeeds: {batch: 32}\n"
                            "training: {soft_placement: true}\nstop: {aggregates: 3}",
                            "title: t\ncluster:\n  hosts: [s, a, b]\n  tasks: {ps/0: s, worker/0: a, worker/1: b}\n"
                            "  network: {latency: 10ms, transport: {window: 4KiB}}\n")),
              Not(HasSubstr("Of all cards")));
}

// One client runs the parts of all: what is said of worker 0 alone is of ops that the others lack.
TEST(ToldGroups, of_an_in_graph_worker_take_away_what_is_said_of_it_alone) {
  const auto run = [](const char* own) {
    return ran_case(
        "build: {graph: handwritten_dense_w3, protocol: handwritten}\nstop: {steps: 30}",
        fmt::format("title: t\ncluster:\n  hosts: [a, b, c]\n  tasks: {{worker/0: a, worker/1: b, worker/2: "
                    "c}}\n  network: {{latency: 1ms}}\ncosts:\n{}- {{node: worker*/MatMul, time: 40ms}}\n",
                    own));
  };
  const RanCase slow = run("- {op: AddN, task: worker/0, time: 20ms}\n");
  const double gain = 1 - seconds_of(run("")) / seconds_of(slow);
  EXPECT_THAT(said(slow, "straggler"), HasSubstr(fmt::format("takes {:.1f} % less time", 100 * gain)));
}

// Each worker has the same law, in a line of its own.
TEST(ToldLuck, accuses_none_of_workers_with_the_same_law) {
  std::string variations;
  for (const char* worker : {"worker/0", "worker/1", "worker/2"})
    variations +=
        fmt::format("{}{{task: {}, factor: {{exponential: {{mean: 1}}}}}}", variations.empty() ? "" : ", ", worker);
  for (const char* build :
       {"protocol: sync, num_tokens: 0}\nstop: {aggregates: 20}", "protocol: async}\nstop: {steps: 20}"})
    for (const char* seed : {"1", "2", "3", "5"})
      EXPECT_THAT(said(ran_case(fmt::format("seed: {}\nvariations: [{}]\nbuild: {{graph: softmax_async_ps1_task0, {}",
                                            seed, variations, build))),
                  Not(HasSubstr("straggler")))
          << seed;
}

TEST(ToldLuck, asks_for_no_time_limit_on_steps_where_none_had_begun) {
  const auto parted_at = [](const char* when) {
    return said(ran_case(kSyncBuild + "training: {start: natural}\nfaults: [{at: " + when +
                         ", part: {between: [host0, server], lasts: 60s}}]\nstop: {aggregates: 500}"),
                "stalled");
  };
  EXPECT_THAT(parted_at("0s"), HasSubstr("To do: join host0 and server sooner.\n"));
  EXPECT_THAT(parted_at("5s"), HasSubstr("To do: join host0 and server sooner; a time limit on each step"));
}

// The first step of worker 0 does not end: its link is narrow, its kernels are long, or both.
std::string told_of_worker_0(const std::string& links, const std::string& costs, const std::string& percent) {
  return said(ran_case(
      "build: {graph: mlp_adam_async_res_ps2_task0, protocol: sync}\nfeeds: {batch: 100}\n"
      "training: {soft_placement: true}\nfaults: [{at: 0s, slow: {task: worker/0, percent: " +
          percent + "}}]\nstop: {aggregates: 8}",
      "title: t\ncluster:\n  hosts: [s0, h0, h1, h2]\n  tasks: {ps/0: s0, worker/0: h0, worker/1: h1, worker/2: h2}\n"
      "  network: {latency: 100us, nic: 25Gbps" +
          links + "}\ncosts:\n" + costs + "- {op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 30ms}\n"));
}

TEST(ToldLuck, blames_no_fault_without_which_a_step_would_not_have_ended_either) {
  const std::string link = told_of_worker_0(", links: [{between: [h0, s0], bandwidth: 50Mbps}]", "", "101");
  EXPECT_EQ(link.find("far: "), 0u) << link;
  EXPECT_THAT(link, Not(HasSubstr("1.01 times")));
  EXPECT_THAT(told_of_worker_0("", "", "10000"),
              HasSubstr("No step of worker 0 ended from 0.000 s on: the kernels of worker 0 take 100 times as long"));
}

TEST(ToldLuck, finds_a_worker_slow_whose_first_step_does_not_end) {
  const std::string slow =
      told_of_worker_0("", "- {op: SparseSoftmaxCrossEntropyWithLogits, task: worker/0, time: 2s}\n", "101");
  EXPECT_EQ(slow.find("straggler: worker 0 is slower than the others: the kernels of the first step of worker 0, which "
                      "does not end, take more than 0.529 s and those of a step of the median worker 0.030 s"),
            0u)
      << slow;
  EXPECT_THAT(slow, HasSubstr("the same work takes 39.9 % less time"));
}

TEST(ToldLuck, names_beside_what_stopped_a_worker_nothing_that_only_slows_and_costs_no_time) {
  const auto beside = [](const std::string& fault) {
    return said(ran_case(kSyncBuild + "faults: [{at: 0.3s, preempt: {task: worker/1, back_after: 1s}}, " + fault +
                         "]\nstop: {aggregates: 20, time: 200s}"),
                "stalled");
  };
  EXPECT_THAT(
      beside("{at: 0.1s, slow: {task: worker/1, percent: 101}}"),
      testing::AllOf(HasSubstr("The cause: the process of worker 1 ended at 0.300 s"), Not(HasSubstr("1.01 times"))));
  EXPECT_THAT(beside("{at: 0.1s, slow: {task: worker/1, percent: 150}}"),
              HasSubstr("; and the kernels of worker 1 take 1.5"));
}

// Without one of them alone the work takes as long.
TEST(ToldLuck, names_what_slows_beside_what_stops_where_each_hides_the_other) {
  const std::string text =
      said(ran_case("build: {graph: mlp_adam_async_res_ps2_task0, protocol: sync}\nfeeds: {batch: 100}\n"
                    "training: {soft_placement: true, num_tokens: 0}\nfaults: [{at: 0.48s, preempt: {task: worker/1, "
                    "back_after: 5s}}, {at: 0.5s, delay: {between: [h2, s0], latency: 5s, lasts: 4.98s}}]\n"
                    "stop: {aggregates: 60}",
                    "title: t\ncluster:\n  hosts: [s0, h0, h1, h2]\n  tasks: {ps/0: s0, worker/0: h0, worker/1: h1, "
                    "worker/2: h2}\n  network: {latency: 100us, nic: 10Gbps}\n"
                    "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 30ms}]\n"),
           "stalled");
  EXPECT_THAT(text, HasSubstr("The cause: the process of worker 1 ended at 0.480 s"));
  EXPECT_THAT(text, HasSubstr("messages between h2 and s0 take 5 s"));
  EXPECT_THAT(text, HasSubstr("To do: all of these, since without one of the faults alone the work takes as long"));
}

TEST(ToldLuck, tries_a_trunk_behind_which_a_worker_ends_no_step) {
  const std::string all = said(ran_case(
      "build: {graph: mlp_adam_async_res_ps2_task0, protocol: sync, backup_workers: 1}\nfeeds: {batch: 100}\n"
      "training: {soft_placement: true}\nvariations: [{job: worker, factor: {uniform: {low: 0.5, high: 1.5}}}]\n"
      "stop: {aggregates: 10}",
      "title: t\ncluster:\n  hosts: [{name: s0, rack: A}, h0, {name: h1, rack: C}, h2, h3]\n  tasks: {ps/0: s0, "
      "worker/0: h0, worker/1: h1, worker/2: h2, worker/3: h3}\n"
      "  network: {latency: 100us, nic: 25Gbps, racks: [{name: C, trunk: 50Mbps}]}\n"
      "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 30ms}]\n"));
  EXPECT_EQ(all.find("trunk_bound: "), 0u) << all;
}

// Steps of 0.3 s, of three workers, end shortly after each other: longest is the pause before the next round of them.
TEST(ToldLuck, compares_a_pause_with_the_longest_that_is_usual) {
  EXPECT_THAT(
      said(ran_case("build: {graph: softmax_async_ps1_task0, protocol: async}\n"
                    "faults: [{at: 5s, pause: {task: ps/0, lasts: 5s}}]\nstop: {time: 20s}",
                    "title: t\ncluster:\n  hosts: [s, h0, h1, h2]\n  tasks: {ps/0: s, worker/0: h0, worker/1: h1, "
                    "worker/2: h2}\n  network: {latency: 1ms, links: [{between: [s, h1], latency: 2ms}, {between: "
                    "[s, h2], latency: 3ms}]}\n"
                    "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 300ms}]\n"),
           "stalled"),
      HasSubstr("from 4.992 s to 10.001 s (5.009 s, in place of the usual 0.214 s)"));
}

// Worker 1 begins late, and worker 0 fills the first aggregates. Then nothing passes for a while.
std::string advice_where(const std::string& tasks) {
  const RanCase c = ran_case(
      "build: {graph: softmax_async_ps1_task0, protocol: sync}\nfeeds: {batch: 1000}\n"
      "training: {workers: {worker/1: {first_step_after: 3s}}}\n"
      "faults: [{at: 20s, part: {between: [h1, p0], lasts: 20s}}]\nstop: {aggregates: 120}",
      "title: t\ncluster:\n  hosts: [p0, h0, h1]\n  tasks: {ps/0: p0, " + tasks +
          ", worker/1: h1}\n  network: {latency: 200us, nic: 1Gbps}\n"
          "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 300ms}]\n");
  return said(c, "uneven");
}

TEST(ToldLuck, finds_workers_at_equal_distance_whatever_stopped_the_transfers_of_one) {
  EXPECT_THAT(advice_where("worker/0: h0"), HasSubstr("To do: start the workers together"));
  EXPECT_THAT(advice_where("worker/0: p0"), HasSubstr("To do: put the parameter servers at equal distance"));
}

// With earlier workers more is done, and so more is lost when the chief loses its checkpoints at 70 s.
TEST(ToldLuck, gives_a_cure_the_gain_of_its_verdict_though_more_of_what_is_done_is_lost) {
  const RanCase c = ran_case(
      "build: {graph: softmax_async_ps1_task0, protocol: sync}\ntraining: {start: natural, save_every: 20s, workers: "
      "{worker/1: {poll_first: true}}}\n"
      "faults:\n- {at: 70s, lose_checkpoints: all}\n- {at: 71s, preempt: {task: worker/0, back_after: 5s}}\n"
      "stop: {time: 120s}",
      "title: t\ncluster:\n  hosts: [p0, p1, h0, h1, h2]\n  tasks: {ps/0: p0, ps/1: p1, worker/0: h0, worker/1: h1, "
      "worker/2: h2}\n  network: {latency: 200us}\n"
      "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 300ms}]\n");
  const std::vector<Proof> proofs = prove(c.job, c.outcome).value();
  const std::vector<Verdict> verdicts =
      judge(c.outcome.log, read_contributions(c.outcome.log), c.outcome.tasks, proofs);
  const TriedCures cures = try_cures({c.scenario, c.options, c.job, c.outcome, proofs}, verdicts).value();
  const auto late = std::ranges::find(proofs, Proof::Cause::polls, &Proof::cause);
  const auto sooner = std::ranges::find(cures.all, "let clients look again after a second", &TriedCure::advice);
  ASSERT_TRUE(late != proofs.end() && sooner != cures.all.end());
  EXPECT_GT(late->gain, kWorthTelling);
  EXPECT_NEAR(sooner->gain.gain, late->gain, 0.01);
  EXPECT_GT(sooner->lost, cures.lost);
  EXPECT_TRUE(cures.helps(*sooner));
}

// Worker 2 leaves at 40 s; training goes on after the process of `lost` began anew, and lacks worker 2.
RanCase without_worker_2(const std::string& lost, const std::string& training) {
  return ran_case("build: {graph: softmax_async_ps1_task0, protocol: sync}\ntraining: {save_every: 20s" + training +
                      "}\nfaults: [{at: 40s, leave: worker/2}, {at: 70s, preempt: {task: " + lost +
                      ", back_after: 2s}}]\nstop: {time: 150s}",
                  "title: t\ncluster:\n  hosts: [p0, h0, h1, h2, h3]\n  tasks: {ps/0: p0, worker/0: h0, worker/1: h1, "
                  "worker/2: h2, "
                  "worker/3: h3}\n  network: {latency: 200us}\n"
                  "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 300ms}]\n");
}

TEST(ToldLeaving, stands_before_the_aggregates_that_lack_the_worker_and_says_what_ended_the_pause) {
  const std::string tokens = said(without_worker_2("ps/0", ""));
  const auto pause = tokens.find("The cause: worker 2 left training at 40."), uneven = tokens.find("lack some worker");
  ASSERT_NE(pause, tokens.npos);
  ASSERT_NE(uneven, tokens.npos) << tokens;
  EXPECT_LT(pause, uneven);
  EXPECT_THAT(tokens,
              HasSubstr("It ended with the initial tokens of the session that was made after the process of ps 0"));
  EXPECT_THAT(said(without_worker_2("worker/0", ", num_tokens: 0"), "stalled"),
              HasSubstr("It ended in the session that was made after the process of worker 0 had ended at 70.000 s."));
}

// Nobody has a number of steps to make: that a stop for all together would help is not tried.
TEST(ToldLeaving, because_of_a_fault_is_no_stop_after_equal_steps) {
  const RanCase c = ran_case(kSyncBuild + "faults: [{at: 1s, leave: worker/1}]\nstop: {time: 60s}");
  EXPECT_THAT(said(c, "stuck"), HasSubstr("worker 1 left training"));
  for (const WhatIf& w : what_ifs(c.job, c.outcome)) EXPECT_NE(w.proof.cause, Proof::Cause::stops);
}

// That it would go on without the second loss is no price beside which the first standstill is a trifle.
TEST(ToldLeaving, of_a_job_that_hangs_in_the_end_tells_the_standstill_before_what_was_lost_in_it) {
  const RanCase c = ran_case(kSyncBuild +
                             "faults: [{at: 10s, preempt: {task: ps/0, back_after: 3s}}, {at: 15s, kill: worker/0}]\n"
                             "stop: {time: 25s}");
  std::vector<std::string> kinds;
  const std::vector<Proof> proofs = prove(c.job, c.outcome).value();
  for (const Verdict& v : judge(c.outcome.log, read_contributions(c.outcome.log), c.outcome.tasks, proofs))
    kinds.push_back(v.kind);
  EXPECT_THAT(kinds, testing::ElementsAre("stuck", "stalled", "progress_lost", "latency_bound"));
}

}  // namespace
}  // namespace tarry
