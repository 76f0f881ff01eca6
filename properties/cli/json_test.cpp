// What a machine reads: the JSON that commands print, from the built program.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "placer/core/check.hpp"
#include "placer/graph/read.hpp"
#include "scenarios/cli/ask.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

Json printed_by(const std::string& words) {
  FILE* out = popen((std::string("'" TARRY_JUDGE_PROGRAM "' ") + words).c_str(), "r");
  check(out != nullptr, "the program starts");
  std::string text;
  for (int c; (c = std::fgetc(out)) != EOF;) text += static_cast<char>(c);
  pclose(out);
  return Json::parse(text);
}

// A partitioner that refuses every case. Quoted for a shell.
const std::string kRefuses = R"("sed -u 's/.*\"id\": *\(\"[^\"]*\"\).*/{\"id\": \1, \"code\": 3, \"msg\": \"no\"}/'")";

TEST(HuntJson, counts_how_a_partitioners_answers_compared) {
  const Json j = printed_by("hunt partition --cases 7 --max-nodes 3 --json --placer " + kRefuses);
  const Json comparisons = {{"compared", 0},
                            {"refused by the other side", 7},
                            {"that it does not always answer alike", 0},
                            {"with ops whose kernels are not recorded", 0}};
  EXPECT_EQ(j.at("comparisons"), comparisons) << j.dump();
}

TEST(HuntJson, says_nothing_of_comparisons_where_none_are_made) {
  EXPECT_FALSE(printed_by("hunt programs.cut_agrees --cases 3 --max-nodes 3 --json").contains("comparisons"));
}

// ---- texts ----

TEST(ExecJson, has_texts_as_they_were_typed_and_their_bytes_are_utf_8) {
  const Folder f;
  const std::string graph = f.put("g.pbtxt",
                                  "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_STRING } } }"
                                  " node { name: 'n' op: 'StringLength' input: 'x' }"
                                  " node { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_STRING } } attr "
                                  "{ key: 'value' value { tensor {"
                                  " dtype: DT_STRING tensor_shape { } string_val: '\\001w\\366rld' } } } }");
  const Json j = printed_by("exec " + graph + " --feed 'x=[\"w\u00f6rld\"]' --fetch x --fetch n --fetch c --json");
  EXPECT_EQ(j.at("n:0").at("value"), Json({6}));
  EXPECT_EQ(j.at("x:0").at("value"), Json({"w\u00f6rld"}));
  EXPECT_EQ(j.at("c:0").at("value"), "\001w\\xf6rld");
}

// ---- cures ----

TEST(RunCures, are_in_the_one_object_and_none_where_nothing_is_to_be_done) {
  const auto cures = [](const std::string& scenario) {
    const Folder f;
    const std::string out = f.path() + "/out.json";
    (void)ask_tarry({"run", scenario, "--cures", "--json"}, out.c_str());
    return Json::parse(*read_file(out)).at("cures");
  };
  const Json hang = cures("076_no_sync_thread");
  ASSERT_EQ(hang.size(), 1u);
  EXPECT_EQ(hang[0].at("keys"), "training.sync_thread: true");
  EXPECT_EQ(hang[0].at("goes_on"), true);
  EXPECT_EQ(cures("077_sync_thread"), Json::array());
}

// ---- why ----

Json why(const std::string& scenario) {
  const Folder f;
  const std::string out = f.path() + "/out.json";
  EXPECT_EQ(ask_tarry({"why", scenario, "--json"}, out.c_str()).exit_code, 0);
  return Json::parse(*read_file(out));
}

TEST(Why, tells_what_gains_most_first_with_its_keys_and_shares) {
  const Json j = why("082_slow_counts"), &slow = j.at("causes").at(0);
  EXPECT_EQ(j.at("unit"), "aggregates");
  EXPECT_EQ(j.at("done"), 20);
  EXPECT_EQ(slow.at("keys"), "costs[] with 'task: worker/3'");
  EXPECT_NEAR(slow.at("gain"), 0.8, 0.01);
  EXPECT_NEAR(slow.at("rem"), 1, 0.01);
  EXPECT_NEAR(slow.at("add"), 1, 0.01);
  EXPECT_NEAR(j.at("slowdown"), 5, 0.05);
  EXPECT_EQ(j.at("itself").back().at("keys"), "costs; cluster.devices");
  for (const char* key : {"cause", "instead", "time_ns", "alone_ns", "goes_on"}) EXPECT_TRUE(slow.contains(key));
}

TEST(Why, tries_another_design_of_a_built_job) {
  const Json j = why("082_slow_counts");
  const auto has = [&](const std::string& instead) {
    return std::ranges::any_of(j.at("itself"), [&](const Json& c) { return c.at("instead") == instead; });
  };
  EXPECT_TRUE(has("with one gradient fewer in an aggregate"));
  EXPECT_FALSE(has("without initial tokens"));  // it has none
}

TEST(Why, says_in_words_what_it_says_in_json) {
  const Folder f;
  const std::string out = f.path() + "/out.txt";
  EXPECT_EQ(ask_tarry({"why", "101_more_threads"}, out.c_str()).exit_code, 0);
  const std::string text = *read_file(out);
  EXPECT_THAT(text, HasSubstr("497 steps take 1.998 s.\n"));
  EXPECT_THAT(text, HasSubstr("35.9 % less time  with messages that cost their tasks no time: "));
  EXPECT_THAT(text, HasSubstr("the same work takes 1.250 s: the slowdown is 1.60.\n"));
}

TEST(Why, says_that_nothing_gains_where_nothing_does) {
  const Folder f;
  const std::string out = f.path() + "/out.txt", file = f.path() + "/s.yaml";
  std::ofstream(file) << "cluster: {hosts: [a], tasks: {ps/0: a, worker/0: a}}\nbuild: {graph: "
                         "softmax_async_ps1_task0, protocol: async}\ncosts: [{op: "
                         "SparseSoftmaxCrossEntropyWithLogits, job: worker, time: "
                         "10ms}]\nstop: {steps: 5}\n";
  EXPECT_EQ(ask_tarry({"why", file}, out.c_str()).exit_code, 0);
  EXPECT_THAT(*read_file(out), HasSubstr("\nNothing that can be taken away gains a hundredth of the time.\n"));
}

TEST(Why, begins_with_what_is_done_and_what_is_lost) {
  const auto first_line = [](const char* scenario, const char* stop) {
    const Folder f;
    const std::string out = f.path() + "/out.txt";
    EXPECT_EQ(ask_tarry({"why", scenario, "--set", stop}, out.c_str()).exit_code, 0);
    const std::string text = *read_file(out), line = text.substr(text.find('\n') + 1);
    return line.substr(0, line.find('\n'));
  };
  EXPECT_EQ(first_line("046_chief_dies", "stop.time=12.2s"),
            "No aggregate is left at 12.200 s, the end of the run; 8 were lost when the global step went back.");
  EXPECT_EQ(first_line("046_chief_dies", "stop.time=100ms"),
            "No aggregate was complete by 0.100 s, the end of the run.");
  EXPECT_EQ(first_line("101_more_threads", "stop.time=1ms"), "No step had ended by 0.001 s, the end of the run.");
  EXPECT_EQ(first_line("080_never_ready", "stop.time=50s"), "No step had ended by 50.000 s, the end of the run.");
  EXPECT_EQ(first_line("046_chief_dies", "stop.time=12.5s"),
            "1 aggregate takes 12.431 s; 8 more were lost when the global step went back.");
  EXPECT_EQ(first_line("034_absent_no_tokens", "stop.time=12s"),
            "The job stands still or has failed, with no aggregate to its end at 1.000 s. What waits for what, `tarry "
            "run` says.");
  EXPECT_EQ(first_line("049_second_ps_dies", "stop.time=12s"),
            "10 aggregates by 3.360 s, and then the job stands still or has failed, to its end at 12.000 s; 2 more "
            "were lost when the global step went back. What waits for what, `tarry run` says.");
}

TEST(Why, refuses_a_scenario_that_there_is_not_or_that_is_wrong) {
  const Answer none = ask_tarry({"why", "082_slow_count"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.message, HasSubstr("no such scenario"));
  const Folder f;
  const Answer wrong = ask_tarry({"why", f.put("m.yaml", "title: t\nstp: {time: 1s}\n")});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.message, HasSubstr("m.yaml:2:1: unknown key 'stp'"));
}

// ---- faults against a job ----

TEST(HuntCluster, tells_a_line_that_a_shell_runs_again) {
  const Folder f;
  const std::string folder = f.path() + "/my job's";
  std::filesystem::create_directory(folder);
  std::filesystem::copy_file(TARRY_SOURCE_DIR "/scenarios/cases/040_worker_dies/scenario.yaml",
                             folder + "/scenario.yaml");
  const std::string out = f.path() + "/out.json";
  const Answer a =
      ask({TARRY_JUDGE_PROGRAM, "hunt", "cluster", folder, "--must", "never: [stuck]", "--json"}, out.c_str());
  EXPECT_EQ(a.exit_code, 3);
  const Json found = Json::parse(*read_file(out)).at("found").at(0);
  EXPECT_EQ(found.at("faults").size(), 1u);
  EXPECT_EQ(found.at("without"), "Leave out the fault, and this does not happen (1 run was checked).");
  EXPECT_THAT(found.at("text").get<std::string>(), HasSubstr("Run again without the faults of"));
  EXPECT_EQ(found.at("what_if").at(0).at("goes_on"), true);
  const std::string line = found.at("replay");
  EXPECT_TRUE(line.starts_with("tarry run '")) << line;
  const std::string command = "'" TARRY_PROGRAM "'" + line.substr(5) + " >/dev/null 2>&1";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 4) << line;  // stuck, with the hash that the line names
}

// The only finding that the hunt saved in that folder.
std::string found_in(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) return entry.path();
  return "";
}

TEST(HuntCluster, saves_what_a_run_finds_as_it_is_expected_until_it_is_asked_for_something_else) {
  const Folder f;
  ASSERT_EQ(ask({TARRY_JUDGE_PROGRAM, "hunt", "cluster", "040_worker_dies", "--save", f.path() + "/found"}).exit_code,
            3);
  const std::string saved = found_in(f.path() + "/found"), out = f.path() + "/out.txt";
  EXPECT_EQ(ask_tarry({"run", saved}, out.c_str()).exit_code, 0);
  EXPECT_THAT(*read_file(out), HasSubstr("outcome that the scenario expects, and it expects that to be broken."));
  EXPECT_EQ(ask_tarry({"run", saved, "--must", "finish: 1ms"}).exit_code, 1);
  EXPECT_EQ(ask_tarry({"run", saved, "--must", "lost_steps: 9"}).exit_code, 0);
  EXPECT_EQ(ask_tarry({"run", saved, "--seed", "1"}).exit_code, 1);  // expected.json is not compared
  const std::string expected = *read_file(saved + "/expected.json");
  std::ofstream(saved + "/expected.json")
      << expected.substr(0, expected.find(" \"broken\"")) + expected.substr(expected.find(" \"hash\""));
  const Answer other = ask_tarry({"run", saved});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.message, HasSubstr("broken: expected nothing, got [\"never stuck\"]"));
}

TEST(HuntCluster, saves_the_command_that_finds_the_same) {
  const Folder f;
  ASSERT_EQ(ask({TARRY_JUDGE_PROGRAM, "hunt", "cluster", "040_worker_dies", "--must", "progress: 5s", "--most-faults",
                 "2", "--runs", "50", "--save", f.path() + "/found"})
                .exit_code,
            3);
  EXPECT_THAT(*read_file(found_in(f.path() + "/found") + "/README.md"),
              HasSubstr("of `tarry hunt cluster 040_worker_dies --must 'progress: 5s' --strategy portfolio --seed 1 "
                        "--runs 50 --most-faults 2` broke it"));
}

TEST(HuntCluster, refuses_a_verdict_that_there_is_not) {
  const Answer a = ask({TARRY_JUDGE_PROGRAM, "hunt", "cluster", "040_worker_dies", "--must", "never: [stuk]"});
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr("--must: must:1:10: unknown verdict 'stuk'; did you mean 'stuck'?"));
}

TEST(HuntCluster, refuses_a_strategy_and_a_time_that_there_are_not) {
  const Answer strategy = ask({TARRY_JUDGE_PROGRAM, "hunt", "cluster", "040_worker_dies", "--strategy", "swep"});
  EXPECT_EQ(strategy.exit_code, 2);
  EXPECT_THAT(strategy.message, HasSubstr("no strategy is called 'swep'; did you mean 'sweep'?"));
  const Answer time = ask({TARRY_JUDGE_PROGRAM, "hunt", "cluster", "040_worker_dies", "--time", "60"});
  EXPECT_EQ(time.exit_code, 2);
  EXPECT_THAT(time.message, HasSubstr("--time: '60' has no unit"));
}

// But for what a shell runs.
std::string longest_line(std::string_view text) {
  std::string longest;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string line(text.substr(from, end - from));
    if (!line.starts_with("Replay it") && line.size() > longest.size()) longest = line;
    from = end + 1;
  }
  return longest;
}

TEST(HuntCluster, tells_what_is_broken_in_lines_that_fit) {
  const Folder f;
  const std::string out = f.path() + "/out.txt";
  ask({TARRY_JUDGE_PROGRAM, "hunt", "cluster", "035_backup", "--runs", "40", "--seed", "3"}, out.c_str());
  const std::string told = read_file(out).value();
  EXPECT_THAT(told, HasSubstr("Nothing moves any more: "));
  EXPECT_THAT(told, HasSubstr("\nThe cause: "));
  EXPECT_THAT(told, HasSubstr("\nTo do: "));
  EXPECT_LE(longest_line(told).size(), 100u) << longest_line(told);
}

// ---- drawn clusters ----

TEST(HuntDrawnClusters, tells_scenarios_that_run_again) {
  const Folder f;
  const std::string out = f.path() + "/out.json";
  const Answer a = ask({TARRY_JUDGE_PROGRAM, "hunt", "cluster", "--must", "never: [stuck]", "--save",
                        f.path() + "/found", "--junit", f.path() + "/x.xml", "--json"},
                       out.c_str());
  EXPECT_EQ(a.exit_code, 3) << a.message;
  const Json j = Json::parse(*read_file(out)), found = j.at("found").at(0);
  EXPECT_GT(j.at("reached").at("workers").size(), 0u);
  EXPECT_TRUE(found.contains("what_if") && found.contains("without"));
  const std::string file = f.put("drawn.yaml", found.at("scenario")), hash = found.at("hash");
  const std::string folder = a.message.substr(6, a.message.find('\n') - 6);  // "wrote FOLDER"
  for (const std::string& again : {file, folder}) {
    const Answer same = ask_tarry({"run", again, "--hash", hash});
    EXPECT_EQ(same.exit_code, again == file ? 4 : 0) << again;  // stuck, which the outcome in the folder expects
    EXPECT_THAT(same.message, Not(HasSubstr("Not the run"))) << again;
  }
  EXPECT_THAT(ask_tarry({"run", file, "--hash", std::string(32, '0')}).message, HasSubstr("Not the run"));
  EXPECT_THAT(*read_file(f.path() + "/x.xml"), HasSubstr("failures=\"1\""));
}

TEST(HuntDrawnClusters, says_what_it_reached) {
  const Folder f;
  const std::string out = f.path() + "/out.txt";
  EXPECT_EQ(ask({TARRY_JUDGE_PROGRAM, "hunt", "cluster", "--runs", "60", "--each", "20"}, out.c_str()).exit_code, 0);
  const std::string text = *read_file(out);
  EXPECT_THAT(text, HasSubstr("gradients to aggregate, beside workers"));
  EXPECT_THAT(text, HasSubstr(" rare situations came up; not: "));
  EXPECT_LE(longest_line(text.substr(text.find(" rare situations"))).size(), 100u);
  EXPECT_THAT(text.substr(text.find(" rare situations")), Not(HasSubstr("\n\n")));
  EXPECT_THAT(text, HasSubstr("3 drawn clusters, 60 runs, strategy portfolio, seed 1: nothing found"));
}

TEST(HuntDrawnClusters, refuses_what_is_for_a_scenario_and_the_other_way_round) {
  const auto says = [](std::vector<std::string> words) {
    words.insert(words.begin(), {TARRY_JUDGE_PROGRAM, "hunt", "cluster"});
    const Answer a = ask(words);
    EXPECT_EQ(a.exit_code, 2);
    return a.message;
  };
  EXPECT_THAT(says({"--bugs", "x"}), HasSubstr("--bugs needs a scenario"));
  EXPECT_THAT(says({"--decisive"}), HasSubstr("--decisive needs a scenario"));
  EXPECT_THAT(says({"040_worker_dies", "--each", "3"}), HasSubstr("--each is for clusters that are drawn"));
  EXPECT_THAT(says({"--must", "never: [stuk]"}), HasSubstr("--must: must:1:10: unknown verdict 'stuk'"));
}

// ---- hunts that keep going ----

// 1.12 is known to break this one.
const std::string kBreaks = "hunt placement groups_together --rules 1.12 --cases 3000 ";

TEST(KeepGoing, counts_every_case_that_breaks_a_property) {
  const Json stops = printed_by(kBreaks + "--json"), goes_on = printed_by(kBreaks + "--keep-going --json");
  EXPECT_FALSE(stops.contains("broken"));
  EXPECT_LT(stops.at("cases"), 3000);
  EXPECT_EQ(goes_on.at("cases"), 3000);
  const Json& broken = goes_on.at("broken").at("groups_together");
  EXPECT_GT(broken.size(), 1u);
  EXPECT_EQ(broken.at(0), stops.at("cases").get<int>() - 1);
}

TEST(KeepGoing, says_how_many_in_words) {
  const Folder f;
  const std::string out = f.path() + "/out";
  const std::size_t n = printed_by(kBreaks + "--keep-going --json").at("broken").at("groups_together").size();
  const Answer a = ask({TARRY_JUDGE_PROGRAM, "hunt", "placement", "groups_together", "--rules", "1.12", "--cases",
                        "3000", "--keep-going"},
                       out.c_str());
  EXPECT_EQ(a.exit_code, 3);
  EXPECT_THAT(*read_file(out), HasSubstr(fmt::format("{} of 3000 cases break groups_together: ", n)));
}

TEST(KeepGoing, of_programs_and_partitions_does_too) {
  const Json j = printed_by("hunt programs --cases 5 --max-nodes 3 --keep-going --json");
  EXPECT_EQ(j.at("cases"), 5);
  EXPECT_TRUE(j.at("broken").empty());
}

TEST(Junit, has_a_test_case_for_each_property_and_the_counterexample_of_the_first) {
  const Folder f;
  const std::string file = f.path() + "/junit.xml";
  (void)printed_by(kBreaks + "--keep-going --json --junit " + file);
  const std::string xml = *read_file(file);
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"placement\" tests=\"1\" failures=\"1\">"));
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"placement\" name=\"groups_together\">"));
  EXPECT_THAT(xml, HasSubstr("breaks placement.groups_together"));
  (void)printed_by("hunt programs --cases 1 --max-nodes 3 --json --junit " + file);
  EXPECT_THAT(*read_file(file), HasSubstr("<testsuite name=\"programs\" tests=\"7\" failures=\"0\">"));
}

TEST(Junit, is_looked_at_before_the_hunt) {
  const Answer a = ask({TARRY_JUDGE_PROGRAM, "hunt", "placement", "--junit", "/no/such/folder/x.xml"});
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr("--junit: there is no folder /no/such/folder"));
}

}  // namespace
}  // namespace tarry
