// Racks, whose trunks are shared by all that leaves them or comes into them: by hand.

#include <gtest/gtest.h>

#include "sim/runner.hpp"
#include "sim/test_net.hpp"

namespace tarry {
namespace {

constexpr std::uint64_t kCard = 1'250'000'000, kTrunk = 5'000'000'000;  // bytes a second: 10 and 40 Gb/s

// Two racks of eight hosts, each host with a task of its number, and host 16, which is in no rack. A trunk carries half
// of what eight cards do.
ClusterSpec two_racks(FlowsBy engine = FlowsBy::shared) {
  ClusterSpec c;
  for (std::size_t h = 0; h <= 16; ++h) {
    c.hosts.push_back({fmt::format("h{}", h), kCard, h == 16 ? RackId::none() : RackId{h / 8}});
    c.tasks.push_back({fmt::format("/job:worker/replica:0/task:{}", h), HostId{h}});
  }
  c.network.racks = {{"left", {.latency = 2000, .bandwidth = kTrunk}},
                     {"right", {.latency = 3000, .bandwidth = kTrunk}}};
  c.network.between_hosts.latency = 10'000;
  c.network.engine = engine;
  return c;
}

Nanos eight_flows_over_a_trunk(FlowsBy engine) {
  Net net(two_racks(engine));
  for (std::size_t h = 0; h < 8; ++h) net.send(TaskId{h}, TaskId{8 + h}, 125'000'000, h);
  return net.time_of_last();
}

TEST(Racks, a_path_out_of_a_rack_has_the_latency_and_the_least_bandwidth_of_its_trunks_too) {
  ClusterSpec c = two_racks();
  c.network.racks[1].trunk.bandwidth = 7;
  const HostId left{0u}, also_left{1u}, right{8u}, outside{16u};
  EXPECT_EQ(path_between(c, left, also_left), (PathSpec{10'000, kCard}));
  EXPECT_EQ(path_between(c, left, right), (PathSpec{15'000, 7}));
  EXPECT_EQ(path_between(c, right, left), (PathSpec{15'000, 7}));
  EXPECT_EQ(path_between(c, left, outside), (PathSpec{12'000, kCard}));
  EXPECT_EQ(path_between(c, outside, right), (PathSpec{13'000, 7}));
  EXPECT_EQ(path_between(c, left, left), PathSpec{});
}

TEST(Racks, only_a_trunk_may_have_a_limit) {
  ClusterSpec c = two_racks();
  for (HostSpec& h : c.hosts) h.nic_bandwidth = 0;
  EXPECT_TRUE(has_flows(c));
  c.network.racks.clear();
  EXPECT_FALSE(has_flows(c));
}

// Eight times 125,000,000 bytes over 5,000,000,000 bytes a second are 0.2 s.
TEST(Racks, eight_flows_share_a_trunk_that_is_oversubscribed_twice) {
  EXPECT_NEAR(in_seconds(eight_flows_over_a_trunk(FlowsBy::shared)), 0.2 + 15e-6, 0.001);
  const auto simgrid = run_in_child([] { return std::to_string(eight_flows_over_a_trunk(FlowsBy::simgrid)); });
  ASSERT_TRUE(simgrid.ok());
  EXPECT_NEAR(static_cast<double>(std::stoll(*simgrid)), static_cast<double>(eight_flows_over_a_trunk(FlowsBy::shared)),
              200);
}

TEST(Racks, flows_inside_a_rack_have_their_cards) {
  Net net(two_racks());
  for (std::size_t h = 0; h < 8; ++h) net.send(TaskId{h}, TaskId{(h + 1) % 8}, 125'000'000, h);
  EXPECT_NEAR(in_seconds(net.time_of_last()), 0.1 + 10e-6, 0.0005);
}

TEST(Racks, both_directions_of_a_trunk_are_apart) {
  Net net(two_racks());
  for (std::size_t h = 0; h < 8; ++h) {
    net.send(TaskId{h}, TaskId{8 + h}, 62'500'000, h);
    net.send(TaskId{8 + h}, TaskId{h}, 62'500'000, h);
  }
  EXPECT_NEAR(in_seconds(net.time_of_last()), 0.1 + 15e-6, 0.0005);
}

// A host of no rack is reached over the trunk of the sender alone: 4 x 125,000,000 bytes over its card are 0.4 s.
TEST(Racks, a_host_that_is_in_no_rack_has_no_trunk_of_its_own) {
  ClusterSpec c = two_racks();
  c.network.racks[1].trunk.bandwidth = 1;
  Net net(std::move(c));
  for (std::size_t h = 0; h < 4; ++h) net.send(TaskId{h}, TaskId{16u}, 125'000'000, h);
  EXPECT_NEAR(in_seconds(net.time_of_last()), 0.4 + 12e-6, 0.002);
}

// 8 x 10,000 x 12,000 bytes over a trunk are 0.192 s, and 0.096 s over the cards of a rack.
void expect_small_messages_to_share_the_trunk_of(std::size_t rack) {
  ClusterSpec c = two_racks();
  c.network.racks[1 - rack].trunk.bandwidth = 0;
  Net net(std::move(c));
  for (int i = 0; i < 10'000; ++i)
    for (std::size_t h = 0; h < 8; ++h) net.send(TaskId{h}, TaskId{8 + h}, 12'000, h);
  EXPECT_NEAR(in_seconds(net.time_of_last()), 0.192, 0.02 * 0.192);
}

TEST(Racks, small_messages_share_a_trunk_that_they_leave_by) { expect_small_messages_to_share_the_trunk_of(0); }
TEST(Racks, small_messages_share_a_trunk_that_they_come_in_by) { expect_small_messages_to_share_the_trunk_of(1); }

TEST(Racks, small_messages_inside_a_rack_have_their_cards) {
  Net net(two_racks());
  for (int i = 0; i < 10'000; ++i)
    for (std::size_t h = 0; h < 8; ++h) net.send(TaskId{h}, TaskId{(h + 1) % 8}, 12'000, h);
  EXPECT_NEAR(in_seconds(net.time_of_last()), 0.096, 0.02 * 0.096);
}

// A trunk without a card behind it: one message takes its bytes' time once.
TEST(Racks, a_small_message_alone_takes_the_time_of_the_narrowest_on_its_way) {
  ClusterSpec c = two_racks();
  for (HostSpec& h : c.hosts) h.nic_bandwidth = 0;
  c.network.racks[0].trunk.bandwidth = 100'000'000;
  Net net(std::move(c));
  net.send(TaskId{0u}, TaskId{8u}, 1000, 1);
  EXPECT_EQ(net.run(), "1@25000 ");  // 15 us of latency and 10 us of bytes
}

TEST(Racks, small_messages_without_cards_wait_for_each_other_at_the_trunk_that_they_come_in_by) {
  ClusterSpec c = two_racks();
  for (HostSpec& h : c.hosts) h.nic_bandwidth = 0;
  c.network.racks[0].trunk.bandwidth = 0;
  Net net(std::move(c));
  net.send(TaskId{0u}, TaskId{8u}, 10'000, 1);  // 2 us on the trunk
  net.send(TaskId{1u}, TaskId{9u}, 10'000, 2);
  EXPECT_EQ(net.run(), "1@17000 2@19000 ");
}

// What waits for the trunk leaves the card to messages that do not cross it.
TEST(Racks, a_busy_trunk_holds_up_nothing_inside_its_rack) {
  ClusterSpec c = two_racks();
  c.network.racks[1].trunk.bandwidth = 1'000'000;
  Net net(std::move(c));
  for (std::uint64_t i = 0; i < 5; ++i) net.send(TaskId{0u}, TaskId{8u}, 10'000, 1);  // 10 ms each on the trunk
  net.heap.after(23'000'000, [&net] { net.send(TaskId{9u}, TaskId{8u}, 10'000, 2); });
  EXPECT_EQ(net.run(), "1@10015000 1@20015000 2@23018000 1@30015000 1@40015000 1@50015000 ");
}

TEST(Racks, a_flow_waits_for_the_small_messages_before_it_on_a_trunk) {
  ClusterSpec c = two_racks();
  for (HostSpec& h : c.hosts) h.nic_bandwidth = 0;
  c.network.racks[1].trunk.bandwidth = 0;
  Net net(std::move(c));
  net.send(TaskId{0u}, TaskId{8u}, 10'000, 1);     // 2 us on the trunk
  net.send(TaskId{1u}, TaskId{9u}, 5'000'000, 2);  // 1 ms on it
  EXPECT_EQ(net.run(), "1@17000 2@1017000 ");
}

TEST(Racks, a_narrowed_way_out_of_a_rack_shares_its_trunk_as_before) {
  Net net(two_racks());
  const Way way{HostId{0u}, HostId{8u}};
  net.transport.may_narrow(way);
  net.transport.narrow(way, 10);  // 125,000,000 bytes a second
  for (std::size_t h = 0; h < 8; ++h) net.send(TaskId{h}, TaskId{8 + h}, 125'000'000, h);
  EXPECT_NEAR(in_seconds(net.time_of_last()), 1.0, 0.005);
}

}  // namespace
}  // namespace tarry
