// The tables of told stories, as CSV.

#include "results/tables/run_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/tables/csv.hpp"
#include "results/told_story.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

std::string csv_of(const EventLog& log, std::string_view table, const std::vector<Verdict>& verdicts = {}) {
  const RunRows rows = read_rows(log, kTasks, verdicts);
  for (const Table& t : run_tables(rows))
    if (t.name == table) return csv_text(t);
  return "no such table";
}

EventLog named(std::vector<std::string> names) {
  EventLog log(true);
  log.set_names(std::move(names));
  return log;
}

TEST(RunTables, name_tasks_as_scenarios_do) {
  EXPECT_EQ(csv_of(EventLog(), "tasks"),
            "task,full_name,host\nps/0,/job:ps/replica:0/task:0,\nworker/0,/job:worker/replica:0/task:0,\n"
            "worker/1,/job:worker/replica:0/task:1,\n");
}

TEST(RunTables, number_steps_and_of_each_task_its_training_steps) {
  EventLog log;
  log.add(1, StepBegan{kChief, StepId{0xa}, Purpose::init});
  log.add(2, StepEnded{kChief, StepId{0xa}, 0});
  log.add(3, StepBegan{kChief, StepId{0xb}, Purpose::train});
  log.add(4, StepBegan{kOther, StepId{0xc}, Purpose::train});
  log.add(5, StepEnded{kChief, StepId{0xb}, 4});
  log.add(6, StepBegan{kChief, StepId{0xd}, Purpose::train});
  EXPECT_EQ(csv_of(log, "steps"),
            "step,step_id,task,purpose,number,began_ns,ended_ns,duration_ns,code\n"
            "1,a,worker/0,init,,1,2,1,0\n2,b,worker/0,train step,1,3,5,2,4\n"
            "3,c,worker/1,train step,1,4,,,\n4,d,worker/0,train step,2,6,,,\n");
}

TEST(RunTables, count_time_since_the_start_of_training) {
  EventLog log = named({"dev", "n", "Op", "RecvTensor reply", ""});
  log.started_at = 100;
  log.add(90, StepBegan{kChief, StepId{1}, Purpose::train});
  log.add(130, KernelRan{kChief, NameId{0u}, NameId{1u}, NameId{2u}, StepId{1}, 120});
  log.add(150, MessageDelivered{kPs, kChief, NameId{3u}, 8, 140, NameId{4u}, StepId{1}});
  log.add(160, Enqueued{kPs, NameId{0u}, StepId{1}, 5});
  EXPECT_THAT(csv_of(log, "steps"), HasSubstr("\n1,1,worker/0,train step,1,-10,,,\n"));
  EXPECT_THAT(csv_of(log, "kernels"), HasSubstr("\nworker/0,dev,n,Op,1,20,30,10\n"));
  EXPECT_THAT(csv_of(log, "messages"), HasSubstr("\nps/0,worker/0,RecvTensor reply,,1,8,40,50,10\n"));
  EXPECT_THAT(csv_of(log, "queue_moves"), HasSubstr("\n60,ps/0,dev,1,1,5\n"));
  EXPECT_THAT(csv_of(log, "levels"), HasSubstr("\n60,ps/0,elements in,dev,1\n"));
}

TEST(RunTables, leave_the_end_open_of_what_the_end_of_the_run_cut_off) {
  EventLog log = named({"dev", "n", "Op", "RecvTensor reply", "a;1;b;edge_1_w;0:0"});
  log.add(9, KernelCutOff{kChief, NameId{0u}, NameId{1u}, NameId{2u}, StepId{1}, 4});
  log.add(9, MessageCutOff{kPs, kChief, NameId{3u}, 8, 5, NameId{4u}});
  EXPECT_THAT(csv_of(log, "kernels"), HasSubstr("\nworker/0,dev,n,Op,,4,,\n"));
  EXPECT_THAT(csv_of(log, "messages"), HasSubstr("\nps/0,worker/0,RecvTensor reply,edge_1_w,,8,5,,\n"));
}

TEST(RunTables, say_of_each_gradient_whose_it_was_and_the_aggregate_that_took_it) {
  Story s = two_workers();
  s.push(1, 1).push(2, 2, false).push(3, 2).aggregate(4, 2).push(5, 1);
  EXPECT_EQ(csv_of(s.log, "gradients"),
            "at_ns,worker,task,accumulator,step,local_step,accumulator_step,accepted,aggregate\n"
            "1000000000,worker/0,ps/0,v:0/grad_accum,1,0,0,1,1\n2000000000,worker/1,ps/0,v:0/grad_accum,2,0,0,0,\n"
            "3000000000,worker/1,ps/0,v:0/grad_accum,2,0,0,1,1\n5000000000,worker/0,ps/0,v:0/grad_accum,1,0,0,1,\n");
  EXPECT_EQ(csv_of(s.log, "aggregates"),
            "task,accumulator,aggregate,at_ns,required,gradients,accumulator_step\n"
            "ps/0,v:0/grad_accum,1,4000000000,2,2,1\n");
}

TEST(RunTables, give_no_aggregate_the_gradients_that_were_lost_with_the_process_of_their_accumulator) {
  Story s = two_workers();
  s.push(1, 1).at(2, ProcessEnded{kPs}).push(3, 2).at(4, ProcessEnded{kOther}).push(5, 2).aggregate(6, 2);
  EXPECT_THAT(csv_of(s.log, "gradients"), HasSubstr("\n1000000000,worker/0,ps/0,v:0/grad_accum,1,0,0,1,\n"));
  EXPECT_THAT(csv_of(s.log, "gradients"), HasSubstr("\n3000000000,worker/1,ps/0,v:0/grad_accum,2,0,0,1,1\n"));
  EXPECT_THAT(csv_of(s.log, "gradients"), HasSubstr("\n5000000000,worker/1,ps/0,v:0/grad_accum,2,0,0,1,1\n"));
}

TEST(RunTables, tell_faults_with_their_tasks_and_the_ends_and_beginnings_of_processes) {
  EventLog log = named({"worker 1 is slow", "slow", kTasks.names[2], "", "host0"});
  log.add(1, ConditionChanged{NameId{0u}, NameId{1u}, NameId{2u}, NameId{3u}});
  log.add(2, ConditionChanged{NameId{0u}, NameId{1u}, NameId{4u}, NameId{2u}, false});
  log.add(3, ProcessEnded{kOther});
  log.add(4, ProcessBegan{kOther, 1});
  EXPECT_EQ(csv_of(log, "faults"),
            "at_ns,kind,what,a,b,holds\n1,slow,worker 1 is slow,worker/1,,1\n2,slow,worker 1 is slow,host0,worker/1,0\n"
            "3,process ends,process ends,worker/1,,\n4,process begins,process begins,worker/1,,\n");
}

TEST(RunTables, tell_sessions_log_lines_and_assigned_scalars) {
  EventLog log = named({"global_step", "a, b", "gone"});
  log.add(1, ScalarAssigned{kPs, NameId{0u}, StepId{1}, 7});
  log.add(2, LogLine{kChief, 'W', NameId{1u}});
  log.add(3, SessionMoved{kChief, SessionStage::left_loop, NameId{2u}});
  EXPECT_THAT(csv_of(log, "assigned"), HasSubstr("\n1,ps/0,global_step,,7\n"));
  EXPECT_THAT(csv_of(log, "log_lines"), HasSubstr("\n2,worker/0,W,\"a, b\"\n"));
  EXPECT_THAT(csv_of(log, "sessions"), HasSubstr("\n3,worker/0,left loop,gone\n"));
}

TEST(RunTables, number_the_verdicts_in_the_order_in_which_they_are_told) {
  EXPECT_EQ(csv_of(EventLog(), "verdicts", {{"stuck", "one\ntwo"}, {"slowed", "three"}}),
            "number,kind,text\n1,stuck,\"one\ntwo\"\n2,slowed,three\n");
}

TEST(RunTables, are_the_same_for_every_run) {
  const RunRows none;
  const std::vector<Table> tables = run_tables(none);
  const std::vector<std::string> names = run_table_names();
  ASSERT_EQ(tables.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(tables[i].name, names[i]);
}

}  // namespace
}  // namespace tarry
