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
  for (const char* bad : {"", "/", "job:ps/task:0", "/job:ps", "/job:/task:0", "/job:ps/task:", "/job:ps/task:x",
                          "/job:ps/task:0/cpu:0", "x/job:ps/task:0", "/3", "a b/3", "ps/x"})
    EXPECT_FALSE(canonical_task(bad).ok()) << bad;
}

TEST(Cluster, a_link_replaces_the_default_both_ways_and_the_nics_narrow_it) {
  const ClusterSpec c = three_hosts();
  EXPECT_EQ(path_between(c, HostId{0u}, HostId{1u}), (PathSpec{9, 100}));
  EXPECT_EQ(path_between(c, HostId{1u}, HostId{0u}), (PathSpec{9, 100}));
  EXPECT_EQ(path_between(c, HostId{1u}, HostId{2u}), (PathSpec{7, 50}));
  EXPECT_EQ(path_between(c, HostId{2u}, HostId{2u}), PathSpec{});
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
