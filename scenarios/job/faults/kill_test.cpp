#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(Kill, ends_a_process_and_its_steps) {
  const SmallRun run = run_under(Kill{kWorker});
  EXPECT_EQ(run.processes, (std::vector{false}));
  EXPECT_EQ(run.step_ended.size(), 10u);
}

}  // namespace
}  // namespace tarry
