#include "scenarios/sweep/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/core/folder_test.hpp"
#include "scenarios/file/named_files.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

StatusOr<SweepPlan> plan_of(const std::string& file) {
  return load_plan(file, [](const std::string& name) -> StatusOr<ScenarioText> {
    if (name != "base") return error(Code::kNotFound, "no scenario is called '{}'", name);
    return ScenarioText{
        "cluster: {hosts: [a], tasks: {ps/0: a, worker/0: a}}\nbuild: {graph: softmax_async_ps1_task0}\n"
        "stop: {time: 1s}\n",
        "base.yaml"};
  });
}
StatusOr<SweepPlan> plan(const std::string& text) {
  const Folder folder;
  return plan_of(folder.put("plan.yaml", text));
}
std::string why_not(const std::string& text) {
  const Folder folder;
  const std::string file = folder.put("plan.yaml", text), said(text_of(plan_of(file).status()));
  return said.starts_with(file) ? said.substr(file.size()) : said;
}

TEST(Plan, has_an_arm_for_every_value_with_every_other_the_last_axis_fastest) {
  const SweepPlan p = plan(
                          "scenario: base\naxes:\n  cluster.workers: [2, 4]\n  policy:\n    sync: {build.protocol: "
                          "sync}\n    backup: {build.protocol: sync, build.backup_workers: 1}\nseeds: 3\n"
                          "measures: [time, bytes]\n")
                          .value();
  ASSERT_EQ(p.arms.size(), 4u);
  EXPECT_THAT(p.axes, ElementsAre("cluster.workers", "policy"));
  EXPECT_THAT(p.arms[0].values, ElementsAre("2", "sync"));
  EXPECT_THAT(p.arms[1].values, ElementsAre("2", "backup"));
  EXPECT_THAT(p.arms[2].values, ElementsAre("4", "sync"));
  const Scenario last = parse_scenario(p.arms[3].scenario.text, "s").value();
  EXPECT_EQ(std::pair(last.build->plan.workers, last.build->plan.replicas), std::pair(4, std::optional<int>(3)));
  EXPECT_THAT(p.seeds, ElementsAre(1, 2, 3));
  EXPECT_THAT(p.measures, ElementsAre(find_measure("time"), find_measure("bytes")));
}

// Every axis has another number of values, so that a wrong one shows.
TEST(Plan, sets_what_each_arm_says_however_many_keys_there_are) {
  const SweepPlan p = plan(
                          "scenario: base\naxes:\n  build.workers: [5, 6, 7]\n  feeds.batch: [32, 33]\n"
                          "  stop.steps: [70]\n  n: {a: {build.num_tokens: 8}, b: {build.num_tokens: 9}}\n"
                          "  build.replicas_to_aggregate: [1, 2]\nseeds: 1\n")
                          .value();
  ASSERT_EQ(p.arms.size(), 24u);
  for (const Arm& arm : p.arms) {
    const Scenario s = parse_scenario(arm.scenario.text, "s").value();
    const auto& plan = s.build->plan;
    const std::string tokens = plan.num_tokens == 8 ? "a" : "b";
    EXPECT_THAT(arm.values, ElementsAre(fmt::format("{}", plan.workers), fmt::format("{}", s.feeds.batch), "70", tokens,
                                        fmt::format("{}", plan.replicas.value())));
    EXPECT_THAT(arm.scenario.text, HasSubstr("steps: 70"));
  }
  EXPECT_THAT(p.arms[23].values, ElementsAre("7", "33", "70", "b", "2"));
}

TEST(Plan, knows_the_files_that_its_scenario_names) {
  const Folder folder;
  const auto files = [&] {
    const std::string text =
        "build: {graph: softmax_async_ps1_task0}\ncosts: [{op: MatMul, trace: a.csv}]\n"
        "measured: [b.pb, none.pb]\nfeeds: {files: [{name: x, from: c}]}\n";
    std::map<std::string, std::string> all;
    add_named_files({text, folder.path() + "/s.yaml"}, all);
    std::string names;
    for (const auto& [name, digest] : all) names += name + " ";
    return std::pair(names, all["a.csv"]);
  };
  for (const char* name : {"a.csv", "b.pb", "c", "d"}) folder.put(name, "1");
  const auto before = files();
  EXPECT_EQ(before.first, "a.csv b.pb c ");
  folder.put("a.csv", "2");
  EXPECT_NE(files().second, before.second);
}

TEST(Plan, has_the_title_that_it_says) {
  EXPECT_EQ(plan("title: workers\nscenario: base\naxes: {cluster.workers: [2]}\nseeds: 1\n")->title, "workers");
}

TEST(Plan, may_have_a_list_of_seeds_or_an_interval_that_says_when_they_are_enough) {
  const std::string start = "scenario: base\naxes: {cluster.workers: [1]}\nseeds: ";
  EXPECT_THAT(plan(start + "[7, 3]")->seeds, ElementsAre(7, 3));
  EXPECT_EQ(plan(start + "[7, 3]")->measures, usual_measures());
  const SweepPlan p = plan(start + "{until: {half_width: 2 %, of: time, confidence: 90 %, most: 40}}").value();
  EXPECT_DOUBLE_EQ(p.until->half_width, 0.02);
  EXPECT_DOUBLE_EQ(p.confidence, 0.9);
  EXPECT_EQ(p.until->of, find_measure("time"));
  EXPECT_EQ(p.seeds.size(), 40u);
}

TEST(Plan, that_is_wrong_says_where_and_what_was_expected) {
  const std::string start = "scenario: base\naxes: {cluster.workers: [1]}\n";
  EXPECT_EQ(why_not("scenario: bas\naxes: {}\nseeds: 1\n"), ":1:11: no scenario is called 'bas'");
  EXPECT_THAT(why_not(start + "seeds: 1\nmeasures: [tim]\n"),
              HasSubstr(":4:12: no measure is called 'tim'; did you mean 'time'?"));
  EXPECT_EQ(why_not(start + "seeds: [1, 1]\n"), ":3:8: expected at least one seed, and each once");
  EXPECT_THAT(why_not(start + "seeds: {until: {half_width: 0 %, of: time}}\n"),
              HasSubstr(":3:29: expected a share such as 2 %, between 0 % and 100 %"));
  EXPECT_THAT(why_not(start + "seeds: {until: {half_width: 1 %, of: time, most: 1}}\n"),
              HasSubstr(":3:50: expected a whole number from 2 to"));
  EXPECT_EQ(why_not(start + "seeds: {until: {half_width: 1 %, of: time}}\nmeasures: [bytes]\n"),
            ":3:38: 'time' is none of the plan's measures");
  EXPECT_EQ(why_not("scenario: base\naxes: {build.workers: [1, 0]}\nseeds: 1\n"),
            ":2:8: with build.workers = 0: expected a whole number from 1 to 100000, found '0'");
  EXPECT_THAT(why_not("scenario: base\naxes: {policy: {sync: 3}}\nseeds: 1\n"),
              HasSubstr(":2:23: expected a map from keys to values"));
  EXPECT_THAT(why_not("scenario: base\naxes: {a: []}\nseeds: 1\n"), HasSubstr(":2:11: expected a list of values"));
  EXPECT_EQ(why_not("scenario: base\naxes: {Seed: {a: {seed: 3}}}\nseeds: 1\n"),
            ":2:8: 'Seed' is another column of the results: give the axis a name of its own");
}

TEST(Plan, whose_axes_set_one_key_twice_is_refused_with_both_axes_and_the_key) {
  const auto why = [](const std::string& axes) { return why_not("scenario: base\naxes: " + axes + "\nseeds: 1\n"); };
  EXPECT_EQ(
      why("{cluster.workers: [1], y: {a: {}, b: {cluster.workers: 2}}}"),
      ":2:45: axis 'y' sets cluster.workers, and so takes back cluster.workers of axis 'cluster.workers'; expected "
      "each key in one axis only");
  EXPECT_THAT(why("{x: {a: {stop.time: 2s}}, y: {b: {stop: {time: 3s}}}}"),
              HasSubstr(":2:41: axis 'y' sets stop, and so takes back stop.time of axis 'x'"));
  EXPECT_THAT(why("{stop: [{time: 2s}], y: {b: {stop.time: 3s}}}"),
              HasSubstr("axis 'y' sets stop.time, and so takes back stop of axis 'stop'"));
  EXPECT_THAT(why("{stop: [~], stop.time: [3s]}"), HasSubstr("takes back stop of axis 'stop'"));
  EXPECT_EQ(why("{x: {a: {feeds.batch: 4, feeds: {batch: 3}}}}"),
            ":2:32: feeds takes back feeds.batch of the same value");
}

TEST(Plan, with_a_wrong_key_is_refused_with_the_place_of_its_axis) {
  const auto why = [](const std::string& axes) { return why_not("scenario: base\naxes: " + axes + "\nseeds: 1\n"); };
  EXPECT_THAT(why("{biuld.protocol: [sync], feeds.batch: [1]}"),
              StartsWith(":2:8: with biuld.protocol = sync, feeds.batch = 1: unknown key 'biuld'"));
  EXPECT_THAT(why("{feeds.batch: [1], biuld.protocol: [sync]}"), StartsWith(":2:26: with "));
}

TEST(Plan, whose_axes_set_different_keys_of_one_section_is_read) {
  const auto arms = [](const std::string& axes) {
    return plan("scenario: base\naxes: " + axes + "\nseeds: 1\n").value().arms.size();
  };
  EXPECT_EQ(arms("{stop: [{time: 2s}], stop.steps: [3, 4]}"), 2u);
  EXPECT_EQ(arms("{x: {a: {build.protocol: sync}, b: {build.protocol: async}}, build.ps: [1]}"), 2u);
  EXPECT_EQ(arms("{faults: [[], [{at: 1s, kill: worker/0}]]}"), 2u);
}

TEST(Plan, with_a_name_or_a_key_twice_in_an_axis_is_refused) {
  const auto why = [](const std::string& axes) { return why_not("scenario: base\naxes: " + axes + "\nseeds: 1\n"); };
  EXPECT_EQ(why("{x: {a: {stop.time: 1s}, a: {stop.time: 2s}}}"), ":2:32: 'a' appears twice");
  EXPECT_EQ(why("{x: {a: {stop.time: 1s, stop.time: 2s}}}"), ":2:31: 'stop.time' appears twice");
  EXPECT_EQ(why("{stop: [{time: 1s, time: 2s}]}"), ":2:26: 'time' appears twice");
  EXPECT_EQ(why("{cluster.workers: [1, 2, 1]}"), ":2:32: axis 'cluster.workers' has the value 1 twice");
  EXPECT_EQ(why_not("scenario: base\naxes: {x: {a: {}}}\nseeds: 1\nmeasures: [time, bytes, time]\n"),
            ":4:25: 'time' appears twice");
}

TEST(Plan, is_another_one_when_an_arm_or_a_measure_differs_but_not_when_the_seeds_do) {
  const auto identity = [](const std::string& axes, const std::string& rest) {
    return identity_of(plan("scenario: base\naxes: {" + axes + "}\n" + rest).value());
  };
  const std::string one = identity("cluster.workers: [1, 2]", "seeds: 1\n");
  EXPECT_EQ(one, identity("cluster.workers: [1, 2]", "seeds: 9\n"));
  EXPECT_NE(one, identity("cluster.workers: [1, 3]", "seeds: 1\n"));
  EXPECT_NE(one, identity("cluster.workers: [1, 2]", "seeds: 1\nmeasures: [time]\n"));
}

}  // namespace
}  // namespace tarry
