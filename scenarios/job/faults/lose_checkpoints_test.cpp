#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

const std::string kRestoring = "Restoring parameters from checkpoints/model.ckpt";

TEST(LoseCheckpoints, lets_a_chief_that_begins_anew_start_over) {
  const auto restarted = [](const FaultKinds& fault) {
    return run_small(with(saving(small_job(fault)), kSecond + kSecond / 10, Restart{kWorker}));
  };
  const SmallRun lost = restarted(LoseCheckpoints{});
  EXPECT_THAT(lost.told, testing::ElementsAre("all checkpoints are gone"));
  EXPECT_THAT(lost.lines, testing::Not(testing::Contains(testing::HasSubstr(kRestoring))));
  EXPECT_GT(lost.step_ended.back(), 4.8);
  EXPECT_THAT(restarted(SlowSave{kPs, 0, {}}).lines, testing::Contains(testing::HasSubstr(kRestoring)));
}

TEST(LoseCheckpoints, changes_nothing_for_those_that_train) {
  EXPECT_EQ(run_small(saving(small_job(LoseCheckpoints{}))).step_ended,
            run_small(saving(small_job(SlowSave{kPs, 0, {}}))).step_ended);
}

}  // namespace
}  // namespace tarry
