#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

// Messages of 31 kB take 30 ms.
Job with_bandwidth(const FaultKinds& fault, std::uint64_t small_message) {
  Job job = small_job(fault);
  job.cluster.network.between_hosts.bandwidth = 1'000'000;
  job.cluster.network.small_message = small_message;
  return job;
}

TEST(Narrow, makes_messages_take_longer_while_it_lasts) {
  const SmallRun run = run_small(with_bandwidth(Narrow{{kHost0, kServer}, {10}, 2 * kSecond}, 1'000'000'000));
  EXPECT_THAT(run.told, testing::ElementsAre("the path between host0 and server has 10 % of its bandwidth",
                                             "the path between host0 and server has its usual bandwidth"));
  EXPECT_GT(run.steps_between(0, 1.05), 5);
  EXPECT_THAT(run.steps_between(1.3, 3.05), testing::AllOf(testing::Ge(1), testing::Le(4)));
  EXPECT_GT(run.steps_between(3.8, 5.0), 5);
}

TEST(Narrow, is_felt_by_flows) {
  const auto outcome = run_apart(with_bandwidth(Narrow{{kHost0, kServer}, {10}, 2 * kSecond}, 0));
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  const SmallRun run = read_small(*outcome);
  EXPECT_GT(run.steps_between(0, 1.05), 5);
  EXPECT_THAT(run.steps_between(1.3, 3.05), testing::AllOf(testing::Ge(1), testing::Le(4)));
  EXPECT_GT(run.steps_between(3.8, 5.0), 5);
}

TEST(Narrow, narrows_a_path_that_only_network_cards_limit) {
  Job job = small_job(Narrow{{kHost0, kServer}, {10}, 2 * kSecond});
  for (HostSpec& h : job.cluster.hosts) h.nic_bandwidth = 1'000'000;
  const auto outcome = run_apart(job);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  const SmallRun run = read_small(*outcome);
  EXPECT_GT(run.steps_between(0, 1.05), 5);
  EXPECT_THAT(run.steps_between(1.3, 3.05), testing::AllOf(testing::Ge(1), testing::Le(4)));
  EXPECT_GT(run.steps_between(3.8, 5.0), 5);
}

TEST(Narrow, without_a_limit_is_only_told) {
  const SmallRun run = run_under(Narrow{{kHost0, kServer}, {10}, 2 * kSecond});
  EXPECT_THAT(run.told,
              testing::ElementsAre("the path between host0 and server has no shared bandwidth limit: it cannot "
                                   "be narrowed"));
  EXPECT_GT(run.steps_between(1.05, 3.05), 17);
}

}  // namespace
}  // namespace tarry
