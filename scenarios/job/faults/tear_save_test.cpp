#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(TearSave, is_noticed_when_the_checkpoint_is_restored) {
  const SmallRun unread = run_small(saving(small_job(TearSave{kPs})));
  EXPECT_THAT(unread.told, testing::ElementsAre("what /job:ps/replica:0/task:0 saves next will be torn"));
  EXPECT_GT(unread.step_ended.back(), 4.8);
  const SmallRun read = run_small(with(saving(small_job(TearSave{kPs})), kSecond + 6 * kSecond / 10, Restart{kWorker}));
  EXPECT_THAT(read.failed,
              testing::ElementsAre(testing::AllOf(testing::HasSubstr("TensorBundle at checkpoints/model.ckpt-"),
                                                  testing::HasSubstr("bytes): Checksum does not match: stored "))));
}

TEST(TearSave, does_no_harm_once_another_checkpoint_is_complete) {
  const SmallRun run = run_small(with(saving(small_job(TearSave{kPs})), 3 * kSecond, Restart{kWorker}));
  EXPECT_TRUE(run.failed.empty());
  EXPECT_GT(run.step_ended.back(), 4.8);
}

}  // namespace
}  // namespace tarry
