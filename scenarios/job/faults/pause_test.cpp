#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(Pause, of_a_worker_stops_its_steps_until_it_goes_on_and_nobody_is_told) {
  const SmallRun run = run_under(Pause{kWorker, 2 * kSecond});
  EXPECT_THAT(run.told, testing::ElementsAre("the process of /job:worker/replica:0/task:0 stands still",
                                             "the process of /job:worker/replica:0/task:0 goes on"));
  EXPECT_EQ(run.steps_between(1.05, 3.05), 0);
  EXPECT_EQ(run.steps_between(3.05, 3.15), 1);  // the rest of its kernel: 50 ms
  EXPECT_GT(run.step_ended.back(), 4.8);
  EXPECT_TRUE(run.processes.empty());
  EXPECT_TRUE(run.failed.empty());
}

TEST(Pause, of_a_server_holds_the_workers_without_an_error) {
  const SmallRun run = run_under(Pause{kPs, 2 * kSecond});
  EXPECT_LE(run.steps_between(1.05, 3.05), 1);
  EXPECT_GT(run.step_ended.back(), 4.8);
  EXPECT_TRUE(run.failed.empty());
}

TEST(Pause, for_good_ends_with_the_process) {
  const SmallRun run = run_small(with(small_job(Pause{kWorker, {}}), 2 * kSecond, Restart{kWorker}));
  EXPECT_EQ(run.told.size(), 1u);
  EXPECT_EQ(run.processes, (std::vector{false, true}));
  EXPECT_GT(run.step_ended.back(), 4.8);
}

TEST(Pause, whose_process_ended_meanwhile_says_nothing_more) {
  const SmallRun run = run_small(with(small_job(Pause{kWorker, 2 * kSecond}), 2 * kSecond, Restart{kWorker}));
  EXPECT_EQ(run.told.size(), 1u);
  EXPECT_GT(run.steps_between(2.1, 3.0), 5);
}

TEST(Pause, that_is_set_again_lasts_from_then_on) {
  const SmallRun run =
      run_small(with(small_job(Pause{kWorker, kSecond}), 2 * kSecond, Pause{kWorker, kSecond + kSecond / 2}));
  EXPECT_EQ(run.steps_between(1.05, 3.5), 0);
  EXPECT_GT(run.step_ended.back(), 4.8);
}

TEST(Pause, keeps_the_news_of_a_broken_connection_until_the_process_goes_on) {
  const SmallRun run =
      run_small(with(small_job(Pause{kWorker, 2 * kSecond}), kSecond + kSecond / 2, Disconnect{{kWorker, kPs}}));
  EXPECT_EQ(run.steps_between(1.05, 3.05), 0);
  EXPECT_GT(run.step_ended.back(), 4.8);
}

TEST(Pause, keeps_that_news_from_a_worker_that_waits_for_messages_alone) {
  Job job = with(small_job(Pause{kWorker, 2 * kSecond}), kSecond + kSecond / 2, Disconnect{{kWorker, kPs}});
  job.cluster.network.between_hosts.latency = kSecond / 10;
  const Outcome outcome = run_here(job);
  std::vector<double> said_at;
  for (const LoggedEvent& e : outcome.log.events())
    if (const auto* line = std::get_if<LogLine>(&e.event);
        line && line->task == kWorker && e.at > outcome.log.started_at + kSecond)
      said_at.push_back(in_seconds(e.at - outcome.log.started_at));
  EXPECT_THAT(said_at, testing::AllOf(testing::Not(testing::IsEmpty()), testing::Each(testing::Gt(3.04))));
}

}  // namespace
}  // namespace tarry
