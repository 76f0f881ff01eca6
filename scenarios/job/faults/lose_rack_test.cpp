#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(LoseRack, ends_the_processes_of_all_its_hosts_at_one_moment_and_they_come_back_together) {
  const Outcome outcome = run_here(small_job(LoseRack{{{kServer, kHost0}}, 2 * kSecond}));
  std::vector<Nanos> ended, began;
  for (const LoggedEvent& e : outcome.log.events()) {
    if (std::holds_alternative<ProcessEnded>(e.event)) ended.push_back(e.at - outcome.log.started_at);
    if (std::holds_alternative<ProcessBegan>(e.event)) began.push_back(e.at - outcome.log.started_at);
  }
  const Nanos at = kSecond + kSecond / 20;
  EXPECT_THAT(ended, testing::ElementsAre(at, at));
  EXPECT_THAT(began, testing::ElementsAre(at + 2 * kSecond, at + 2 * kSecond));
  const SmallRun run = read_small(outcome);
  EXPECT_THAT(run.told, testing::ElementsAre("server and host0 are lost with all their processes"));
  EXPECT_GT(run.step_ended.back(), 4.8);
}

}  // namespace
}  // namespace tarry
