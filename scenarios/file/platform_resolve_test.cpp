// A scenario on a platform file of SimGrid, from its words to how long steps take.

#include "scenarios/file/platform_resolve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/core/folder_test.hpp"
#include "results/contributions.hpp"
#include "scenarios/file/load.hpp"
#include "scenarios/file/make_job.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kStar[] = R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="10MBps" lat="1ms"/>
</platform>
)";

StatusOr<Scenario> on_star(const std::string& cluster, const std::string& file = kStar) {
  const Folder folder;
  folder.put("star.xml", file);
  return parse_scenario("cluster:\n" + cluster +
                            "build: {graph: softmax_async_ps1_task0, protocol: async}\nfeeds: {batch: 4}\n"
                            "stop: {steps: 4}\n",
                        folder.path() + "/s.yaml");
}

// Without the folder.
std::string refused_on_star(const std::string& cluster, const std::string& file = kStar) {
  std::string said(text_of(on_star(cluster, file).status()));
  for (std::size_t at = said.find("/"); at != said.npos; at = said.find("/"))
    said.erase(at, said.find('/', said.find("tarry_test_", at)) + 1 - at);
  return said;
}

const std::string kTasks = "  tasks: {ps/0: n3, worker/0: n0, worker/1: n1}\n";
const std::string kPlatform = "  network: {platform: star.xml}\n";

TEST(PlatformOfScenario, has_the_hosts_that_tasks_name) {
  const Scenario s = on_star(kTasks + kPlatform).value();
  std::vector<std::string> names;
  for (const HostSpec& h : s.cluster.hosts) names.push_back(h.name);
  EXPECT_THAT(names, ElementsAre("n3", "n0", "n1"));
  EXPECT_EQ(path_between(s.cluster, HostId{0u}, HostId{1u}), (PathSpec{2'000'000, 10'000'000}));
}

TEST(PlatformOfScenario, may_list_hosts_of_which_it_says_more) {
  const Scenario s = on_star(
                         "  hosts: [n0, n1, {name: n3, pcie: {root: 1GB/s}}]\n"
                         "  tasks: {ps/0: n3, worker/0: {host: n3, gpus: 1}, worker/1: n1}\n" +
                         kPlatform)
                         .value();
  EXPECT_EQ(s.cluster.hosts.size(), 3u);
  EXPECT_EQ(s.cluster.network.platform.places, 3u);
}

TEST(PlatformOfScenario, lets_more_workers_stand_where_the_last_one_is) {
  const Scenario s = on_star("  workers: 4\n" + kTasks + kPlatform).value();
  EXPECT_EQ(s.cluster.hosts.size(), 5u);
  EXPECT_EQ(path_between(s.cluster, HostId{0u}, HostId{4u}), (PathSpec{2'000'000, 10'000'000}));
}

TEST(PlatformOfScenario, refuses_hosts_that_the_file_lacks_with_the_nearest_one) {
  EXPECT_EQ(refused_on_star("  tasks: {ps/0: n3, worker/0: n0, worker/1: m1}\n" + kPlatform),
            "s.yaml:2:45: star.xml has no host 'm1'; did you mean 'n1'?");
}

TEST(PlatformOfScenario, refuses_a_file_that_is_missing_or_wrong) {
  EXPECT_EQ(refused_on_star(kTasks + "  network: {platform: sta.xml}\n"),
            "s.yaml:3:23: platform: sta.xml: no such file");
  EXPECT_THAT(refused_on_star(kTasks + kPlatform, "<platform"),
              HasSubstr("s.yaml:3:23: platform: star.xml:1: Invalid XML"));
}

TEST(PlatformOfScenario, stands_beside_no_other_word_about_what_lies_between_hosts) {
  for (const std::string key :
       {"latency: 1ms", "bandwidth: 1Gbps", "nic: 1Gbps", "nics: [1Gbps]", "rack_trunk: 1Gbps", "rack_latency: 1ms",
        "racks: [{name: r}]", "links: [{between: [n0, n1]}]", "variations: [{every: 1s, factor: 1}]"})
    EXPECT_THAT(refused_on_star(kTasks + "  network: {platform: star.xml, " + key + "}\n"),
                HasSubstr("'" + key.substr(0, key.find(':')) + "' cannot stand beside 'platform'"));
  EXPECT_THAT(
      refused_on_star(kTasks + "  network: {platform: star.xml, transport: {incast: [{senders: 2, rate: 1}]}}\n"),
      HasSubstr("'transport.incast' cannot stand beside 'platform'"));
  for (const std::string key : {"nic: 1Gbps", "nics: [1Gbps]", "rack: r"})
    EXPECT_THAT(refused_on_star("  hosts: [n0, n1, {name: n3, " + key + "}]\n" + kTasks + kPlatform),
                HasSubstr("'" + key.substr(0, key.find(':')) + "' cannot stand beside 'platform'"));
}

std::vector<Nanos> ends_of_steps(const Scenario& s) {
  const Job job = make_job(s, {TARRY_SOURCE_DIR "/scenarios/graphs", false, {}}).value();
  const Outcome o = run_apart(job).value();
  return read_contributions(o.log).workers[0].step_ended;
}

// A worker alone: its link and that of the server are the cards of a cluster of two hosts.
TEST(PlatformOfScenario, takes_as_long_as_the_same_network_in_other_words) {
  const auto with = [](const std::string& engine) {
    return std::pair(
        ends_of_steps(
            on_star("  tasks: {ps/0: n3, worker/0: n0}\n  network: {platform: star.xml, engine: " + engine + "}\n")
                .value()),
        ends_of_steps(
            on_star("  hosts: [n3, n0]\n  tasks: {ps/0: n3, worker/0: n0}\n  network: {latency: 2ms, bandwidth: "
                    "10MB/s, engine: " +
                    engine + "}\n")
                .value()));
  };
  for (const char* engine : {"simgrid", "shared"}) {
    const auto [on_platform, in_words] = with(engine);
    EXPECT_EQ(on_platform.size(), 4u);
    EXPECT_EQ(on_platform, in_words) << engine;
  }
}

}  // namespace
}  // namespace tarry
