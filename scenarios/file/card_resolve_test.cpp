// Several network cards of a host, from the words of a scenario to how long a step takes.

#include "scenarios/file/card_resolve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/core/folder_test.hpp"
#include "results/contributions.hpp"
#include "scenarios/file/load.hpp"
#include "scenarios/file/make_job.hpp"
#include "scenarios/file/outcome.hpp"
#include "sim/cards.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kGigabitInBytes = 125'000'000;
constexpr Nanos kWholeSecond = 1'000'000'000;

StatusOr<Scenario> with_cluster(const std::string& hosts, const std::string& network, const std::string& ps = "a") {
  return parse_scenario("cluster:\n  hosts: [" + hosts + "]\n  tasks: {ps/0: " + ps +
                            ", worker/0: b, worker/1: c}\n  network: {" + network +
                            "}\nbuild: {graph: softmax_async_ps1_task0, protocol: async}\nstop: {steps: 3}\n",
                        "s.yaml");
}

std::vector<std::uint64_t> cards_of_first_host(const std::string& host, const std::string& network) {
  const Scenario s = with_cluster(host + ", b, c", network).value();
  const HostSpec& first = s.cluster.hosts[0];
  std::vector<std::uint64_t> gigabits;
  for (std::uint32_t n = 0; n < card_count(first); ++n) gigabits.push_back(bandwidth_of(first, n) / kGigabitInBytes);
  return gigabits;
}

std::string refused_cards(const std::string& hosts, const std::string& network, const std::string& ps = "a") {
  return std::string(text_of(with_cluster(hosts, network, ps).status()));
}

TEST(CardsOfHosts, are_those_of_the_host_or_else_of_the_network) {
  EXPECT_THAT(cards_of_first_host("a", "latency: 1ms"), ElementsAre(0));
  EXPECT_THAT(cards_of_first_host("a", "nic: 2Gbps"), ElementsAre(2));
  EXPECT_THAT(cards_of_first_host("a", "nics: [2Gbps, 3Gbps]"), ElementsAre(2, 3));
  EXPECT_THAT(cards_of_first_host("{name: a, nic: 4Gbps}", "nics: [2Gbps, 3Gbps]"), ElementsAre(4));
  EXPECT_THAT(cards_of_first_host("{name: a, nics: [4Gbps, unlimited, 5Gbps]}", "nic: 2Gbps"), ElementsAre(4, 0, 5));
  EXPECT_THAT(cards_of_first_host("{name: a, nics: [6Gbps]}", "nic: 2Gbps"), ElementsAre(6));
}

TEST(CardsOfHosts, of_a_group_are_those_of_each_member) {
  const Scenario s =
      with_cluster("a, b, c, {name: \"g{index}\", count: 2, nics: [1Gbps, 1Gbps]}", "latency: 1ms").value();
  EXPECT_EQ(card_count(s.cluster.hosts[3]), 2u);
  EXPECT_EQ(card_count(s.cluster.hosts[4]), 2u);
}

TEST(CardsOfHosts, that_are_said_twice_or_are_too_many_are_refused) {
  EXPECT_EQ(refused_cards("{name: a, nic: 1Gbps, nics: [1Gbps]}, b, c", ""),
            "s.yaml:2:18: 'nic' and 'nics' say the same: expected one of them");
  EXPECT_THAT(refused_cards("a, b, c", "nic: 1Gbps, nics: [1Gbps]"), HasSubstr("'nic' and 'nics' say the same"));
  std::string many = "1Gbps";
  for (int i = 0; i < 64; ++i) many += ", 1Gbps";
  EXPECT_THAT(refused_cards("a, b, c", "nics: [" + many + "]"), HasSubstr("a host has at most 64 network cards"));
}

TEST(CardsOfTasks, are_cards_of_their_host) {
  const std::string two = "{name: a, nics: [1Gbps, 1Gbps]}, b, c";
  EXPECT_EQ(with_cluster(two, "", "{host: a, nic: 1}").value().cluster.tasks[0].nic, 1u);
  EXPECT_EQ(with_cluster(two, "", "a").value().cluster.tasks[0].nic, std::nullopt);
  EXPECT_EQ(refused_cards(two, "", "{host: a, nic: 2}"),
            "s.yaml:3:24: no network card 2: host 'a' has 2 network cards, numbers 0 to 1");
  EXPECT_EQ(refused_cards("a, b, c", "", "{host: a, nic: 1}"),
            "s.yaml:3:24: no network card 1: host 'a' has one network card, number 0");
  EXPECT_THAT(refused_cards(two, "", "{host: a, nic: -1}"), HasSubstr("-1"));
}

TEST(VariationsOfCards, may_be_of_one_card_of_several) {
  const std::string hosts = "{name: a, nics: [1Gbps, unlimited]}, b, c";
  const auto read = with_cluster(hosts, "variations: [{host: a, nic: 0, shared: by_host, every: 1s, factor: 2}]");
  EXPECT_EQ(read.value().cluster.network.variations[0].host, HostId{0u});
  EXPECT_EQ(read.value().cluster.network.variations[0].nic, 0u);
  EXPECT_EQ(read.value().cluster.network.variations[0].shared, CardVariation::Shared::by_host);
  EXPECT_THAT(refused_cards(hosts, "variations: [{host: a, nic: 1, every: 1s, factor: 2}]"),
              HasSubstr("no card that could vary has a bandwidth"));
  EXPECT_THAT(refused_cards(hosts, "variations: [{host: a, nic: 2, every: 1s, factor: 2}]"),
              HasSubstr("no network card 2: host 'a' has 2 network cards, numbers 0 to 1"));
  EXPECT_THAT(refused_cards(hosts, "variations: [{nic: 5, every: 1s, factor: 2}]"),
              HasSubstr("no card that could vary has a bandwidth"));
}

TEST(VariationsOfCards, may_switch_between_two_kinds_of_intervals) {
  const auto of = [](const std::string& switching) {
    return with_cluster("a, b, c", "nic: 1Gbps, variations: [{every: 1s, factor: {switching: {" + switching + "}}}]");
  };
  EXPECT_EQ(of("factor: 0.2, begins: 0.01, ends: 0.5").value().cluster.network.variations[0].factor,
            FactorLaw(Switching{200'000, 10'000, 500'000}));
  EXPECT_THAT(std::string(text_of(of("factor: 0.2, begins: 0, ends: 0").status())),
              HasSubstr("'begins' and 'ends' are both 0: it would never switch"));
  EXPECT_THAT(std::string(text_of(of("factor: 0, begins: 0, ends: 1").status())),
              HasSubstr("expected a number from 0.001 to 1000, found '0'"));
}

// ---- traces ----

StatusOr<Job> with_card_trace(const std::string& csv, const std::string& keys = "every: 2s") {
  const Folder folder;
  folder.put("cards.csv", csv);
  const std::string text =
      "cluster:\n  hosts: [{name: a, nics: [1Gbps, 1Gbps]}, b]\n  tasks: {ps/0: a, worker/0: b}\n"
      "  network: {nic: 1Gbps, variations: [{trace: cards.csv, " +
      keys +
      "}, {every: 1s, factor: 2}]}\n"
      "build: {graph: softmax_async_ps1_task0, protocol: async}\nstop: {steps: 3}\n";
  TARRY_ASSIGN(const Scenario s, parse_scenario(text, folder.path() + "/s.yaml"));
  return make_job(s, {TARRY_SOURCE_DIR "/scenarios/graphs", false, {}});
}

std::string refused_trace(const std::string& csv, const std::string& keys = "every: 2s") {
  const std::string text(text_of(with_card_trace(csv, keys).status()));
  return text.substr(text.rfind('/') + 1);
}

TEST(TracesOfCards, are_a_list_of_factors_for_each_host_after_the_other_variations) {
  const auto of_host = [](std::size_t host, std::vector<std::int64_t> factors, std::optional<std::uint32_t> nic = {}) {
    return CardVariation{.host = HostId{host},
                         .every = 2 * kWholeSecond,
                         .factor = Amount{Listed{std::move(factors)}},
                         .nic = nic,
                         .stream = static_cast<std::uint32_t>(host + 1)};
  };
  const CardVariation usual{.every = kWholeSecond, .factor = Amount{Constant{2'000'000}}};
  const std::string csv = "host,interval,factor\nb,1,0.25\na,0,0.5\nb,0,1\nelsewhere,0,1\n";
  EXPECT_THAT(with_card_trace(csv).value().cluster.network.variations,
              ElementsAre(usual, of_host(0, {500'000}), of_host(1, {1'000'000, 250'000})));
  EXPECT_THAT(
      with_card_trace("host,interval,factor\na,0,0.5\n", "nic: 1, every: 2s").value().cluster.network.variations,
      ElementsAre(usual, of_host(0, {500'000}, 1)));
}

TEST(TracesOfCards, that_say_what_cannot_be_are_refused) {
  EXPECT_EQ(refused_trace("a,0,1\n"), "cards.csv:1: expected the line host,interval,factor, found 'a,0,1'");
  for (const std::string line : {"a,0,0", "a,0,1001", "a,x,1", ",0,1", "a,1"})
    EXPECT_EQ(refused_trace("host,interval,factor\n" + line + "\n"),
              "cards.csv:2: expected host,interval,factor, such as server,12,0.5, with a factor from 0.001 to 1000, "
              "found '" +
                  line + "'");
  EXPECT_EQ(refused_trace("host,interval,factor\na,0,1\na,2,1\n"),
            "cards.csv:3: interval 2 of host a, and there is no interval 1; intervals count from 0, without a gap");
  EXPECT_THAT(refused_trace("host,interval,factor\nc,0,1\n"),
              HasSubstr("cards.csv names no host of the cluster, only such as 'c'"));
  EXPECT_THAT(refused_trace("host,interval,factor\nb,0,1\n", "nic: 1, every: 2s"),
              HasSubstr("cards.csv names the host 'b', which has no such network card with a bandwidth"));
  EXPECT_THAT(refused_trace("", "host: a, every: 2s"),
              HasSubstr("a variation with a 'trace' has no 'host' and no 'shared': the file's lines say the host"));
  EXPECT_THAT(refused_trace("", "factor: 1, every: 2s"),
              HasSubstr("a variation of cards needs one of 'factor', 'factors' and 'trace'"));
}

// Of one worker alone, whose steps are transfers only, without latency.
std::vector<Nanos> ends_of_steps_with(const std::string& variation) {
  const Folder folder;
  folder.put("half.csv", "host,interval,factor\na,0,0.5\nb,0,0.5\n");
  folder.put("quarter.csv", "host,interval,factor\na,0,1\nb,0,0.25\n");
  const std::string text =
      "cluster:\n  hosts: [a, b]\n  tasks: {ps/0: a, worker/0: b}\n  network: {nic: 8Mbps, variations: [" + variation +
      "]}\nbuild: {graph: softmax_async_ps1_task0, protocol: async}\nfeeds: {batch: 4}\nstop: {steps: 4}\n";
  const Scenario s = parse_scenario(text, folder.path() + "/s.yaml").value();
  const Outcome o = run_apart(make_job(s, {TARRY_SOURCE_DIR "/scenarios/graphs", false, {}}).value()).value();
  const WorkerStory w = read_contributions(o.log).workers[0];
  std::vector<Nanos> ends;
  for (const Nanos end : w.step_ended) ends.push_back(end - w.first_step);
  return ends;
}

std::vector<Nanos> times(Nanos factor, std::vector<Nanos> all) {
  for (Nanos& t : all) t *= factor;
  return all;
}

TEST(TracesOfCards, of_a_half_make_steps_twice_as_long_and_so_does_a_law_that_is_always_there) {
  const std::vector<Nanos> usual = ends_of_steps_with("");
  ASSERT_EQ(usual.size(), 4u);
  EXPECT_GT(usual[0], 60'000'000);  // 31 kB are read and as many pushed, at 1 MB/s
  EXPECT_EQ(ends_of_steps_with("{trace: half.csv, every: 1ms}"), times(2, usual));
  EXPECT_EQ(ends_of_steps_with("{every: 1ms, factor: {switching: {factor: 0.5, begins: 1, ends: 0}}}"),
            times(2, usual));
  EXPECT_EQ(ends_of_steps_with("{trace: quarter.csv, every: 1ms}"), times(4, usual));
}

// ---- runs ----

struct CardsRun {
  Scenario scenario;
  Job job;
  Outcome outcome;
};

CardsRun run_with(const std::string& server, const std::string& ps = "a") {
  Scenario s = parse_scenario("cluster:\n  hosts: [" + server + ", b, c]\n  tasks: {ps/0: " + ps +
                                  ", worker/0: b, worker/1: c}\n  network: {nic: 10Gbps}\n"
                                  "build: {graph: mlp_adam_async_res_ps2_task0, protocol: sync, ps: 1}\n"
                                  "feeds: {batch: 100}\ntraining: {soft_placement: true}\nstop: {aggregates: 10}\n",
                              "s.yaml")
                   .value();
  Job job = make_job(s, {TARRY_SOURCE_DIR "/scenarios/graphs", false, {}}).value();
  Outcome outcome = run_apart(job).value();
  return {std::move(s), std::move(job), std::move(outcome)};
}

Nanos time_with(const std::string& server, const std::string& ps = "a") {
  const EventLog log = run_with(server, ps).outcome.log;
  return log.ended_at - log.started_at;
}

// Two workers take what both cards carry; on one of two cards they take as long as on the only one.
TEST(Runs, take_half_as_long_where_each_worker_has_a_card_of_the_server_for_itself) {
  const Nanos one = time_with("{name: a, nic: 100Mbps}"), two = time_with("{name: a, nics: [100Mbps, 100Mbps]}");
  EXPECT_LT(two, one * 11 / 20);
  EXPECT_EQ(time_with("{name: a, nics: [100Mbps, 100Mbps]}", "{host: a, nic: 1}"), one);
}

TEST(Runs, say_which_card_carried_what_where_a_host_has_several) {
  const CardsRun run = run_with("{name: a, nics: [100Mbps, 100Mbps]}");
  const Report r = make_report(run.scenario, run.job, run.outcome, {});
  const std::string text = to_text(r, {});
  EXPECT_THAT(text, HasSubstr("b -> a card 0"));
  EXPECT_THAT(text, HasSubstr("a card 1 -> c"));
  const auto json = to_json(r);
  EXPECT_EQ(json["links"][0]["from_nic"], 0);
  EXPECT_FALSE(json["links"][0].contains("to_nic"));
}

}  // namespace
}  // namespace tarry
