#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

constexpr Reorder kUpTo20ms{{kWorker, kPs}, kSecond / 50, 2 * kSecond};

TEST(Reorder, lets_messages_of_two_tasks_overtake_each_other_while_it_lasts) {
  const Outcome outcome = run_here(small_job(kUpTo20ms));
  Nanos last_sent = -1, latest = 0;
  int overtaken = 0;
  for (const LoggedEvent& e : outcome.log.events())
    if (const auto* m = std::get_if<MessageDelivered>(&e.event); m != nullptr && m->from == kWorker && m->to == kPs) {
      overtaken += m->sent < last_sent ? 1 : 0;
      last_sent = m->sent;
      latest = std::max(latest, e.at - m->sent);
    }
  EXPECT_GT(overtaken, 0);
  EXPECT_GT(latest, kSecond / 100);
  EXPECT_LE(latest, kSecond / 50);
  const SmallRun run = read_small(outcome);
  EXPECT_THAT(run.told, testing::ElementsAre("messages between /job:worker/replica:0/task:0 and "
                                             "/job:ps/replica:0/task:0 take up to 0.02 s longer, each another time",
                                             "messages between /job:worker/replica:0/task:0 and "
                                             "/job:ps/replica:0/task:0 take their usual time"));
  EXPECT_LT(run.steps_between(1.05, 3.05), 19);
  EXPECT_GT(run.steps_between(3.2, 5.0), 15);
  EXPECT_TRUE(run.failed.empty());
}

TEST(Reorder, draws_the_same_again_and_otherwise_with_another_seed) {
  Job job = small_job(kUpTo20ms);
  const auto first = run_here(job).log.hash();
  EXPECT_EQ(run_here(job).log.hash(), first);
  job.seed = 2;
  EXPECT_NE(run_here(job).log.hash(), first);
}

TEST(Reorder, never_lets_the_end_of_a_connection_overtake_what_was_sent_before) {
  const Outcome outcome =
      run_here(with(small_job(Reorder{{kWorker, kPs}, kSecond, {}}), 2 * kSecond, Restart{kWorker}));
  Nanos closed = -1;
  for (const LoggedEvent& e : outcome.log.events())
    if (const auto* m = std::get_if<MessageDelivered>(&e.event); m != nullptr && m->from == kWorker && m->to == kPs) {
      if (outcome.log.name(m->kind) == "connection closed") closed = m->sent;
      if (closed >= 0) EXPECT_GE(m->sent, closed);
    }
  EXPECT_GE(closed, 0);
}

}  // namespace
}  // namespace tarry
