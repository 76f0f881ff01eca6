#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(PartBreaking, breaks_connections_after_a_while_and_the_worker_trains_on_when_messages_pass_again) {
  const Outcome outcome = run_here(small_job(PartBreaking{{kHost0, kServer}, kSecond, 2 * kSecond}));
  const SmallRun run = read_small(outcome);
  EXPECT_THAT(run.told, testing::ElementsAre("nothing passes between host0 and server",
                                             "the connections between host0 and server broke",
                                             "messages pass again between host0 and server"));
  std::vector<double> unavailable;
  for (const LoggedEvent& e : outcome.log.events())
    if (const auto* ended = std::get_if<StepEnded>(&e.event);
        ended != nullptr && ended->code == static_cast<int>(Code::kUnavailable))
      unavailable.push_back(in_seconds(e.at - outcome.log.started_at));
  EXPECT_THAT(unavailable, testing::ElementsAre(testing::DoubleNear(2.05, 0.001)));
  EXPECT_EQ(run.steps_between(1.1, 3.05), 0);
  EXPECT_GT(run.step_ended.back(), 4.8);
  EXPECT_TRUE(run.failed.empty());
}

TEST(PartBreaking, that_is_over_before_connections_break_is_a_partition) {
  const SmallRun breaking = run_under(PartBreaking{{kHost0, kServer}, 3 * kSecond, kSecond});
  EXPECT_EQ(breaking.told.size(), 2u);
  EXPECT_EQ(breaking.step_ended, run_under(Part{{kHost0, kServer}, kSecond}).step_ended);
}

TEST(PartBreaking, for_good_does_not_keep_the_run_alive) {
  Job job = small_job(PartBreaking{{kHost0, kServer}, kSecond / 1'000, {}});
  job.stop.time.reset();
  job.max_time = 100'000 * kSecond;
  const Outcome outcome = run_here(job);
  EXPECT_TRUE(outcome.log.is_deadlocked);
  EXPECT_LT(outcome.log.events().size(), 100'000u);
}

}  // namespace
}  // namespace tarry
