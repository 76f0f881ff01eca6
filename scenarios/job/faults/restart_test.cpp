#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(Restart, ends_the_process_that_lives_and_begins_another_that_trains) {
  const SmallRun run = run_under(Restart{kWorker});
  EXPECT_EQ(run.processes, (std::vector{false, true}));
  EXPECT_GT(run.step_ended.back(), 4.8);
}

}  // namespace
}  // namespace tarry
