#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(Slow, makes_kernels_take_longer_while_it_lasts) {
  const SmallRun run = run_under(Slow{kWorker, {300}, 2 * kSecond});
  EXPECT_THAT(run.told,
              testing::ElementsAre("the kernels of /job:worker/replica:0/task:0 take 3 times as long as usual",
                                   "the kernels of /job:worker/replica:0/task:0 take their usual time"));
  const auto slow = std::ranges::count_if(run.step_ended, [](double at) { return at > 1.15 && at < 3.05; });
  EXPECT_THAT(slow, testing::AllOf(testing::Ge(5), testing::Le(7)));
}

TEST(Slow, without_an_end_lasts_for_good) {
  const SmallRun run = run_under(Slow{kWorker, {1'000}, {}});
  EXPECT_EQ(run.told.size(), 1u);
  EXPECT_LT(run.step_ended.size(), 16u);
}

TEST(Slow, below_a_hundred_per_cent_makes_kernels_take_less) {
  const SmallRun run = run_under(Slow{kWorker, {50}, 2 * kSecond});
  EXPECT_EQ(std::ranges::count_if(run.step_ended, [](double at) { return at > 1.15 && at < 3.01; }), 37);
}

TEST(Slow, is_a_trouble_only_above_a_hundred_per_cent) {
  const auto holds = [](int percent) {
    const Outcome outcome = run_here(small_job(Slow{kWorker, {percent}, 2 * kSecond}));
    std::vector<bool> all;
    for (const LoggedEvent& e : outcome.log.events())
      if (const auto* c = std::get_if<ConditionChanged>(&e.event)) all.push_back(c->holds);
    return all;
  };
  EXPECT_THAT(holds(101), testing::ElementsAre(true, false));
  EXPECT_THAT(holds(100), testing::ElementsAre(false, false));
  EXPECT_THAT(holds(50), testing::ElementsAre(false, false));
}

}  // namespace
}  // namespace tarry
