// Windows of connections: what a large message has at most is a window in each round trip. By hand, with both engines.

#include <gtest/gtest.h>

#include <map>

#include "placer/core/random.hpp"
#include "placer/core/text.hpp"
#include "sim/test_net.hpp"

namespace tarry {
namespace {

constexpr TaskId kOneTask{0u}, kItsTwin{1u}, kFarOne{2u};
constexpr Nanos kOneMilli = 1'000'000;

// Two tasks on one host and one on another, 1 ms apart. A window of 100 kB lets through 50 MB/s.
ClusterSpec one_millisecond_apart(std::uint64_t bandwidth, std::uint64_t window) {
  ClusterSpec c{.hosts = {{"a"}, {"b"}},
                .tasks = {{"/job:worker/replica:0/task:0", HostId{0u}},
                          {"/job:worker/replica:0/task:1", HostId{0u}},
                          {"/job:ps/replica:0/task:0", HostId{1u}}}};
  c.network.between_hosts = {kOneMilli, bandwidth};
  c.network.transport.window = window;
  return c;
}

std::string sent(const ClusterSpec& cluster, std::uint64_t bytes) {
  return with_both_engines(cluster, [=](Net& net) { net.send(kOneTask, kFarOne, bytes, 1); });
}

TEST(Windows, let_a_message_through_at_a_window_each_round_trip) {
  EXPECT_EQ(sent(one_millisecond_apart(1'000'000'000, 0), 5'000'000), "1@6000000 ");
  EXPECT_EQ(sent(one_millisecond_apart(1'000'000'000, 100'000), 5'000'000), "1@101000000 ");
  EXPECT_EQ(sent(one_millisecond_apart(1'000'000'000, 50'000), 5'000'000), "1@201000000 ");
}

TEST(Windows, wider_than_the_wire_change_nothing) {
  EXPECT_EQ(sent(one_millisecond_apart(10'000'000, 100'000), 5'000'000), "1@501000000 ");
}

TEST(Windows, are_limits_where_the_wire_has_none) {
  EXPECT_EQ(sent(one_millisecond_apart(0, 100'000), 5'000'000), "1@101000000 ");
}

TEST(Windows, hold_up_no_small_message) {
  EXPECT_EQ(sent(one_millisecond_apart(0, 1'000), 16'000), "1@1000000 ");
  EXPECT_EQ(sent(one_millisecond_apart(1'000'000'000, 1'000), 16'000), "1@1016000 ");
}

TEST(Windows, of_two_connections_are_apart_and_share_the_wire) {
  const auto two = [](Net& net) {
    net.send(kOneTask, kFarOne, 5'000'000, 1);
    net.send(kItsTwin, kFarOne, 2'500'000, 2);
  };
  EXPECT_EQ(with_both_engines(one_millisecond_apart(1'000'000'000, 100'000), two), "2@51000000 1@101000000 ");
  // Of 60 MB/s each has 30 until the second is through at 83.3 ms; then 50 are for the rest of the first.
  EXPECT_EQ(with_both_engines(one_millisecond_apart(60'000'000, 100'000), two), "2@84333333 1@134333333 ");
}

TEST(Windows, of_the_two_directions_are_apart) {
  EXPECT_EQ(with_both_engines(one_millisecond_apart(1'000'000'000, 100'000),
                              [](Net& net) {
                                net.send(kOneTask, kFarOne, 5'000'000, 1);
                                net.send(kFarOne, kOneTask, 5'000'000, 2);
                              }),
            "1@101000000 2@101000000 ");
}

TEST(Windows, of_one_connection_are_shared_by_its_transfers) {
  ClusterSpec c = one_millisecond_apart(1'000'000'000, 100'000);
  c.network.transfers_per_channel = 2;
  const auto two = [](Net& net) {
    net.send(kOneTask, kFarOne, 5'000'000, 1);
    net.send(kOneTask, kFarOne, 2'500'000, 2);
  };
  EXPECT_EQ(with_both_engines(c, two), "2@101000000 1@151000000 ");
}

TEST(Windows, follow_the_latency_of_both_ways) {
  const auto slower = [](HostId from, HostId to) {
    return with_both_engines(one_millisecond_apart(1'000'000'000, 100'000), [=](Net& net) {
      net.send(kOneTask, kFarOne, 16'384, 1);
      net.heap.after(500 * kOneMilli,
                     [&net, from = from, to = to] { net.transport.set_latency(from, to, 3 * kOneMilli); });
      net.heap.after(1000 * kOneMilli, [&net] { net.send(kOneTask, kFarOne, 5'000'000, 2); });
    });
  };
  EXPECT_EQ(slower(HostId{0u}, HostId{1u}), "1@1327680 2@1203000000 ");  // 25 MB/s, after 3 ms
  EXPECT_EQ(slower(HostId{1u}, HostId{0u}), "1@1327680 2@1201000000 ");  // 25 MB/s, after 1 ms
}

TEST(Windows, and_a_way_that_is_narrowed_limit_together) {
  const auto narrowed_to = [](std::int64_t percent) {
    return with_both_engines(one_millisecond_apart(1'000'000'000, 100'000), [=](Net& net) {
      net.transport.may_narrow({HostId{0u}, HostId{1u}});
      net.transport.narrow({HostId{0u}, HostId{1u}}, percent);
      net.send(kOneTask, kFarOne, 5'000'000, 1);
    });
  };
  EXPECT_EQ(narrowed_to(50), "1@101000000 ");
  EXPECT_EQ(narrowed_to(1), "1@501000000 ");
}

TEST(Windows, are_none_where_messages_take_no_time_to_get_there) {
  ClusterSpec c = one_millisecond_apart(1'000'000'000, 100'000);
  EXPECT_EQ(with_both_engines(c, [](Net& net) { net.send(kOneTask, kItsTwin, 5'000'000, 1); }), "1@0 ");
  c.network.between_hosts.latency = 0;
  EXPECT_EQ(sent(c, 5'000'000), "1@5000000 ");
}

TEST(Windows, are_limits_of_bandwidth) {
  ClusterSpec c = one_millisecond_apart(0, 100'000);
  EXPECT_TRUE(has_flows(c));
  free_bandwidth(c);
  EXPECT_FALSE(has_flows(c));
  EXPECT_EQ(sent(c, 5'000'000), "1@1000000 ");
}

// ---- both engines ----

using Ends = std::map<std::uint64_t, Nanos>;  // of messages, by number

Ends ends_of(const std::string& delivered) {
  Ends ends;
  for (const std::string_view one : split(delivered, ' '))
    if (const auto at = one.find('@'); at != one.npos)
      ends[std::stoull(std::string(one.substr(0, at)))] = std::stoll(std::string(one.substr(at + 1)));
  return ends;
}

// Forty large messages between four tasks, two at a time from one to another, over cards that take in less of many.
void send_forty(Net& net, std::uint64_t seed) {
  Random random(seed);
  for (std::uint64_t i = 0; i < 40; ++i) {
    const std::size_t from = random.below(4), to = (from + 1 + random.below(3)) % 4;
    const std::uint64_t bytes = 16'384 + random.below(3'000'000);
    net.heap.after(static_cast<Nanos>(random.below(50'000'000)),
                   [&net, from, to, bytes, i] { net.send(TaskId{from}, TaskId{to}, bytes, i); });
  }
}

Ends ends_by(FlowsBy engine, std::uint64_t seed) {
  ClusterSpec c = one_millisecond_apart(0, 64'000);
  for (HostSpec& h : c.hosts) h.nic_bandwidth = 100'000'000;
  c.tasks.push_back({"/job:ps/replica:0/task:1", HostId{1u}});
  c.network.same_host = {.latency = kOneMilli / 2, .bandwidth = 80'000'000};
  c.network.transfers_per_channel = 2;
  c.network.transport.incast = {{2, 700'000}, {3, 400'000}};
  c.network.engine = engine;
  return ends_of(run_in_child([&] {
                   Net net(c);
                   send_forty(net, seed);
                   return net.run();
                 }).value_or(""));
}

TEST(Windows, and_cards_of_many_senders_are_the_same_to_both_engines) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Ends shared = ends_by(FlowsBy::shared, seed), simgrid = ends_by(FlowsBy::simgrid, seed);
    ASSERT_EQ(shared.size(), 40u);
    ASSERT_EQ(simgrid.size(), 40u);
    for (const auto& [message, at] : shared) EXPECT_NEAR(at, simgrid.at(message), 100) << message << " of " << seed;
  }
}

}  // namespace
}  // namespace tarry
