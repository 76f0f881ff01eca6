// Cards that take in less while many send to them: by hand, with both engines.

#include "sim/incast.hpp"

#include <gtest/gtest.h>

#include "sim/test_net.hpp"

namespace tarry {
namespace {

// Four hosts with cards of 1 MB/s and a task on each; another task is on the second one.
ClusterSpec four_hosts(std::vector<IncastStep> law) {
  ClusterSpec c;
  for (std::size_t h = 0; h < 4; ++h) {
    c.hosts.push_back({fmt::format("h{}", h), 1'000'000});
    c.tasks.push_back({fmt::format("/job:worker/replica:0/task:{}", h), HostId{h}});
  }
  c.tasks.push_back({"/job:worker/replica:0/task:4", HostId{1u}});
  c.network.transport.incast = std::move(law);
  return c;
}

const std::vector<IncastStep> kHalfForTwo{{2, 500'000}};
constexpr TaskId kTaker{0u};

std::string sent_to_centre(const ClusterSpec& cluster, const std::vector<std::pair<std::size_t, std::uint64_t>>& all) {
  return with_both_engines(cluster, [&](Net& net) {
    for (const auto& [from, bytes] : all) net.send(TaskId{from}, kTaker, bytes, from);
  });
}

TEST(Incast, is_nothing_for_one_sender) {
  EXPECT_EQ(sent_to_centre(four_hosts(kHalfForTwo), {{1, 1'000'000}, {1, 1'000'000}}), "1@1000000000 1@2000000000 ");
}

// Together they have 0.5 MB/s for 4 s; then the second is alone with 1 MB.
TEST(Incast, gives_two_senders_half_a_card_until_one_is_through) {
  EXPECT_EQ(sent_to_centre(four_hosts({}), {{1, 1'000'000}, {2, 2'000'000}}), "1@2000000000 2@3000000000 ");
  EXPECT_EQ(sent_to_centre(four_hosts(kHalfForTwo), {{1, 1'000'000}, {2, 2'000'000}}), "1@4000000000 2@5000000000 ");
}

TEST(Incast, counts_the_tasks_that_send_also_those_of_one_host) {
  EXPECT_EQ(sent_to_centre(four_hosts(kHalfForTwo), {{1, 1'000'000}, {4, 1'000'000}}), "1@4000000000 4@4000000000 ");
}

// Three have 0.25 MB/s until 12 s; then two share 0.5 MB/s and have 1 MB left each.
TEST(Incast, takes_the_last_step_that_is_reached) {
  EXPECT_EQ(sent_to_centre(four_hosts({{2, 500'000}, {3, 250'000}}), {{1, 1'000'000}, {2, 2'000'000}, {3, 2'000'000}}),
            "1@12000000000 2@16000000000 3@16000000000 ");
}

// Three have 1/6 MB/s each until 6 s; then the third is alone with 3 MB.
TEST(Incast, holds_back_no_longer_a_message_that_began_beside_others) {
  EXPECT_EQ(sent_to_centre(four_hosts(kHalfForTwo), {{1, 1'000'000}, {2, 1'000'000}, {3, 4'000'000}}),
            "1@6000000000 2@6000000000 3@9000000000 ");
}

TEST(Incast, is_about_the_card_that_takes_in_and_no_other) {
  const std::string others = with_both_engines(four_hosts(kHalfForTwo), [](Net& net) {
    net.send(kTaker, TaskId{1u}, 500'000, 1);
    net.send(kTaker, TaskId{2u}, 500'000, 2);
    net.send(TaskId{3u}, kTaker, 1'000'000, 3);
  });
  EXPECT_EQ(others, "1@1000000000 2@1000000000 3@1000000000 ");
}

TEST(Incast, is_over_when_the_messages_are_through) {
  EXPECT_EQ(with_both_engines(four_hosts(kHalfForTwo),
                              [](Net& net) {
                                net.send(TaskId{1u}, kTaker, 1'000'000, 1);
                                net.send(TaskId{2u}, kTaker, 1'000'000, 2);
                                net.heap.after(10'000'000'000, [&net] { net.send(TaskId{1u}, kTaker, 1'000'000, 3); });
                              }),
            "1@4000000000 2@4000000000 3@11000000000 ");
}

TEST(Incast, of_a_host_with_itself_is_none) {
  ClusterSpec c = four_hosts(kHalfForTwo);
  c.network.same_host.bandwidth = 1'000'000;
  const std::string told = with_both_engines(c, [](Net& net) {
    net.send(TaskId{1u}, TaskId{4u}, 1'000'000, 1);
    net.send(TaskId{2u}, TaskId{1u}, 1'000'000, 2);
  });
  EXPECT_EQ(told, "1@1000000000 2@1000000000 ");
}

TEST(Incast, tells_of_a_rate_when_it_changes) {
  const ClusterSpec c = four_hosts({{2, 500'000}, {3, 250'000}});
  Incast incast(c);
  const HostId centre{0u}, other{1u};
  EXPECT_FALSE(incast.change(centre, 1));
  EXPECT_TRUE(incast.change(centre, 1));
  EXPECT_EQ(incast.rate(centre), 500'000);
  EXPECT_FALSE(incast.change(other, 1));
  EXPECT_TRUE(incast.change(centre, 2));
  EXPECT_EQ(incast.rate(centre), 250'000);
  EXPECT_FALSE(incast.change(centre, -1));
  EXPECT_TRUE(incast.change(centre, -2));
  EXPECT_EQ(incast.rate(centre), 1'000'000);
}

}  // namespace
}  // namespace tarry
