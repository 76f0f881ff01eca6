// What small messages take of cards and links: by hand.

#include <gtest/gtest.h>

#include "sim/test_net.hpp"

namespace tarry {
namespace {

// A parameter server and sixteen workers, each on a host with a card of 1.25 Gb/s.
ClusterSpec star() {
  constexpr std::uint64_t kCard = 156'250'000;  // bytes a second
  ClusterSpec c;
  for (std::size_t h = 0; h <= 16; ++h) {
    c.hosts.push_back({fmt::format("h{}", h), kCard});
    c.tasks.push_back({fmt::format("/job:worker/replica:0/task:{}", h), HostId{h}});
  }
  c.network.between_hosts.latency = 100'000;
  c.network.engine = FlowsBy::shared;
  return c;
}

constexpr TaskId kCentre{0u};

// 16 x 1,000 x 12,000 bytes = 192,000,000 bytes; over a card of 156,250,000 bytes a second that is 1.2288 s.
TEST(SmallMessages, to_many_share_the_card_of_their_sender) {
  Net net(star());
  for (int i = 0; i < 1000; ++i)
    for (std::size_t w = 1; w <= 16; ++w) net.send(kCentre, TaskId{w}, 12'000, w);
  EXPECT_NEAR(in_seconds(net.time_of_last()), 1.2288, 0.02 * 1.2288);
}

TEST(SmallMessages, of_many_share_the_card_of_their_receiver) {
  Net net(star());
  for (int i = 0; i < 1000; ++i)
    for (std::size_t w = 1; w <= 16; ++w) net.send(TaskId{w}, kCentre, 12'000, w);
  EXPECT_NEAR(in_seconds(net.time_of_last()), 1.2288, 0.02 * 1.2288);
}

// 12,000 bytes every 0.24 ms are 50,000,000 bytes a second; for 2 s the flow has the other 106,250,000 a second.
TEST(SmallMessages, take_from_a_flow_what_they_carry) {
  Net net(star());
  net.send(kCentre, TaskId{1u}, 212'500'000, 0);
  for (Nanos at = 0; at < 3 * kSecond; at += 240'000)
    net.heap.after(at, [&net] { net.send(kCentre, TaskId{2u}, 12'000, 1); });
  const std::string all = net.run();
  const Nanos end = std::stoll(all.substr(all.find(" 0@") + 3));
  EXPECT_NEAR(in_seconds(end), 2.0, 0.02 * 2.0);
}

// Together they are 102,125,000 bytes, which fill the card for 0.6536 s. For as long as there are small ones, they have
// half of it: 24,000,000 bytes at 78,125,000 a second are 0.3072 s.
TEST(SmallMessages, have_the_share_of_one_flow) {
  Net net(star());
  net.send(kCentre, TaskId{1u}, 78'125'000, 0);
  net.heap.after(200'000, [&net] {
    for (int i = 0; i < 2000; ++i) net.send(kCentre, TaskId{2u}, 12'000, 1);
  });
  const std::string all = net.run();
  EXPECT_NEAR(in_seconds(std::stoll(all.substr(all.find(" 0@") + 3))), 0.6536, 0.02 * 0.6536);
  EXPECT_NEAR(in_seconds(std::stoll(all.substr(all.rfind(" 1@") + 3))), 0.3072, 0.02 * 0.3072);
}

TEST(SmallMessages, lose_nothing_to_a_flow_that_has_ended) {
  Net net(star());
  net.send(kCentre, TaskId{1u}, 15'625'000, 1);
  net.heap.after(kSecond, [&net] { net.send(kCentre, TaskId{2u}, 15'625, 2); });
  EXPECT_EQ(net.run(), "1@100100000 2@1000200000 ");
}

// Two hosts send 1,562,500 bytes each in small messages, which the receiver's card carries until 0.0201 s.
TEST(SmallMessages, at_the_card_of_a_receiver_hold_up_a_flow) {
  Net net(star());
  for (int i = 0; i < 100; ++i)
    for (std::size_t w = 1; w <= 2; ++w) net.send(TaskId{w}, kCentre, 15'625, w);
  net.heap.after(10'000'000, [&net] { net.send(TaskId{3u}, kCentre, 15'625'000, 3); });
  const std::string all = net.run();
  EXPECT_NEAR(in_seconds(std::stoll(all.substr(all.find(" 3@") + 3))), 0.0201 + 0.1, 0.0002);
}

TEST(SmallMessages, are_through_when_a_flow_behind_them_begins) {
  Net net(star());
  for (int i = 0; i < 1000; ++i) net.send(kCentre, TaskId{1u}, 15'625, 1);
  net.send(kCentre, TaskId{2u}, 15'625'000, 2);
  net.send(TaskId{3u}, TaskId{4u}, 15'625'000, 3);
  const std::string all = net.run();
  EXPECT_NE(all.find(" 3@100100000 "), std::string::npos) << all;
  EXPECT_NE(all.find(" 2@200100000 "), std::string::npos) << all;
}

}  // namespace
}  // namespace tarry
