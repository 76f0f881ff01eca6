#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(TakeMemory, makes_a_step_that_needs_more_than_is_left_fail) {
  const SmallRun run = run_small(small_gpu_job(TakeMemory{kWorker, {0}, {1'000'000'000}, {}}));
  EXPECT_THAT(run.told, testing::ElementsAre("others hold 1000000000 bytes of GPU:0 of /job:worker/replica:0/task:0"));
  EXPECT_THAT(run.failed, testing::ElementsAre(testing::HasSubstr("OOM when allocating tensor with shape")));
  EXPECT_THAT(run.failed[0], testing::HasSubstr("by allocator GPU_0_bfc"));
}

TEST(TakeMemory, changes_nothing_while_enough_is_left) {
  const SmallRun run = run_small(small_gpu_job(TakeMemory{kWorker, {0}, {500'000'000}, {}}));
  EXPECT_TRUE(run.failed.empty());
  EXPECT_GT(run.step_ended.back(), 4.8);
}

TEST(TakeMemory, that_is_given_back_is_there_for_the_next_process) {
  const SmallRun run =
      run_small(with(small_gpu_job(TakeMemory{kWorker, {0}, {1'000'000'000}, kSecond}), 3 * kSecond, Restart{kWorker}));
  EXPECT_EQ(run.failed.size(), 1u);
  EXPECT_EQ(run.told.size(), 2u);
  EXPECT_GT(run.step_ended.back(), 4.8);
}

TEST(TakeMemory, that_is_not_counted_is_only_told) {
  const SmallRun run = run_small(small_gpu_job(TakeMemory{kWorker, {0}, {1'000'000'000}, {}}, 0));
  EXPECT_THAT(run.told, testing::ElementsAre("the memory of GPU:0 of /job:worker/replica:0/task:0 is not counted: "
                                             "nobody can take it"));
  EXPECT_GT(run.step_ended.back(), 4.8);
}

}  // namespace
}  // namespace tarry
