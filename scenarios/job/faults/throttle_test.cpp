#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(Throttle, makes_the_kernels_on_a_gpu_take_longer_while_it_lasts) {
  const SmallRun run = run_small(small_gpu_job(Throttle{kWorker, {0}, {300}, 2 * kSecond}));
  EXPECT_THAT(run.told,
              testing::ElementsAre("the kernels on GPU:0 of /job:worker/replica:0/task:0 take 3 times as long as usual",
                                   "the kernels on GPU:0 of /job:worker/replica:0/task:0 take their usual time"));
  EXPECT_THAT(run.steps_between(1.15, 3.05), testing::AllOf(testing::Ge(5), testing::Le(7)));
  EXPECT_GT(run.steps_between(3.35, 5.0), 15);
}

TEST(Throttle, leaves_the_kernels_on_another_gpu_and_on_the_cpu_as_they_are) {
  Job job = small_gpu_job(Throttle{kWorker, {1}, {300}, {}});
  job.cluster.tasks[1].gpus.push_back({});
  EXPECT_GT(run_small(job).steps_between(1.15, 3.05), 15);
}

TEST(Throttle, of_a_gpu_that_the_task_lacks_is_refused) {
  const Throttle second{kWorker, {1}, {300}, {}};
  EXPECT_EQ(second.problem(small_gpu_job(second).cluster), "/job:worker/replica:0/task:0 has 1 GPU and no GPU 1");
  EXPECT_EQ(second.problem(small_job(second).cluster), "/job:worker/replica:0/task:0 has 0 GPUs and no GPU 1");
  EXPECT_EQ((Throttle{kWorker, {0}, {300}, {}}.problem(small_gpu_job(second).cluster)), "");
}

}  // namespace
}  // namespace tarry
