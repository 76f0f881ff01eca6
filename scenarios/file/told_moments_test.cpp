// What is told of jobs whose faults wait for a moment, and of those that are cut off at one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/file/ran_case.hpp"
#include "scenarios/file/tried_cures.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::Not;

// Without initial tokens no gradient is dropped, and the server does not pause.
TEST(ToldMoments, counts_no_run_as_a_proof_in_which_the_moment_of_a_fault_did_not_come) {
  const auto told = [](const char* when) {
    return said(ran_case(std::string("build: {graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 6}\n") +
                         "stop: {aggregates: 40}\nfaults: [{" + when + ", pause: {task: ps/0, lasts: 2s}}]"));
  };
  for (const char* when : {"after: {dropped: worker/0}", "at: 46ms"}) {
    EXPECT_THAT(told(when), HasSubstr("stalled: ")) << when;
    EXPECT_THAT(told(when), Not(HasSubstr("without initial tokens (same seed)"))) << when;
  }
}

// One worker is eleven times as slow, and the other one is lost: a step ends every 0.22 s.
TEST(ToldMoments, never_calls_a_slow_survivor_stuck_whenever_the_run_is_cut_off) {
  for (const char* end : {"6s", "6.05s", "6.1s", "6.15s", "6.2s"})
    EXPECT_EQ(
        said(ran_case("build: {graph: softmax_async_ps1_task0, protocol: async}\n"
                      "training: {workers: {worker/2: {start_after: 100s}}}\n"
                      "faults: [{at: 0.1s, slow: {task: worker/0, percent: 1100}}, {at: 2.4s, kill: worker/1}]\n" +
                      ("stop: {time: " + std::string(end) + "}")),
             "stuck"),
        "")
        << end;
}

// The second worker looks for a model, finds none, and looks again half a minute later.
TEST(ToldMoments, of_a_run_that_ends_before_the_first_aggregate_are_cured_by_one_until_that_comes) {
  const RanCase c = ran_case(
      "build: {graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}\n"
      "training: {start: natural}\nstop: {time: 4s}",
      "title: t\ncluster:\n  hosts: [s, a, b]\n  tasks: {ps/0: s, worker/0: a, worker/1: b}\n"
      "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 100ms}, "
      "{op: TruncatedNormal, time: 15ms}]\n");
  const auto proofs = prove(c.job, c.outcome).value();
  const auto verdicts = judge(c.outcome.log, read_contributions(c.outcome.log), c.outcome.tasks, proofs);
  const TriedCures cures = try_cures({c.scenario, c.options, c.job, c.outcome, proofs}, verdicts).value();
  EXPECT_THAT(to_text(cures, {}), HasSubstr("keys: stop.time: 36."));
}

}  // namespace
}  // namespace tarry
