#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

const HeavyTail kOneInFour{kWorker, {"SparseSoftmax*"}, {4}, {300}, {}};

TEST(HeavyTail, makes_some_executions_take_longer) {
  const SmallRun run = run_under(kOneInFour);
  EXPECT_THAT(run.told, testing::ElementsAre("one in 4 executions of SparseSoftmax* at /job:worker/replica:0/task:0 "
                                             "takes 3 times as long as usual"));
  std::set<int> tenths;
  for (std::size_t i = 1; i < run.step_ended.size(); ++i)
    tenths.insert(static_cast<int>(std::lround(10 * (run.step_ended[i] - run.step_ended[i - 1]))));
  EXPECT_THAT(tenths, testing::ElementsAre(1, 3));
  EXPECT_THAT(run.steps_between(1.05, 5.0), testing::AllOf(testing::Gt(20), testing::Lt(35)));
}

TEST(HeavyTail, draws_the_same_again_and_otherwise_with_another_seed) {
  Job job = small_job(kOneInFour);
  const std::vector<double> first = run_small(job).step_ended;
  EXPECT_EQ(run_small(job).step_ended, first);
  job.seed = 2;
  EXPECT_NE(run_small(job).step_ended, first);
}

TEST(HeavyTail, ends_and_leaves_other_ops_as_they_are) {
  const SmallRun run = run_under(HeavyTail{kWorker, {"*"}, {1}, {300}, kSecond});
  EXPECT_EQ(run.told.size(), 2u);
  EXPECT_GT(run.steps_between(2.35, 5.0), 24);
  EXPECT_GT(run_under(HeavyTail{kWorker, {"MatMul"}, {1}, {300}, {}}).steps_between(1.05, 5.0), 37);
}

}  // namespace
}  // namespace tarry
