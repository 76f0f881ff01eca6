// --set and --workers: a scenario with other values of its keys, from the built program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "placer/graph/read.hpp"
#include "scenarios/cli/ask.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

const std::string kJob =
    "# a line that no answer counts\ncluster: {hosts: [a, b], tasks: {ps/0: a, worker/0: b}, network: {latency: 1ms}}\n"
    "build: {graph: softmax_async_ps1_task0, protocol: async}\nfeeds: {batch: 100}\n"
    "costs: [{op: MatMul, time: 10ms}]\nstop: {steps: 5}\nexpect: {verdicts: [asynchronous]}\n";

Answer run(std::vector<std::string> options, Json* printed = nullptr) {
  const Folder f;
  const std::string out = f.path() + "/out";
  std::vector<std::string> words{"run", f.put("job.yaml", kJob), "--json"};
  words.insert(words.end(), options.begin(), options.end());
  Answer a = ask_tarry(words, out.c_str());
  if (printed != nullptr) *printed = Json::parse(*read_file(out));
  return a;
}
Json report_of(const std::vector<std::string>& options) {
  Json printed;
  EXPECT_THAT(run(options, &printed).exit_code, testing::AnyOf(0, 1));
  return printed;
}

TEST(Choice, a_key_that_is_set_has_its_value_in_place_of_the_scenario_s) {
  const std::string as_written = report_of({})["hash"];
  EXPECT_EQ(report_of({"--set", "stop.steps=5"})["hash"], as_written);
  EXPECT_NE(report_of({"--set", "costs[0].time=20ms"})["hash"], as_written);
  EXPECT_EQ(report_of({"--set", "stop.steps=9", "--set", "stop.steps=5"})["hash"], as_written);
}

TEST(Choice, takes_a_key_and_its_value_as_a_cure_prints_them) {
  const std::string as_written = report_of({})["hash"];
  EXPECT_EQ(report_of({"--set", "stop.steps: 5"})["hash"], as_written);
  EXPECT_NE(report_of({"--set", "stop.global_step: 3", "--set", "stop.steps: ~"})["hash"], as_written);
  EXPECT_EQ(report_of({"--set", "feeds.files: []"})["hash"], as_written);
  EXPECT_EQ(run({"--set", "faults[]: {at: 5ms, kill: worker/0}"}).exit_code, 4);
  EXPECT_EQ(report_of({"--set", "costs[]={op: Mul, time: 0s}"})["hash"], as_written) << "priced, and as before";
}

TEST(Choice, takes_whatever_cures_of_what_ships_print) {
  const Folder f;
  const std::string out = f.path() + "/out";
  std::size_t set = 0;
  for (const char* scenario : {"061_r4_w2_deadlock", "047_chief_dies_checkpoint", "037_backup_slow"}) {
    (void)ask_tarry({"run", scenario, "--cures", "--json"}, out.c_str());
    const Json printed = Json::parse(*read_file(out));
    for (const Json& cure : printed.at("cures")) {
      const std::string keys = cure.at("keys");
      if (keys.find(": ") == keys.npos || keys.find('\'') != keys.npos) continue;  // costs[] with 'task: worker/3'
      ++set;
      EXPECT_NE(ask_tarry({"run", scenario, "--set", keys}).exit_code, 2) << keys;
    }
  }
  EXPECT_GT(set, 3u);
}

TEST(Choice, keys_that_need_each_other_are_set_together) {
  EXPECT_EQ(run({"--set", "build.protocol=stale_sync", "--set", "build.staleness=3"}).exit_code, 0);
}

TEST(Choice, further_workers_are_like_the_last_one) {
  EXPECT_EQ(report_of({"--workers", "3"})["workers"].size(), 3u);
  EXPECT_EQ(report_of({"--workers", "3"})["hash"], report_of({"--set", "cluster.workers=3"})["hash"]);
}

TEST(Choice, workers_without_a_program_are_refused_where_each_has_its_own) {
  const Answer more = ask_tarry({"run", "worker_dies", "--workers", "4"});
  EXPECT_EQ(more.exit_code, 2);
  EXPECT_THAT(more.message,
              HasSubstr("--workers: `programs` has no graph for /job:worker/replica:0/task:3; only a job"));
  EXPECT_EQ(ask_tarry({"run", "worker_dies", "--workers", "3"}).exit_code, 0);
}

TEST(Choice, what_the_scenario_expects_is_not_asked_of_another_job) {
  EXPECT_EQ(run({"--set", "build.protocol=sync"}).exit_code, 0);
  EXPECT_THAT(run({"--set", "title=another"}).message, testing::Not(HasSubstr("expected")));
}

TEST(Choice, a_wrong_option_is_named_without_a_line_that_nobody_wrote) {
  EXPECT_THAT(run({"--set", "build.protokol=sync"}).message,
              HasSubstr("--set build.protokol=sync: unknown key 'protokol' in build; did you mean 'protocol'?"));
  EXPECT_THAT(run({"--set", "protocol"}).message,
              HasSubstr("--set: 'protocol': expected a key and its value, such as build.protocol=async"));
  EXPECT_THAT(run({"--set", "stop.steps=[1"}).message, HasSubstr("--set: "));
  EXPECT_EQ(run({"--set", "feeds.batch=-1"}).exit_code, 2);
  const Answer late = run({"--set", "build.graph=softmax_async_ps1_task9"});
  EXPECT_EQ(late.exit_code, 2);
  EXPECT_THAT(late.message, testing::Not(testing::ContainsRegex("job.yaml:[0-9]")));
}

TEST(Choice, why_and_path_take_the_same_options) {
  const Folder f;
  const std::string file = f.put("job.yaml", kJob), out = f.path() + "/out";
  for (const char* command : {"why", "path"}) {
    EXPECT_EQ(ask_tarry({command, file, "--json", "--set", "title=other"}, out.c_str()).exit_code, 0);
    EXPECT_EQ(Json::parse(*read_file(out))["title"], "other");
    EXPECT_EQ(ask_tarry({command, file, "--json", "--seed", "77"}, out.c_str()).exit_code, 0);
    if (command == std::string_view("why")) EXPECT_EQ(Json::parse(*read_file(out))["seed"], 77);
  }
}

}  // namespace
}  // namespace tarry
