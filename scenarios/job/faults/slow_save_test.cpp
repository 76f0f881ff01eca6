#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(SlowSave, lets_training_stand_still_while_a_checkpoint_is_written) {
  const SmallRun run = run_small(saving(small_job(SlowSave{kPs, kSecond, {}})));
  EXPECT_THAT(run.told, testing::ElementsAre("saves of /job:ps/replica:0/task:0 take 1 s longer"));
  double longest = 0;
  for (std::size_t i = 1; i < run.step_ended.size(); ++i)
    longest = std::max(longest, run.step_ended[i] - run.step_ended[i - 1]);
  EXPECT_NEAR(longest, 1.1, 0.01);
  EXPECT_TRUE(run.failed.empty());
}

TEST(SlowSave, is_over_after_its_time) {
  const SmallRun usual = run_small(saving(small_job(SlowSave{kPs, 0, {}})));
  EXPECT_EQ(run_small(saving(small_job(SlowSave{kPs, kSecond, kSecond / 100}))).step_ended, usual.step_ended);
}

}  // namespace
}  // namespace tarry
