#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(PartOneWay, holds_what_is_sent_one_way_and_lets_the_other_way_pass) {
  const Outcome outcome = run_here(small_job(PartOneWay{{kServer, kHost0}, 2 * kSecond}));
  int to_server = 0, to_worker = 0;
  for (const LoggedEvent& e : outcome.log.events())
    if (e.at > kSecond + kSecond / 20 && e.at < 3 * kSecond + kSecond / 20)
      if (const auto* m = std::get_if<MessageDelivered>(&e.event); m != nullptr && m->from != m->to)
        ++(m->to == kPs ? to_server : to_worker);
  EXPECT_GT(to_server, 0);
  EXPECT_EQ(to_worker, 0);
  const SmallRun run = run_under(PartOneWay{{kServer, kHost0}, 2 * kSecond});
  EXPECT_THAT(run.told,
              testing::ElementsAre("nothing passes from server to host0", "messages pass again from server to host0"));
  EXPECT_GT(run.step_ended.back(), 4.8);
}

}  // namespace
}  // namespace tarry
