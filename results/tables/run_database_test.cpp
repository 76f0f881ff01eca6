// The views of told stories: what each answers.

#include "results/tables/run_database.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/core/folder_test.hpp"
#include "results/tables/run_tables.hpp"
#include "results/tables/sqlite.hpp"
#include "results/tables/views.hpp"
#include "results/told_story.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;

std::string bytes_of(const EventLog& log, const std::vector<Verdict>& verdicts = {}) {
  const RunRows rows = read_rows(log, kTasks, verdicts);
  return run_database(run_tables(rows), {{"title", "it's"}, {"ended_ns", cell(log.ended_at)}}).value();
}

// "a|b|3" for each row, as SQLite's shell prints it.
std::vector<std::string> asked(const std::string& bytes, const std::string& sql) {
  const Folder folder;
  const auto database = SqlDatabase::open(folder.put("run.sqlite", bytes)).value();
  SqlStatement s = database.prepare(sql).value();
  std::vector<std::string> out;
  while (s.next().value()) {
    out.push_back(s.text(0));
    for (int c = 1; c < s.columns(); ++c) out.back() += "|" + s.text(c);
  }
  return out;
}
std::vector<std::string> asked(const EventLog& log, const std::string& sql) { return asked(bytes_of(log), sql); }

EventLog log_with(std::vector<std::string> names) {
  EventLog log(true);
  log.set_names(std::move(names));
  return log;
}

EventLog with_steps() {
  EventLog log = log_with({"worker 1 is slow", "slow", kTasks.names[2], ""});
  const auto step = [&](TaskId task, std::uint64_t id, Nanos from) {
    log.add(from, StepBegan{task, StepId{id}, Purpose::train});
  };
  const auto ends = [&](TaskId task, std::uint64_t id, Nanos to) { log.add(to, StepEnded{task, StepId{id}, 0}); };
  step(kChief, 1, 0), step(kOther, 2, 0), ends(kChief, 1, 10);
  step(kChief, 3, 10), ends(kChief, 3, 30), ends(kOther, 2, 30);
  step(kChief, 4, 31), ends(kChief, 4, 32), step(kOther, 5, 33);
  return log;
}

TEST(RunDatabase, has_the_rows_of_every_table_as_they_are) {
  Story s = two_workers();
  s.push(1, 1).push(2, 2, false).aggregate(3, 1);
  const RunRows rows = read_rows(s.log, kTasks, {{"stuck", "o'clock"}});
  const std::string bytes = bytes_of(s.log, {{"stuck", "o'clock"}});
  for (const Table& t : run_tables(rows))
    EXPECT_EQ(asked(bytes, "SELECT count(*) FROM " + std::string(t.name))[0], std::to_string(t.rows)) << t.name;
  EXPECT_THAT(asked(bytes, "SELECT * FROM verdicts"), ElementsAre("1|stuck|o'clock"));
  EXPECT_THAT(asked(bytes, "SELECT accepted, aggregate, typeof(aggregate) FROM gradients"),
              ElementsAre("1|1|integer", "0||null"));
  EXPECT_THAT(asked(bytes, "SELECT key, value, typeof(value) FROM run"),
              ElementsAre("ended_ns|3000000000|integer", "title|it's|text"));
}

TEST(RunDatabase, of_one_run_has_the_same_bytes_each_time) {
  EXPECT_EQ(bytes_of(two_workers().log), bytes_of(two_workers().log));
}

TEST(RunDatabase, has_views_that_say_what_question_they_answer) {
  const std::string bytes = bytes_of(two_workers().log);
  for (const View& v : run_views()) {
    (void)asked(bytes, "SELECT * FROM " + std::string(v.name));
    const auto made = asked(bytes, "SELECT sql FROM sqlite_master WHERE name = '" + std::string(v.name) + "'");
    EXPECT_THAT(made, ElementsAre(testing::HasSubstr(v.question)));
  }
}

TEST(Views, rank_the_training_steps_of_each_task_the_slowest_first) {
  EXPECT_THAT(asked(with_steps(), "SELECT task, rank, number, duration_ns FROM slowest_steps"),
              ElementsAre("worker/0|1|2|20", "worker/0|2|1|10", "worker/0|3|3|1", "worker/1|1|1|30"));
}

TEST(Views, count_the_steps_of_others_that_ended_during_a_step) {
  EXPECT_THAT(asked(with_steps(), "SELECT task, number, updates_by_others FROM step_staleness"),
              ElementsAre("worker/0|1|0", "worker/0|2|1", "worker/0|3|0", "worker/1|1|2"));
}

TEST(Views, tell_the_steps_before_during_and_after_a_fault) {
  EventLog log = with_steps();
  log.add(11, ConditionChanged{NameId{0u}, NameId{1u}, NameId{2u}, NameId{3u}});
  EXPECT_THAT(asked(log, "SELECT a, task, number, relation FROM steps_around_faults"),
              ElementsAre("worker/1|worker/0|1|before", "worker/1|worker/0|2|under way", "worker/1|worker/0|3|after",
                          "worker/1|worker/1|1|under way", "worker/1|worker/1|2|after"));
}

TEST(Views, sum_kernels_by_device_and_by_op_and_leave_out_what_has_not_ended) {
  EventLog log = log_with({"gpu", "cpu", "a", "MatMul", "Add"});
  const auto ran = [&](std::size_t device, std::size_t op, Nanos from, Nanos to) {
    log.add(to, KernelRan{kChief, NameId{device}, NameId{2u}, NameId{op}, StepId{1}, from});
  };
  ran(0, 3, 0, 10), ran(1, 4, 5, 25), ran(0, 4, 20, 50);
  log.add(60, KernelCutOff{kChief, NameId{1u}, NameId{2u}, NameId{4u}, StepId{1}, 51});
  EXPECT_THAT(asked(log, "SELECT * FROM busiest_devices"), ElementsAre("gpu|2|40|30|0|50", "cpu|1|20|20|5|25"));
  EXPECT_THAT(asked(log, "SELECT * FROM kernels_by_op"), ElementsAre("Add|2|50|25|30", "MatMul|1|10|10|10"));
  EXPECT_THAT(asked(log, "SELECT what, task, name, since_ns FROM unfinished"), ElementsAre("kernel|worker/0|a|51"));
}

TEST(Views, tell_traffic_by_link_and_which_messages_were_late_on_theirs) {
  EventLog log = log_with({"RecvTensor reply"});
  log.add(10, MessageDelivered{kPs, kChief, NameId{0u}, 100, 5});
  log.add(30, MessageDelivered{kPs, kChief, NameId{0u}, 50, 10});
  log.add(90, MessageDelivered{kChief, kPs, NameId{0u}, 7, 40});
  log.add(95, MessageCutOff{kPs, kChief, NameId{0u}, 1, 91});
  EXPECT_THAT(asked(log, "SELECT * FROM traffic"),
              ElementsAre("ps/0|worker/0|3|151|5|12|20", "worker/0|ps/0|1|7|50|50|50"));
  EXPECT_THAT(asked(log, "SELECT late_ns, from_task, bytes FROM late_messages"), ElementsAre("15|ps/0|50"));
}

TEST(Views, say_who_filled_each_aggregate_and_whose_gradients_were_dropped) {
  Story s = two_workers();
  s.push(1, 1).push(2, 1).push(3, 2, false).aggregate(4, 2).push(5, 2).push(6, 1).aggregate(7, 2);
  EXPECT_THAT(asked(s.log, "SELECT aggregate, worker, gradients FROM aggregate_workers"),
              ElementsAre("1|worker/0|2", "2|worker/0|1", "2|worker/1|1"));
  EXPECT_THAT(asked(s.log, "SELECT worker, pushed, accepted, dropped FROM dropped_gradients"),
              ElementsAre("worker/0|3|3|0", "worker/1|2|1|1"));
}

TEST(Views, count_how_far_behind_gradients_were) {
  EventLog log = log_with({"a"});
  log.add(1, StepBegan{kChief, StepId{1}, Purpose::train});
  log.add(2, GradientPushed{kPs, NameId{0u}, StepId{1}, 4, 4, true});
  log.add(3, GradientPushed{kPs, NameId{0u}, StepId{1}, 4, 6, false});
  EXPECT_THAT(asked(log, "SELECT * FROM gradient_staleness"), ElementsAre("worker/0|0|1|1", "worker/0|2|1|0"));
}

TEST(Views, put_what_happened_in_one_order_and_the_verdicts_at_the_end) {
  Story s = two_workers();
  s.push(1, 2, false).aggregate(2, 1).at(3, ProcessEnded{kOther});
  EXPECT_THAT(
      asked(bytes_of(s.log, {{"lost", "in words"}}), "SELECT at_ns / 1000000000, what, task, told FROM time_line"),
      ElementsAre("0|session ready|worker/0|", "0|session ready|worker/1|",
                  "1|gradient dropped|worker/1|v:0/grad_accum", "2|aggregate|ps/0|v:0/grad_accum 1",
                  "3|fault|worker/1|process ends", "3|verdict|lost|in words"));
}

}  // namespace
}  // namespace tarry
