#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(LoseGpu, makes_the_next_step_fail_and_the_process_lives) {
  const SmallRun run = run_small(small_gpu_job(LoseGpu{kWorker, {0}}));
  EXPECT_THAT(run.told, testing::ElementsAre("GPU:0 of /job:worker/replica:0/task:0 is lost to its process"));
  EXPECT_THAT(run.failed, testing::ElementsAre(testing::HasSubstr("GPU sync failed\n\t [[{{node ")));
  EXPECT_TRUE(run.processes.empty());
  EXPECT_LT(run.step_ended.back(), 1.2);
}

TEST(LoseGpu, is_over_with_the_process) {
  const SmallRun run = run_small(with(small_gpu_job(LoseGpu{kWorker, {0}}), 2 * kSecond, Restart{kWorker}));
  EXPECT_EQ(run.failed.size(), 1u);
  EXPECT_GT(run.step_ended.back(), 4.8);
}

TEST(LoseGpu, of_another_gpu_changes_nothing) {
  Job job = small_gpu_job(LoseGpu{kWorker, {1}});
  job.cluster.tasks[1].gpus.push_back({});
  EXPECT_GT(run_small(job).step_ended.back(), 4.8);
}

}  // namespace
}  // namespace tarry
