// Groups of hosts and tasks.
#include "scenarios/file/groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/file/load.hpp"

namespace tarry {
namespace {

StatusOr<Scenario> with(const std::string& hosts, const std::string& tasks) {
  return parse_scenario("cluster: {hosts: [" + hosts + "], tasks: {" + tasks +
                            "}}\nbuild: {graph: softmax_async_ps1_task0}\nstop: {time: 1s}\n",
                        "s.yaml");
}
std::string error_of(const std::string& hosts, const std::string& tasks) {
  return std::string(text_of(with(hosts, tasks).status()));
}

TEST(Groups, a_group_of_hosts_and_one_of_tasks_are_one_task_on_each_host) {
  const ClusterSpec c =
      with("p, {name: 'h{index}', count: 12, nic: 10Gbps}", "ps/0: p, worker: {count: 12, host: 'h{index}', gpus: 2}")
          ->cluster;
  ASSERT_EQ(c.hosts.size(), 13u);
  EXPECT_EQ(c.hosts[12].name, "h11");
  EXPECT_EQ(c.hosts[12].nic_bandwidth, 1'250'000'000u);
  ASSERT_EQ(c.tasks.size(), 13u);
  EXPECT_EQ(c.tasks[12].name, "/job:worker/replica:0/task:11");
  EXPECT_EQ(c.tasks[12].host, HostId{12u});
  EXPECT_EQ(c.tasks[12].gpus.size(), 2u);
}

TEST(Groups, tasks_of_a_group_may_share_a_host) {
  const ClusterSpec c = with("a, b", "/job:ps: {count: 3, host: a}, worker/0: b")->cluster;
  ASSERT_EQ(c.tasks.size(), 4u);
  EXPECT_EQ(c.tasks[2].name, "/job:ps/replica:0/task:2");
  EXPECT_EQ(c.tasks[2].host, HostId{0u});
}

TEST(Groups, a_job_may_have_fewer_workers_than_its_group) {
  const std::string text =
      "cluster: {hosts: [a], tasks: {ps/0: a, worker: {count: 5, host: a}}, workers: 2}\n"
      "build: {graph: softmax_async_ps1_task0}\nstop: {time: 1s}\n";
  EXPECT_EQ(parse_scenario(text, "s.yaml")->cluster.tasks.size(), 3u);
}

std::string racks_of(const std::string& hosts) {
  const ClusterSpec c = with(hosts, "ps/0: a, worker/0: a")->cluster;
  std::string text;
  for (const HostSpec& h : c.hosts)
    text += fmt::format("{}:{} ", h.name, h.rack.valid() ? c.network.racks[h.rack.index()].name : "-");
  return text;
}

TEST(Groups, hosts_of_a_group_fill_one_rack_after_the_other) {
  EXPECT_EQ(racks_of("a, {name: 'h{index}', count: 5, per_rack: 2}"),
            "a:- h0:rack0 h1:rack0 h2:rack1 h3:rack1 h4:rack2 ");
  EXPECT_EQ(racks_of("a, {name: 'h{index}', count: 3, per_rack: 2, rack: 'row{index}'}"),
            "a:- h0:row0 h1:row0 h2:row1 ");
}

TEST(Groups, two_groups_may_share_racks) {
  EXPECT_EQ(racks_of("a, {name: 'p{index}', count: 2, per_rack: 1}, {name: 'h{index}', count: 4, per_rack: 2}"),
            "a:- p0:rack0 p1:rack1 h0:rack0 h1:rack0 h2:rack1 h3:rack1 ");
}

TEST(Groups, of_hosts_may_be_in_one_rack_or_each_in_its_own) {
  EXPECT_EQ(racks_of("{name: a, rack: x}, {name: 'h{index}', count: 2, rack: x}"), "a:x h0:x h1:x ");
  EXPECT_EQ(racks_of("a, {name: 'h{index}', count: 2, rack: 'r{index}'}"), "a:- h0:r0 h1:r1 ");
}

TEST(Groups, racks_that_cannot_be_told_apart_are_refused_with_their_place) {
  EXPECT_EQ(error_of("{name: a, per_rack: 2}", "ps/0: a"),
            "s.yaml:1:26: host 'a': 'per_rack' is for a group of hosts, which has a 'count'");
  EXPECT_EQ(error_of("{name: a, rack: 'r{index}'}", "ps/0: a"),
            "s.yaml:1:35: rack 'r{index}': '{index}' is for a group of hosts, which has a 'count'");
  EXPECT_EQ(error_of("{name: 'h{index}', count: 2, per_rack: 2, rack: r}", "ps/0: h0"),
            "s.yaml:1:67: rack 'r': the racks of a group with 'per_rack' have '{index}' in their name");
}

TEST(Groups, what_is_half_a_group_is_refused_with_its_place) {
  EXPECT_EQ(error_of("{name: h, count: 2}", "ps/0: h"),
            "s.yaml:1:26: host 'h': a group of hosts has a 'count', and '{index}' in its name");
  EXPECT_EQ(error_of("'h{index}'", "ps/0: h0"),
            "s.yaml:1:19: host 'h{index}': a group of hosts has a 'count', and '{index}' in its name");
  EXPECT_EQ(error_of("a", "ps/0: a, worker/0: 'h{index}'"),
            "s.yaml:1:50: '{index}' is for a group of tasks: 'worker: {count: 64, host: \"h{index}\"}'");
  EXPECT_EQ(error_of("a", "ps/0: a, worker/0: {host: a, count: 2}"),
            "s.yaml:1:40: 'worker/0' is one task, and 'count' is for a group, which has the name of its job: 'worker: "
            "{count: 64, host: \"h{index}\"}'");
}

TEST(Groups, members_are_told_apart_from_what_else_is_listed) {
  EXPECT_THAT(error_of("h0, {name: 'h{index}', count: 2}", "ps/0: h0"), testing::HasSubstr("host 'h0' appears twice"));
  EXPECT_THAT(error_of("a", "ps: {count: 2, host: a}, ps/1: a"), testing::HasSubstr("task 'ps/1' appears twice"));
  EXPECT_THAT(error_of("{name: 'h{index}', count: 2}", "ps: {count: 3, host: 'h{index}'}"), testing::HasSubstr("h2"));
}

}  // namespace
}  // namespace tarry
