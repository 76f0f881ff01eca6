// What is tried of the network, and whose paths it names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/overheads.hpp"
#include "scenarios/job/told_run.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

TEST(WhatIfNetwork, without_limits_keeps_the_window_of_connections_which_is_the_transports) {
  Job job;
  job.cluster.hosts = {{.name = "h", .nic_bandwidth = 1000}};
  job.cluster.network.transport.window = 64;
  for (const Overhead& o : overheads()) {
    if (o.cause != Proof::Cause::network && o.cause != Proof::Cause::transport) continue;
    Job without = job;
    o.take_away(without);
    const bool is_network = o.cause == Proof::Cause::network;
    EXPECT_EQ(without.cluster.network.transport.window, is_network ? 64u : 0u);
    EXPECT_EQ(without.cluster.hosts[0].nic_bandwidth, is_network ? 0u : 1000u);
  }
}

// Two servers and three workers; the last worker's path to the first server is bad, and that to the second may be.
std::string told_of_far(const PathSpec& usual, const PathSpec& bad, bool is_to_both) {
  ToldRun t(2, 3);
  t.job.cluster.network.between_hosts = usual;
  t.job.cluster.network.links.push_back({HostId{0u}, HostId{4u}, bad});
  if (is_to_both) t.job.cluster.network.links.push_back({HostId{1u}, HostId{4u}, bad});
  for (const WhatIf& w : what_ifs(t.job, t.outcome))
    if (w.proof.cause == Proof::Cause::far_host) return w.proof.what;
  return "";
}

TEST(WhatIfNetwork, a_far_host_is_told_with_the_tasks_that_it_is_far_from) {
  constexpr PathSpec kUsual{.latency = 1000, .bandwidth = 1'000'000}, kLong{.latency = 5000, .bandwidth = 1'000'000},
      kNarrow{.latency = 1000, .bandwidth = 500'000};
  EXPECT_THAT(told_of_far(kUsual, kLong, false), HasSubstr("messages of host4 (worker 2) take 5 us to ps 0 and"));
  EXPECT_THAT(told_of_far(kUsual, kLong, true), HasSubstr("take 5 us to the parameter servers and"));
  EXPECT_THAT(told_of_far(kUsual, kNarrow, false), HasSubstr("the path of host4 (worker 2) to ps 0 has 4 Mb/s and"));
  EXPECT_THAT(told_of_far(kUsual, kNarrow, true), HasSubstr("to the parameter servers has 4 Mb/s and"));
}

}  // namespace
}  // namespace tarry
