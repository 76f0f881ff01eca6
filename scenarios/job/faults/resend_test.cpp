#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(Resend, is_told_and_loses_nothing) {
  const SmallRun run = run_under(Resend{kWorker, kPs});
  EXPECT_THAT(run.told, testing::ElementsAre("the connection from /job:worker/replica:0/task:0 to "
                                             "/job:ps/replica:0/task:0 broke, and its open calls were sent again"));
  EXPECT_GE(run.step_ended.size(), 49u);
}

}  // namespace
}  // namespace tarry
