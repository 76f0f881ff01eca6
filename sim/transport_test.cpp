#include "sim/transport.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/runner.hpp"
#include "sim/test_net.hpp"

namespace tarry {
namespace {

constexpr TaskId kPs{0u}, kNear{1u}, kFar{2u};

// A ps and a worker on one host, another worker on a second one.
ClusterSpec two_hosts(PathSpec between) {
  ClusterSpec c{.hosts = {{"a"}, {"b"}},
                .tasks = {{"/job:ps/replica:0/task:0", HostId{0u}},
                          {"/job:worker/replica:0/task:0", HostId{0u}},
                          {"/job:worker/replica:0/task:1", HostId{1u}}}};
  c.network.between_hosts = between;
  return c;
}

TEST(Transport, without_a_bandwidth_a_message_takes_the_latency) {
  Net net(two_hosts({.latency = kSecond}));
  net.send(kPs, kFar, 1'000'000'000, 1);
  net.send(kPs, kNear, 1'000'000'000, 2);
  EXPECT_EQ(net.run(), "2@0 1@1000000000 ");
}

TEST(Transport, parted_hosts_hear_nothing_of_each_other_until_they_are_joined) {
  Net net(two_hosts({.latency = 5}));
  const HostId a{0u}, b{1u};
  net.transport.part(a, b);
  net.send(kPs, kFar, 1, 1);
  net.send(kFar, kPs, 1, 2);
  net.send(kPs, kNear, 1, 3);
  EXPECT_EQ(net.run(), "3@0 ");
  net.heap.after(100, [&] { net.transport.join(b, a); });
  EXPECT_EQ(net.run(), "3@0 1@105 2@105 ");
}

TEST(Transport, joining_two_hosts_joins_no_others) {
  ClusterSpec three = two_hosts({.latency = 5});
  three.hosts.push_back({"c"});
  three.tasks.push_back({"/job:worker/replica:0/task:2", HostId{2u}});
  Net net(std::move(three));
  const HostId a{0u}, b{1u}, c{2u};
  net.transport.part(a, b);
  net.transport.part(a, c);
  net.send(kPs, kFar, 1, 1);
  net.send(kPs, TaskId{3u}, 1, 2);
  net.transport.join(a, b);
  EXPECT_EQ(net.run(), "1@5 ");
  net.transport.join(a, c);
  EXPECT_EQ(net.run(), "1@5 2@10 ");
}

TEST(Transport, one_direction_is_parted_and_joined_without_the_other) {
  Net net(two_hosts({.latency = 5}));
  const HostId a{0u}, b{1u};
  net.transport.part_one_way(a, b);
  net.send(kPs, kFar, 1, 1);
  net.send(kFar, kPs, 1, 2);
  net.heap.after(100, [&] {
    net.transport.part_one_way(b, a);
    net.send(kFar, kPs, 1, 3);
    net.transport.join_one_way(a, b);
  });
  net.heap.after(200, [&] { net.transport.join_one_way(b, a); });
  EXPECT_EQ(net.run(), "2@5 1@105 3@205 ");
}

TEST(Transport, another_latency_holds_for_one_direction_until_it_is_taken_back) {
  Net net(two_hosts({.latency = 5}));
  net.transport.set_latency(HostId{0u}, HostId{1u}, 50);
  net.send(kPs, kFar, 1, 1);
  net.send(kFar, kPs, 1, 2);
  net.transport.set_latency(HostId{0u}, HostId{1u}, std::nullopt);
  net.send(kPs, kFar, 1, 3);
  EXPECT_EQ(net.run(), "2@5 3@5 1@50 ");
}

TEST(Transport, another_latency_between_two_hosts_is_no_others) {
  ClusterSpec three = two_hosts({.latency = 5});
  three.hosts.push_back({"c"});
  three.tasks.push_back({"/job:worker/replica:0/task:2", HostId{2u}});
  Net net(std::move(three));
  constexpr TaskId kThird{3u};
  net.send(kPs, kThird, 1, 1);  // its channel is there before, as is the next one's
  net.send(kThird, kFar, 1, 0);
  net.transport.set_latency(HostId{0u}, HostId{1u}, 50);
  net.send(kPs, kThird, 1, 2);
  net.send(kThird, kFar, 1, 3);
  net.send(kFar, kThird, 1, 4);
  net.send(kPs, kNear, 1, 5);
  net.send(kPs, kFar, 1, 6);
  EXPECT_EQ(net.run(), "5@0 1@5 0@5 2@5 3@5 4@5 6@50 ");
}

TEST(Transport, another_latency_that_is_taken_back_leaves_those_of_other_hosts) {
  ClusterSpec three = two_hosts({.latency = 5});
  three.hosts.push_back({"c"});
  three.tasks.push_back({"/job:worker/replica:0/task:2", HostId{2u}});
  Net net(std::move(three));
  net.transport.set_latency(HostId{0u}, HostId{1u}, 50);
  net.transport.set_latency(HostId{2u}, HostId{1u}, 70);
  net.transport.set_latency(HostId{0u}, HostId{1u}, std::nullopt);
  net.send(kPs, kFar, 1, 1);
  net.send(TaskId{3u}, kFar, 1, 2);
  EXPECT_EQ(net.run(), "1@5 2@70 ");
}

TEST(Transport, a_small_message_takes_latency_and_its_transfer_time_after_those_before_it) {
  Net net(two_hosts({.latency = 5, .bandwidth = 1'000'000'000}));
  net.send(kPs, kFar, 16383, 1);
  net.send(kPs, kFar, 16383, 2);
  EXPECT_EQ(net.run(), "1@16388 2@32771 ");
}

TEST(Transport, a_message_is_small_below_the_limit_only) {
  EXPECT_EQ(*run_in_child([] {
    ClusterSpec c = two_hosts({.bandwidth = 1'000'000'000});
    c.network.small_message = 1000;
    Net net(c);
    for (const std::uint64_t bytes : {999, 1000}) net.send(kPs, kFar, bytes, bytes);
    for (const std::uint64_t bytes : {999, 1000}) net.send(kNear, kFar, bytes, bytes);
    return net.run();
  }),
            "999@999 999@1998 1000@2000 1000@2999 ");  // when the second flow begins the first has a byte left
}

TEST(Transport, a_priced_host_delays_its_own_messages) {
  ClusterSpec c = two_hosts({});
  c.network.same_host = {.latency = 100, .bandwidth = 1'000'000'000};
  Net net(c);
  net.send(kPs, kNear, 50, 1);
  net.send(kPs, kFar, 50, 2);
  EXPECT_EQ(net.run(), "2@0 1@150 ");
}

TEST(Transport, large_messages_of_one_channel_go_one_after_the_other) {
  EXPECT_EQ(*run_in_child([] {
    Net net(two_hosts({.latency = kSecond, .bandwidth = 100'000}));
    for (std::uint64_t i = 0; i < 3; ++i) net.send(kPs, kFar, 100'000, i);
    return net.run();
  }),
            "0@2000000000 1@3000000000 2@4000000000 ");
}

TEST(Transport, two_channels_over_one_link_share_it) {
  EXPECT_EQ(*run_in_child([] {
    Net net(two_hosts({.latency = kSecond, .bandwidth = 100'000}));
    net.send(kPs, kFar, 100'000, 1);
    net.send(kNear, kFar, 100'000, 2);
    net.send(kFar, kPs, 100'000, 3);
    return net.run();
  }),
            "3@2000000000 1@3000000000 2@3000000000 ");
}

TEST(Transport, more_transfers_at_once_share_a_channel) {
  EXPECT_EQ(*run_in_child([] {
    ClusterSpec c = two_hosts({.bandwidth = 100'000});
    c.network.transfers_per_channel = 2;
    Net net(c);
    for (std::uint64_t i = 0; i < 3; ++i) net.send(kPs, kFar, 100'000, i);
    return net.run();
  }),
            "0@2000000000 1@2000000000 2@3000000000 ");
}

// Where one ends another one begins, and no more.
TEST(Transport, as_many_transfers_are_on_their_way_as_a_channel_takes) {
  EXPECT_EQ(*run_in_child([] {
    ClusterSpec c = two_hosts({.bandwidth = 100'000});
    c.network.transfers_per_channel = 2;
    Net net(c);
    net.send(kPs, kFar, 50'000, 0);
    for (std::uint64_t i = 1; i < 4; ++i) net.send(kPs, kFar, 100'000, i);
    return net.run();
  }),
            "0@1000000000 1@2000000000 2@3000000000 3@3500000000 ");
}

RC_GTEST_PROP(Transport, messages_of_one_size_arrive_in_order, ()) {
  const auto bytes = *rc::gen::inRange<std::uint64_t>(0, 40000);
  const auto n = *rc::gen::inRange<std::uint64_t>(1, 20);
  const std::string order = *run_in_child([&] {
    Net net(two_hosts({.latency = 10, .bandwidth = 1'000'000}));
    std::string expected;
    for (std::uint64_t i = 0; i < n; ++i) net.send(kPs, kFar, bytes, i);
    (void)net.run();
    std::string names;
    for (std::size_t at = 0; at < net.delivered.size(); at = net.delivered.find(' ', at) + 1)
      names += net.delivered.substr(at, net.delivered.find('@', at) - at) + " ";
    return names;
  });
  std::string expected;
  for (std::uint64_t i = 0; i < n; ++i) expected += std::to_string(i) + " ";
  RC_ASSERT(order == expected);
}

TEST(Transport, bytes_are_counted_by_pair_of_hosts) {
  Net net(two_hosts({}));
  net.send(kPs, kFar, 10, 1);
  net.send(kNear, kFar, 5, 2);
  net.send(kFar, kPs, 1, 3);
  EXPECT_EQ(net.transport.traffic(),
            (std::vector<Traffic>{{HostId{0u}, HostId{1u}, 15, 2}, {HostId{1u}, HostId{0u}, 1, 1}}));
}

// ---- what is wrong with a network ----

// "1 2 " of "1@5 2@9 ".
std::string names_in(const std::string& delivered) {
  std::string names;
  bool is_name = true;
  for (const char c : delivered) {
    if (c == '@') is_name = false;
    if (c == ' ') is_name = true;
    if (is_name) names += c;
  }
  return names;
}

constexpr HostId kHostA{0u}, kHostB{1u};

TEST(Transport, a_jam_holds_messages_and_then_all_of_them_are_there_at_once) {
  Net net(two_hosts({.latency = 5}));
  net.transport.hold(both_ways(kHostA, kHostB), Hold::jam);
  for (std::uint64_t m = 1; m <= 3; ++m) net.send(kPs, kFar, 1, m);
  net.heap.after(100, [&] { net.transport.release(both_ways(kHostA, kHostB), Hold::jam, LetGo::at_once); });
  EXPECT_EQ(net.run(), "1@100 2@100 3@100 ");
}

TEST(Transport, what_is_held_for_two_reasons_waits_for_the_end_of_both) {
  Net net(two_hosts({.latency = 5}));
  net.transport.part(kHostA, kHostB);
  net.transport.hold({{kHostA, kHostB}}, Hold::sender);
  net.send(kPs, kFar, 1, 1);
  net.heap.after(50, [&] { net.transport.join(kHostA, kHostB); });
  net.heap.after(100, [&] { net.transport.release({{kHostA, kHostB}}, Hold::sender); });
  EXPECT_EQ(net.run(), "1@105 ");
}

TEST(Transport, a_message_that_is_held_for_too_long_is_lost_unless_it_waits_for_a_connection) {
  Net net(two_hosts({.latency = 5}));
  std::string lost;
  net.transport.on_broken = [&](const Continuation& m) { lost += fmt::format("{}@{} ", m.argument, net.heap.now()); };
  net.transport.hold(both_ways(kHostA, kHostB), Hold::breaking);
  net.transport.lose_held_after(both_ways(kHostA, kHostB), 20);
  net.send(kPs, kFar, 1, 1);
  net.send(kPs, kFar, 1, 2, Manner::waits);
  net.heap.after(15, [&] { net.send(kFar, kPs, 1, 3); });
  net.heap.after(30, [&] { net.transport.release(both_ways(kHostA, kHostB), Hold::breaking); });
  EXPECT_EQ(net.run(), "2@35 3@35 ");
  EXPECT_EQ(lost, "1@20 ");
}

TEST(Transport, gives_away_what_is_held_but_what_waits_for_a_connection) {
  Net net(two_hosts({.latency = 5}));
  net.transport.hold(both_ways(kHostA, kHostB), Hold::breaking);
  net.send(kPs, kFar, 1, 1);
  net.send(kPs, kFar, 1, 2, Manner::waits);
  EXPECT_EQ(net.transport.take_held({{kHostB, kHostA}}).size(), 0u);
  ASSERT_EQ(net.transport.take_held({{kHostA, kHostB}}).size(), 1u);
  net.transport.release(both_ways(kHostA, kHostB), Hold::breaking);
  EXPECT_EQ(net.run(), "2@5 ");
}

TEST(Transport, a_narrowed_way_takes_longer_for_the_bytes_in_its_direction_alone) {
  Net net(two_hosts({.latency = 5, .bandwidth = 1'000'000'000}));
  net.transport.narrow({kHostA, kHostB}, 10);
  net.send(kPs, kFar, 100, 1);
  net.send(kFar, kPs, 100, 2);
  net.heap.after(2'000, [&] {
    net.transport.narrow({kHostA, kHostB}, 100);
    net.send(kPs, kFar, 100, 3);
  });
  EXPECT_EQ(net.run(), "2@105 1@1005 3@2105 ");
}

TEST(Transport, messages_of_two_tasks_overtake_each_other_but_what_is_sent_in_order) {
  Net net(two_hosts({.latency = 1'000}));
  net.transport.set_jitter(kPs, kFar, Transport::Jitter{500, Keyed(Random(1))});
  for (std::uint64_t m = 1; m <= 20; ++m) net.send(kPs, kFar, 1, m);
  net.send(kPs, kFar, 1, 21, Manner::in_order);
  net.send(kFar, kPs, 1, 22);
  const std::string order = net.run();
  EXPECT_EQ(order.find("22@1000 "), 0u) << order;
  EXPECT_EQ(order.find("21@"), order.rfind(' ', order.size() - 2) + 1) << order;
  std::string sent;
  for (std::uint64_t m = 1; m <= 20; ++m) sent += fmt::format("{} ", m);
  EXPECT_NE(names_in(order), "22 " + sent + "21 ") << order;
}

}  // namespace
}  // namespace tarry
