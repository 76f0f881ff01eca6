// What `tarry run` writes for other tools, from the built program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "placer/core/text.hpp"
#include "placer/graph/read.hpp"
#include "placer/graph/step_stats.hpp"
#include "results/tables/sqlite.hpp"
#include "results/trace_format.hpp"
#include "scenarios/cli/ask.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Names of the files in a folder, in order.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

std::size_t rows_of(const std::string& csv) { return split(*read_file(csv), '\n').size() - 2; }

// ---- CSV ----

TEST(Files, of_csv_are_a_table_each_in_a_folder_that_is_made) {
  const Folder f;
  const std::string folder = f.path() + "/a/b";
  EXPECT_EQ(ask_tarry({"run", "040_worker_dies", "--csv", folder}).exit_code, 0);
  EXPECT_THAT(names_in(folder),
              testing::ElementsAre("aggregates.csv", "assigned.csv", "faults.csv", "gradients.csv", "kernels.csv",
                                   "levels.csv", "log_lines.csv", "messages.csv", "queue_moves.csv", "sessions.csv",
                                   "steps.csv", "tasks.csv", "verdicts.csv"));
  EXPECT_THAT(*read_file(folder + "/steps.csv"), StartsWith("step,step_id,task,purpose,number,began_ns,"));
  EXPECT_THAT(*read_file(folder + "/faults.csv"), HasSubstr(",process ends,process ends,worker/"));
  EXPECT_THAT(*read_file(folder + "/verdicts.csv"), HasSubstr("\n1,stalled,"));
}

TEST(Files, of_csv_have_what_the_report_counts) {
  const Folder f;
  const std::string out = f.path() + "/out.json", folder = f.path() + "/csv";
  EXPECT_EQ(ask_tarry({"run", "010_uneven_ps", "--json", "--csv", folder}, out.c_str()).exit_code, 0);
  const auto report = nlohmann::json::parse(*read_file(out));
  std::size_t kernels = 0, messages = 0, aggregates = 0;
  for (const auto& d : report.at("devices")) kernels += d.at("kernels").get<std::size_t>();
  for (const auto& a : report.at("accumulators")) aggregates += a.at("aggregates").size();
  for (const auto& l : report.at("links")) messages += l.at("messages").get<std::size_t>();
  EXPECT_EQ(rows_of(folder + "/kernels.csv"), kernels);
  EXPECT_EQ(rows_of(folder + "/aggregates.csv"), aggregates);
  EXPECT_GE(rows_of(folder + "/messages.csv"), messages);  // and those within a host
  EXPECT_EQ(rows_of(folder + "/verdicts.csv"), report.at("verdicts").size());
}

// Messages are the first table that finds no room.
TEST(Files, that_fail_leave_all_that_was_there_and_nothing_else) {
  const Folder f;
  const std::string folder = f.path() + "/csv";
  fs::create_directories(folder);
  const std::string steps = f.put("csv/steps.csv", "old");
  const Answer a =
      ask({"/bin/sh", "-c", "ulimit -f 40; trap '' XFSZ; exec " TARRY_PROGRAM " run 040_worker_dies --csv " + folder});
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr("messages.csv: cannot be written: File too large"));
  EXPECT_EQ(*read_file(steps), "old");
  EXPECT_THAT(names_in(folder), testing::ElementsAre("steps.csv"));
}

TEST(Files, refuse_a_folder_that_is_a_file_before_the_run) {
  const Folder f;
  const std::string file = f.put("x", "old");
  for (const std::string& folder : {file, file + "/deeper"}) {
    const Answer a = ask_tarry({"run", "030_local", "--csv", folder});
    EXPECT_EQ(a.exit_code, 2);
    EXPECT_THAT(a.message, HasSubstr(file + ": --csv needs a folder, and this is a file"));
  }
  EXPECT_THAT(ask_tarry({"run", "030_local", "--csv", ""}).message, HasSubstr("needs the name of a folder"));
}

TEST(Files, of_csv_are_told_apart_from_other_outputs_and_from_what_the_run_reads) {
  const Folder f;
  EXPECT_THAT(ask_tarry({"run", "030_local", "--csv", f.path(), "--log", f.path() + "/steps.csv"}).message,
              HasSubstr("--log and --csv would be written to one file"));
  (void)f.put("steps.csv", *read_file(TARRY_SOURCE_DIR "/scenarios/cases/030_local/scenario.yaml"));
  const Answer a = ask_tarry({"run", f.path() + "/steps.csv", "--csv", f.path()});
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr("--csv would overwrite the scenario"));
  fs::create_directory(f.path() + "/faults.csv");
  EXPECT_THAT(ask_tarry({"run", "030_local", "--csv", f.path()}).message,
              HasSubstr("faults.csv: --csv needs a file, and this is a folder"));
}

// ---- SQLite ----

// The first column of each row.
std::vector<std::string> asked(const std::string& file, const std::string& sql) {
  const auto database = SqlDatabase::open(file).value();
  SqlStatement s = database.prepare(sql).value();
  std::vector<std::string> out;
  while (s.next().value()) out.push_back(s.text(0));
  return out;
}

TEST(Files, of_sqlite_have_the_rows_of_csv_and_the_facts_of_the_run) {
  const Folder f;
  const std::string file = f.path() + "/run.sqlite", folder = f.path() + "/csv", out = f.path() + "/out.json";
  EXPECT_EQ(ask_tarry({"run", "010_uneven_ps", "--json", "--sqlite", file, "--csv", folder}, out.c_str()).exit_code, 0);
  for (const std::string& csv : names_in(folder)) {
    const std::string table = csv.substr(0, csv.find('.'));
    EXPECT_EQ(asked(file, "SELECT count(*) FROM " + table)[0], std::to_string(rows_of(folder + "/" + csv))) << table;
  }
  const auto report = nlohmann::json::parse(*read_file(out));
  EXPECT_EQ(asked(file, "SELECT value FROM run WHERE key = 'hash'")[0], report.at("hash").get<std::string>());
  std::size_t dropped = 0;
  for (const auto& w : report.at("workers")) dropped += w.at("dropped").get<std::size_t>();
  EXPECT_EQ(asked(file, "SELECT sum(dropped) FROM dropped_gradients WHERE accumulator LIKE '%kernel%'")[0],
            std::to_string(dropped));
}

TEST(Files, of_sqlite_answer_the_questions_about_a_worker_that_dies) {
  const Folder f;
  const std::string file = f.path() + "/run.sqlite";
  EXPECT_EQ(ask_tarry({"run", "040_worker_dies", "--sqlite", file}).exit_code, 0);
  for (const char* view :
       {"slowest_steps", "busiest_devices", "kernels_by_op", "traffic", "aggregate_workers", "dropped_gradients",
        "gradient_staleness", "step_staleness", "steps_around_faults", "unfinished", "time_line"})
    EXPECT_FALSE(asked(file, std::string("SELECT * FROM ") + view).empty()) << view;
}

TEST(Files, of_one_run_are_the_same_each_time_and_take_the_place_of_the_old_ones) {
  const Folder f;
  const std::string one = f.put("one.sqlite", "no database"), two = f.path() + "/two.sqlite";
  for (const std::string& file : {one, two}) EXPECT_EQ(ask_tarry({"run", "030_local", "--sqlite", file}).exit_code, 0);
  EXPECT_EQ(*read_file(one), *read_file(two));
  EXPECT_THAT(names_in(f.path()), testing::ElementsAre("one.sqlite", "two.sqlite"));
}

TEST(Files, of_sqlite_are_refused_where_none_can_be) {
  const Folder f;
  EXPECT_THAT(ask_tarry({"run", "030_local", "--sqlite", f.path()}).message,
              HasSubstr("--sqlite needs a file, and this is a folder"));
  EXPECT_THAT(ask_tarry({"run", "030_local", "--sqlite", f.path() + "/no/x"}).message, HasSubstr("there is no folder"));
  EXPECT_THAT(ask_tarry({"run", "030_local", "--sqlite", "/dev/full"}).message,
              HasSubstr("/dev/full: cannot be written"));
}

// ---- the trace ----

TEST(Files, of_traces_are_as_viewers_want_them) {
  const Folder f;
  const std::string file = f.path() + "/trace.json";
  for (const char* scenario : {"010_uneven_ps", "022_gpu_out_of_memory", "040_worker_dies", "057_network_parted"}) {
    (void)ask_tarry({"run", scenario, "--trace", file});
    EXPECT_THAT(wrong_in(nlohmann::json::parse(*read_file(file))), testing::IsEmpty()) << scenario;
  }
}

// ---- the metadata of a step ----

TEST(Files, of_metadata_have_one_step_with_the_devices_of_all_tasks) {
  const Folder f;
  const std::string binary = f.path() + "/step.pb", text = f.path() + "/step.pbtxt";
  for (const std::string& file : {binary, text})
    EXPECT_EQ(ask_tarry({"run", "010_uneven_ps", "--run-metadata", file, "--step", "worker/1:3"}).exit_code, 0);
  EXPECT_THAT(*read_file(text), StartsWith("step_stats {"));
  const auto times = read_step_stats(binary).value();
  EXPECT_EQ(times, read_step_stats(text).value());
  std::set<std::string> devices, labels;
  for (const NodeExecTime& t : times) devices.insert(t.device), labels.insert(t.label);
  EXPECT_THAT(devices, testing::ElementsAre("/job:ps/replica:0/task:0/device:CPU:0",
                                            "/job:worker/replica:0/task:1/device:CPU:0"));
  EXPECT_THAT(labels, testing::Contains(StartsWith("SparseSoftmaxCrossEntropyWithLogits/"
                                                   "SparseSoftmaxCrossEntropyWithLogits = "
                                                   "SparseSoftmaxCrossEntropyWithLogits(")));
  EXPECT_THAT(labels, testing::Contains(HasSubstr("edge_50_gradients/softmax/MatMul_grad/tuple/control_dependency_1")));
}

TEST(Files, of_metadata_are_of_the_last_whole_step_when_nobody_says_which) {
  const Folder f;
  const std::string one = f.path() + "/one.pb", two = f.path() + "/two.pb", database = f.path() + "/run.sqlite";
  EXPECT_EQ(ask_tarry({"run", "040_worker_dies", "--run-metadata", one, "--sqlite", database}).exit_code, 0);
  const std::string last =
      asked(database, "SELECT max(number) FROM training_steps WHERE task = 'worker/0' AND code = 0")[0];
  EXPECT_EQ(ask_tarry({"run", "040_worker_dies", "--run-metadata", two, "--step", "worker/0:" + last}).exit_code, 0);
  EXPECT_EQ(*read_file(one), *read_file(two));
}

TEST(Files, of_metadata_need_a_step_that_the_run_has) {
  const Folder f;
  const std::string file = f.put("step.pb", "old"), log = f.put("run.log", "old");
  const auto refused = [&](const std::string& step) {
    const Answer a = ask_tarry({"run", "030_local", "--log", log, "--run-metadata", file, "--step", step});
    EXPECT_EQ(a.exit_code, 2);
    return a.message;
  };
  EXPECT_THAT(refused("worker/9:1"), HasSubstr("--step worker/9:1: the cluster has no task 'worker/9'"));
  for (const std::string step : {"worker/0", "worker/0:", "worker/0:none", "worker/0:0"})
    EXPECT_THAT(refused(step), HasSubstr("--step " + step + ": expected a task and the number of its step, from 1"));
  EXPECT_THAT(refused("worker/0:99999"), HasSubstr("step 99999 of worker 0 did not end in this run"));
  EXPECT_EQ(*read_file(file) + *read_file(log), "oldold");
  const Answer alone = ask_tarry({"run", "030_local", "--step", "worker/0:1"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.message, HasSubstr("--step requires --run-metadata"));
}

// The kernels of uneven_ps always take the same time, so those of one step stand for all.
TEST(Files, of_metadata_measure_the_costs_of_another_run) {
  const Folder f;
  const std::string out = f.path() + "/out.json", step = f.path() + "/step.pb";
  std::string text = *read_file(TARRY_SOURCE_DIR "/scenarios/cases/010_uneven_ps/scenario.yaml");
  const std::size_t costs = text.find("costs:"), training = text.find("training:"), expect = text.find("expect:");
  ASSERT_TRUE(costs < training && training < expect && expect != text.npos);
  text = text.substr(0, costs) + "measured: [kept.pb]\n" + text.substr(training, expect - training);
  const auto hash_of = [&](const std::string& scenario) {
    EXPECT_EQ(ask_tarry({"run", scenario, "--json", "--until", "60s", "--run-metadata", step}, out.c_str()).exit_code,
              0);
    return nlohmann::json::parse(*read_file(out)).at("hash").get<std::string>();
  };
  const std::string of_scenario = hash_of("010_uneven_ps");
  (void)f.put("kept.pb", *read_file(step));
  EXPECT_EQ(hash_of(f.put("m.yaml", text)), of_scenario);
}

}  // namespace
}  // namespace tarry
