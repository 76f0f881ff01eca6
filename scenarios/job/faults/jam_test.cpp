#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(Jam, holds_messages_and_then_delivers_all_of_them_at_once) {
  const Outcome outcome = run_here(small_job(Jam{{kServer, kHost0}, 2 * kSecond}));
  std::vector<double> held;
  for (const LoggedEvent& e : outcome.log.events())
    if (const auto* m = std::get_if<MessageDelivered>(&e.event); m != nullptr && m->from != m->to && e.at != m->sent)
      held.push_back(in_seconds(e.at - outcome.log.started_at));
  EXPECT_FALSE(held.empty());
  EXPECT_THAT(held, testing::Each(testing::DoubleEq(3.05)));
  const SmallRun run = read_small(outcome);
  EXPECT_THAT(run.told, testing::ElementsAre("messages between server and host0 are held",
                                             "all messages between server and host0 are there at once"));
  EXPECT_LE(run.steps_between(1.1, 3.05), 0);
  EXPECT_GT(run.step_ended.back(), 4.8);
}

}  // namespace
}  // namespace tarry
