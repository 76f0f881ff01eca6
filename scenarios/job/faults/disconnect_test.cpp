#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(Disconnect, is_told_and_loses_the_step_that_is_under_way) {
  const SmallRun run = run_under(Disconnect{kWorker, kPs});
  EXPECT_THAT(run.told, testing::ElementsAre(
                            "the connections between /job:worker/replica:0/task:0 and /job:ps/replica:0/task:0 broke"));
  EXPECT_EQ(run.processes, std::vector<bool>());
}

}  // namespace
}  // namespace tarry
