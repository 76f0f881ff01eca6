#include "scenarios/sweep/arm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tarry {
namespace {

const std::string kBase =
    "title: 'a: b'\ncluster: {hosts: [a, b], tasks: {ps/0: a, worker/0: b}}\n"
    "build: {graph: softmax_async_ps1_task0, protocol: async}\n"
    "costs:\n  - {op: MatMul, time: &t 1s}\n  - {op: Add, time: *t}\nstop: {time: 60s}\n";

StatusOr<std::string> with(const std::string& key, const std::string& value) {
  return changed_scenario({kBase, "s.yaml"}, {{key, YAML::Load(value)}});
}
Scenario scenario_with(const std::string& key, const std::string& value) {
  return parse_scenario(*with(key, value), "s.yaml").value();
}
std::string why_not(const std::string& key, const std::string& value) {
  return std::string(text_of(with(key, value).status()));
}

TEST(Arm, has_the_scenario_s_values_but_for_those_that_it_sets) {
  const Scenario s = scenario_with("build.protocol", "sync");
  EXPECT_EQ(s.build->plan.protocol, Protocol::synchronous);
  EXPECT_EQ(s.title, "a: b");
  EXPECT_EQ(s.stop.time, 60'000'000'000);
}

TEST(Arm, sets_a_value_in_a_list_and_leaves_an_alias_of_it_as_it_was) {
  const Scenario s = scenario_with("costs[0].time", "{lognormal: {mean: 1s, sd: 2s}}");
  EXPECT_EQ(std::get<Lognormal>(s.costs.rules[0].amount).sd, 2'000'000'000);
  EXPECT_EQ(std::get<Constant>(s.costs.rules[1].amount).time, 1'000'000'000);
}

TEST(Arm, adds_a_key_that_the_scenario_lacks_and_takes_one_away) {
  EXPECT_EQ(scenario_with("cluster.network.latency", "5ms").cluster.network.between_hosts.latency, 5'000'000);
  EXPECT_EQ(scenario_with("build.protocol", "~").build->plan.protocol, Protocol::synchronous);
}

TEST(Arm, adds_an_entry_to_a_list_behind_the_others) {
  const Scenario s = scenario_with("costs[]", "{op: Mul, time: 7s}");
  ASSERT_EQ(s.costs.rules.size(), 3u);
  EXPECT_EQ(std::get<Constant>(s.costs.rules[2].amount).time, 7'000'000'000);
  EXPECT_EQ(scenario_with("faults[]", "{kill: worker/0, at: 3s}").faults.size(), 1u) << "there was no list";
  const KeyChange entry{"faults[]", YAML::Load("{kill: worker/0, at: 3s}")}, all{"faults", YAML::Load("[]")};
  EXPECT_EQ(parse_scenario(*changed_scenario({kBase, "s.yaml"}, {entry, entry}), "s.yaml")->faults.size(), 2u);
  EXPECT_FALSE(takes_back(entry, entry));
  EXPECT_FALSE(takes_back(entry, all));
  EXPECT_TRUE(takes_back(all, entry));
}

TEST(Arm, takes_a_value_back_that_stands_in_a_section_which_was_set_before) {
  const KeyChange latency{"cluster.network.latency", YAML::Load("2ms")};
  const auto takes_back_of = [&](const char* section) { return takes_back(latency, {"cluster", YAML::Load(section)}); };
  EXPECT_TRUE(takes_back_of("{network: {latency: 1ms}}"));
  EXPECT_FALSE(takes_back_of("{network: {nic: 1Gbps}}"));
  EXPECT_FALSE(takes_back_of("{latency: 1ms}"));
}

TEST(Arm, refuses_a_new_entry_of_what_is_no_list_or_of_nothing) {
  EXPECT_EQ(why_not("build[]", "1"), "build[]: [] is a new entry of a list, and there is a map");
  EXPECT_EQ(why_not("faults[]", "~"), "faults[]: a new entry of a list needs a value, and there is nothing");
  EXPECT_EQ(why_not("costs[].time", "1s"), "costs[].time: expected a key such as build.protocol or costs[0].time");
}

TEST(Arm, sets_a_whole_list) { EXPECT_EQ(scenario_with("faults", "[{kill: worker/0, at: 3s}]").faults.size(), 1u); }

TEST(Arm, says_how_long_the_list_is_that_lacks_a_place) {
  std::string base = kBase;
  base.erase(base.find("  - {op: Add, time: *t}\n"), 24);
  const auto changed = changed_scenario({base, "s.yaml"}, {{"costs[1].time", YAML::Load("1s")}});
  EXPECT_EQ(text_of(changed.status()), "costs[1].time: there is no [1]: the list has 1 entry, and [] adds one");
}

TEST(Arm, leaves_the_value_that_it_was_given_as_it_was) {
  const YAML::Node rules = YAML::Load("[{op: MatMul, time: 1s}]");
  const KeyChange first{"costs", rules}, second{"costs[0].time", YAML::Load("2s")};
  const Scenario both = parse_scenario(changed_scenario({kBase, "s.yaml"}, {first, second}).value(), "s").value();
  EXPECT_EQ(std::get<Constant>(both.costs.rules[0].amount).time, 2'000'000'000);
  EXPECT_EQ(rules[0]["time"].Scalar(), "1s");
}

TEST(Arm, says_what_is_wrong_with_a_key_or_its_value) {
  EXPECT_EQ(why_not("build.protokol", "sync"), "unknown key 'protokol' in build; did you mean 'protocol'?");
  EXPECT_EQ(why_not("build.workers", "0"), "expected a whole number from 1 to 100000, found '0'");
  EXPECT_EQ(why_not("costs[2].time", "1s"), "costs[2].time: there is no [2]: the list has 2 entries, and [] adds one");
  EXPECT_EQ(
      why_not("costs.time", "1s"),
      "costs.time: 'time' is a key, and it would be in a list; entries of a list are named by their place, such as "
      "costs[0].time");
  EXPECT_EQ(
      why_not("title.text", "x"),
      "title.text: 'text' is a key, and it would be in 'a: b'; give the section that is to stand in its place, such "
      "as KEY={a: 1, b: 2}");
  EXPECT_EQ(why_not("build[0]", "1"), "build[0]: [0] is a place in a list, and there is a map");
  EXPECT_EQ(why_not("build.", "1"), "build.: expected a key such as build.protocol or costs[0].time");
  EXPECT_EQ(why_not("build.workers[x]", "1"),
            "build.workers[x]: expected a key such as build.protocol or costs[0].time");
  EXPECT_EQ(why_not("build..workers", "1"), "build..workers: expected a key such as build.protocol or costs[0].time");
  EXPECT_EQ(why_not("", "1"), ": expected a key such as build.protocol or costs[0].time");
  EXPECT_EQ(why_not("costs[x]", "1"), "costs[x]: expected a key such as build.protocol or costs[0].time");
}

TEST(Arm, whose_value_has_a_key_twice_is_refused) {
  EXPECT_THAT(why_not("feeds", "{batch: 100, batch: 200}"), testing::HasSubstr("key 'batch' appears twice"));
}

TEST(Arm, shows_a_value_on_one_line) {
  EXPECT_EQ(on_one_line(YAML::Load("8")), "8");
  EXPECT_EQ(on_one_line(YAML::Load("lognormal:\n  mean: 1s\n  sd: 2s\n")), "{lognormal: {mean: 1s, sd: 2s}}");
}

}  // namespace
}  // namespace tarry
