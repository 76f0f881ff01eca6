// Jobs whose workers wait for examples: four threads of each worker read records, with one reader, and prepare them.

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
using testing::StartsWith;

const std::string kTwoReaders =
    "title: t\ncluster:\n  hosts: [server, host0, host1]\n  tasks: {ps/0: server, worker/0: host0, worker/1: host1}\n"
    "  network: {latency: 1ms}\n";

const std::string kThreeReaders =
    "title: t\ncluster:\n  hosts: [server, host0, host1, host2]\n"
    "  tasks: {ps/0: server, worker/0: host0, worker/1: host1, worker/2: host2}\n  network: {latency: 1ms}\n";

// A batch has 64 records, and a step computes for 16 ms.
RanCase reading_at(const std::string& costs, const std::string& build = "", const std::string& cluster = kTwoReaders) {
  return ran_case("build: {graph: input_files_ps1_task0, protocol: sync" + build +
                      "}\nfeeds: {files: [{name: '*', records: "
                      "100000}]}\nstop: {aggregates: 60}\ncosts: [" +
                      costs + ", {op: MatMul, time: 8ms}]",
                  cluster);
}

std::string said_of(const RanCase& c, const std::string& kind) {
  const std::vector<Proof> proofs = prove(c.job, c.outcome).value();
  for (const Verdict& v : judge(c.outcome.log, read_contributions(c.outcome.log), c.outcome.tasks, proofs))
    if (v.kind == kind) return v.text;
  return "";
}

constexpr Nanos kTwoMillis = 2'000'000;

Nanos time_of_run(const RanCase& c) { return c.outcome.log.ended_at - c.outcome.log.started_at; }

// Of worker 1, which reads as fast as worker 0.
const std::string kSlowStep =
    "build: {graph: input_files_ps1_task0, protocol: sync}\nfeeds: {files: [{name: '*', records: 100000}]}\n"
    "stop: {aggregates: 60}\ncosts: [{op: ReaderReadV2, time: 100us}, {op: MatMul, task: worker/1, time: 80ms}, {op: "
    "MatMul, time: 8ms}]";

TEST(SlowInput, of_one_reader_comes_one_record_after_the_other) {
  const RanCase reads = reading_at("{op: ReaderReadV2, time: 2ms}"), decodes = reading_at("{op: DecodeCSV, time: 2ms}");
  EXPECT_GT(time_of_run(reads), 59 * 64 * kTwoMillis);
  EXPECT_LT(time_of_run(decodes), time_of_run(reads) / 3) << "four threads prepare them side by side";
}

// "... ran for 7.680 s on worker 0, added up, in 7.700 s; ...".
double seconds_after(const std::string& text, const std::string& words) {
  return std::stod(text.substr(text.find(words) + words.size()));
}

TEST(SlowInput, counts_nothing_that_was_read_before_the_start) {
  const std::string text = said_of(reading_at("{op: ReaderReadV2, time: 2ms}"), "input_bound");
  EXPECT_LE(seconds_after(text, "ran for "), seconds_after(text, "added up, in ")) << text;
}

// It reads 64 records a step, and some 1400 to fill its queue at first: 20.8 s in 60 steps. One of the others reads
// farther ahead.
TEST(SlowInput, of_one_worker_takes_what_its_own_reads_take) {
  const std::string costs = "{op: ReaderReadV2, task: worker/1, time: 4ms}, {op: ReaderReadV2, time: 10us}";
  const std::string text = said_of(reading_at(costs, ", num_tokens: 0", kThreeReaders), "straggler");
  EXPECT_THAT(text, HasSubstr("the kernels of a step of worker 1 together take 0.34"));
  EXPECT_THAT(text, StartsWith("worker 1 is what the others wait for: "));
}

// With initial tokens worker 0 fills all aggregates before worker 1 has read its first batch.
TEST(SlowInput, says_nothing_of_how_fast_a_worker_computes_that_has_not_come_to_it) {
  const std::string costs = "{op: ReaderReadV2, task: worker/1, time: 4ms}, {op: ReaderReadV2, time: 10us}";
  const std::string text = said_of(reading_at(costs), "straggler");
  EXPECT_THAT(text, HasSubstr("the kernels of a step of worker 1 together take 0.3"));
  EXPECT_THAT(text, StartsWith("worker 1 is slower than the others: ")) << "they did not wait";
}

TEST(SlowInput, is_what_the_workers_wait_for) {
  const std::string text = said_of(reading_at("{op: ReaderReadV2, time: 2ms}"), "input_bound");
  EXPECT_THAT(text, StartsWith("The workers wait for their examples: the kernels that read and prepare examples ran "
                               "for "));
  EXPECT_THAT(text, HasSubstr("; ReaderReadV2 took "));
  EXPECT_THAT(text,
              HasSubstr(" s of that. Run again with examples that are read and prepared in no time (same seed), the "
                        "same work takes 8"));
  EXPECT_THAT(said_of(reading_at("{op: DecodeCSV, time: 4ms}"), "input_bound"), HasSubstr("; DecodeCSV took "));
}

// Added up, decoding takes twice as long as reading; but four threads do it side by side.
TEST(SlowInput, is_told_by_what_limits_it) {
  const std::string text =
      said_of(reading_at("{op: ReaderReadV2, time: 1ms}, {op: DecodeCSV, time: 2ms}"), "input_bound");
  EXPECT_THAT(text, HasSubstr("; ReaderReadV2 took "));
  EXPECT_THAT(text, HasSubstr("To do: have several readers, "));
}

// The queue is filled before the first step, and then stays full.
TEST(SlowInput, that_is_as_fast_as_the_steps_is_nothing_to_tell) {
  for (const char* cost :
       {"{op: ReaderReadV2, time: 200us}", "{op: DecodeCSV, time: 800us}", "{op: ReaderReadV2, time: 1ns}"})
    EXPECT_EQ(said_of(reading_at(cost), "input_bound"), "") << cost;
}

double gain_of_input(const RanCase& c) {
  const std::vector<Proof> proofs = prove(c.job, c.outcome).value();
  for (const Proof& p : proofs)
    if (p.cause == Proof::Cause::input) return p.gain;
  return 0;
}

TEST(SlowInput, gains_what_the_run_without_it_does_beside_a_fault_that_waits_for_a_push) {
  const auto with_pause = [](const char* time) {
    return ran_case(
        fmt::format("build: {{graph: input_files_ps1_task0, protocol: sync}}\nfeeds: {{files: [{{name: '*', "
                    "records: 100000}}]}}\nstop: {{aggregates: 60}}\ncosts: [{{op: ReaderReadV2, time: "
                    "{}}}, {{op: MatMul, time: 8ms}}]\nfaults: [{{after: {{pushed: worker/1, count: 50}}, "
                    "pause: {{task: ps/0, lasts: 1s}}}}]",
                    time),
        kTwoReaders);
  };
  const RanCase slow = with_pause("2ms");
  const double true_gain =
      1 - static_cast<double>(time_of_run(with_pause("0s"))) / static_cast<double>(time_of_run(slow));
  EXPECT_NEAR(gain_of_input(slow), true_gain, 0.02);
}

// Closing the chief takes 120 s when the others have left (docs/rules/runtime.md#F.6.8): that is no training.
TEST(SlowInput, is_told_where_closing_the_chief_takes_longer_than_training) {
  const RanCase c = ran_case(
      "build: {graph: input_files_ps1_task0, protocol: sync}\nfeeds: {files: [{name: '*', records: 100000}]}\n"
      "stop: {global_step: 60}\ncosts: [{op: ReaderReadV2, time: 2ms}, {op: MatMul, time: 8ms}]",
      kTwoReaders);
  EXPECT_GT(time_of_run(c), 120 * kSecond);
  const std::string text = said_of(c, "input_bound");
  EXPECT_THAT(text, HasSubstr(" s of training; ReaderReadV2 took "));
  EXPECT_LT(seconds_after(text, "added up, in "), 20) << text;
}

// ---- a queue without room for a step's examples ----

// Its queue keeps 1000 examples, and has room for so many more; a step takes 64.
RanCase with_room_for(std::int64_t examples, const std::string& read = "160us") {
  RanCase c = reading_at("{op: ReaderReadV2, time: " + read + "}", ", num_tokens: 0");
  for (ClientJob& client : c.job.clients) {
    GraphSpec graph = *client.program.graph;
    for (NodeSpec& n : graph.nodes)
      if (n.op == "RandomShuffleQueueV2") n.attrs.set("capacity", 1000 + examples);
    client.program.graph = std::make_shared<const GraphSpec>(std::move(graph));
  }
  c.outcome = run_apart(c.job).value();
  return c;
}

TEST(NarrowQueue, is_told_where_steps_wait_for_what_is_not_read_ahead) {
  const RanCase narrow = with_room_for(16);
  const std::string text = said_of(narrow, "input_bound");
  EXPECT_THAT(text,
              StartsWith("The workers wait for their examples, which are not read ahead while a step computes: the "
                         "queue input/shuffle_batch/random_shuffle_queue has room for 16 examples (its capacity "
                         "is 1016, of which it keeps 1000), and a step takes 64. Run again with a capacity of "
                         "1192 there, so that it has room for the examples of 3 steps (same seed), the same work "
                         "takes "));
  const double wide = static_cast<double>(time_of_run(with_room_for(192)));
  EXPECT_NEAR(seconds_after(text, "the same work takes ") / 100, 1 - wide / static_cast<double>(time_of_run(narrow)),
              0.02);
}

TEST(NarrowQueue, is_nothing_to_tell_where_a_step_finds_its_examples) {
  EXPECT_EQ(said_of(with_room_for(192), "input_bound"), "");
  EXPECT_EQ(said_of(with_room_for(16, "1ns"), "input_bound"), "");
}

TEST(NarrowQueue, has_too_little_room_from_one_example_less_than_a_step_takes) {
  const auto tried = [](std::int64_t room) {
    const RanCase c = with_room_for(room);
    const std::vector<WhatIf> all = what_ifs(c.job, c.outcome);
    return std::ranges::count(all, Proof::Cause::room, [](const WhatIf& w) { return w.proof.cause; });
  };
  EXPECT_EQ(tried(63), 1);
  EXPECT_EQ(tried(64), 0);
}

TEST(NarrowQueue, is_cured_by_room) {
  const RanCase c = with_room_for(16);
  const Verdict v{"input_bound", said_of(c, "input_bound")};
  const TriedCures all = try_cures({c.scenario, c.options, c.job, c.outcome}, std::vector{v}).value();
  ASSERT_EQ(all.all.size(), 1u);
  EXPECT_EQ(all.all[0].advice, "let the queue hold the examples of three steps");
  EXPECT_TRUE(all.helps(all.all[0]));
}

TEST(SlowInput, of_one_worker_is_a_straggler) {
  const RanCase c =
      reading_at("{op: ReaderReadV2, task: worker/1, time: 2ms}, {op: ReaderReadV2, time: 20us}", ", num_tokens: 0");
  EXPECT_EQ(said_of(c, "input_bound"), "");
  EXPECT_THAT(said_of(c, "straggler"),
              HasSubstr("worker 1 is what the others wait for: the kernels of a step of worker"));
  EXPECT_THAT(said_of(c, "straggler"), HasSubstr(" s, most of it to read and prepare examples, and those of "));
  EXPECT_THAT(said_of(reading_at("{op: ReaderReadV2, task: worker/1, time: 2ms}", ", num_tokens: 0"), "straggler"),
              HasSubstr("worker 1 is what the others wait for"));
  const RanCase of_three = ran_case(
      "build: {graph: input_files_ps1_task0, protocol: sync}\nfeeds: {files: [{name: '*', records: 100000}]}\n"
      "stop: {aggregates: 60}\ncosts: [{op: ReaderReadV2, task: worker/1, time: 1ms}, {op: MatMul, time: 8ms}]",
      "title: t\ncluster:\n  hosts: [a, b, c, d]\n  tasks: {ps/0: a, worker/0: b, worker/1: c, worker/2: d}\n"
      "  network: {latency: 1ms}\n");
  EXPECT_EQ(said_of(of_three, "input_bound"), "");
  EXPECT_THAT(said_of(of_three, "straggler"), HasSubstr("worker 1 is what the others wait for"));
  const RanCase computes = ran_case(kSlowStep, kTwoReaders);
  EXPECT_THAT(said_of(computes, "straggler"), HasSubstr("the kernels of a step of worker 1 together take 0.250 s"));
  EXPECT_THAT(said_of(computes, "straggler"), testing::Not(HasSubstr("examples")));
}

TEST(SlowInput, that_is_prepared_side_by_side_comes_sooner_with_more_threads) {
  const RanCase c = reading_at("{op: DecodeCSV, time: 4ms}");
  const Verdict v{"input_bound", said_of(c, "input_bound")};
  const TriedCures all = try_cures({c.scenario, c.options, c.job, c.outcome}, std::vector{v}).value();
  ASSERT_EQ(all.all.size(), 2u);
  EXPECT_EQ(all.all[0].advice, "have twice as many threads enqueue");
  EXPECT_THAT(result_in_words(all, all.all[0]), testing::AnyOf(StartsWith("49.9 %"), StartsWith("50.")));
  EXPECT_EQ(all.all[1].advice, "have examples that are prepared in no time");
  EXPECT_TRUE(all.helps(all.all[1]));
}

TEST(SlowInput, that_more_threads_prepare_is_read_from_no_more_files) {
  const RanCase c = reading_at("{op: DecodeCSV, time: 4ms}");
  const std::vector<Verdict> told{{"input_bound", said_of(c, "input_bound")}};
  const std::vector<Cure> cures = cures_of({c.scenario, c.options, c.job, c.outcome}, told).value();
  const auto& before = c.job.clients[0].program.queue_runners;
  const auto& with = cures.at(0).cured->job.clients.at(0).program.queue_runners;
  ASSERT_EQ(with.size(), 2u);
  EXPECT_EQ(with[0].enqueue_ops.size(), before[0].enqueue_ops.size()) << with[0].queue;
  EXPECT_EQ(with[1].enqueue_ops.size(), 2 * before[1].enqueue_ops.size()) << with[1].queue;
}

// Until 10 s, from the start of the processes.
RanCase begun(const std::string& protocol, const char* read, const char* compute) {
  return ran_case(fmt::format("build: {{graph: input_files_ps1_task0, protocol: {}}}\nfeeds: {{files: [{{name: '*', "
                              "records: 100000}}]}}\ntraining: {{start: natural}}\nstop: {{time: 10s}}\ncosts: "
                              "[{{op: ReaderReadV2, time: {}}}, {{op: MatMul, time: {}}}]",
                              protocol, read, compute),
                  kTwoReaders);
}

// 499 examples come in 30 s, and the queue keeps more of them back.
TEST(SlowInput, until_the_first_batch_is_what_the_first_steps_wait_for) {
  for (const auto& [protocol, kind] : {std::pair("sync", "no_aggregate"), std::pair("async", "not_started")}) {
    const std::string text = said_of(begun(protocol, "60ms", "8ms"), kind);
    EXPECT_THAT(text, HasSubstr("The first steps wait for examples: the kernels that read and prepare examples "
                                "ran for "));
    EXPECT_THAT(text, HasSubstr("; input/shuffle_batch/random_shuffle_queue keeps "));
    EXPECT_THAT(text, HasSubstr(" examples back (min_after_dequeue) and held 16"));
    EXPECT_THAT(text,
                HasSubstr("Run again with examples that are read and prepared in no time (same seed), the job goes on. "
                          "To do: let it run longer, or have several readers, each with a thread of its own "
                          "(shuffle_batch_join), or have the queue keep fewer examples back."));
    const std::string computes = said_of(begun(protocol, "10us", "20s"), kind);
    EXPECT_THAT(computes, HasSubstr("let it run longer"));
    EXPECT_THAT(computes, testing::Not(HasSubstr("examples")));
  }
}

// Both read all the time. Worker 1 has made its first step, and reads a little longer up to the end.
TEST(SlowInput, until_the_first_batch_is_that_of_the_worker_which_reads_slowly) {
  const RanCase c = ran_case(
      "build: {graph: input_files_ps1_task0, protocol: sync, num_tokens: 0}\nfeeds: {files: [{name: '*', records: "
      "100000}]}\n"
      "stop: {time: 208ms}\ncosts: [{op: ReaderReadV2, task: worker/0, time: 6ms}, {op: ReaderReadV2, time: 100us}]",
      kTwoReaders);
  EXPECT_THAT(said_of(c, "no_aggregate"), HasSubstr(" s on worker 0, added up, "));
}

// All records are read while the model is made, which takes seconds.
TEST(SlowInput, that_was_over_before_training_is_no_cause) {
  const RanCase c = ran_case(
      "build: {graph: input_files_ps1_task0, protocol: async}\nfeeds: {files: [{name: '*', records: 10}]}\n"
      "costs: [{op: ReaderReadV2, task: worker/0, time: 10us}, {op: MatMul, job: worker, time: 50ms}]\n"
      "stop: {time: 20s}",
      "title: t\ncluster:\n  hosts: [host0, host1]\n  tasks: {ps/0: host0, worker/0: host0, worker/1: host1}\n"
      "  network: {latency: 2s, same_host: free}\n");
  for (const WhatIf& w : what_ifs(c.job, c.outcome)) EXPECT_NE(w.proof.cause, Proof::Cause::input);
}

TEST(SlowInput, until_the_first_batch_comes_sooner_where_the_queue_keeps_nothing_back) {
  const RanCase c = begun("sync", "60ms", "8ms");
  const Verdict v{"no_aggregate", said_of(c, "no_aggregate")};
  const TriedCures all = try_cures({c.scenario, c.options, c.job, c.outcome}, std::vector{v}).value();
  ASSERT_EQ(all.all.size(), 3u);
  EXPECT_EQ(all.all[0].advice, "let it run until the first aggregate should be complete");
  EXPECT_TRUE(all.helps(all.all[0]));
  EXPECT_EQ(all.all[2].advice, "have queues keep no examples back");
  EXPECT_TRUE(all.helps(all.all[2]));
}

TEST(SlowInput, is_a_cause_by_why) {
  const RanCase c = reading_at("{op: ReaderReadV2, time: 2ms}");
  const Why reasons = why(c.job, c.outcome, {}).value();
  ASSERT_EQ(reasons.causes.size(), 1u);
  EXPECT_EQ(reasons.causes[0].proof.cause, Proof::Cause::input);
  EXPECT_EQ(reasons.causes[0].proof.a, "ReaderReadV2");
}

}  // namespace
}  // namespace tarry
