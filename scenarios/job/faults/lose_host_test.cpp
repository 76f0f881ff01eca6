#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(LoseHost, ends_the_processes_of_a_host_and_they_come_back_together) {
  const SmallRun run = run_under(LoseHost{kHost0, 2 * kSecond});
  EXPECT_THAT(run.told, testing::ElementsAre("host0 is lost with all its processes"));
  EXPECT_EQ(run.processes, (std::vector{false, true}));
  EXPECT_EQ(run.steps_between(1.05, 3.05), 0);
  EXPECT_GT(run.step_ended.back(), 4.8);
}

TEST(LoseHost, without_a_time_loses_it_for_good) {
  const SmallRun run = run_under(LoseHost{kHost0, {}});
  EXPECT_EQ(run.processes, (std::vector{false}));
  EXPECT_LT(run.step_ended.back(), 1.05);
}

TEST(LoseHost, of_the_server_is_told_to_the_worker_and_trains_on_when_it_is_back) {
  const SmallRun run = run_under(LoseHost{kServer, kSecond});
  EXPECT_TRUE(run.processes.empty());
  EXPECT_EQ(run.steps_between(1.1, 2.05), 0);
  EXPECT_GT(run.step_ended.back(), 4.8);
}

}  // namespace
}  // namespace tarry
