// What a scenario leaves out.

#include "scenarios/file/resolve.hpp"

#include <gtest/gtest.h>

#include "scenarios/file/load.hpp"

namespace tarry {
namespace {

constexpr std::uint64_t kMegabit = 125'000;

ClusterSpec cluster_with(const std::string& network) {
  return parse_scenario("cluster:\n  hosts: [a, {name: b, nic: 3Mbps}]\n  tasks: {worker/0: a}\n  network: {" +
                            network + "}\nprograms: []\nstop: {time: 1s}\n",
                        "s.yaml")
      .value()
      .cluster;
}
PathSpec only_link(const std::string& keys) {
  return cluster_with("latency: 3ms, bandwidth: 5Mbps, links: [{between: [a, b], " + keys + "}]")
      .network.links.at(0)
      .path;
}

TEST(Resolve, a_link_has_the_networks_latency_and_bandwidth_where_it_says_nothing_else) {
  EXPECT_EQ(only_link("bandwidth: 1Mbps"), (PathSpec{.latency = 3'000'000, .bandwidth = kMegabit}));
  EXPECT_EQ(only_link("latency: 7ms"), (PathSpec{.latency = 7'000'000, .bandwidth = 5 * kMegabit}));
  EXPECT_EQ(only_link("latency: 0s, bandwidth: unlimited"), PathSpec{});
}

TEST(Resolve, a_host_has_the_networks_card_where_it_says_nothing_else) {
  const ClusterSpec c = cluster_with("nic: 2Mbps");
  EXPECT_EQ(c.hosts[0].nic_bandwidth, 2 * kMegabit);
  EXPECT_EQ(c.hosts[1].nic_bandwidth, 3 * kMegabit);
}

TEST(Resolve, the_networks_keys_are_those_of_the_cluster) {
  const NetworkSpec n = cluster_with("latency: 3ms, small_message: 2KiB, transfers_per_channel: 4").network;
  EXPECT_EQ(n.between_hosts, (PathSpec{.latency = 3'000'000, .bandwidth = 0}));
  EXPECT_EQ(n.small_message, 2048u);
  EXPECT_EQ(n.transfers_per_channel, 4);
}

}  // namespace
}  // namespace tarry
