// What the programs leave behind: files that are told apart, answers that find no room, exit codes that tell what was
// wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "placer/graph/read.hpp"
#include "scenarios/cli/ask.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

std::string shipped_file(const std::string& scenario, const std::string& file) {
  return *read_file(TARRY_SOURCE_DIR "/scenarios/cases/" + scenario + "/" + file);
}
std::string shipped_scenario(const std::string& name) { return shipped_file(name, "scenario.yaml"); }

// ---- files that would overwrite each other ----

TEST(Outputs, that_are_one_file_are_refused_before_anything_is_written) {
  const Folder f;
  const std::string file = f.path() + "/x", same = f.path() + "/./x";
  const Answer a = ask_tarry({"run", "030_local", "--log", file, "--trace", same});
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr("--trace and --log would be written to one file"));
  EXPECT_FALSE(fs::exists(file));
}

TEST(Outputs, that_are_where_the_answer_goes_are_refused) {
  const Folder f;
  const std::string file = f.path() + "/x";
  EXPECT_THAT(ask_tarry({"run", "030_local", "--json", "--log", file}, file.c_str()).message,
              HasSubstr("--log and standard output would be written to one file"));
  EXPECT_EQ(ask_tarry({"run", "030_local", "--log", "/dev/null", "--trace", "/dev/null"}).exit_code, 0);
}

TEST(Outputs, never_overwrite_the_scenario) {
  const Folder f;
  const std::string text = shipped_scenario("030_local"), file = f.put("scenario.yaml", text);
  const Answer a = ask_tarry({"run", f.path(), "--log", file});
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr("--log would overwrite the scenario"));
  EXPECT_EQ(*read_file(file), text);
}

TEST(Outputs, never_overwrite_the_graph) {
  const Folder f;
  const std::string text = "node { name: 'n' op: 'NoOp' }", file = f.put("g.pbtxt", text);
  EXPECT_THAT(ask_tarry({"exec", file, "--target", "n", "--timeline", file}).message,
              HasSubstr("--timeline would overwrite the graph"));
  const std::string part = f.put("job_localhost_replica_0_task_0.pbtxt", text);
  EXPECT_THAT(ask_tarry({"partition", part, "--out", f.path()}).message, HasSubstr("--out would overwrite the graph"));
  EXPECT_EQ(*read_file(file) + *read_file(part), text + text);
}

TEST(Outputs, of_another_seed_never_become_the_expected_outcome) {
  const Folder f;
  (void)f.put("scenario.yaml", shipped_scenario("030_local"));
  const std::string kept = f.put("expected.json", "{}\n");
  const auto update = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"/usr/bin/env", "UPDATE=1", TARRY_PROGRAM, "run", f.path()};
    words.insert(words.end(), more.begin(), more.end());
    return ask(std::move(words)).exit_code;
  };
  EXPECT_EQ(update({"--seed", "5"}), 0);
  EXPECT_EQ(*read_file(kept), "{}\n");
  EXPECT_EQ(update({}), 0);
  EXPECT_THAT(*read_file(kept), HasSubstr("\"hash\""));
}

TEST(Outputs, an_answer_that_finds_no_room_is_an_error) {
  for (const char* command : {"schema", "list", "--help", "kernels"}) {
    const Answer a = ask_tarry({command}, "/dev/full");
    EXPECT_EQ(a.exit_code, 2) << command;
    EXPECT_THAT(a.message, HasSubstr("standard output: cannot be written: No space left on device")) << command;
  }
}

// ---- exit codes ----

TEST(ExitCode, of_a_step_that_waits_for_ever_is_that_of_a_deadlock) {
  const Folder f;
  const std::string type = "attr { key: 'component_types' value { list { type: DT_FLOAT } } }";
  const std::string graph = f.put("g.pbtxt", "node { name: 'q' op: 'FIFOQueueV2' " + type +
                                                 " } node { name: 'd' op: 'QueueDequeueV2' input: 'q' " + type + " }");
  EXPECT_EQ(ask_tarry({"exec", graph, "--fetch", "d"}).exit_code, 4);
  EXPECT_EQ(ask_tarry({"exec", graph, "--fetch", "d", "--timeout-ms", "10"}).exit_code, 4);
  EXPECT_EQ(ask_tarry({"exec", graph, "--init", "d"}).exit_code, 4);
}

TEST(ExitCode, of_a_machine_without_enough_memory_is_that_of_bad_input) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "its shadow takes all the addresses there are";
#endif
  const Folder f;
  const std::string dims =
      "node { name: 'd' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } attr { key: 'value' value { tensor "
      "{ dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 2000000000 } } } }";
  const std::string value =
      "node { name: 'v' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } } attr { key: 'value' value { tensor "
      "{ dtype: DT_INT32 tensor_shape {} int_val: 1 } } } }";
  const std::string graph = f.put(
      "g.pbtxt",
      dims + value + "node { name: 'f' op: 'Fill' input: 'd' input: 'v' attr { key: 'T' value { type: DT_INT32 } } }");
  const Answer a = ask({"/bin/sh", "-c", "ulimit -v 1000000; exec " TARRY_PROGRAM " exec '" + graph + "' --fetch f"});
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr("tarry: out of memory: more than "));
  EXPECT_THAT(a.message, HasSubstr(" MiB would be needed; --memory SIZE allows more"));
}

TEST(ExitCode, of_more_values_than_are_printed_is_that_of_bad_input) {
  const Folder f;
  const auto fill = [&](const char* elements) {
    const std::string graph =
        f.put("g.pbtxt",
              "node { name: 'd' op: 'Placeholder' attr { key: 'dtype' value { type: DT_INT32 } } }"
              "node { name: 'v' op: 'Const' attr { key: 'dtype' value { type: DT_BOOL } } attr { key: 'value' value "
              "{ tensor { dtype: DT_BOOL tensor_shape {} bool_val: true } } } }"
              "node { name: 'f' op: 'Fill' input: 'd' input: 'v' attr { key: 'T' value { type: DT_BOOL } } }");
    return ask_tarry({"exec", graph, "--feed", fmt::format("d=[{}]", elements), "--fetch", "f"});
  };
  EXPECT_EQ(fill("1000").exit_code, 0);
  const Answer a = fill("10000001");
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_EQ(
      a.message,
      "tarry: --fetch f:0: 10000001 elements, more than the 10000000 that are printed; fetch its Shape, or a part of "
      "it\n");
}

// ---- hunts ----

TEST(Replay, is_by_the_rules_that_the_case_was_found_with_or_by_those_that_are_asked_for) {
  const Folder f;
  EXPECT_EQ(ask_tarry({"hunt", "placement", "groups_together", "--rules", "1.12", "--save", f.path()}).exit_code, 3);
  std::string saved;
  for (const auto& entry : fs::directory_iterator(f.path()))
    if (entry.path().extension() == ".yaml") saved = entry.path();
  EXPECT_EQ(ask_tarry({"hunt", "replay", saved}).exit_code, 3);
  EXPECT_EQ(ask_tarry({"hunt", "replay", saved, "--rules", "2.15"}).exit_code, 0);
  EXPECT_THAT(ask_tarry({"hunt", "replay", saved, "--cases", "5"}).message, HasSubstr("--cases"));
}

// ---- faults on the command line ----

TEST(Faults, of_the_command_line_stand_in_place_of_the_scenarios_own) {
  const Folder f;
  const std::string out = f.path() + "/out.json";
  const auto verdicts = [&](const std::string& faults) {
    (void)ask_tarry({"run", "040_worker_dies", "--json", "--faults", faults}, out.c_str());
    return nlohmann::json::parse(*read_file(out)).at("verdicts").dump();
  };
  EXPECT_THAT(verdicts(""), Not(HasSubstr("stuck")));
  EXPECT_THAT(verdicts("kill worker/1 after token_taken#3"), HasSubstr("stuck"));
  EXPECT_EQ(ask_tarry({"run", "040_worker_dies", "--faults", "kill worker/1 after token_taken#3"}).exit_code, 4);
  EXPECT_THAT(ask_tarry({"run", "040_worker_dies", "--faults", "kil worker/1 after token_taken#3"}).message,
              HasSubstr("--faults: fault 1, 'kil worker/1 after token_taken#3': no kind of fault is called 'kil'; did "
                        "you mean 'kill'?"));
}

TEST(Why, takes_faults_in_place_of_the_scenarios_own) {
  const Folder f;
  const std::string out = f.path() + "/out";
  const auto causes = [&](const std::string& faults) {
    EXPECT_EQ(ask_tarry({"why", "040_worker_dies", "--faults", faults}, out.c_str()).exit_code, 0);
    return *read_file(out);
  };
  EXPECT_THAT(causes("pause worker/1 lasts=5s after token_taken#2"), HasSubstr("keys: faults"));
  EXPECT_THAT(causes(""), Not(HasSubstr("keys: faults")));
  EXPECT_THAT(ask_tarry({"why", "040_worker_dies", "--faults", "paus worker/1 at 2s"}).message,
              HasSubstr("--faults: fault 1, 'paus worker/1 at 2s': no kind of fault is called 'paus'"));
}

// A copy of what ships, changed: its `expect` and its expected.json name the same verdicts.
TEST(AChangedCopy, is_told_once_that_its_verdicts_are_others) {
  const Folder f;
  std::string text = shipped_scenario("040_worker_dies");
  const std::size_t stop = text.find("stop:");
  text.replace(stop, text.find('\n', stop) - stop, "stop: {time: 15s}");
  const std::string file = f.put("scenario.yaml", text),
                    kept = f.put("expected.json", shipped_file("040_worker_dies", "expected.json"));
  const auto told = [&] { return ask_tarry({"run", f.path()}); };
  const std::string first =
      "Not the expected verdicts: expected stalled, straggler, got straggler, slowed\nWhere the change is meant, "
      "change `expect` in " +
      file + ", or delete it there";
  EXPECT_EQ(told().exit_code, 1);
  EXPECT_EQ(told().message, first + "; then UPDATE=1 writes " + kept + " anew, or delete that file.\n");
  fs::remove(kept);
  EXPECT_EQ(told().exit_code, 1) << "`expect` alone";
  EXPECT_EQ(told().message, first + ".\n");
  (void)f.put("expected.json", "{\"verdicts\": [\"straggler\", \"slowed\"], \"aggregates\": 99}");
  EXPECT_THAT(told().message, HasSubstr("Not the expected outcome: aggregates: "));
  EXPECT_THAT(told().message, HasSubstr(first + ".\n")) << "another mismatch";
}

TEST(Hash, that_is_asked_for_must_be_the_runs) {
  const Folder f;
  const std::string out = f.path() + "/out", says = "This is the run that --hash names.\n";
  const std::string hash = nlohmann::json::parse(shipped_file("030_local", "expected.json")).at("hash").at("any");
  EXPECT_EQ(ask_tarry({"run", "030_local", "--hash", hash}, out.c_str()).exit_code, 0);
  EXPECT_THAT(*read_file(out), HasSubstr(hash + "\n" + says));
  const Answer a = ask_tarry({"run", "030_local", "--hash", hash, "--seed", "77"}, out.c_str());
  EXPECT_EQ(a.exit_code, 1);
  EXPECT_THAT(a.message, HasSubstr("Not the run that --hash names: expected " + hash));
  EXPECT_THAT(*read_file(out), Not(HasSubstr(says)));
  (void)ask_tarry({"run", "030_local", "--json", "--hash", hash}, out.c_str());
  EXPECT_EQ(nlohmann::json::parse(*read_file(out)).at("hash"), hash);
}

TEST(Check, says_that_a_second_run_gave_the_same_events) {
  const Folder f;
  const std::string out = f.path() + "/out", says = "A second run, in another process, gave the same events.\n";
  EXPECT_EQ(ask_tarry({"run", "030_local", "--check"}, out.c_str()).exit_code, 0);
  EXPECT_THAT(*read_file(out), HasSubstr("\n" + says));
  (void)ask_tarry({"run", "030_local"}, out.c_str());
  EXPECT_THAT(*read_file(out), Not(HasSubstr(says)));
  EXPECT_EQ(ask_tarry({"run", "030_local", "--check", "--json"}, out.c_str()).exit_code, 0);
  EXPECT_TRUE(nlohmann::json::parse(*read_file(out)).contains("hash"));
}

// ---- what is written where ----

TEST(AnOutput, has_a_line_of_its_own_beside_the_answer) {
  const Folder f;
  const auto at = [&](const char* name) { return f.path() + "/" + name; };
  const std::string answer = at("answer"), plain = at("plain");
  const Answer a = ask_tarry({"run", "030_local", "--report", at("r.html"), "--trace", at("t.json"), "--log", at("l"),
                              "--csv", at("c"), "--sqlite", at("s.sqlite"), "--run-metadata", at("m.pb")},
                             answer.c_str());
  std::string lines;
  for (const char* name : {"r.html", "t.json", "l", "c/*.csv", "s.sqlite", "m.pb"}) lines += "wrote " + at(name) + "\n";
  EXPECT_EQ(a.message, lines);
  EXPECT_EQ(ask_tarry({"run", "030_local"}, plain.c_str()).message, "");
  EXPECT_EQ(*read_file(answer), *read_file(plain));
}

TEST(AnOutput, of_every_command_is_said) {
  const Folder f;
  const std::string file = f.path() + "/x", wrote = "wrote " + file;
  const std::string graph = f.put("g.pbtxt", "node { name: 'n' op: 'NoOp' }");
  EXPECT_EQ(ask_tarry({"exec", graph, "--target", "n", "--timeline", file}).message, wrote + "\n");
  EXPECT_EQ(ask_tarry({"partition", graph, "--out", file + "p"}).message, wrote + "p/*.pbtxt\n");
  EXPECT_EQ(ask_tarry({"compare", "030", "030", "--seeds", "1", "--report", file + "c"}).message, wrote + "c\n");
  EXPECT_THAT(ask_tarry({"hunt", "cluster", "030", "--runs", "1", "--junit", file + "j"}).message,
              HasSubstr(wrote + "j\n"));
  const std::string plan = f.put("p.yaml", "scenario: 030_local\nseeds: 1\naxes: {cluster.network.latency: [1ms]}\n");
  EXPECT_EQ(ask_tarry({"sweep", plan, "--out", file + "o", "--csv", file + "s", "--report", file + "r"}).message,
            wrote + "s\n" + wrote + "r\n");
}

TEST(AnOutput, goes_through_a_link_and_keeps_the_files_permissions) {
  const Folder f;
  const std::string file = f.put("kept.log", "old"), link = f.path() + "/link.log";
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(file, link);
  EXPECT_EQ(ask_tarry({"run", "030_local", "--log", link}).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_THAT(*read_file(file), ::testing::StartsWith("tarry log"));
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(AnOutput, that_fails_after_the_answer_leaves_one_object_of_json) {
  const Folder f;
  const std::string out = f.path() + "/out.json";
  const Answer a = ask_tarry({"run", "030_local", "--json", "--log", "/dev/full"}, out.c_str());
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr("/dev/full: cannot be written"));
  EXPECT_TRUE(nlohmann::json::parse(*read_file(out)).contains("verdicts"));
}

TEST(AnError, of_the_command_line_is_json_where_json_was_asked_for) {
  const Folder f;
  const std::string out = f.path() + "/out.json";
  EXPECT_EQ(ask_tarry({"run", "030_local", "--nosuch", "--json"}, out.c_str()).exit_code, 2);
  const auto j = nlohmann::json::parse(*read_file(out));
  EXPECT_EQ(j.at("exit_code"), 2);
  EXPECT_THAT(j.at("error").get<std::string>(), HasSubstr("--nosuch"));
}

// An answer is that of the case which was asked.
TEST(APlacer, that_answers_with_another_id_or_with_none_is_told_so) {
  const Folder f;
  const std::string out = f.path() + "/out";
  const auto told = [&](const std::string& id) {
    const std::string answers = "sed -u 's/.*/{" + id + "\"code\": 3, \"msg\": \"no\"}/'";
    EXPECT_EQ(ask_tarry({"hunt", "placement", "same_as", "--placer", answers, "--cases", "1"}, out.c_str()).exit_code,
              3);
    return *read_file(out);
  };
  for (const char* id : {"\"id\": \"another\", ", ""})
    EXPECT_THAT(told(id), HasSubstr("expected an answer with \"id\": \"")) << id;
}

// Two tasks, in this text of a graph.
std::string partitioned(const std::string& graph, const std::vector<std::string>& more = {}) {
  const Folder f;
  const std::string out = f.path() + "/out";
  std::vector<std::string> words{"partition", f.put("g.pbtxt", graph), "--devices",
                                 "/job:a/task:0/device:CPU:0,/job:b/task:0/device:CPU:0"};
  words.insert(words.end(), more.begin(), more.end());
  const Answer a = ask_tarry(words, out.c_str());
  EXPECT_EQ(a.exit_code, 0) << a.message;
  return *read_file(out);
}

TEST(Partition, copies_small_constants_to_tasks_as_a_master_does) {
  constexpr char kGraph[] =
      "node {name: 'c' op: 'Const' device: '/job:a' attr {key: 'dtype' value {type: DT_FLOAT}} attr {key: 'value' "
      "value "
      "{tensor {dtype: DT_FLOAT tensor_shape {} float_val: 1}}}}\n"
      "node {name: 'x' op: 'Neg' input: 'c' device: '/job:a' attr {key: 'T' value {type: DT_FLOAT}}}\n"
      "node {name: 'y' op: 'Neg' input: 'c' device: '/job:b' attr {key: 'T' value {type: DT_FLOAT}}}\n";
  EXPECT_THAT(partitioned(kGraph), Not(HasSubstr("1 sends")));
  EXPECT_THAT(partitioned(kGraph, {"--by", "device"}), HasSubstr("1 sends"));
  EXPECT_THAT(partitioned(kGraph, {"--rules", "1.15"}), HasSubstr("1 sends"));
}

TEST(Partition, says_what_a_session_would_take_apart_first) {
  constexpr char kGraph[] =
      "node {name: 'x' op: 'Placeholder' attr {key: 'dtype' value {type: DT_FLOAT}}}\n"
      "node {name: 'c' op: 'PartitionedCall' input: 'x' attr {key: 'Tin' value {list {type: DT_FLOAT}}} attr {key: "
      "'Tout' value {list {type: DT_FLOAT}}} attr {key: 'f' value {func {name: 'f'}}}}\n"
      "library {function {signature {name: 'f' input_arg {name: 'a' type: DT_FLOAT} output_arg {name: 'b' type: "
      "DT_FLOAT}} ret {key: 'b' value: 'a'}}}\n";
  constexpr char kCase[] =
      "node {name: 'i' op: 'Placeholder' attr {key: 'dtype' value {type: DT_INT32}}}\n"
      "node {name: 'c' op: 'Case' input: 'i' attr {key: 'Tin' value {list {}}} attr {key: 'Tout' value {list {}}} attr "
      "{key: 'branches' value {list {func {name: 'f'}}}}}\nlibrary {function {signature {name: 'f'}}}\n";
  const std::string told = "1 node with functions is left whole: a session takes functions into its graph first";
  EXPECT_THAT(partitioned(kCase), HasSubstr(told));
  EXPECT_THAT(partitioned(kGraph), HasSubstr(told));
  EXPECT_THAT(partitioned(kGraph, {"--json"}), Not(HasSubstr(told)));
}

// A dataset, what hands it on, and a Merge of it and of a list.
constexpr char kDatasets[] =
    "node {name: 'n' op: 'Const' attr {key: 'dtype' value {type: DT_INT64}} attr {key: 'value' value {tensor {dtype: "
    "DT_INT64 tensor_shape {} int64_val: 1}}}}\n"
    "node {name: 'd' op: 'RangeDataset' input: 'n' input: 'n' input: 'n' attr {key: 'output_types' value {list "
    "{type: "
    "DT_INT64}}} attr {key: 'output_shapes' value {list {shape {}}}}}\n"
    "node {name: 'one' op: 'Identity' input: 'd' attr {key: 'T' value {type: DT_VARIANT}}}\n"
    "node {name: 'two' op: 'Identity' input: 'one' attr {key: 'T' value {type: DT_VARIANT}}}\n"
    "node {name: 'all' op: 'IdentityN' input: 'two' attr {key: 'T' value {list {type: DT_VARIANT}}}}\n"
    "node {name: 'three' op: 'Identity' input: 'all' attr {key: 'T' value {type: DT_VARIANT}}}\n"
    "node {name: 's' op: 'Const' attr {key: 'dtype' value {type: DT_INT32}} attr {key: 'value' value {tensor {dtype: "
    "DT_INT32 tensor_shape {} int_val: -1}}}}\n"
    "node {name: 'l' op: 'EmptyTensorList' input: 's' input: 's' attr {key: 'element_dtype' value {type: DT_FLOAT}} "
    "attr {key: 'shape_type' value {type: DT_INT32}}}\n"
    "node {name: 'm' op: 'Merge' input: 'd' input: 'l' attr {key: 'T' value {type: DT_VARIANT}} attr {key: 'N' value "
    "{i: 2}}}\n"
    "node {name: 'mixed' op: 'Identity' input: 'm' attr {key: 'T' value {type: DT_VARIANT}}}\n"
    "node {name: 'o' op: 'Merge' input: 'd' input: 'one' attr {key: 'T' value {type: DT_VARIANT}} attr {key: 'N' "
    "value {i: 2}}}\n"
    "node {name: 'alike' op: 'Identity' input: 'o' attr {key: 'T' value {type: DT_VARIANT}}}\n";

// A session knows the type behind each of them, and a dataset is on the CPU.
TEST(Place, keeps_what_hands_a_dataset_on_where_a_session_does) {
  const Folder f;
  const std::string out = f.path() + "/out";
  const std::string devices = "/job:a/task:0/device:CPU:0,/job:a/task:0/device:GPU:0";
  ASSERT_EQ(ask_tarry({"place", f.put("g.pbtxt", kDatasets), "--devices", devices, "--nodes"}, out.c_str()).exit_code,
            0);
  const std::string placed = *read_file(out);
  for (const auto& [node, device] :
       {std::pair("one", "CPU"), {"two", "CPU"}, {"three", "GPU"}, {"mixed", "GPU"}, {"alike", "CPU"}})
    EXPECT_THAT(placed, HasSubstr(std::string("\n") + node + ": (Identity): /job:a/replica:0/task:0/device:" + device));
}

TEST(Budget, is_said_with_an_equals_sign_as_well) {
  const std::string of_words = ask_tarry({"run", "030_local", "--memory", "10MB"}).message;
  EXPECT_THAT(of_words, HasSubstr("10MB"));
  EXPECT_EQ(ask_tarry({"run", "030_local", "--memory=10MB"}).message, of_words);
}

// What tarry starts may take more than tarry.
TEST(Budget, does_not_hold_for_a_placer_that_is_started) {
  const Folder f;
  const std::string told = f.path() + "/limit";
  (void)ask_tarry({"hunt", "placement", "same_as", "--placer", "ulimit -v >> " + told, "--cases", "1"});
  EXPECT_THAT(*read_file(told), ::testing::StartsWith("unlimited"));
}

}  // namespace
}  // namespace tarry
