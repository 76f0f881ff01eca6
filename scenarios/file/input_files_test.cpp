// Jobs whose input files end: eight files in each of five epochs, which the workers share; a batch has 64 records.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/core/folder_test.hpp"
#include "scenarios/file/outcome.hpp"
#include "scenarios/file/ran_case.hpp"
#include "scenarios/job/prove.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kTwoWorkers =
    "title: t\ncluster:\n  hosts: [server, host0, host1]\n  tasks: {ps/0: server, worker/0: host0, worker/1: host1}\n"
    "  network: {latency: 1ms}\ncosts: [{op: ReaderReadV2, time: 1ms}, {op: MatMul, time: 20ms}]\n";

std::string of_files(const std::string& protocol, const std::string& files) {
  return "build: {graph: input_files_ps1_task0, protocol: " + protocol + "}\nfeeds: {files: [" + files +
         "]}\nstop: {time: 60s}";
}
RanCase ran(const std::string& protocol, const std::string& files) {
  return ran_case(of_files(protocol, files), kTwoWorkers);
}

std::vector<std::int64_t> steps(const RanCase& c) {
  std::vector<std::int64_t> out;
  for (const WorkerStory& w : read_contributions(c.outcome.log).workers) out.push_back(w.steps);
  return out;
}

std::string told(const RanCase& c, const std::string& kind) {
  const std::vector<Proof> proofs = prove(c.job, c.outcome).value();
  for (const Verdict& v : judge(c.outcome.log, read_contributions(c.outcome.log), c.outcome.tasks, proofs))
    if (v.kind == kind) return v.text;
  return "";
}
std::string stuck(const RanCase& c) { return told(c, "stuck"); }

// Worker 0 reads two epochs of 300 records a file, worker 1 three of 200: 4,800 records each.
TEST(InputFiles, end_training_when_their_records_are_used_up) {
  const RanCase c = ran("async", "{name: '*', records: 200, task: worker/1}, {name: 'data/part-*', records: 300}");
  EXPECT_THAT(steps(c), ElementsAre(75, 75));
  EXPECT_EQ(stuck(c), "");
  EXPECT_LT(c.outcome.log.ended_at - c.outcome.log.started_at, 10 * kSecond) << "all have left";
}

TEST(InputFiles, of_one_worker_that_end_early_leave_the_others_waiting) {
  const RanCase uneven = ran("sync", "{name: '*', records: 60, task: worker/1}, {name: '*', records: 300}");
  EXPECT_EQ(steps(uneven).at(1), 3 * 8 * 60 / 64);
  EXPECT_THAT(stuck(uneven), HasSubstr("s, as its data was at its end"));
  EXPECT_EQ(stuck(ran("sync", "{name: '*', records: 1000000}")), "") << "while there is data";
}

// Of five epochs that the two count together, one takes two.
TEST(InputFiles, that_are_read_in_epochs_of_all_workers_are_noted) {
  const auto notes = [](const RanCase& c) { return make_report(c.scenario, c.job, c.outcome, {}).notes; };
  EXPECT_THAT(
      notes(ran("async", "{name: '*', records: 300}")),
      testing::Contains("input/input_producer/limit_epochs/epochs is on ps 0 and counts up to 5 for all workers "
                        "together. For 5 epochs of each worker, make its queue of file names under tf.device "
                        "of that worker."));
  EXPECT_THAT(notes(ran("async", "{name: '*', records: 1000000}")), Not(testing::Contains(HasSubstr("epochs"))));
}

TEST(InputFiles, of_an_asynchronous_worker_that_end_early_are_told) {
  EXPECT_THAT(told(ran("async", "{name: '*', records: 60, task: worker/1}, {name: '*', records: 300}"), "went_on"),
              testing::AllOf(HasSubstr("The data of worker 1 was at its end at "), HasSubstr("same work takes ")));
  const RanCase even = ran("async", "{name: '*', records: 200, task: worker/1}, {name: 'data/part-*', records: 300}");
  EXPECT_EQ(told(even, "went_on"), "");
}

// The chief's session breaks long after worker 1 had left.
TEST(InputFiles, that_end_are_no_queue_that_the_chief_closed) {
  const RanCase c = ran_case(
      "build: {graph: input_files_ps1_task0, protocol: sync, replicas_to_aggregate: 1}\n"
      "feeds: {files: [{name: '*', records: 60, task: worker/1}, {name: '*', records: 3000}]}\n"
      "faults: [{at: 3s, disconnect: [worker/0, ps/0]}]\nstop: {time: 20s}",
      kTwoWorkers);
  EXPECT_EQ(steps(c).at(1), 22);
  EXPECT_THAT(told(c, "ended_early"), Not(HasSubstr("worker 1 after 22 steps")));
}

TEST(InputFiles, with_too_little_for_a_batch_are_told) {
  EXPECT_THAT(
      told(ran("async", "{name: '*', records: 0}"), "not_started"),
      HasSubstr("the data of worker 0 and worker 1 was at its end before a first batch was full. To do: give the "
                "readers files with more records."));
  EXPECT_THAT(told(ran("sync", "{name: '*', records: 1}"), "no_aggregate"),
              HasSubstr("The data of all workers was at its end before the first aggregate was complete: "));
  EXPECT_EQ(told(ran("async", "{name: '*', records: 300}"), "not_started"), "");
}

TEST(InputFiles, that_nothing_is_said_of_never_end) {
  const RanCase c = ran_case("build: {graph: input_files_ps1_task0, protocol: async}\nstop: {time: 20s}", kTwoWorkers);
  EXPECT_GT(steps(c).at(0), 290) << "of 20,000 records, which one reader reads one after the other";
  EXPECT_LE(steps(c).at(0), 20'000 / 64);
}

// What the queue runner of the readers logs.
std::vector<std::string> reported(const RanCase& c) {
  std::vector<std::string> out;
  for (const LoggedEvent& e : c.outcome.log.events())
    if (const auto* l = std::get_if<LogLine>(&e.event); l != nullptr)
      if (const std::string text(c.outcome.log.name(l->text)); text.starts_with("Error reported to Coordinator"))
        out.push_back(text);
  return out;
}

TEST(InputFiles, that_are_missing_are_an_error_of_their_reader) {
  EXPECT_THAT(reported(ran("async", "{name: 'data/part-0000?', records: 5}")),
              testing::Contains(HasSubstr("data/part-00012; No such file or directory")));
}

// Worker 1 finds but the first of them, and fails before its first step.
TEST(InputFiles, that_one_worker_does_not_find_are_what_the_others_wait_for) {
  const auto with_tokens = [](int tokens) {
    return ran(fmt::format("sync, num_tokens: {}", tokens),
               "{name: 'data/part-0000?', records: 5, task: worker/1}, {name: '*', records: 1000000, task: worker/0}");
  };
  const RanCase none = with_tokens(0);
  EXPECT_THAT(stuck(none), HasSubstr("The cause: worker 1 left training with an error at 0.000 s (data/part-00012; No "
                                     "such file or directory). The accumulator"));
  EXPECT_THAT(stuck(none), HasSubstr("To do: put data/part-00012 where its readers look for it, or give them names"));
  const RanCase some = with_tokens(-1);
  EXPECT_EQ(stuck(some), "");
  EXPECT_EQ(told(some, "fair"), "") << "of one worker of two";
  EXPECT_THAT(told(ran("sync, num_tokens: -1", "{name: '*', records: 1000000}"), "fair"), HasSubstr("the 2 workers"));
}

// The graph's reader passes over one line, and its decoder takes eleven columns.
TEST(InputFiles, have_the_bytes_of_a_file) {
  const Folder folder;
  const auto said = [&folder](const std::string& lines) {
    return reported(ran("async", "{name: '*', from: " + folder.put("input.csv", lines) + "}"));
  };
  const std::string head = "head\n0,1,2,3,4,5,6,7,8,9,1\n";
  EXPECT_THAT(said(head + "0,1,2,3,4,5,6,7,8,nine,1\n"),
              testing::Contains(HasSubstr("Field 9 in record 0 is not a valid float: nine")));
  EXPECT_THAT(said(head), IsEmpty());
}

std::string mistake(const std::string& files) {
  const auto s = parse_scenario(kTwoWorkers + of_files("async", files) + "\n", "s.yaml");
  if (!s.ok()) return std::string(text_of(s.status()));
  return std::string(text_of(make_job(*s, {kGraphs, false, {}}).status()));
}

TEST(InputFiles, that_no_reader_would_find_are_mistakes) {
  const std::string last = " before it stands for the same files; put this one first";
  EXPECT_EQ(mistake("{name: '*', records: 9}, {name: a, records: 1, task: worker/1}"),
            "s.yaml:8:42: feeds: files: no reader would find 'a': '*'" + last);
  EXPECT_THAT(mistake("{name: 'd*', records: 9}, {name: data, records: 1}"), HasSubstr("'data': 'd*'" + last));
  EXPECT_THAT(mistake("{name: 'd*', records: 9}, {name: 'd*', records: 1}"), HasSubstr("'d*': 'd*'" + last));
  EXPECT_THAT(mistake("{name: 'd?t[ab]', records: 9}, {name: data, records: 1}"),
              HasSubstr("'data': 'd?t[ab]'" + last));
  EXPECT_THAT(mistake("{name: 'd?t[ab]', records: 9}, {name: data, records: 1, task: worker/1}"), HasSubstr(last));
  EXPECT_EQ(mistake("{name: 'd?t[!a]', records: 9}, {name: data, records: 1}"), "");
  EXPECT_EQ(mistake("{name: 'd?t[ab]', records: 9, task: worker/0}, {name: data, records: 1}"), "");
  EXPECT_EQ(mistake("{name: 'd*', records: 9}, {name: '*a', records: 1}"), "");
  EXPECT_EQ(mistake("{name: 'd?', records: 9}, {name: 'd*', records: 1}"), "") << "'d*' is no name of one file";
  EXPECT_THAT(mistake("{name: 'd*', records: 9}, {name: 'd*', records: 1, task: worker/1}"), HasSubstr(last));
  EXPECT_EQ(mistake("{name: '*', records: 9, task: worker/1}, {name: a, records: 1, task: worker/0}"), "");
  EXPECT_EQ(mistake("{name: '*', records: 9, task: worker/1}, {name: a, records: 1}"), "");
}

TEST(InputFiles, are_said_with_records_or_with_bytes) {
  const std::string either = "s.yaml:8:17: expected either 'records' or 'from', which say what is in the file";
  EXPECT_EQ(mistake("{name: a}"), either);
  EXPECT_EQ(mistake("{name: a, records: 1, from: b}"), either);
  EXPECT_THAT(mistake("{name: a, records: 1, task: worker/2}"), HasSubstr("s.yaml:8:45: unknown task 'worker/2'"));
  EXPECT_THAT(mistake("{name: a, from: nowhere.csv}"), HasSubstr("s.yaml:8:17: "));
  EXPECT_THAT(mistake("{name: a, from: nowhere.csv}"), HasSubstr("nowhere.csv"));
}

}  // namespace
}  // namespace tarry
