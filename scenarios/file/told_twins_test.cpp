// What is said of jobs that ran with a cause, beside their healthy twins without it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/file/ran_case.hpp"
#include "scenarios/file/tried_cures.hpp"
#include "scenarios/job/hidden.hpp"
#include "scenarios/job/prove.hpp"
#include "scenarios/job/why.hpp"

namespace tarry {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Parameter servers s0, ... and workers on h0, ..., whose steps take so long.
struct Twins {
  int servers = 1, workers = 3;
  std::string step = "100ms", network = "{latency: 200us}";
  [[nodiscard]] RanCase run(const std::string& rest, const std::string& first_costs = "") const {
    std::string hosts, tasks;
    for (int s = 0; s < servers; ++s) hosts += fmt::format("s{}, ", s), tasks += fmt::format("ps/{0}: s{0}, ", s);
    for (int w = 0; w < workers; ++w) hosts += fmt::format("h{}, ", w), tasks += fmt::format("worker/{0}: h{0}, ", w);
    return ran_case(
        rest,
        fmt::format("title: t\ncluster:\n  hosts: [{}]\n  tasks: {{{}}}\n  network: {}\ncosts: [{}{{op: "
                    "SparseSoftmaxCrossEntropyWithLogits, job: worker, time: {}}}]\n",
                    hosts.substr(0, hosts.size() - 2), tasks.substr(0, tasks.size() - 2), network, first_costs, step));
  }
};

const std::string kWithoutTokens = "build: {graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}\n",
                  kSlow = "{op: SparseSoftmaxCrossEntropyWithLogits, task: worker/1, time: ";

TEST(ToldTwins, a_worker_is_told_that_costs_a_tenth_of_the_time) {
  const std::string rest = kWithoutTokens + "stop: {aggregates: 20}";
  EXPECT_THAT(said(Twins{}.run(rest, kSlow + "114ms}, "), "straggler"),
              HasSubstr("worker 1 is what the others wait for"));
  EXPECT_EQ(said(Twins{}.run(rest, kSlow + "108ms}, "), "straggler"), "");
}

TEST(ToldTwins, of_noise_alone_nobody_is_slow_whatever_a_path_does_meanwhile) {
  const Twins noisy{.workers = 6, .step = "120ms", .network = "{latency: 1ms}"};
  const std::string rest =
      "seed: 73\nbuild: {graph: softmax_async_ps1_task0, protocol: sync, backup_workers: 1}\nstop: {aggregates: 20}\n"
      "variations: [{job: worker, factor: {lognormal: {mean: 1, sd: 0.8}}}]\n";
  EXPECT_EQ(said(noisy.run(rest), "straggler"), "");
  EXPECT_EQ(said(noisy.run(rest + "faults: [{at: 1s, delay: {between: [h5, s0], latency: 50ms, lasts: 100ms}}]"),
                 "straggler"),
            "");
}

TEST(ToldTwins, latency_between_servers_is_told_though_no_step_of_a_worker_shows_it) {
  const std::string rest = kWithoutTokens + "stop: {aggregates: 20}";
  Twins twins{.servers = 2};
  EXPECT_EQ(said(twins.run(rest), "latency_bound"), "");
  twins.network = "{latency: 200us, links: [{between: [s0, s1], latency: 60ms}]}";
  EXPECT_THAT(said(twins.run(rest), "latency_bound"),
              AllOf(HasSubstr("; between the parameter servers a message is under way for 7"),
                    HasSubstr(" To do: bring the parameter servers nearer to each other, or "),
                    HasSubstr("the same work takes 3")));
}

// Who comes before there is a model waits half a minute.
TEST(ToldTwins, a_late_worker_is_to_come_when_the_model_is_there) {
  const auto text = [](const std::string& start_after) {
    return said(Twins{.workers = 2, .network = "{latency: 200us, nic: 10Gbps}"}.run(
                    kWithoutTokens + "training: {start: natural, workers: {worker/1: {start_after: " + start_after +
                    "}}}\nstop: {aggregates: 200}"),
                "late_start");
  };
  EXPECT_THAT(text("8s"), AllOf(HasSubstr("with worker 1 as early as the model"),
                                HasSubstr(" To do: let it start as soon as the model is there.")));
  EXPECT_THAT(text("0s"), HasSubstr("found no model ready"));
}

TEST(ToldTwins, a_pause_makes_no_worker_slow_whose_gradients_come_too_late) {
  const std::string text =
      said(Twins{.network = "{latency: 50us}"}.run(
               "build: {graph: softmax_async_ps1_task0, protocol: sync, backup_workers: 1}\nstop: {aggregates: 40}\n"
               "faults: [{after: {token_taken: worker/0, count: 3, delay: 1ms}, pause: {task: worker/0, lasts: 3s}}]"),
           "starved");
  EXPECT_THAT(text, Not(HasSubstr("difference is")));
}

TEST(ToldTwins, aggregates_that_lack_a_worker_are_told_with_what_cut_it_off) {
  const std::string rest = "build: {graph: softmax_async_ps1_task0}\nstop: {aggregates: 60}\n",
                    pause = "{at: 404ms, pause: {task: worker/0, lasts: 3s}}";
  const std::string text =
      said(Twins{.workers = 4}.run(rest +
                                   "faults: [{at: 990ms, part_breaking: {between: [h3, s0], breaks_after: 1s, "
                                   "lasts: 3s}}, " +
                                   pause + "]"),
           "uneven");
  EXPECT_THAT(text, HasSubstr("lack worker 3. No step of worker 3 ended from "));
  EXPECT_THAT(text, HasSubstr("nothing passes between h3 and s0 from 0.990 s to 3.990 s"));
  EXPECT_THAT(text, HasSubstr("To do: join h3 and s0 sooner"));
  EXPECT_EQ(said(Twins{.workers = 4}.run(rest + "faults: [" + pause + "]"), "uneven"), "");
}

TEST(ToldTwins, a_stale_synchronous_job_with_a_closed_queue_is_to_be_started_again) {
  const RanCase c = Twins{.workers = 2, .step = "150ms", .network = "{latency: 50us}"}.run(
      "build: {graph: softmax_async_ps1_task0, protocol: stale_sync, staleness: 1}\nstop: {steps: 20}\n"
      "faults: [{at: 1.02s, disconnect: [worker/0, ps/0]}]");
  EXPECT_THAT(said(c, "ended_early"), HasSubstr("To do: start the whole job again, and save checkpoints."));
  EXPECT_THAT(said(c, "failed"), HasSubstr("To do: start the whole job again, and save checkpoints."));
  EXPECT_THAT(said(c), Not(HasSubstr("()")));
}

TEST(ToldTwins, all_workers_of_a_lost_host_are_to_be_restarted) {
  const RanCase c = ran_case(
      "build: {graph: softmax_async_ps1_task0, protocol: async}\nstop: {time: 30s}\n"
      "faults: [{at: 3s, lose_host: {host: c, back_after: 10s}}]",
      "title: t\ncluster:\n  hosts: [s, a, c]\n  tasks: {ps/0: s, worker/0: a, worker/1: c, worker/2: c}\n"
      "  network: {latency: 1ms}\ncosts: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 100ms}]\n");
  EXPECT_THAT(said(c, "slowed"), HasSubstr("To do: restart worker 1 and worker 2 sooner."));
}

// The servers compute for checkpoints alone.
const std::string kSavesOfASecond = "{op: SaveV2, time: 1s}, ",
                  kAsyncSaves =
                      "build: {graph: softmax_async_ps1_task0, protocol: async}\ntraining: {save_steps: 5}\n"
                      "stop: {steps: 30}";

TEST(ToldTwins, a_server_that_saves_checkpoints_is_not_busy_beside_a_slow_worker) {
  const auto text = [](const char* slow) {
    return said(Twins{.workers = 2, .step = "200ms", .network = "{latency: 50us}"}.run(
        kAsyncSaves, kSavesOfASecond + kSlow + slow + "}, "));
  };
  EXPECT_THAT(text("300ms"), AllOf(HasSubstr("checkpoint_bound: "), Not(HasSubstr("busy_server"))));
  EXPECT_THAT(text("560ms"), AllOf(HasSubstr("checkpoint_bound: "), HasSubstr("straggler: "),
                                   HasSubstr("neither of which gains much alone"), Not(HasSubstr("busy_server"))));
}

// Of the two that are about the same time the general one goes, whichever is tried first.
TEST(ToldTwins, checkpoints_are_told_and_not_the_servers_that_save_them_in_any_order) {
  const RanCase c = Twins{.workers = 2, .step = "200ms", .network = "{latency: 50us}"}.run(
      kAsyncSaves, kSavesOfASecond + kSlow + "560ms}, ");
  std::vector<WhatIf> all = what_ifs(c.job, c.outcome);
  for (int times = 0; times < 2; ++times) {
    std::ranges::reverse(all);
    std::vector<IdleCause> idle;
    for (const WhatIf& w : all) idle.push_back({w});
    const ProofWatch nobody;
    Beside beside(c.job, c.outcome, nobody);
    Settled settled(c.job, c.outcome, beside);
    std::vector<Proof::Cause> told;
    const std::vector<Proof> hidden = hidden_causes(c.job, beside, settled, idle).value();
    for (const Proof& p : hidden) told.push_back(p.cause);
    EXPECT_THAT(told, testing::UnorderedElementsAre(Proof::Cause::checkpoints, Proof::Cause::slow_worker));
  }
}

TEST(ToldTwins, why_lists_what_hides_beside_what_gains_a_little) {
  const RanCase c =
      ran_case(kWithoutTokens + "feeds: {batch: 64}\nstop: {aggregates: 20}",
               "title: t\ncluster:\n  hosts: [s, a, b, c]\n  tasks: {ps/0: s, worker/0: a, worker/1: b, worker/2: c}\n"
               "  network: {latency: 3ms, links: [{between: [b, s], latency: 110ms}]}\n"
               "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, task: worker/2, time: 330ms}, {op: "
               "SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 100ms}]\n");
  const Why w = why(c.job, c.outcome, {}).value();
  ASSERT_FALSE(w.causes.empty());
  const auto hides = [&](Proof::Cause cause) {
    return std::ranges::count(w.hidden, cause, [](const WhyCause& h) { return h.proof.cause; }) +
               std::ranges::count(w.causes, cause, [](const WhyCause& h) { return h.proof.cause; }) >
           0;
  };
  EXPECT_TRUE(hides(Proof::Cause::slow_worker));
  EXPECT_TRUE(hides(Proof::Cause::far_host));
}

// The far worker hides a part of what the workers' variation costs; the servers' costs little.
TEST(ToldTwins, two_variations_are_two_causes) {
  const RanCase c = ran_case(
      "build: {graph: softmax_async_ps1_task0, num_tokens: 0}\nfeeds: {batch: 4}\nstop: {aggregates: "
      "100}\nvariations:\n"
      "- {job: worker, factor: {lognormal: {mean: 2.5, sd: 3}}}\n"
      "- {job: ps, factor: {lognormal: {mean: 3, sd: 2}}}",
      "title: t\ncluster:\n  hosts: [s, a, b, c, d]\n  tasks: {ps/0: s, worker/0: a, worker/1: b, worker/2: c, "
      "worker/3: d}\n  network: {latency: 1ms, links: [{between: [s, d], latency: 40ms}]}\ncosts: [{op: "
      "SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 60ms}, {op: ApplyGradientDescent, job: ps, time: "
      "8ms}]\n");
  const std::string text = said(c, "varied");
  EXPECT_THAT(text, HasSubstr(" as well, "));
  EXPECT_EQ(text.find("varied: "), text.rfind("varied: ")) << text;
}

// Worker 0 is slow by a cost of its own, too.
TEST(ToldTwins, why_tells_a_slow_worker_beside_a_fault_that_slows_it_more) {
  const RanCase c =
      Twins{}.run(kWithoutTokens + "stop: {aggregates: 20}\nfaults: [{at: 0s, slow: {task: worker/1, percent: 300}}]",
                  kSlow + "140ms}, ");
  const Why w = why(c.job, c.outcome, {}).value();
  EXPECT_EQ(std::ranges::count(w.causes, Proof::Cause::slow_worker, [](const WhyCause& h) { return h.proof.cause; }),
            1);
}

// What it lacks on average is the fault's, which slows another task on its host as well.
TEST(ToldTwins, why_tells_a_fault_of_a_host_and_not_that_its_worker_is_slow) {
  const auto slow_workers = [](const std::string& first_costs) {
    const RanCase c = ran_case(
        kWithoutTokens + "stop: {aggregates: 60}\nfaults: [{at: 200ms, slow_host: {host: b, percent: 500, lasts: 1s}}]",
        "title: t\ncluster:\n  hosts: [s, a, b, c]\n  tasks: {ps/0: s, worker/0: a, worker/1: b, worker/2: c, "
        "evaluator/0: b}\n  network: {latency: 1ms}\ncosts: [" +
            first_costs + "{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 20ms}]\n");
    const Why w = why(c.job, c.outcome, {}).value();
    return std::ranges::count(w.causes, Proof::Cause::slow_worker, [](const WhyCause& h) { return h.proof.cause; });
  };
  EXPECT_EQ(slow_workers(""), 0);
  EXPECT_EQ(slow_workers(kSlow + "30ms}, "), 1) << "it is slow by itself as well";
}

// A kernel that began within a second takes 100 s, and so does a message.
TEST(ToldTwins, what_was_slow_for_a_while_keeps_training_still_as_long_as_its_steps_are_under_way) {
  const std::string rest = kWithoutTokens + "stop: {time: 60s}\nfaults: [{at: 1.01s, slow: {task: worker/1, percent: ";
  EXPECT_THAT(
      said(Twins{}.run(rest + "100000, lasts: 1s}}]"), "stalled"),
      AllOf(HasSubstr("from 1.010 s to 2.010 s. The accumulator"), HasSubstr(" Training would have gone on at 101.")));
  EXPECT_NE(said(Twins{}.run(rest + "100000}}]"), "stuck"), "") << "it stays slow";
  EXPECT_EQ(said(Twins{}.run(rest + "1000, lasts: 1s}}]"), "stuck"), "");
  EXPECT_THAT(said(Twins{}.run(kWithoutTokens + "stop: {time: 60s}\nfaults: [{at: 1.01s, delay: {between: [h1, s0], "
                                                "latency: 4s, lasts: 1s}}]"),
                   "stalled"),
              HasSubstr("It ended after the step that was under way then, at 5."));
}

TEST(ToldTwins, what_is_slow_is_to_be_cured_as_well_where_only_all_faults_together_stop_training) {
  const std::string slow = "{at: 1.01s, slow: {task: worker/1, percent: 100000}}",
                    leaves = "{at: 1.5s, leave: worker/2}";
  const auto text = [](const std::string& faults) {
    return said(Twins{}.run(kWithoutTokens + "stop: {time: 60s}\nfaults: [" + faults + "]"), "stuck");
  };
  EXPECT_THAT(
      text(slow + ", " + leaves),
      AllOf(HasSubstr("To do: all of these, since without one of the faults alone the job stands still as well: "
                      "look at what else runs on the host of worker 1"),
            HasSubstr("; and let worker 2 train as long as the others")));
  EXPECT_THAT(text(slow), Not(HasSubstr("all of these")));
}

TEST(ToldTwins, who_was_away_for_a_while_is_not_told_with_the_cure_of_what_stops_training_later) {
  const std::string text = said(
      Twins{.step = "200ms"}.run("build: {graph: softmax_async_ps1_task0, protocol: sync, replicas_to_aggregate: 2}\n"
                                 "stop: {global_step: 40}\nfaults: [{at: 2s, part: {between: [h2, s0]}}, "
                                 "{at: 4s, pause: {task: worker/1, lasts: 3s}}]"),
      "went_on");
  EXPECT_THAT(text, HasSubstr("To do: let the process of worker 1 go on"));
}

// Both leave, one second apart, and what is done meanwhile takes the same time.
TEST(ToldTwins, more_work_before_the_job_ends_early_as_well_is_no_time) {
  const RanCase c = Twins{.workers = 2, .step = "300ms"}.run(
      "build: {graph: softmax_async_ps1_task0, protocol: sync}\nstop: {time: 30s}\n"
      "faults: [{at: 3s, leave: worker/0}, {at: 4s, leave: worker/1}]");
  EXPECT_THAT(said(c, "ended_early"), HasSubstr("worker 0 left training at 3."));
  EXPECT_EQ(said(c, "slowed"), "");
}

TEST(ToldTwins, a_job_that_a_torn_checkpoint_ends_is_not_bound_by_checkpoints) {
  const std::string job =
      "build: {graph: softmax_async_ps1_task0, protocol: sync, replicas_to_aggregate: 2}\ntraining: {save_steps: 10}\n"
      "stop: {steps: 20}\nfaults: [{at: 2s, tear_save: ps/0}, {at: 14s, restart: ps/0}]\n";
  const std::string text = said(Twins{.step = "1s"}.run(job));
  EXPECT_THAT(text, AllOf(HasSubstr("stuck: "), Not(HasSubstr("checkpoint_bound"))));
}

TEST(ToldTwins, all_that_a_lost_rack_took_with_a_server_is_to_come_back_sooner) {
  const auto text = [](const std::string& hosts) {
    return said(Twins{}.run(kWithoutTokens + "stop: {time: 40s}\nfaults: [{at: 5s, lose_rack: {hosts: [" + hosts +
                            "], back_after: 10s}}]"),
                "stalled");
  };
  EXPECT_THAT(text("h0, s0"), HasSubstr("To do: restart ps 0 and worker 0 sooner, and save checkpoints."));
  EXPECT_THAT(text("h1, h2"), HasSubstr("To do: restart worker 1 and worker 2 sooner"));
}

TEST(ToldTwins, cards_that_are_told_together_are_each_named_once_by_their_cure) {
  const RanCase c = ran_case(
      "build: {graph: mlp_adam_async_res_ps2_task0, protocol: sync, num_tokens: 0}\ntraining: {soft_placement: true}\n"
      "stop: {aggregates: 10}",
      "title: t\ncluster:\n  hosts: [s, {name: a, nic: 200Mbps}, {name: b, nic: 200Mbps}, {name: c, nic: 200Mbps}, "
      "d]\n  tasks: {ps/0: s, worker/0: a, worker/1: b, worker/2: c, worker/3: d}\n  network: {latency: 200us, nic: "
      "10Gbps, engine: shared}\ncosts: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 100ms}]\n");
  const auto proofs = prove(c.job, c.outcome).value();
  const auto verdicts = judge(c.outcome.log, read_contributions(c.outcome.log), c.outcome.tasks, proofs);
  const TriedCures cures = try_cures({c.scenario, c.options, c.job, c.outcome, proofs}, verdicts).value();
  EXPECT_EQ(cures.all.at(0).advice, "give them cards like the others' (a, b, c)");
}

TEST(ToldTwins, the_ideal_run_of_replicated_variables_is_faster) {
  const RanCase c = ran_case(
      "build: {graph: softmax_async_ps1_task0, protocol: replicated, ps: 1}\ntraining: {soft_placement: true}\n"
      "stop: {steps: 20}",
      "title: t\ncluster:\n  hosts: [s, r, a, b]\n  tasks: {ps/0: s, ps/1: r, worker/0: {host: a, gpus: 1}, worker/1: "
      "{host: b, gpus: 1}}\ncosts: [" +
          kSlow + "200ms}, {op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 100ms}]\n");
  EXPECT_EQ(why(c.job, c.outcome, {}).value().ideal, 2 * kSecond);
}

// With all its gradients in each aggregate the job waits for the new process.
TEST(ToldTwins, a_cure_that_makes_training_stand_still_says_so) {
  const RanCase c = Twins{.workers = 4}.run(
      "build: {graph: softmax_async_ps1_task0, protocol: sync, backup_workers: 1, num_tokens: 0}\nstop: {aggregates: "
      "40}\n"
      "faults: [{at: 550ms, preempt: {task: worker/2, back_after: 5s}}]");
  const std::vector<Verdict> verdicts{{"starved", "x. To do: aggregate more gradients."}};
  const TriedCures all = try_cures({c.scenario, c.options, c.job, c.outcome}, verdicts).value();
  EXPECT_THAT(all.all.at(0).brings, testing::Contains("stalled"));
}

// What costs a tenth or more where two of four workers are on one host.
std::vector<Proof::Cause> causes_with_two_on_one_host(const std::string& rest, const std::string& first_costs = "") {
  const RanCase c = ran_case(
      kWithoutTokens + "stop: {aggregates: 30}\n" + rest,
      "title: t\ncluster:\n  hosts: [s, a, b, old]\n  tasks: {ps/0: s, worker/0: a, worker/1: old, worker/2: old, "
      "worker/3: b}\n  network: {latency: 200us}\ncosts: [" +
          first_costs + "{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 20ms}]\n");
  std::vector<Proof::Cause> all;
  const Why w = why(c.job, c.outcome, {}).value();
  for (const WhyCause& cause : w.causes)
    if (cause.proof.gain >= kWorthTelling) all.push_back(cause.proof.cause);
  return all;
}

TEST(ToldTwins, why_tells_what_slows_a_host_and_not_that_its_workers_are_slow) {
  using enum Proof::Cause;
  const auto both = [](const std::string& time) {
    return "{op: SparseSoftmaxCrossEntropyWithLogits, task: worker/2, time: " + time + "}, " + kSlow + time + "}, ";
  };
  const std::string fault = "faults: [{at: 0s, slow_host: {host: old, percent: 300}}]",
                    beside = "interference: [{host: old, every: 100ms, lasts: 90ms, percent: 300}]",
                    one = "faults: [{at: 0s, slow: {task: worker/2, percent: 300}}]";
  EXPECT_THAT(causes_with_two_on_one_host(fault), testing::ElementsAre(faults));
  EXPECT_THAT(causes_with_two_on_one_host(beside), testing::ElementsAre(interference));
  EXPECT_THAT(causes_with_two_on_one_host("", both("60ms")), testing::ElementsAre(workers));
  EXPECT_THAT(causes_with_two_on_one_host(fault, both("24ms")), testing::ElementsAre(workers, faults))
      << "they are slow by themselves as well";
  EXPECT_THAT(causes_with_two_on_one_host(one, kSlow + "60ms}, "), testing::ElementsAre(workers)) << "one is by itself";
}

// A little less to send moves the phase in which the interference meets the worker.
TEST(ToldTwins, unequal_bytes_gain_no_more_than_the_time_in_which_they_are_sent) {
  const auto text = [](const std::string& nic) {
    return said(
        ran_case("seed: 86\nbuild: {graph: mlp_adam_async_res_ps2_task0, protocol: sync, num_tokens: 0}\n"
                 "feeds: {batch: 32}\ntraining: {soft_placement: true}\nstop: {aggregates: 8}\n"
                 "interference: [{task: worker/2, every: 1s, lasts: 500ms, percent: 300}]",
                 "title: t\ncluster:\n  hosts: [s, r, a, b, c]\n  tasks: {ps/0: s, ps/1: r, worker/0: a, "
                 "worker/1: b, worker/2: c}\n  network: {latency: 50us, engine: shared, nic: " +
                     nic + "}\ncosts: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 98.4ms}]\n"),
        "ps_imbalance");
  };
  EXPECT_EQ(text("40Gbps"), "");
  EXPECT_THAT(text("400Mbps"), HasSubstr("split evenly over the parameter servers (same seed), the same work takes "));
}

TEST(ToldTwins, why_credits_bandwidth_with_no_luck_of_when_checkpoints_are_saved) {
  const auto causes = [](const std::string& nic) {
    const RanCase c = Twins{.workers = 4, .network = "{latency: 200us, engine: shared, nic: " + nic + "}"}.run(
        "seed: 3\nbuild: {graph: softmax_async_ps1_task0, protocol: async}\nfeeds: {batch: 64}\nstop: {steps: 30}\n"
        "training: {save_every: 1s}",
        "{op: SaveV2, time: 800ms}, ");
    const Why w = why(c.job, c.outcome, {}).value();
    return std::ranges::count(w.causes, Proof::Cause::network, [](const WhyCause& h) { return h.proof.cause; });
  };
  EXPECT_EQ(causes("10Gbps"), 0);
  EXPECT_EQ(causes("10Mbps"), 1);
}

TEST(ToldTwins, of_hosts_that_hide_each_other_one_verdict_tells) {
  const auto straggler = [](const std::string& hosts) {
    return said(Twins{.workers = 4}.run(kWithoutTokens + "stop: {aggregates: 20}\ninterference: [" + hosts + "]"),
                "straggler");
  };
  const std::string one = "{host: h1, every: 1s, lasts: 400ms, percent: 300}",
                    other = "{host: h2, every: 1s, lasts: 400ms, percent: 300}", both = straggler(one + ", " + other);
  EXPECT_THAT(both, testing::StartsWith("straggler: h1 and h2 are what the others wait for: again and again the "
                                        "kernels on h1 (worker 1) take 300 % of their usual time; again and again the "
                                        "kernels on h2 (worker 2) take 300 %"));
  EXPECT_THAT(both, HasSubstr(", neither of which gains much alone (same seed)"));
  EXPECT_EQ(std::ranges::count(both, '\n'), 1) << both;
  EXPECT_THAT(straggler(one), testing::StartsWith("straggler: h1 is what the others wait for"));
}

}  // namespace
}  // namespace tarry
