#include "scenarios/job/outcome_bytes.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

TEST(OutcomeBytes, carry_when_each_fault_happened) {
  Outcome o;
  o.faults_at = {2'000'000'000, -1, 0};
  EXPECT_EQ(outcome_from_bytes(to_bytes(o))->faults_at, o.faults_at);
}

TEST(OutcomeBytes, carry_what_each_device_and_channel_did) {
  Outcome o;
  o.stats.now = 7;
  o.stats.events = 8;
  o.stats.devices.push_back({TaskId{1u}, "GPU:0", 2, 3, 4, 5, 6, 7, 8, 9});
  o.stats.traffic.push_back({{HostId{1u}, 2}, {HostId{3u}, 4}, 5, 6});
  const WorldStats came = outcome_from_bytes(to_bytes(o))->stats;
  EXPECT_EQ(std::pair(came.now, came.events), std::pair(Nanos{7}, std::uint64_t{8}));
  EXPECT_EQ(came.devices.at(0).kernels_before, 9u);
  EXPECT_EQ(came.devices.at(0).name, "GPU:0");
  EXPECT_EQ(came.traffic.at(0).to.host, HostId{3u});
  EXPECT_EQ(came.traffic.at(0).messages, 6u);
}

}  // namespace
}  // namespace tarry
