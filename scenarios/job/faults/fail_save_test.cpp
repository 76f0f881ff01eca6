#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(FailSave, ends_training_with_the_error_of_a_full_disk) {
  const SmallRun run = run_small(saving(small_job(FailSave{kPs, {}, {}})));
  EXPECT_THAT(run.told, testing::ElementsAre("saves of /job:ps/replica:0/task:0 fail: no space is left"));
  EXPECT_THAT(run.failed, testing::ElementsAre(testing::AllOf(testing::HasSubstr(".data-00000-of-00001.tempstate"),
                                                              testing::HasSubstr("; No space left on device"))));
  EXPECT_LT(run.step_ended.back(), 1.7);
}

TEST(FailSave, of_so_many_saves_fails_no_more_than_these) {
  const SmallRun run = run_small(with(saving(small_job(FailSave{kPs, Count{1}, {}})), 2 * kSecond, Restart{kWorker}));
  EXPECT_THAT(run.told, testing::ElementsAre("the next saves of /job:ps/replica:0/task:0 will fail, 1 of them"));
  EXPECT_EQ(run.failed.size(), 1u);
  EXPECT_GT(run.step_ended.back(), 4.8);
}

TEST(FailSave, is_over_after_its_time_and_is_none_for_a_task_that_saves_nothing) {
  const SmallRun over = run_small(saving(small_job(FailSave{kPs, {}, kSecond / 100})));
  EXPECT_EQ(over.told.size(), 2u);
  EXPECT_TRUE(over.failed.empty());
  EXPECT_TRUE(run_small(saving(small_job(FailSave{kWorker, {}, {}}))).failed.empty());
}

}  // namespace
}  // namespace tarry
