// What cures gain, or do not, of jobs that ran.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "placer/core/folder_test.hpp"
#include "results/report.hpp"
#include "scenarios/file/ran_case.hpp"
#include "scenarios/file/tried_cures.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::string kServerOfThree =
    "title: t\ncluster:\n  hosts: [server, host0, host1, host2]\n"
    "  tasks: {ps/0: server, worker/0: host0, worker/1: host1, worker/2: host2}\n  network: {latency: 1ms}\n";

TriedCures tried(const RanCase& c, const Verdict& v) {
  return try_cures({c.scenario, c.options, c.job, c.outcome}, std::vector{v}).value();
}

// What is told of the job, each with what its cures gain.
TriedCures tried_all(const RanCase& c) {
  const std::vector<Proof> proofs = prove(c.job, c.outcome).value();
  const auto verdicts = judge(c.outcome.log, read_contributions(c.outcome.log), c.outcome.tasks, proofs);
  return try_cures({c.scenario, c.options, c.job, c.outcome, proofs}, verdicts).value();
}

TEST(TriedCures, of_a_hang_say_which_lets_the_job_go_on) {
  const RanCase c = ran_case(kSyncBuild + "faults: [{at: 2s, kill: worker/2}]\nstop: {time: 60s}");
  const TriedCures all = tried(c, kStuckByWorker2);
  ASSERT_EQ(all.all.size(), 3u);
  EXPECT_TRUE(all.helps(all.all[0]) && all.helps(all.all[1]));
  EXPECT_FALSE(all.helps(all.all[2]));
  EXPECT_EQ(result_in_words(all, all.all[1]), "the job goes on instead of hanging");
  EXPECT_THAT(to_text(all, {}), HasSubstr("  stuck\n    helps      restart worker 2 within a second: "));
  const auto j = to_json(all);
  EXPECT_EQ(j[0]["goes_on"], true);
  EXPECT_EQ(j[2]["tried"], false);
  EXPECT_FALSE(j[2].contains("gain"));
}

TEST(TriedCures, of_a_job_that_fails_let_it_go_on_instead_of_failing) {
  const TriedCures all =
      tried_all(ran_case(kSyncBuild + "training: {save_steps: 10}\nfaults: [{at: 0.1s, fail_save: {task: ps/0}}]\n"
                                      "stop: {aggregates: 50}",
                         kServerOfThree));
  ASSERT_FALSE(all.all.empty());
  EXPECT_EQ(all.all[0].verdict, "failed");
  EXPECT_EQ(result_in_words(all, all.all[0]), "the job goes on instead of failing");
}

// Clients that lost their session wait for half a minute, whether messages take time or not.
TEST(TriedCures, of_a_load_leave_out_waits_of_clients_where_its_verdict_does) {
  const RanCase c = ran_case(
      "build: {graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}\ntraining: {start: natural}\n"
      "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 20ms}]\n"
      "faults: [{at: 1s, lose_host: {host: server, back_after: 2s}}]\nstop: {aggregates: 2000}",
      kServerOfThree);
  const std::vector<Proof> proofs = prove(c.job, c.outcome).value();
  const auto latency = std::ranges::find(proofs, Proof::Cause::latency, &Proof::cause);
  ASSERT_NE(latency, proofs.end());
  ASSERT_THAT(latency->instead, testing::EndsWith(", waits of clients for a model left out"));
  const TriedCures all = tried_all(c);
  const auto cure = std::ranges::find(all.all, "have a network without latency", &TriedCure::advice);
  ASSERT_NE(cure, all.all.end());
  EXPECT_NEAR(cure->gain.gain, latency->gain, 0.001);
  EXPECT_THAT(result_in_words(all, *cure), HasSubstr(" % less time, waits of clients for a model left out"));
}

TEST(TriedCures, of_a_queue_that_stays_closed_are_new_processes_where_it_is_too) {
  const std::string two_servers =
      "title: t\ncluster:\n  hosts: [server0, server1, host0, host1, host2]\n"
      "  tasks: {ps/0: server0, ps/1: server1, worker/0: host0, worker/1: host1, worker/2: host2}\n"
      "  network: {latency: 1ms}\n";
  const RanCase c = ran_case(
      kSyncBuild + "faults: [{at: 2s, preempt: {task: ps/1, back_after: 3s}}]\nstop: {time: 60s}", two_servers);
  const auto first_of = [&](const std::string& to_do) {
    const TriedCures all = tried(c, {"stuck", "To do: " + to_do});
    return all.all[0].advice + ": " + result_in_words(all, all.all[0]);
  };
  EXPECT_EQ(first_of("restart ps 1 soon"), "restart ps 1 within a second: the job hangs or fails as without it");
  EXPECT_EQ(first_of("restart ps 0 and ps 1 together, since ps 0 keeps the closed queue of tokens"),
            "restart ps 0 and ps 1 within a second: the job goes on instead of hanging");
  const TriedCures lost = tried_all(ran_case(
      "build: {graph: softmax_async_ps2_task0, protocol: sync}\nfaults: [{at: 2s, kill: ps/1}]\nstop: {time: 60s}",
      two_servers));
  EXPECT_EQ(lost.all.at(0).advice, "restart ps 0 and ps 1 within a second");
  EXPECT_TRUE(lost.all[0].gain.goes_on);
}

TEST(TriedCures, of_checkpoints_are_tried_with_a_disk_that_takes_no_time_where_saves_have_a_cost) {
  const auto gain = [](const std::string& costs) {
    const RanCase c =
        ran_case("costs: [" + costs + "{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 20ms}]\n" +
                     kSyncBuild + "training: {save_steps: 10}\nstop: {aggregates: 50}",
                 kServerOfThree);
    const TriedCures all = tried(c, {"checkpoint_bound", "To do: save less often, or to a faster disk."});
    const auto disk = std::ranges::find(all.all, "have a disk that takes no time", &TriedCure::advice);
    return disk->why_not.empty() ? disk->gain.gain : -1;
  };
  EXPECT_GT(gain("{op: SaveV2, time: 300ms}, "), 0.4);
  EXPECT_GT(gain("{op: 'Save*', time: 300ms}, "), 0.4);
  EXPECT_GT(gain("{node: 'save*/SaveV2*', time: 300ms}, "), 0.3);
  EXPECT_EQ(gain(""), -1);
  EXPECT_EQ(gain("{op: '*', job: ps, time: 1us}, "), -1) << "that is no disk's";
}

TEST(TriedCures, of_a_busy_server_are_what_its_verdict_was_without) {
  const RanCase c = ran_case(
      "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 20ms}, {op: "
      "ApplyGradientDescent, time: 10ms}]\ninterference: [{host: server, every: 1s, lasts: 1s, "
      "percent: 300}]\n" +
          kSyncBuild + "stop: {aggregates: 50}",
      kServerOfThree);
  const std::vector<Proof> proofs = prove(c.job, c.outcome).value();
  const TriedCures all = tried_all(c);
  const auto cure = std::ranges::find(all.all, "without what keeps it busy", &TriedCure::advice);
  const auto proof = std::ranges::find(proofs, Proof::Cause::interference, &Proof::cause);
  EXPECT_NEAR(cure->gain.gain, proof->gain, 0.0005);
  EXPECT_EQ(cure->keys, "interference");
}

// Worker 0 is told to leave, which ends the job whatever ends worker 2.
TEST(TriedCures, without_what_ends_a_process_leave_what_is_wrong_with_those_that_waited) {
  const RanCase c = ran_case(kSyncBuild +
                             "faults: [{at: 1.5s, preempt: {task: worker/2, back_after: 1s}}, {at: 1.7s, leave: "
                             "worker/0}]\nstop: {time: 20s}");
  for (const char* to_do : {"find out what ends worker 2; watch", "find out what ends worker 2."}) {
    const TriedCures all = tried(c, {"stalled", std::string("worker 0 and worker 1 wait for tokens. To do: ") + to_do});
    ASSERT_EQ(all.all[0].why_not, "");
    EXPECT_TRUE(all.all[0].hangs);
  }
}

TEST(TriedCures, of_several_troubles_are_tried_together_where_one_alone_does_not_help) {
  const RanCase c = ran_case(
      kSyncBuild + "faults: [{at: 2s, kill: worker/1}, {at: 2.5s, pause: {task: worker/2}}]\nstop: {time: 60s}");
  const std::vector<Proof> proofs = prove(c.job, c.outcome).value();
  std::vector<Verdict> all = judge(c.outcome.log, read_contributions(c.outcome.log), c.outcome.tasks, proofs);
  std::erase_if(all, [](const Verdict& v) { return v.kind != "stuck"; });
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(all[0].text, HasSubstr("To do: all of these, since without one of the faults alone the job stands still "
                                     "as well: restart worker 1, or"));
  EXPECT_THAT(all[0].text, HasSubstr("; and let the process of worker 2 go on"));
  const TriedCures cures = tried(c, all[0]);
  EXPECT_EQ(cures.all.at(0).advice, "all of that together");
  EXPECT_EQ(result_in_words(cures, cures.all[0]), "the job goes on instead of hanging");
}

// The slow worker's gradients come too late for aggregates that no longer wait for them.
TEST(TriedCures, say_which_trouble_is_new_with_them) {
  const auto needing = [](int gradients) {
    return ran_case(
        fmt::format("build: {{graph: softmax_async_ps1_task0, protocol: sync, replicas_to_aggregate: {}}}\nstop: "
                    "{{aggregates: 30}}\ncosts: [{{op: SparseSoftmaxCrossEntropyWithLogits, task: worker/2, time: "
                    "90ms}}, {{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 20ms}}]",
                    gradients),
        kServerOfThree);
  };
  const TriedCures all = tried(needing(3), {"straggler", "x. To do: have a backup worker."});
  EXPECT_EQ(all.all.at(0).brings, std::vector<std::string>{"starved"});
  EXPECT_THAT(result_in_words(all, all.all[0]), testing::EndsWith(", starved is new"));
  EXPECT_EQ(to_json(all)[0]["brings"], nlohmann::ordered_json({"starved"}));
  const TriedCures starved = tried(needing(2), {"latency_bound", "x. To do: bring them nearer to each other."});
  EXPECT_THAT(starved.all.at(0).brings, IsEmpty());
}

const std::string kHidingEachOther =
    "build: {graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}\nstop: {aggregates: 10}\n"
    "faults: [{at: 0s, slow: {task: worker/2, percent: 300}}, {at: 0s, delay: {between: [server, host1], latency: "
    "11ms}}";

// A third fault, which changes nothing.
TEST(TriedCures, of_causes_that_hide_each_other_are_tried_at_once) {
  const TriedCures all =
      tried_all(ran_case(kHidingEachOther + ", {at: 0s, delay: {between: [host0, host1], latency: 0s}}]"));
  const auto together =
      std::ranges::find(all.all,
                        "cure all that hide each other: without the faults of worker 2, without the faults between "
                        "server and host1",
                        &TriedCure::advice);
  ASSERT_NE(together, all.all.end());
  EXPECT_GT(together->gain.gain, 0.4);
  EXPECT_LT(all.all[0].gain.gain, 0.1);
  const TriedCures one = tried_all(
      ran_case("build: {graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}\nstop: {aggregates: 10}\n"
               "faults: [{at: 0s, slow: {task: worker/2, percent: 300}}]"));
  for (const TriedCure& c : one.all) EXPECT_THAT(c.advice, testing::Not(HasSubstr("hide each other")));
}

// What slows worker 2 stays where it is the pause that is looked at, and the other way round.
TEST(TriedCures, of_a_task_that_stood_still_and_is_slow_gain_what_each_of_the_two_cost) {
  const TriedCures all = tried_all(ran_case(
      "build: {graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}\nstop: {aggregates: 60}\n"
      "faults: [{at: 0s, slow: {task: worker/2, percent: 300}}, {at: 1s, pause: {task: worker/2, lasts: 3s}}]"));
  const auto gain = [&](std::string_view verdict, std::string_view advice) {
    for (const TriedCure& c : all.all)
      if (c.verdict == verdict && c.advice == advice) return c.gain.gain;
    return -1.0;
  };
  EXPECT_NEAR(gain("stalled", "let its process go on"), 3 / 6.9, 0.05);
  EXPECT_NEAR(gain("slowed", "without what slows it"), 2.4 / 6.9, 0.05);
}

std::string of_files(const std::string& records_of_worker_1) {
  return "build: {graph: input_files_ps1_task0, protocol: sync, replicas_to_aggregate: 2}\n"
         "feeds: {files: [{name: '*', records: " +
         records_of_worker_1 +
         ", task: worker/1}, {name: '*', records: 100000}]}\n"
         "stop: {aggregates: 200}";
}
const std::string kReadingServer =
    "title: t\ncluster:\n  hosts: [server, host0, host1, host2]\n"
    "  tasks: {ps/0: server, worker/0: host0, worker/1: host1, worker/2: host2}\n  network: {latency: 1ms}\n"
    "costs: [{op: MatMul, time: {uniform: {low: 5ms, high: 80ms}}}]\n";

TEST(TriedCures, of_a_worker_without_data_are_more_records) {
  const TriedCures all = tried_all(ran_case(of_files("60"), kReadingServer));
  ASSERT_FALSE(all.all.empty());
  EXPECT_EQ(all.all[0].verdict + ": " + all.all[0].advice, "went_on: let the files never end");
  EXPECT_GT(all.all[0].gain.gain, 0.1);
  const RanCase c = ran_case(of_files("60"), kReadingServer);
  const std::vector<Proof> proofs = prove(c.job, c.outcome).value();
  ASSERT_FALSE(proofs.empty());
  EXPECT_EQ(proofs[0].instead, "with data for worker 1 that never ends");
  EXPECT_NEAR(proofs[0].gain, all.all[0].gain.gain, 0.001);
  for (const TriedCure& even : tried_all(ran_case(of_files("100000"), kReadingServer)).all)
    EXPECT_NE(even.verdict, "went_on");
}

// One client's step has parts on four workers; on worker 2 something interferes, a half of the time.
TEST(TriedCures, of_what_interferes_with_a_part_of_a_step_gain_what_the_verdict_says) {
  const std::string cluster =
      "title: t\ncluster:\n  hosts: [a, b, c, d]\n  tasks: {worker/0: a, worker/1: b, worker/2: c, worker/3: d}\n"
      "  network: {latency: 1ms}\ncosts: [{node: 'worker*/MatMul', time: 40ms}]\n";
  const TriedCures all =
      tried_all(ran_case("build: {graph: handwritten_dense_w3, protocol: handwritten}\nstop: {steps: 50}\n"
                         "interference: [{task: worker/2, every: 1s, lasts: 500ms, percent: 300}]",
                         cluster));
  ASSERT_FALSE(all.all.empty());
  EXPECT_EQ(all.all[0].verdict, "straggler");
  EXPECT_EQ(all.all[0].keys, "interference");
  EXPECT_NEAR(all.all[0].gain.gain, 0.382, 0.001);
}

TEST(TriedCures, of_a_file_that_is_missing_are_more_names) {
  const TriedCures all = tried_all(
      ran_case("build: {graph: input_files_ps1_task0, protocol: sync}\nfeeds: {files: [{name: 'other', records: 60}]}\n"
               "stop: {time: 60s}",
               kReadingServer));
  ASSERT_FALSE(all.all.empty());
  EXPECT_EQ(all.all[0].verdict + ": " + all.all[0].advice, "failed: let its readers find the file");
  EXPECT_EQ(all.all[0].keys, "feeds.files[]: {name: '*', records: 60}");
  EXPECT_GT(all.all[0].done, 0);
}

TEST(TriedCures, of_a_file_that_is_missing_beside_one_with_bytes_have_these_bytes) {
  const Folder folder;
  std::string lines = "head\n";
  for (int i = 0; i < 400; ++i) lines += "0,1,2,3,4,5,6,7,8,9,1\n";
  const std::string file = folder.put("sub/x.csv", lines);
  const TriedCures all = tried_all(ran_case(
      "build: {graph: input_files_ps1_task0, protocol: sync}\nfeeds: {files: [{name: 'data/part-00012', from: " + file +
          "}]}\nstop: {steps: 20}",
      kReadingServer));
  ASSERT_FALSE(all.all.empty());
  EXPECT_EQ(all.all[0].verdict + ": " + all.all[0].advice, "failed: let its readers find the file");
  EXPECT_EQ(all.all[0].keys, "feeds.files[]: {name: '*', from: " + file + "}");
  EXPECT_GE(all.all[0].done, 19) << "as many as the scenario asks for";
}

TEST(TriedCures, that_make_a_job_hang_do_not_help) {
  const RanCase c =
      ran_case(kSyncBuild + "stop: {time: 5s}\nfaults: [{at: 1s, kill: worker/2}, {at: 2s, restart: worker/2}]");
  TriedCures all = tried(c, {"stalled", "To do: aggregate fewer gradients than there are workers"});
  ASSERT_EQ(all.all.size(), 1u);
  EXPECT_TRUE(all.helps(all.all[0]));
  EXPECT_THAT(result_in_words(all, all.all[0]),
              HasSubstr("% less time for as many aggregates of 2 gradients, stalled is gone"));
  all.all[0].hangs = true;
  EXPECT_FALSE(all.helps(all.all[0]));
  EXPECT_EQ(result_in_words(all, all.all[0]), "the job hangs or fails");
}

TEST(TriedCures, with_which_a_hanging_job_still_hangs_do_not_help) {
  const RanCase c =
      ran_case(kSyncBuild + "faults: [{at: 2s, kill: worker/1}, {at: 2s, kill: worker/2}]\nstop: {time: 60s}");
  const TriedCures all = tried(c, {"stuck", "To do: aggregate fewer gradients than there are workers"});
  ASSERT_EQ(all.all.size(), 1u);
  ASSERT_EQ(all.all[0].why_not, "");
  EXPECT_TRUE(all.all[0].hangs);
  EXPECT_FALSE(all.helps(all.all[0]));
  EXPECT_EQ(result_in_words(all, all.all[0]), "the job hangs or fails as without it");
}

// Worker 1 is slow, and worker 2 is killed: the same work takes less time without either, and one of them hangs the
// job.
TEST(TriedCures, help_a_job_that_hangs_later_as_their_verdict_says) {
  const TriedCures all =
      tried_all(ran_case("costs: [{op: SparseSoftmaxCrossEntropyWithLogits, task: worker/1, time: 60ms}, {op: "
                         "SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 20ms}]\n" +
                             kSyncBuild + "faults: [{at: 2s, kill: worker/2}]\nstop: {aggregates: 200}",
                         kServerOfThree));
  const auto cure = std::ranges::find(all.all, "straggler", &TriedCure::verdict);
  ASSERT_NE(cure, all.all.end());
  EXPECT_TRUE(cure->hangs);
  EXPECT_TRUE(all.helps(*cure));
  EXPECT_THAT(result_in_words(all, *cure), HasSubstr(" % less time, and the job hangs or fails later as without it"));
  EXPECT_NEAR(cure->gain.gain, 0.64, 0.03);
}

TEST(TriedCures, that_cost_time_say_how_much_however_much_it_is) {
  const RanCase c = ran_case(
      "build: {graph: softmax_async_ps1_task0, protocol: sync, replicas_to_aggregate: 2}\nstop: {aggregates: 4}\n"
      "faults: [{at: 0s, slow: {task: worker/2, percent: 500}}]");
  const TriedCures all = tried(c, {"starved", "To do: aggregate more gradients"});
  ASSERT_EQ(all.all.size(), 1u);
  ASSERT_EQ(all.all[0].why_not, "");
  EXPECT_EQ(all.all[0].done, 4);
  EXPECT_LT(all.all[0].gain.gain, -1) << "all wait for a worker that is five times as slow";
}

TEST(TriedCures, of_a_healthy_job_are_none) {
  const RanCase c = ran_case(kSyncBuild + "stop: {time: 2s}");
  const TriedCures all = tried(c, {"fair", "Every worker has its share."});
  EXPECT_THAT(all.all, IsEmpty());
  EXPECT_EQ(to_text(all, {}), "\nThere is nothing to cure: no verdict says what to do.\n");
  EXPECT_EQ(to_json(all).dump(), "[]");
}

}  // namespace
}  // namespace tarry
