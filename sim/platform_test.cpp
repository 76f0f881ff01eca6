// Platform files of SimGrid: what is read of them, and what becomes of messages, by hand, with both engines.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "placer/core/folder_test.hpp"
#include "sim/read_platform.hpp"
#include "sim/test_net.hpp"

namespace tarry {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr std::uint64_t kMega = 1'000'000;
constexpr HostId kA{0u}, kB{1u}, kC{2u}, kD{3u};

// Two hosts on each side of what lies between the sides: a and c are on the left, b and d on the right.
std::string two_sides(const std::string& between, const std::string& crossed) {
  std::string text =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
      "version=\"4.1\">\n<zone id=\"z\" routing=\"Full\">\n";
  for (const char* host : {"a", "b", "c", "d"})
    text += fmt::format("<host id='{0}' speed='1Gf'/><link id='of_{0}' bandwidth='10MBps' latency='500us'/>\n", host);
  text += between + "\n";
  for (const auto& [from, to] : {std::pair("a", "b"), {"a", "d"}, {"c", "b"}, {"c", "d"}})
    text += fmt::format("<route src='{0}' dst='{1}'><link_ctn id='of_{0}'/>{2}<link_ctn id='of_{1}'/></route>\n", from,
                        to, crossed);
  for (const auto& [from, to] : {std::pair("a", "c"), {"b", "d"}})
    text +=
        fmt::format("<route src='{0}' dst='{1}'><link_ctn id='of_{0}'/><link_ctn id='of_{1}'/></route>\n", from, to);
  return text + "</zone>\n</platform>\n";
}

std::string backbone(const std::string& policy = "SHARED") {
  return fmt::format("<link id='between' bandwidth='1MBps' latency='1ms' sharing_policy='{}'/>", policy);
}
const std::string kCrossed = "<link_ctn id='between'/>";

StatusOr<ReadPlatform> read_text(const std::string& text,
                                 const std::vector<std::string>& wanted = {"a", "b", "c", "d"}) {
  const Folder folder;
  return read_platform(folder.put("p.xml", text), wanted);
}

ClusterSpec on_platform(const std::string& text) {
  ClusterSpec c;
  c.network.platform = read_text(text).value().platform;
  for (std::size_t h = 0; h < 4; ++h) {
    c.hosts.push_back({std::string(1, static_cast<char>('a' + h))});
    c.tasks.push_back({fmt::format("/job:worker/replica:0/task:{}", h), HostId{h}});
  }
  return c;
}

struct OneSent {
  HostId from, to;
  std::uint64_t bytes = kMega;
};

std::string all_sent(const ClusterSpec& cluster, const std::vector<OneSent>& all) {
  return with_both_engines(cluster, [&](Net& net) {
    for (std::size_t i = 0; i < all.size(); ++i)
      net.send(TaskId{all[i].from.index()}, TaskId{all[i].to.index()}, all[i].bytes, i);
  });
}

// ---- what is read ----

TEST(Platform, has_the_links_and_the_latency_of_each_route) {
  const PlatformSpec p = read_text(two_sides(backbone("FATPIPE"), kCrossed)).value().platform;
  const PlatformRoute& route = p.route(kA, kB);
  EXPECT_EQ(route.latency, 2'000'000);
  std::vector<std::string> links;
  for (const std::uint32_t l : route.links) links.push_back(p.links[l].name);
  EXPECT_THAT(links, ElementsAre("of_a", "between", "of_b"));
  EXPECT_EQ(p.links[route.links[0]], (PlatformLink{"of_a", 10 * kMega, false}));
  EXPECT_EQ(p.links[route.links[1]], (PlatformLink{"between", kMega, true}));
  EXPECT_EQ(p.route(kA, kA), PlatformRoute{});
}

TEST(Platform, tells_all_hosts_where_one_that_is_wanted_is_missing) {
  const ReadPlatform read = read_text(two_sides(backbone(), kCrossed), {"a", "e"}).value();
  EXPECT_THAT(read.hosts, ElementsAre("a", "b", "c", "d"));
  EXPECT_FALSE(read.platform.is_given());
}

std::string refused_platform(const std::string& text) {
  const std::string said(text_of(read_text(text).status()));
  return said.substr(said.rfind("p.xml"));
}

TEST(Platform, that_is_none_is_refused_with_the_line) {
  EXPECT_THAT(refused_platform("hello"), HasSubstr("p.xml:1: Invalid XML: Unexpected character `h' in prolog"));
  EXPECT_THAT(refused_platform(""), HasSubstr("p.xml:1: Invalid XML"));
  EXPECT_THAT(refused_platform(two_sides("<link id='between' bandwidth='fast'/>", kCrossed)),
              HasSubstr("p.xml:9: cannot parse number"));
  EXPECT_THAT(refused_platform(two_sides("<link id='between'/>", kCrossed)), HasSubstr("p.xml:9: Invalid XML"));
  EXPECT_EQ(refused_platform(two_sides("", kCrossed)), "p.xml: Link not found: between");
  EXPECT_EQ(text_of(read_platform("/nowhere/p.xml", {}).status()), "/nowhere/p.xml: no such file");
}

TEST(Platform, that_does_more_than_carry_messages_is_refused) {
  std::string with_actor = two_sides(backbone(), kCrossed);
  with_actor.insert(with_actor.find("</platform>"), "<actor host='a' function='f'/>\n");
  EXPECT_EQ(refused_platform(with_actor), "p.xml: the file starts actors; expected a platform without a deployment");
  EXPECT_THAT(refused_platform(two_sides("<link id='between' bandwidth='1MBps' bandwidth_file='x'/>", kCrossed)),
              HasSubstr("p.xml:9: 'bandwidth_file' makes the platform vary in time"));
  const auto with_bandwidth = [](const std::string& bandwidth) {
    return two_sides("<link id='between' bandwidth='" + bandwidth + "' latency='1ms'/>", kCrossed);
  };
  EXPECT_EQ(refused_platform(with_bandwidth("0.1Bps")), "p.xml: nothing gets through link between");
  const auto read = read_text(with_bandwidth("100000000000000000000Bps"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(std::ranges::count(read->platform.links, 0u, &PlatformLink::bandwidth), 1) << "no limit";
  EXPECT_EQ(text_of(read_platform(TARRY_SOURCE_DIR "/README.md", {}).status()),
            TARRY_SOURCE_DIR "/README.md: expected a file whose name ends in .xml");
}

TEST(Platform, without_a_route_between_two_of_the_hosts_is_refused) {
  std::string text = two_sides(backbone(), kCrossed);
  text.replace(text.find("<route src='b' dst='d'>"),
               text.find("</route>", text.find("<route src='b' dst='d'>")) + 8 - text.find("<route src='b' dst='d'>"),
               "");
  EXPECT_EQ(refused_platform(text), "p.xml: no route from b to d");
  EXPECT_TRUE(read_text(text, {"a", "b", "c"}).ok());
}

// ---- messages ----

// 1 MB each over 1 MB/s together; each route has a latency of 2 ms.
TEST(Platform, shares_a_link_of_two_routes) {
  const ClusterSpec c = on_platform(two_sides(backbone(), kCrossed));
  EXPECT_EQ(all_sent(c, {{kA, kB}}), "0@1002000000 ");
  EXPECT_EQ(all_sent(c, {{kA, kB}, {kC, kD}}), "0@2002000000 1@2002000000 ");
}

TEST(Platform, shares_a_link_for_both_directions_where_it_is_one) {
  EXPECT_EQ(all_sent(on_platform(two_sides(backbone(), kCrossed)), {{kA, kB}, {kB, kA}}), "0@2002000000 1@2002000000 ");
}

TEST(Platform, gives_each_message_all_of_a_fatpipe) {
  ClusterSpec c = on_platform(two_sides(backbone("FATPIPE"), kCrossed));
  EXPECT_EQ(all_sent(c, {{kA, kB}, {kC, kD}}), "0@1002000000 1@1002000000 ");
  c.network.transfers_per_channel = 2;
  EXPECT_EQ(all_sent(c, {{kA, kB}, {kA, kB}, {kA, kB}}), "0@1002000000 1@1002000000 2@2002000000 ");
}

// Twenty over a link of 10 MB/s of their own have 0.5 MB/s each.
TEST(Platform, limits_what_is_beside_a_fatpipe_as_always) {
  ClusterSpec c = on_platform(two_sides(backbone("FATPIPE"), kCrossed));
  c.network.transfers_per_channel = 20;
  std::string told;
  for (int i = 0; i < 20; ++i) told += fmt::format("{}@2002000000 ", i);
  EXPECT_EQ(all_sent(c, std::vector<OneSent>(20, {kA, kB})), told);
}

TEST(Platform, keeps_the_directions_of_a_split_duplex_link_apart) {
  const ClusterSpec c = on_platform(two_sides(backbone("SPLITDUPLEX"), "<link_ctn id='between' direction='UP'/>"));
  EXPECT_EQ(all_sent(c, {{kA, kB}, {kB, kA}}), "0@1002000000 1@1002000000 ");
  EXPECT_EQ(all_sent(c, {{kA, kB}, {kC, kD}}), "0@2002000000 1@2002000000 ");
}

// 10 kB take 10 ms of 1 MB/s.
TEST(Platform, carries_small_messages_one_after_the_other_and_those_over_a_fatpipe_side_by_side) {
  const std::vector<OneSent> two = {{kA, kB, 10'000}, {kC, kD, 10'000}};
  EXPECT_EQ(all_sent(on_platform(two_sides(backbone(), kCrossed)), two), "0@12000000 1@22000000 ");
  EXPECT_EQ(all_sent(on_platform(two_sides(backbone("FATPIPE"), kCrossed)), two), "0@12000000 1@12000000 ");
}

// The second begins 10 ms later: the small message before it has the link until then.
TEST(Platform, lets_a_large_message_begin_when_small_ones_are_through_and_small_ones_wait_for_large_ones) {
  const ClusterSpec c = on_platform(two_sides(backbone(), kCrossed));
  EXPECT_EQ(all_sent(c, {{kA, kB, 10'000}, {kC, kD}}), "0@12000000 1@1012000000 ");
  EXPECT_EQ(with_both_engines(c,
                              [](Net& net) {
                                net.send(TaskId{0u}, TaskId{1u}, kMega, 0);
                                net.heap.after(100'000'000, [&net] { net.send(TaskId{2u}, TaskId{3u}, 10'000, 1); });
                              }),
            "1@122000000 0@1002000000 ");
}

TEST(Platform, has_routes_of_many_links) {
  std::string links, crossed;
  for (int i = 0; i < 12; ++i) {
    links += fmt::format("<link id='hop{}' bandwidth='{}MBps' latency='1ms'/>", i, 12 - i);
    crossed += fmt::format("<link_ctn id='hop{}'/>", i);
  }
  EXPECT_EQ(all_sent(on_platform(two_sides(links, crossed)), {{kA, kB}, {kC, kD}}), "0@2013000000 1@2013000000 ");
}

std::string while_narrowed(const std::string& policy, const std::vector<OneSent>& all) {
  return with_both_engines(on_platform(two_sides(backbone(policy), kCrossed)), [&](Net& net) {
    net.transport.may_narrow({kA, kB});
    net.transport.narrow({kA, kB}, 50);
    for (std::size_t i = 0; i < all.size(); ++i)
      net.send(TaskId{all[i].from.index()}, TaskId{all[i].to.index()}, all[i].bytes, i);
  });
}

TEST(Platform, is_narrowed_on_one_way_by_the_percent_of_what_is_shared_there) {
  EXPECT_EQ(while_narrowed("SHARED", {{kA, kB}}), "0@2002000000 ");
  EXPECT_EQ(while_narrowed("SHARED", {{kC, kD}}), "0@1002000000 ");
  EXPECT_EQ(while_narrowed("FATPIPE", {{kA, kB, 5 * kMega}}), "0@5002000000 ");
}

TEST(Platform, takes_a_host_that_is_added_to_the_place_of_the_one_that_it_is_like) {
  ClusterSpec c = on_platform(two_sides(backbone(), kCrossed));
  c.tasks.push_back({"/job:worker/replica:0/task:4", add_host_like(c, kA, "e")});
  EXPECT_EQ(c.hosts.back().name, "e");
  EXPECT_EQ(all_sent(c, {{kA, kB}, {HostId{4u}, kD}}), "0@2002000000 1@2002000000 ");
  EXPECT_EQ(path_between(c, kA, HostId{4u}), PathSpec{});
}

TEST(Platform, has_no_limit_any_more_where_bandwidth_is_free) {
  ClusterSpec c = on_platform(two_sides(backbone("FATPIPE"), kCrossed));
  EXPECT_TRUE(has_flows(c));
  free_bandwidth(c);
  EXPECT_FALSE(has_flows(c));
  EXPECT_EQ(all_sent(c, {{kA, kB}}), "0@2000000 ");
}

}  // namespace
}  // namespace tarry
