// What is tried of the network, and whose paths it names.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/job/overheads.hpp"
#include "scenarios/job/told_run.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

TEST(WhatIfNetwork, without_limits_keeps_the_window_of_connections_which_is_the_transports) {
  Job job;
  job.cluster.hosts = {{.name = "h", .nic_bandwidth = 1000}};
  job.cluster.network.transport.window = 64;
  for (const Overhead& o : overheads()) {
    if (o.cause != Proof::Cause::network && o.part != std::string_view("windows")) continue;
    if (o.part == std::string_view("host")) continue;
    Job without = job;
    o.take_away(without);
    const bool is_network = o.cause == Proof::Cause::network;
    EXPECT_EQ(without.cluster.network.transport.window, is_network ? 64u : 0u);
    EXPECT_EQ(without.cluster.hosts[0].nic_bandwidth, is_network ? 0u : 1000u);
  }
}

// Of a job that has a server and its worker on one host, and what limits either.
std::string told_of_bandwidth(std::uint64_t card, std::uint64_t within, std::size_t host_of_worker = 0) {
  ToldRun t(1, 1);
  t.job.cluster.tasks[1].host = HostId{host_of_worker};
  t.job.cluster.hosts[0].nic_bandwidth = card;
  t.job.cluster.network.same_host.bandwidth = within;
  std::string all;
  for (const Overhead& o : overheads())
    if (o.cause == Proof::Cause::network && o.is_there(t.job)) all += fmt::format("{}\n", o.instead);
  return all;
}

TEST(WhatIfNetwork, paths_within_hosts_are_apart_from_those_between_them) {
  EXPECT_EQ(told_of_bandwidth(0, 5), "with unlimited bandwidth between tasks of one host\n");
  EXPECT_EQ(told_of_bandwidth(5, 0), "with a network of unlimited bandwidth\n");
  EXPECT_EQ(told_of_bandwidth(5, 5),
            "with a network of unlimited bandwidth\nwith unlimited bandwidth between tasks of one host\n");
  EXPECT_EQ(told_of_bandwidth(0, 5, 1), "") << "no two tasks share a host";
  for (const Overhead& o : overheads()) {
    Job job;
    job.cluster.network.same_host.bandwidth = 5;
    if (o.cause == Proof::Cause::network) o.take_away(job);
    const bool is_within = o.part == std::string_view("host");
    EXPECT_EQ(job.cluster.network.same_host.bandwidth, is_within ? 0u : 5u) << o.instead;
  }
}

// Two servers and three workers; the last worker's path to the first server is bad, and that to the second may be.
std::string told_of_far(const PathSpec& usual, const PathSpec& bad, bool is_to_both) {
  ToldRun t(2, 3);
  t.job.cluster.network.between_hosts = usual;
  t.job.cluster.network.links.push_back({HostId{0u}, HostId{4u}, bad});
  if (is_to_both) t.job.cluster.network.links.push_back({HostId{1u}, HostId{4u}, bad});
  for (const WhatIf& w : what_ifs(t.job, t.outcome))
    if (w.proof.cause == Proof::Cause::far_host) return w.proof.what;
  return "";
}

TEST(WhatIfNetwork, a_far_host_is_told_with_the_tasks_that_it_is_far_from) {
  constexpr PathSpec kUsual{.latency = 1000, .bandwidth = 1'000'000}, kLong{.latency = 5000, .bandwidth = 1'000'000},
      kNarrow{.latency = 1000, .bandwidth = 500'000};
  EXPECT_THAT(told_of_far(kUsual, kLong, false), HasSubstr("messages of host4 (worker 2) take 5 us to ps 0 and"));
  EXPECT_THAT(told_of_far(kUsual, kLong, true), HasSubstr("take 5 us to the parameter servers and"));
  EXPECT_THAT(told_of_far(kUsual, kNarrow, false), HasSubstr("the path of host4 (worker 2) to ps 0 has 4 Mb/s and"));
  EXPECT_THAT(told_of_far(kUsual, kNarrow, true), HasSubstr("to the parameter servers has 4 Mb/s and"));
}

// Racks a and b, from each of which messages take 50 longer; the first two tasks are in a.
ToldRun in_two_racks(std::size_t servers, std::size_t workers) {
  ToldRun t(servers, workers);
  t.job.cluster.network.between_hosts.latency = 10;
  t.job.cluster.network.racks = {{"a", {.latency = 50}}, {"b", {.latency = 50}}};
  for (std::size_t h = 0; h < servers + workers; ++h) t.job.cluster.hosts[h].rack = RackId{h < 2 ? 0u : 1u};
  return t;
}
std::vector<Job> tried_far(const ToldRun& t) {
  std::vector<Job> jobs;
  for (const WhatIf& w : what_ifs(t.job, t.outcome))
    if (w.proof.cause == Proof::Cause::far_host && !w.proof.together) jobs.push_back(w.job);
  return jobs;
}

TEST(WhatIfNetwork, a_host_in_a_far_rack_moves_into_that_of_the_parameter_server) {
  ToldRun t = in_two_racks(1, 3);
  t.job.cluster.hosts[3].rack = RackId{0u};
  const auto jobs = tried_far(t);
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(path_between(jobs[0].cluster, HostId{2u}, HostId{0u}).latency, 10);
  EXPECT_EQ(jobs[0].cluster.hosts[2].rack, RackId{0u});
}

TEST(WhatIfNetwork, a_parameter_server_in_a_far_rack_moves_and_its_workers_stay) {
  ToldRun t = in_two_racks(2, 2);
  for (const std::size_t h : {0u, 2u, 3u}) t.job.cluster.hosts[h].rack = RackId{0u};
  t.job.cluster.hosts[1].rack = RackId{1u};
  const auto jobs = tried_far(t);
  ASSERT_EQ(jobs.size(), 1u);
  for (const std::size_t h : {0u, 1u, 2u, 3u}) EXPECT_EQ(jobs[0].cluster.hosts[h].rack, RackId{0u});
}

// The others' rack is as near as they are; the server's own would leave them behind at its trunk.
TEST(WhatIfNetwork, a_host_in_a_far_rack_moves_no_nearer_than_the_others_are) {
  ToldRun t(1, 4);
  t.job.cluster.network.between_hosts.latency = 10;
  t.job.cluster.network.racks = {
      {"server's", {.latency = 5, .bandwidth = 1000}}, {"near", {.latency = 5}}, {"far", {.latency = 500}}};
  for (std::size_t h = 0; h < 5; ++h) t.job.cluster.hosts[h].rack = RackId{h == 0 ? 0u : h < 4 ? 1u : 2u};
  const auto jobs = tried_far(t);
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].cluster.hosts[4].rack, RackId{1u});
}

TEST(WhatIfNetwork, the_usual_latency_and_the_usual_bandwidth_are_looked_at_apart) {
  ToldRun t(1, 4);
  t.job.cluster.network.between_hosts = {.latency = 100, .bandwidth = 1000};
  for (std::size_t w = 2; w <= 4; ++w) t.job.cluster.network.links.push_back({HostId{0u}, HostId{w}, {.latency = 300}});
  bool is_told = false;
  for (const WhatIf& w : what_ifs(t.job, t.outcome))
    is_told |=
        w.proof.cause == Proof::Cause::far_host && w.proof.what.find("path of host1 (worker 0)") != std::string::npos;
  EXPECT_TRUE(is_told) << "it is near, and narrow";
}

TEST(WhatIfNetwork, a_host_beside_the_parameter_server_says_nothing_of_what_is_usual) {
  ToldRun t(1, 4);
  t.job.cluster.network.between_hosts.latency = 100;
  t.job.cluster.tasks[4].host = HostId{0u};
  for (std::size_t w = 1; w <= 3; ++w)
    t.job.cluster.network.links.push_back({HostId{0u}, HostId{w}, {.latency = 20'000}});
  EXPECT_TRUE(tried_far(t).empty());
}

TEST(WhatIfNetwork, where_most_hosts_have_longer_links_of_their_own_the_others_are_the_usual_ones) {
  const auto far = [](Nanos link, std::size_t of_workers) {
    ToldRun t(1, 4);
    t.job.cluster.network.between_hosts.latency = 100;
    for (std::size_t w = 1; w <= of_workers; ++w)
      t.job.cluster.network.links.push_back({HostId{0u}, HostId{w}, {.latency = link}});
    return tried_far(t).size();
  };
  EXPECT_EQ(far(500, 3), 3u);
  EXPECT_EQ(far(111, 3), 0u) << "hardly longer";
  EXPECT_EQ(far(500, 4), 0u) << "all alike";
  EXPECT_EQ(far(10, 3), 1u) << "they are nearer: the other one is far";
}

// ---- servers that are far from each other ----

// Hosts 0, 1 and 2 have servers, or 0 and 1 of two; the first one's links to so many hosts are long. Between servers a
// message is under way for so long, of a run of 1000.
ToldRun with_a_far_server(std::size_t servers, std::size_t from, std::size_t to, Nanos talk) {
  ToldRun t(servers, 3);
  t.job.cluster.network.between_hosts = {.latency = 100, .bandwidth = 1000};
  for (std::size_t h = std::max<std::size_t>(1, from); h < to; ++h)
    t.job.cluster.network.links.push_back({HostId{0u}, HostId{h}, {.latency = 6000, .bandwidth = 1000}});
  t.outcome.log.add(1000, MessageDelivered{TaskId{0u}, TaskId{1u}, NameId{0u}, 8, 1000 - talk});
  return t;
}

TEST(WhatIfNetwork, a_far_server_comes_as_near_to_the_other_servers_as_these_are_to_each_other) {
  for (const std::size_t servers : {2u, 3u}) {
    const auto jobs = tried_far(with_a_far_server(servers, 1, servers + 3, 0));
    ASSERT_EQ(jobs.size(), 1u);
    for (std::size_t h = 1; h < servers + 3; ++h)
      EXPECT_EQ(path_between(jobs[0].cluster, HostId{0u}, HostId{h}).latency, 100) << servers << " servers, host " << h;
  }
}

TEST(WhatIfNetwork, a_far_server_is_told_to_be_far_from_the_others_where_servers_exchange_messages) {
  using testing::ElementsAre;
  const auto tried = [](std::size_t from, std::size_t to, Nanos talk) {
    return with_a_far_server(3, from, to, talk).tried(Proof::Cause::far_host);
  };
  EXPECT_THAT(tried(1, 6, 100), ElementsAre("host0all"));
  EXPECT_THAT(tried(1, 6, 99), ElementsAre("host0")) << "for less than a tenth of the run";
  EXPECT_THAT(tried(3, 6, 100), ElementsAre("host0")) << "it is near to the other servers";
}

TEST(WhatIfNetwork, a_server_that_is_far_from_the_others_alone_is_tried_where_these_exchange_messages) {
  using testing::ElementsAre, testing::IsEmpty;
  const auto tried = [](std::size_t servers, std::size_t to, Nanos talk) {
    return with_a_far_server(servers, 1, to, talk).tried(Proof::Cause::far_host);
  };
  EXPECT_THAT(tried(3, 3, 100), ElementsAre("host0servers"));
  EXPECT_THAT(tried(3, 3, 99), IsEmpty()) << "for less than a tenth of the run";
  EXPECT_THAT(tried(3, 2, 100), IsEmpty()) << "one of the others is near";
  EXPECT_THAT(tried(2, 2, 100), IsEmpty()) << "of two servers neither is the far one";
  const ToldRun t = with_a_far_server(3, 1, 3, 99);
  const auto all = what_ifs(t.job, t.outcome, Scope::all);
  const auto far = std::ranges::find(all, Proof::Cause::far_host, [](const WhatIf& w) { return w.proof.cause; });
  ASSERT_NE(far, all.end());
  EXPECT_THAT(far->proof.what, HasSubstr("messages from the other parameter servers to host0 (ps 0) take 6 us and "
                                         "those between the others 0.1 us"));
  EXPECT_EQ(path_between(far->job.cluster, HostId{0u}, HostId{2u}).latency, 100);
}

TEST(WhatIfNetwork, a_far_worker_comes_as_near_to_the_other_workers_as_these_are_to_each_other) {
  ToldRun t(1, 3);
  t.job.cluster.network.between_hosts.latency = 10;
  for (const std::size_t h : {0u, 1u, 2u})
    t.job.cluster.network.links.push_back({HostId{h}, HostId{3u}, {.latency = 5000}});
  const auto jobs = tried_far(t);
  ASSERT_EQ(jobs.size(), 1u);
  for (const std::size_t h : {0u, 1u, 2u})
    EXPECT_EQ(path_between(jobs[0].cluster, HostId{h}, HostId{3u}).latency, 10) << h;
}

}  // namespace
}  // namespace tarry
