// Jobs whose workers wait for examples: four threads of each worker read records, with one reader, and prepare them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/file/ran_case.hpp"
#include "scenarios/file/tried_cures.hpp"
#include "scenarios/job/prove.hpp"
#include "scenarios/job/why.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kTwoReaders =
    "title: t\ncluster:\n  hosts: [server, host0, host1]\n  tasks: {ps/0: server, worker/0: host0, worker/1: host1}\n"
    "  network: {latency: 1ms}\n";

// A batch has 64 records, and a step computes for 16 ms.
RanCase reading_at(const std::string& costs) {
  return ran_case(
      "build: {graph: input_files_ps1_task0, protocol: sync}\nfeeds: {files: [{name: '*', records: "
      "100000}]}\nstop: {aggregates: 60}\ncosts: [" +
          costs + ", {op: MatMul, time: 8ms}]",
      kTwoReaders);
}

std::string said_of(const RanCase& c, const std::string& kind) {
  const std::vector<Proof> proofs = prove(c.job, c.outcome).value();
  for (const Verdict& v : judge(c.outcome.log, read_contributions(c.outcome.log), c.outcome.tasks, proofs))
    if (v.kind == kind) return v.text;
  return "";
}

constexpr Nanos kTwoMillis = 2'000'000;

Nanos time_of_run(const RanCase& c) { return c.outcome.log.ended_at - c.outcome.log.started_at; }

TEST(SlowInput, of_one_reader_comes_one_record_after_the_other) {
  const RanCase reads = reading_at("{op: ReaderReadV2, time: 2ms}"), decodes = reading_at("{op: DecodeCSV, time: 2ms}");
  EXPECT_GT(time_of_run(reads), 59 * 64 * kTwoMillis);
  EXPECT_LT(time_of_run(decodes), time_of_run(reads) / 3) << "four threads prepare them side by side";
}

TEST(SlowInput, is_what_the_workers_wait_for) {
  const std::string text = said_of(reading_at("{op: ReaderReadV2, time: 2ms}"), "input_bound");
  EXPECT_THAT(text, StartsWith("The workers wait for their examples: the kernels that read and prepare examples ran "
                               "for "));
  EXPECT_THAT(text,
              HasSubstr("; most of that is ReaderReadV2. Run again with examples that are read and prepared in no "
                        "time (same seed), the same work takes 8"));
  EXPECT_THAT(said_of(reading_at("{op: DecodeCSV, time: 4ms}"), "input_bound"),
              HasSubstr("most of that is DecodeCSV."));
}

TEST(SlowInput, that_is_as_fast_as_the_steps_is_nothing_to_tell) {
  EXPECT_EQ(said_of(reading_at("{op: ReaderReadV2, time: 20us}"), "input_bound"), "");
  EXPECT_EQ(said_of(reading_at("{op: ReaderReadV2, time: 1ns}"), "input_bound"), "");
}

TEST(SlowInput, of_one_worker_is_a_straggler) {
  const RanCase c = reading_at("{op: ReaderReadV2, task: worker/1, time: 2ms}, {op: ReaderReadV2, time: 20us}");
  EXPECT_EQ(said_of(c, "input_bound"), "");
  EXPECT_THAT(said_of(c, "straggler"),
              HasSubstr("worker 1 is what the others wait for: the kernels of a step of worker"));
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

TEST(SlowInput, is_a_cause_by_why) {
  const RanCase c = reading_at("{op: ReaderReadV2, time: 2ms}");
  const Why reasons = why(c.job, c.outcome, {}).value();
  ASSERT_EQ(reasons.causes.size(), 1u);
  EXPECT_EQ(reasons.causes[0].proof.cause, Proof::Cause::input);
  EXPECT_EQ(reasons.causes[0].proof.a, "ReaderReadV2");
}

}  // namespace
}  // namespace tarry
