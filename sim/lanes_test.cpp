#include "sim/lanes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tarry {
namespace {

constexpr HostId kLeft{0u}, kRight{1u}, kFarther{2u};

ClusterSpec with_cards(std::uint64_t nic) { return {.hosts = {{"a", nic}, {"b", nic}, {"c", nic}}}; }

TEST(Lanes, a_card_carries_messages_one_after_the_other) {
  const ClusterSpec c = with_cards(1'000'000'000);
  Lanes lanes(c);
  const auto there = lanes.route(kLeft, kRight), elsewhere = lanes.route(kLeft, kFarther);
  EXPECT_EQ(lanes.leave(10, there, 100), 110);
  EXPECT_EQ(lanes.leave(10, elsewhere, 100), 210);
  EXPECT_EQ(lanes.leave(500, there, 100), 600);  // it stood still for a while
}

TEST(Lanes, directions_are_apart) {
  const ClusterSpec c = with_cards(1'000'000'000);
  Lanes lanes(c);
  EXPECT_EQ(lanes.leave(0, lanes.route(kLeft, kRight), 100), 100);
  EXPECT_EQ(lanes.leave(0, lanes.route(kRight, kLeft), 100), 100);
}

TEST(Lanes, what_comes_to_a_busy_card_waits_there) {
  const ClusterSpec c = with_cards(1'000'000'000);
  Lanes lanes(c);
  const auto from_here = lanes.route(kLeft, kFarther), from_there = lanes.route(kRight, kFarther);
  EXPECT_EQ(lanes.arrive(100, from_here, 100), 100);
  EXPECT_EQ(lanes.arrive(100, from_there, 100), 200);
  EXPECT_EQ(lanes.arrive(250, from_here, 100), 300);
}

TEST(Lanes, without_a_limit_nothing_waits) {
  const ClusterSpec c = with_cards(0);
  Lanes lanes(c);
  const auto route = lanes.route(kLeft, kRight);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(lanes.leave(5, route, 1000), 5);
    EXPECT_EQ(lanes.arrive(5, route, 1000), 5);
  }
  lanes.flow_begins(route);
  EXPECT_FALSE(lanes.has_flows(route));
}

TEST(Lanes, beside_n_flows_a_message_takes_n_plus_1_times_as_long) {
  const ClusterSpec c = with_cards(1'000'000'000);
  Lanes lanes(c);
  const auto route = lanes.route(kLeft, kRight);
  lanes.flow_begins(route);
  lanes.flow_begins(lanes.route(kLeft, kFarther));
  EXPECT_TRUE(lanes.has_flows(route));
  EXPECT_EQ(lanes.leave(0, route, 100), 300);
  lanes.flow_ends(route);
  lanes.flow_ends(lanes.route(kLeft, kFarther));
  EXPECT_FALSE(lanes.has_flows(route));
  EXPECT_EQ(lanes.leave(300, route, 100), 400);
}

TEST(Lanes, a_flow_waits_for_the_small_messages_before_it) {
  const ClusterSpec c = with_cards(1'000'000'000);
  Lanes lanes(c);
  const auto route = lanes.route(kLeft, kRight);
  lanes.leave(0, route, 100);
  lanes.arrive(100, route, 100);
  lanes.arrive(100, route, 100);
  EXPECT_EQ(lanes.wait_to_leave(40, route), 60);
  EXPECT_EQ(lanes.wait_to_leave(140, route), 0);
  EXPECT_EQ(lanes.wait_on_arrival(140, route), 60);
}

TEST(Lanes, a_narrowed_link_is_slower_for_what_comes_then) {
  const ClusterSpec c = with_cards(0);
  Lanes lanes(c);
  lanes.may_narrow(kLeft, kRight, 1'000'000'000);
  const auto route = lanes.route(kLeft, kRight);
  EXPECT_EQ(lanes.leave(0, route, 100), 100);
  lanes.set_bandwidth(kLeft, kRight, 100'000'000);
  EXPECT_EQ(lanes.leave(50, route, 100), 1'100);
}

// Ten thousand bytes take as long in ten thousand messages as in one, but for the last nanosecond.
RC_GTEST_PROP(Lanes, messages_without_a_pause_take_as_long_as_one_of_their_size, ()) {
  const ClusterSpec c = with_cards(*rc::gen::inRange<std::uint64_t>(1, 100'000'000'000));
  const auto sizes =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(1, 16'384)));
  Lanes lanes(c);
  const auto route = lanes.route(kLeft, kRight);
  std::uint64_t all = 0;
  Nanos left = 0;
  for (const std::uint64_t bytes : sizes) {
    left = lanes.leave(0, route, bytes);
    all += bytes;
  }
  RC_ASSERT(left == transfer_time(all, c.hosts[0].nic_bandwidth));
}

}  // namespace
}  // namespace tarry
