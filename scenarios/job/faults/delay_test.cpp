#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(Delay, gives_messages_between_two_hosts_another_latency_while_it_lasts) {
  const SmallRun run = run_under(Delay{{kHost0, kServer}, kSecond / 4, 2 * kSecond});
  EXPECT_THAT(run.told, testing::ElementsAre("messages between host0 and server take 0.25 s",
                                             "messages between host0 and server take their usual time"));
  const auto late = std::ranges::count_if(run.step_ended, [](double at) { return at > 1.15 && at < 3.05; });
  EXPECT_LT(late, 4);
  EXPECT_GT(run.step_ended.back(), 4.8);
}

TEST(Delay, holds_for_messages_of_both_directions) {
  const Outcome outcome = run_here(small_job(Delay{{kHost0, kServer}, kSecond / 4, {}}));
  int to_server = 0, from_server = 0;
  for (const LoggedEvent& e : outcome.log.events())
    if (const auto* m = std::get_if<MessageDelivered>(&e.event); m != nullptr && m->from != m->to) {
      const bool is_late = m->sent > kSecond + kSecond / 20;
      EXPECT_EQ(e.at - m->sent, is_late ? kSecond / 4 : 0);
      (m->to == kPs ? to_server : from_server) += is_late;
    }
  EXPECT_GT(to_server, 0);
  EXPECT_GT(from_server, 0);
}

}  // namespace
}  // namespace tarry
