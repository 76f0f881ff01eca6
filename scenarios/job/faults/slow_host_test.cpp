#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(SlowHost, makes_the_kernels_of_its_tasks_take_longer_while_it_lasts) {
  const SmallRun run = run_under(SlowHost{kHost0, {300}, 2 * kSecond});
  EXPECT_THAT(run.told, testing::ElementsAre("the kernels on host0 take 3 times as long as usual",
                                             "the kernels on host0 take their usual time"));
  EXPECT_THAT(run.steps_between(1.15, 3.05), testing::AllOf(testing::Ge(5), testing::Le(7)));
  EXPECT_GT(run.steps_between(3.35, 5.0), 15);
}

TEST(SlowHost, leaves_the_kernels_of_other_hosts_as_they_are) {
  EXPECT_EQ(run_under(SlowHost{kServer, {300}, {}}).step_ended, run_under(SlowHost{kServer, {100}, {}}).step_ended);
}

}  // namespace
}  // namespace tarry
