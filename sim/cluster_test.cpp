#include "sim/cluster.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tarry {
namespace {

ClusterSpec three_hosts() {
  ClusterSpec c;
  c.hosts = {{"h0", 100}, {"h1", 0}, {"h2", 50}};
  c.network.between_hosts = {.latency = 7, .bandwidth = 80};
  c.network.links = {{HostId{1u}, HostId{0u}, {.latency = 9, .bandwidth = 200}}};
  return c;
}

TEST(Cluster, a_task_has_one_canonical_name) {
  EXPECT_EQ(*canonical_task("/job:ps/task:3"), "/job:ps/replica:0/task:3");
  EXPECT_EQ(*canonical_task("/job:ps/replica:1/task:3"), "/job:ps/replica:1/task:3");
  EXPECT_EQ(*canonical_task("ps/3"), "/job:ps/replica:0/task:3");
  for (const char* bad :
       {"", "/", "job:ps/task:0", "/job:ps", "/job:/task:0", "/job:ps/task:", "/job:ps/task:x", "/job:ps/task:0/cpu:0",
        "x/job:ps/task:0", "/3", "a b/3", "ps/x", "ps/1234567890", "9ps/1", "_ps/1", "/job:9ps/task:1"})
    EXPECT_EQ(text_of(canonical_task(bad).status()),
              fmt::format("'{}' is not a task; expected /job:NAME/task:NUMBER or NAME/NUMBER", bad));
  EXPECT_EQ(*canonical_task("ps/123456789"), "/job:ps/replica:0/task:123456789");
}

TEST(Cluster, a_link_replaces_the_default_both_ways_and_the_nics_narrow_it) {
  const ClusterSpec c = three_hosts();
  EXPECT_EQ(path_between(c, HostId{0u}, HostId{1u}), (PathSpec{9, 100}));
  EXPECT_EQ(path_between(c, HostId{1u}, HostId{0u}), (PathSpec{9, 100}));
  EXPECT_EQ(path_between(c, HostId{1u}, HostId{2u}), (PathSpec{7, 50}));
  EXPECT_EQ(path_between(c, HostId{2u}, HostId{2u}), PathSpec{});
}

// A cluster without a limit, and one limit put into it.
template <class Put>
ClusterSpec limited(Put put) {
  ClusterSpec c;
  c.hosts = {{"h0"}, {"h1"}};
  c.network.links = {{HostId{1u}, HostId{0u}, {.latency = 9}}};
  c.network.racks = {{"r", {.latency = 3}}};
  c.network.platform.links = {{"l"}};
  put(c);
  return c;
}

TEST(Cluster, any_limit_of_bandwidth_makes_flows_until_all_bandwidth_is_free) {
  EXPECT_FALSE(has_flows(limited([](ClusterSpec&) {})));
  const std::vector<ClusterSpec> all = {limited([](ClusterSpec& c) { c.network.between_hosts.bandwidth = 1; }),
                                        limited([](ClusterSpec& c) { c.network.same_host.bandwidth = 1; }),
                                        limited([](ClusterSpec& c) { c.network.transport.window = 1; }),
                                        limited([](ClusterSpec& c) { c.network.links[0].path.bandwidth = 1; }),
                                        limited([](ClusterSpec& c) { c.network.racks[0].trunk.bandwidth = 1; }),
                                        limited([](ClusterSpec& c) { c.network.platform.links[0].bandwidth = 1; }),
                                        limited([](ClusterSpec& c) { c.hosts[1].nic_bandwidth = 1; }),
                                        limited([](ClusterSpec& c) {
                                          c.hosts[1].further_nics = {0, 1};
                                        })};
  for (ClusterSpec c : all) {
    EXPECT_TRUE(has_flows(c));
    free_bandwidth(c);
    EXPECT_FALSE(has_flows(c));
    EXPECT_EQ(c.network.links[0].path.latency, 9) << "latencies stay";
    EXPECT_EQ(c.network.racks[0].trunk.latency, 3);
  }
}

TEST(Cluster, the_routes_of_a_platform_may_differ_in_both_directions) {
  ClusterSpec c;
  c.hosts = {{"h0"}, {"h1"}};
  c.network.platform = {.links = {{"there", 10}, {"back", 20}, {"pipe", 5, true}},
                        .routes = {{}, {1, {0, 2}}, {2, {1}}, {}},
                        .place_of = {0, 1},
                        .places = 2};
  const HostId a{0u}, b{1u};
  EXPECT_EQ(trunk_path(c, a, b).bandwidth, 10u);
  EXPECT_EQ(trunk_path(c, b, a).bandwidth, 20u);
  EXPECT_EQ(trunk_path(c, a, a).bandwidth, 0u);
  EXPECT_EQ(fatpipe_between(c.network, a, b), 5u);
  EXPECT_EQ(fatpipe_between(c.network, b, a), 0u);
}

TEST(Cluster, a_task_has_its_cpu_and_its_gpus) {
  EXPECT_EQ(device_names({.name = "/job:w/replica:0/task:0", .gpus = {{}}}),
            (std::vector<std::string>{"/job:w/replica:0/task:0/device:CPU:0", "/job:w/replica:0/task:0/device:GPU:0"}));
}

RC_GTEST_PROP(Cluster, a_transfer_takes_the_least_whole_time_that_suffices,
              (std::uint32_t bytes, std::uint32_t bandwidth)) {
  RC_PRE(bandwidth > 0u);
  const auto time = static_cast<unsigned __int128>(transfer_time(bytes, bandwidth));
  const auto needed = static_cast<unsigned __int128>(bytes) * 1'000'000'000u;
  RC_ASSERT(time * bandwidth >= needed);
  RC_ASSERT(time == 0 || (time - 1) * bandwidth < needed);
}

TEST(Cluster, flows_are_simgrids_for_up_to_64_hosts_unless_the_network_names_an_engine) {
  ClusterSpec c{.hosts = std::vector<HostSpec>(64)};
  EXPECT_EQ(flows_by(c), FlowsBy::simgrid);
  c.hosts.emplace_back();
  EXPECT_EQ(flows_by(c), FlowsBy::shared);
  c.network.engine = FlowsBy::simgrid;
  EXPECT_EQ(flows_by(c), FlowsBy::simgrid);
}

TEST(Cluster, a_gpu_has_a_copy_engine_for_each_direction) {
  EXPECT_EQ(copy_engine_name("GPU:0", CopyEngine::to_host), "GPU:0/memcpy:DtoH");
  EXPECT_EQ(copy_engine_name("GPU:0", CopyEngine::to_device), "GPU:0/memcpy:HtoD");
}

}  // namespace
}  // namespace tarry
