#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(Swizzle, holds_networks_one_by_one_and_releases_them_in_another_order) {
  Job job = small_job(Swizzle{{{kServer, kHost0, HostId{2u}}}, kSecond / 10, kSecond});
  job.cluster.hosts.push_back({"host1"});
  const Outcome outcome = run_here(job);
  const SmallRun run = read_small(outcome);
  ASSERT_EQ(run.told.size(), 6u);
  const std::vector<std::string> begun(run.told.begin(), run.told.begin() + 3);
  EXPECT_THAT(begun, testing::ElementsAre("the network of server is held", "the network of host0 is held",
                                          "the network of host1 is held"));
  std::vector<std::string> over(run.told.begin() + 3, run.told.end());
  const std::vector<std::string> same{"the network of server is released", "the network of host0 is released",
                                      "the network of host1 is released"};
  EXPECT_NE(over, same);
  EXPECT_THAT(over, testing::UnorderedElementsAreArray(same));
  std::vector<double> at;
  for (const LoggedEvent& e : outcome.log.events())
    if (std::holds_alternative<ConditionChanged>(e.event)) at.push_back(in_seconds(e.at - outcome.log.started_at));
  EXPECT_THAT(at, testing::Pointwise(testing::DoubleEq(), {1.05, 1.15, 1.25, 2.25, 2.35, 2.45}));
  EXPECT_EQ(run.steps_between(1.1, 2.25), 0);
  EXPECT_GT(run.step_ended.back(), 4.8);
}

TEST(Swizzle, draws_its_order_from_the_seed) {
  const Swizzle all{{{HostId{0u}, HostId{1u}, HostId{2u}, HostId{3u}, HostId{4u}}}, 0, 0};
  EXPECT_EQ(all.release_order(Random(1)), all.release_order(Random(1)));
  EXPECT_NE(all.release_order(Random(1)), all.release_order(Random(2)));
  const Swizzle two{{{HostId{0u}, HostId{1u}}}, 0, 0};
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    EXPECT_THAT(two.release_order(Random(seed)), testing::ElementsAre(1, 0));
}

}  // namespace
}  // namespace tarry
