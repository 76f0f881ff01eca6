// Hosts with several network cards: which card two tasks use, and what becomes of messages, by hand, with both engines.

#include "sim/cards.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/test_net.hpp"

namespace tarry {
namespace {

using ::testing::ElementsAre;
constexpr std::uint64_t kMegabyte = 1'000'000;
constexpr std::int64_t kFullFactor = 1'000'000;
constexpr HostId kServerHost{0u}, kFirstHost{1u}, kSecondHost{2u};
constexpr TaskId kServer{0u}, kWorker0{1u}, kWorker1{2u}, kWorker2{3u};

// A server with two cards of 1 MB/s, and three workers on hosts with a card of 10 MB/s each. The server's card for a
// worker is the worker's number modulo 2.
ClusterSpec two_cards() {
  ClusterSpec c{.hosts = {{.name = "s", .nic_bandwidth = kMegabyte, .further_nics = {kMegabyte}}},
                .tasks = {{"/job:ps/replica:0/task:0", kServerHost}}};
  for (std::size_t h = 0; h < 3; ++h) {
    c.hosts.push_back({fmt::format("h{}", h), 10 * kMegabyte});
    c.tasks.push_back({fmt::format("/job:worker/replica:0/task:{}", h), HostId{h + 1}});
  }
  return c;
}

std::string all_send(const ClusterSpec& cluster, const std::vector<TaskId>& senders, std::uint64_t bytes = kMegabyte) {
  return with_both_engines(cluster, [&](Net& net) {
    for (std::size_t i = 0; i < senders.size(); ++i) net.send(senders[i], kServer, bytes, i);
  });
}

// ---- which card ----

TEST(CardChoice, is_the_place_of_the_task_on_its_host_plus_the_number_of_the_other) {
  ClusterSpec c = two_cards();
  c.tasks.push_back({"/job:ps/replica:0/task:7", kServerHost});
  const CardChoice choice(c);
  EXPECT_EQ(choice.of(kServer, kWorker0), Card(kServerHost, 0));
  EXPECT_EQ(choice.of(kServer, kWorker1), Card(kServerHost, 1));
  EXPECT_EQ(choice.of(kServer, kWorker2), Card(kServerHost, 0));
  EXPECT_EQ(choice.of(TaskId{4u}, kWorker0), Card(kServerHost, 1));
  EXPECT_EQ(choice.of(TaskId{4u}, kWorker1), Card(kServerHost, 0));
  EXPECT_EQ(choice.of(kWorker1, TaskId{4u}), Card(kSecondHost, 0));
}

TEST(CardChoice, is_the_tasks_own_card_where_it_has_one) {
  ClusterSpec c = two_cards();
  c.tasks[0].nic = 1;
  const CardChoice choice(c);
  EXPECT_EQ(choice.of(kServer, kWorker0), Card(kServerHost, 1));
  EXPECT_EQ(choice.of(kServer, kWorker1), Card(kServerHost, 1));
}

TEST(CardChoice, within_a_host_is_the_first) {
  ClusterSpec c = two_cards();
  c.tasks.push_back({"/job:worker/replica:0/task:3", kServerHost});
  EXPECT_EQ(CardChoice(c).of(kServer, TaskId{4u}), Card(kServerHost, 0));
}

TEST(CardChoice, says_which_cards_two_hosts_use_and_which_are_used_at_all) {
  ClusterSpec c = two_cards();
  c.hosts[1].further_nics = {kMegabyte, kMegabyte};
  const CardChoice choice(c);
  EXPECT_THAT(choice.between(kServerHost, kSecondHost), ElementsAre(Card(kServerHost, 1)));
  EXPECT_THAT(choice.used(),
              ElementsAre(Card(kServerHost, 0), Card(kServerHost, 1), Card(kFirstHost, 0), Card(kFirstHost, 1),
                          Card(kFirstHost, 2), Card(kSecondHost, 0), Card(HostId{3u}, 0)));
}

TEST(CardChoice, of_a_path_without_tasks_are_all_cards) {
  ClusterSpec c = two_cards();
  c.tasks.clear();
  EXPECT_EQ(path_between(c, kServerHost, kFirstHost).bandwidth, 2 * kMegabyte);
}

TEST(Cards, that_two_hosts_use_make_up_the_path_between_them) {
  ClusterSpec c = two_cards();
  EXPECT_EQ(path_between(c, kServerHost, kFirstHost).bandwidth, kMegabyte);
  c.tasks.push_back({"/job:worker/replica:0/task:3", kFirstHost});
  EXPECT_EQ(path_between(c, kServerHost, kFirstHost).bandwidth, 2 * kMegabyte);
  c.hosts[0].further_nics = {0};
  EXPECT_EQ(path_between(c, kServerHost, kFirstHost).bandwidth, 10 * kMegabyte);
}

TEST(Cards, have_a_limit_if_any_of_them_has_one) {
  ClusterSpec c{.hosts = {{.name = "s", .further_nics = {0, 5}}}};
  EXPECT_TRUE(has_flows(c));
  free_bandwidth(c);
  EXPECT_FALSE(has_flows(c));
}

TEST(Cards, have_the_name_of_their_host_and_a_number_where_there_are_several) {
  const ClusterSpec c = two_cards();
  EXPECT_EQ(name_of(c.hosts, {kServerHost, 1}), "s card 1");
  EXPECT_EQ(name_of(c.hosts, kFirstHost), "h0");
}

// ---- messages ----

TEST(SeveralCards, carry_connections_side_by_side) {
  EXPECT_EQ(all_send(two_cards(), {kWorker0, kWorker1}), "0@1000000000 1@1000000000 ");
}

// Workers 0 and 2 share the first card; worker 1 has the second one.
TEST(SeveralCards, are_shared_by_the_connections_that_are_on_the_same) {
  EXPECT_EQ(all_send(two_cards(), {kWorker0, kWorker1, kWorker2}), "1@1000000000 0@2000000000 2@2000000000 ");
}

TEST(SeveralCards, do_not_carry_one_connection_together) {
  ClusterSpec c = two_cards();
  c.network.transfers_per_channel = 2;
  EXPECT_EQ(all_send(c, {kWorker0, kWorker0}), "0@2000000000 1@2000000000 ");
}

TEST(SeveralCards, are_all_left_alone_but_the_one_that_the_task_uses) {
  ClusterSpec c = two_cards();
  c.tasks[0].nic = 1;
  EXPECT_EQ(all_send(c, {kWorker0, kWorker1}), "0@2000000000 1@2000000000 ");
}

TEST(SeveralCards, may_have_unequal_bandwidths) {
  ClusterSpec c = two_cards();
  c.hosts[0].further_nics = {2 * kMegabyte};
  EXPECT_EQ(all_send(c, {kWorker0, kWorker1}), "1@500000000 0@1000000000 ");
}

TEST(SeveralCards, carry_both_directions_of_a_connection_on_the_same) {
  EXPECT_EQ(with_both_engines(two_cards(),
                              [](Net& net) {
                                net.send(kServer, kWorker1, kMegabyte, 1);
                                net.send(kServer, kWorker0, kMegabyte, 0);
                                net.send(kServer, kWorker2, kMegabyte, 2);
                              }),
            "1@1000000000 0@2000000000 2@2000000000 ");
}

// 10 kB take 10 ms of a card of 1 MB/s.
TEST(SeveralCards, carry_small_messages_side_by_side_too) {
  EXPECT_EQ(all_send(two_cards(), {kWorker0, kWorker1, kWorker2}, 10'000), "0@10000000 1@10000000 2@20000000 ");
}

TEST(SeveralCards, share_the_link_of_their_hosts) {
  ClusterSpec c = two_cards();
  c.network.between_hosts.bandwidth = kMegabyte;
  c.tasks.push_back({"/job:worker/replica:0/task:3", kFirstHost});
  EXPECT_EQ(all_send(c, {kWorker0, TaskId{4u}}), "0@2000000000 1@2000000000 ");
}

TEST(SeveralCards, share_the_trunk_of_their_rack) {
  ClusterSpec c = two_cards();
  c.network.racks = {{"r", {.bandwidth = kMegabyte}}};
  c.hosts[0].rack = RackId{0u};
  EXPECT_EQ(all_send(c, {kWorker0, kWorker1}), "0@2000000000 1@2000000000 ");
}

// The window lets 0.5 MB through in a round trip of 1 s.
TEST(SeveralCards, leave_each_connection_its_window) {
  ClusterSpec c = two_cards();
  c.network.between_hosts.latency = 500'000'000;
  c.network.transport.window = 500'000;
  EXPECT_EQ(all_send(c, {kWorker0, kWorker1}), "0@2500000000 1@2500000000 ");
}

TEST(SeveralCards, count_their_senders_one_by_one) {
  ClusterSpec c = two_cards();
  c.network.transport.incast = {{2, 500'000}};
  EXPECT_EQ(all_send(c, {kWorker0, kWorker1}), "0@1000000000 1@1000000000 ");
  EXPECT_EQ(all_send(c, {kWorker0, kWorker2}), "0@4000000000 1@4000000000 ");
  c.tasks.push_back({"/job:worker/replica:0/task:3", kFirstHost});
  EXPECT_EQ(all_send(c, {kWorker1, TaskId{4u}}), "0@4000000000 1@4000000000 ");
}

// ---- faults and variations ----

std::string on_a_narrowed_way(const ClusterSpec& cluster, const std::vector<TaskId>& senders, std::int64_t percent) {
  return with_both_engines(cluster, [&](Net& net) {
    for (const Way& way : both_ways(kServerHost, kFirstHost)) net.transport.may_narrow(way);
    net.transport.narrow({kFirstHost, kServerHost}, percent);
    for (std::size_t i = 0; i < senders.size(); ++i) net.send(senders[i], kServer, kMegabyte, i);
  });
}

TEST(SeveralCards, that_carry_one_connection_are_narrowed_by_the_percent_of_one_card) {
  EXPECT_EQ(on_a_narrowed_way(two_cards(), {kWorker0, kWorker1}, 50), "1@1000000000 0@2000000000 ");
}

// Both cards have 2 MB/s together, of which a quarter is left.
TEST(SeveralCards, that_carry_connections_of_the_same_hosts_are_narrowed_together) {
  ClusterSpec c = two_cards();
  c.tasks.push_back({"/job:worker/replica:0/task:3", kFirstHost});
  EXPECT_EQ(on_a_narrowed_way(c, {kWorker0, TaskId{4u}}, 25), "0@4000000000 1@4000000000 ");
  EXPECT_EQ(on_a_narrowed_way(c, {kWorker0}, 25), "0@2000000000 ");
  EXPECT_EQ(on_a_narrowed_way(c, {kWorker0, TaskId{4u}}, 100), "0@1000000000 1@1000000000 ");
}

std::string while_cards_vary(std::vector<CardVariation> variations, const std::vector<TaskId>& senders,
                             std::uint64_t bytes = kMegabyte) {
  ClusterSpec c = two_cards();
  c.network.variations = std::move(variations);
  return with_both_engines(c, [&](Net& net) {
    net.transport.begin_variations();
    for (std::size_t i = 0; i < senders.size(); ++i) net.send(senders[i], kServer, bytes, i);
  });
}

CardVariation half(HostId host, std::optional<std::uint32_t> nic) {
  return {.host = host, .every = 1'000'000'000, .factor = Amount{Constant{kFullFactor / 2}}, .nic = nic};
}

TEST(SeveralCards, vary_all_of_them_or_the_one_that_is_named) {
  EXPECT_EQ(while_cards_vary({half(kServerHost, std::nullopt)}, {kWorker0, kWorker1}), "0@2000000000 1@2000000000 ");
  EXPECT_EQ(while_cards_vary({half(kServerHost, 1)}, {kWorker0, kWorker1}), "0@1000000000 1@2000000000 ");
  EXPECT_EQ(while_cards_vary({half({}, 1)}, {kWorker0, kWorker1}), "0@1000000000 1@2000000000 ");
}

TEST(SeveralCards, vary_for_small_messages_one_by_one_too) {
  EXPECT_EQ(while_cards_vary({half(kServerHost, 1)}, {kWorker0, kWorker1}, 10'000), "0@10000000 1@20000000 ");
}

TEST(SeveralCards, draw_each_by_itself_or_as_the_others_of_their_host) {
  const auto drawn = [](CardVariation::Shared shared) {
    ClusterSpec c = two_cards();
    c.network.variations = {{.shared = shared, .every = 1, .factor = Amount{Uniform{1, 1000 * kFullFactor}}}};
    CardFactors factors(c, Random(1));
    factors.begin(0);
    (void)factors.look(0);
    return std::tuple(factors.bandwidth({kServerHost, 0}, kMegabyte), factors.bandwidth({kServerHost, 1}, kMegabyte),
                      factors.bandwidth(kFirstHost, kMegabyte));
  };
  const auto [a, b, other] = drawn(CardVariation::Shared::by_nobody);
  EXPECT_NE(a, b);
  const auto [c, d, third] = drawn(CardVariation::Shared::by_host);
  EXPECT_EQ(c, d);
  EXPECT_NE(c, third);
  EXPECT_EQ(a, c);  // the first card of a host draws what its only card would
  EXPECT_EQ(other, third);
}

TEST(SeveralCards, are_told_apart_in_what_they_carried) {
  const auto told = run_in_child([] {
    Net net(two_cards());
    net.send(kWorker0, kServer, 10, 0);
    net.send(kWorker1, kServer, 20, 1);
    net.send(kWorker2, kServer, 30, 2);
    (void)net.run();
    std::string text;
    for (const Traffic& t : net.transport.traffic())
      text +=
          fmt::format("{} -> {}: {}; ", name_of(net.cluster.hosts, t.from), name_of(net.cluster.hosts, t.to), t.bytes);
    return text;
  });
  EXPECT_EQ(told.value_or(""), "h0 -> s card 0: 10; h1 -> s card 1: 20; h2 -> s card 0: 30; ");
}

TEST(Cards, are_limited_where_one_of_them_has_a_bandwidth) {
  EXPECT_FALSE(has_limited_card({.name = "h"}));
  EXPECT_FALSE(has_limited_card({.name = "h", .further_nics = {0}}));
  EXPECT_TRUE(has_limited_card({.name = "h", .nic_bandwidth = 1}));
  EXPECT_TRUE(has_limited_card({.name = "h", .further_nics = {0, 1}}));
}

}  // namespace
}  // namespace tarry
