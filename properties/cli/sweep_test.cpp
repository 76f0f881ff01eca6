// `tarry sweep` and `tarry compare`, from the built program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "placer/graph/read.hpp"
#include "scenarios/cli/ask.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using ::testing::HasSubstr;

const std::string kSweptJob =
    "cluster: {hosts: [a, b], tasks: {ps/0: a, worker/0: b}, network: {latency: 1ms}}\n"
    "build: {graph: softmax_async_ps1_task0, protocol: async}\nfeeds: {batch: 100}\n";

std::string swept_job(const std::string& time) {
  return kSweptJob + "costs: [{op: SparseSoftmaxCrossEntropyWithLogits, time: " + time + "}]\nstop: {steps: 20}\n";
}
std::string printed(const Folder& f, const std::vector<std::string>& words) {
  const std::string out = f.path() + "/out";
  const Answer a = ask_tarry(words, out.c_str());
  EXPECT_EQ(a.exit_code, 0) << a.message;
  return *read_file(out);
}

TEST(Compare, says_which_scenario_is_better_and_what_changed_on_the_critical_path) {
  const Folder f;
  const std::string slow = f.put("slow.yaml", swept_job("{lognormal: {mean: 100ms, sd: 20ms}}"));
  const std::string fast = f.put("fast.yaml", swept_job("{lognormal: {mean: 50ms, sd: 10ms}}"));
  const std::string text = printed(f, {"compare", slow, fast, "--seeds", "4"});
  EXPECT_THAT(text, HasSubstr("B is better"));
  EXPECT_THAT(text, HasSubstr("On the critical path, with seed 1, A -> B"));
  EXPECT_THAT(printed(f, {"compare", fast, slow, "--seeds", "4"}), HasSubstr("A is better"));
  EXPECT_THAT(printed(f, {"compare", slow, slow, "--seeds", "4"}), HasSubstr("no difference shown"));
  EXPECT_THAT(printed(f, {"compare", slow, fast, "--seeds", "1"}), HasSubstr("one seed is too few"));
  const Json j = Json::parse(printed(f, {"compare", slow, fast, "--seeds", "4", "--json"}));
  EXPECT_EQ(j.at("path_changes").at(0).at("kind"), "computing");
  EXPECT_GT(j.at("path_changes").at(0).at("a_ns"), j.at("path_changes").at(0).at("b_ns"));
  EXPECT_LT(j.at("arms").at(1).at("measures").at("step_time_p50").at("change").at("mean"), -0.4);
}

// The data of a page, and its size.
Json data_of_page(const std::string& file) {
  const std::string html = *read_file(file), begin = "id=\"data\">";
  const std::size_t from = html.find(begin) + begin.size();
  return Json::parse(html.substr(from, html.find("</script>", from) - from));
}

TEST(Compare, writes_a_page_with_the_figures_of_its_json) {
  const Folder f;
  const std::string slow = f.put("slow.yaml", swept_job("100ms")),
                    fast = f.put("fast.yaml", swept_job("{uniform: {low: 40ms, high: 60ms}}")),
                    page = f.path() + "/page.html";
  const Json j = Json::parse(printed(f, {"compare", slow, fast, "--seeds", "3", "--json", "--report", page}));
  const Json data = data_of_page(page), &b = data.at("arms").at(1);
  EXPECT_EQ(data.at("path_changes"), j.at("path_changes"));
  for (std::size_t m = 0; m < data.at("measures").size(); ++m) {
    const Json& wanted = j.at("arms").at(1).at("measures").at(data.at("measures")[m].at("name").get<std::string>());
    if (wanted.at("mean").is_null()) continue;
    EXPECT_EQ(b.at("measures")[m].at("mean").at("mean"), wanted.at("mean").at("mean"));
  }
  EXPECT_EQ(data.at("command"), "tarry compare " + slow + " " + fast + " --seeds 3 --report " + page);
  EXPECT_THAT(ask_tarry({"compare", slow, fast, "--report", fast}).message, HasSubstr("--report would overwrite"));
}

TEST(Sweep, writes_a_page_with_every_arm_and_run) {
  const Folder f;
  (void)f.put("job.yaml", swept_job("{lognormal: {mean: 1s, sd: 200ms}}"));
  const std::string plan = f.put("plan.yaml",
                                 "scenario: job.yaml\naxes: {stop.steps: [2, 4]}\nseeds: 3\n"
                                 "measures: [time, steps_per_second]\n"),
                    page = f.path() + "/page.html";
  const std::vector<std::string> words{"sweep", plan, "--out", f.path() + "/rows.sqlite", "--report", page};
  (void)printed(f, words);
  const std::string first = *read_file(page);
  const Json data = data_of_page(page);
  EXPECT_EQ(data.at("axes"), Json({"stop.steps"}));
  EXPECT_EQ(data.at("arms").at(1).at("values"), Json({"4"}));
  EXPECT_EQ(data.at("arms").at(1).at("measures").at(0).at("points").size(), 3u);
  (void)printed(f, words);
  EXPECT_EQ(*read_file(page), first);
}

TEST(Sweep, whose_rows_are_all_there_prints_the_same_table_again) {
  const Folder f;
  (void)f.put("job.yaml", swept_job("1s"));
  const std::string out = f.path() + "/rows.sqlite";
  const std::string plan = f.put(
      "plan.yaml", "scenario: job.yaml\naxes: {stop.steps: [2, 4]}\nseeds: 2\nmeasures: [time, steps_per_second]\n");
  const std::string once = printed(f, {"sweep", plan, "--out", out});
  EXPECT_THAT(once, HasSubstr("2 arms, 4 runs"));
  EXPECT_THAT(once, HasSubstr("Every run: " + out));
  EXPECT_EQ(printed(f, {"sweep", plan, "--out", out, "-j", "1"}), once);
}

TEST(Sweep, refuses_a_plan_that_is_not_there_and_shows_those_that_ship) {
  const Answer a = ask_tarry({"sweep", "policie"});
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr("policie: no such plan; did you mean 'policies'?; expected a file, or one that "
                                   "ships: backup_workers, policies"));
}

TEST(Sweep, knows_each_plan_that_ships) {
  const Folder f;
  const std::string other = f.path() + "/other.sqlite";
  std::ofstream(other) << "not rows";
  for (const auto& entry : fs::directory_iterator(TARRY_SOURCE_DIR "/scenarios/plans"))
    if (entry.path().extension() == ".yaml") {
      EXPECT_THAT(ask_tarry({"sweep", entry.path().stem(), "--out", other}).message, HasSubstr(other));
    }
}

// The law of `inception_stragglers`: without backup workers the last gradient is waited for, with many most is dropped.
TEST(Sweep, of_published_stragglers_has_its_best_number_of_backup_workers_between_none_and_most) {
  const Folder f;
  const std::string page = f.path() + "/page.html";
  const std::string plan =
      f.put("plan.yaml", "scenario: " TARRY_SOURCE_DIR
                         "/scenarios/plans/inception_stragglers\naxes: {build.backup_workers: [0, 4, 24]}\nseeds: 5\n"
                         "measures: [gradients_per_second]\n");
  (void)printed(f, {"sweep", plan, "--out", f.path() + "/rows.sqlite", "--report", page});
  const Json data = data_of_page(page);
  std::vector<double> low, high;
  for (const Json& arm : data.at("arms")) {
    const Json mean = arm.at("measures").at(0).at("mean");
    low.push_back(mean.at("mean").get<double>() - mean.at("half").get<double>());
    high.push_back(mean.at("mean").get<double>() + mean.at("half").get<double>());
  }
  EXPECT_GT(low[1], high[0]);
  EXPECT_GT(low[1], high[2]);
}

TEST(Sweep, never_overwrites_its_plan_or_what_that_names) {
  const Folder f;
  const std::string job = f.put("job.yaml", swept_job("1s") + "variations: [{trace: t.csv}]\n"),
                    trace = f.put("t.csv", "worker,step,factor\n0,0,2\n");
  const std::string plan = f.put("plan.yaml", "scenario: job.yaml\naxes: {stop.steps: [2]}\nseeds: 1\n");
  EXPECT_THAT(ask_tarry({"sweep", plan, "--out", plan}).message, HasSubstr("--out would overwrite the plan"));
  const std::string rows = f.path() + "/rows.sqlite";
  EXPECT_THAT(ask_tarry({"sweep", plan, "--out", rows, "--csv", job}).message,
              HasSubstr("--csv would overwrite the plan's scenario"));
  EXPECT_THAT(ask_tarry({"sweep", plan, "--out", rows, "--report", trace}).message,
              HasSubstr("--report would overwrite a file that the scenario names"));
}

TEST(Sweep, whose_runs_all_fail_says_why_and_one_with_a_good_run_goes_through) {
  const Folder f;
  (void)f.put("job.yaml", swept_job("100ms"));
  const auto asked = [&](const std::string& graphs) {
    const std::string plan =
        f.put("plan.yaml", "scenario: job.yaml\naxes: {build.graph: [" + graphs + "]}\nseeds: 2\nmeasures: [time]\n");
    return ask_tarry({"sweep", plan, "--out", f.path() + "/" + std::to_string(graphs.size()) + ".sqlite"});
  };
  const Answer bad = asked("no_such_graph, nor_this_one");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.message, HasSubstr("each of the 4 runs failed, the first one with: "));
  EXPECT_THAT(bad.message, HasSubstr("no graph 'no_such_graph'"));
  EXPECT_EQ(asked("no_such_graph, softmax_async_ps1_task0").exit_code, 0);
}

}  // namespace
}  // namespace tarry
