#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(Part, lets_nothing_pass_until_the_hosts_are_joined_again) {
  const SmallRun run = run_under(Part{{kHost0, kServer}, 2 * kSecond});
  EXPECT_THAT(run.told, testing::ElementsAre("nothing passes between host0 and server",
                                             "messages pass again between host0 and server"));
  EXPECT_TRUE(std::ranges::none_of(run.step_ended, [](double at) { return at > 1.15 && at < 3.04; }));
  EXPECT_GT(run.step_ended.back(), 4.8);
}

}  // namespace
}  // namespace tarry
