// Where verdicts begin: one test just below each number, one at it; and their exit codes.

#include "results/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "results/told_story.hpp"
#include "results/verdicts/standing.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::Not;

// ---- exit codes ----

TEST(ExitCodes, of_verdicts_are_those_that_programs_rely_on) {
  std::map<std::string_view, ExitCode> not_ok;
  for (const VerdictKind& v : verdict_table())
    if (v.exit_code != kOk) not_ok[v.kind] = v.exit_code;
  EXPECT_EQ(not_ok, (std::map<std::string_view, ExitCode>{{"failed", kExpectationFailed},
                                                          {"not_started", kExpectationFailed},
                                                          {"ended_early", kExpectationFailed},
                                                          {"no_aggregate", kExpectationFailed},
                                                          {"law_broken", kSafety},
                                                          {"stuck", kDeadlock}}));
}

TEST(ExitCodes, of_several_verdicts_is_that_of_the_worst) {
  EXPECT_EQ(exit_code_of(std::vector<Verdict>{{"fair", ""}}), 0);
  EXPECT_EQ(exit_code_of(std::vector<Verdict>{{"fair", ""}, {"failed", ""}, {"uneven", ""}}), 1);
  EXPECT_EQ(exit_code_of(std::vector<Verdict>{{"went_on", ""}, {"stuck", ""}, {"uneven", ""}}), 4);
  EXPECT_EQ(exit_code_of(std::vector<Verdict>{{"failed", ""}, {"stuck", ""}}), 4);
  EXPECT_EQ(exit_code_of(std::vector<Verdict>{{"failed", ""}, {"law_broken", ""}}), 3);
}

// ---- starved ----

std::string starved(int accepted, int dropped) {
  Story s = two_workers();
  for (int i = 0; i < accepted; ++i) s.push(1, 2);
  for (int i = 0; i < dropped; ++i) s.push(2, 2, false);
  return s.told("starved");
}

TEST(Starved, is_a_worker_of_three_gradients_or_more) {
  EXPECT_EQ(starved(0, 2), "");
  EXPECT_THAT(starved(0, 3), HasSubstr("3 of 3 gradients that worker 1 pushed to v:0 were dropped"));
}

TEST(Starved, is_a_worker_nine_tenths_of_whose_gradients_were_dropped) {
  EXPECT_EQ(starved(1, 8), "");
  EXPECT_THAT(starved(1, 9), HasSubstr("9 of 10 gradients"));
}

// Of both workers' gradients so many are used and so many dropped.
std::string starved_among(int used, int dropped, int own_used, int own_dropped) {
  Story s = two_workers();
  for (int i = 0; i < used; ++i) s.push(1, 1);
  for (int i = 0; i < dropped; ++i) s.push(2, 1, false);
  for (int i = 0; i < own_used; ++i) s.push(1, 2);
  for (int i = 0; i < own_dropped; ++i) s.push(2, 2, false);
  return s.told("starved");
}

TEST(Starved, is_no_worker_that_fares_as_all_do_where_most_gradients_are_dropped) {
  EXPECT_EQ(starved_among(25, 175, 18, 182), "") << "an eighth of all are used";
  EXPECT_EQ(starved_among(5, 35, 2, 38), "") << "it may be chance";
  EXPECT_THAT(starved_among(59, 380, 0, 60), HasSubstr("60 of 60 gradients")) << "no chance is so small";
  EXPECT_THAT(starved_among(25, 175, 5, 195), HasSubstr("195 of 200 gradients that worker 1 pushed"));
  EXPECT_THAT(starved_among(150, 50, 18, 182), HasSubstr("182 of 200 gradients")) << "most of the others' are used";
  EXPECT_THAT(starved_among(8, 2, 0, 3), HasSubstr("3 of 3 gradients"));
}

// ---- backup, over_full ----

Story needs(std::int64_t required) {
  Story s = two_workers();
  s.take(1, required).push(1, 1).push(1, 2, required == 2).aggregate(2, required);
  return s;
}

TEST(Backup, is_told_where_fewer_gradients_are_asked_for_than_there_are_workers) {
  EXPECT_EQ(needs(2).told("backup"), "");
  EXPECT_THAT(needs(1).told("backup"),
              HasSubstr("There are 2 workers, and an aggregate needs 1 gradient: each aggregate leaves 1 over"));
  EXPECT_THAT(needs(1).told("backup"), HasSubstr("1 of 2 gradients (50 %) were computed for nothing"));
}

TEST(OverFull, is_an_aggregate_of_one_gradient_more_than_was_asked_for) {
  Story s = two_workers();
  EXPECT_EQ(s.aggregate(1, 2).told("over_full"), "");
  EXPECT_THAT(s.aggregate(2, 3).told("over_full"),
              HasSubstr("1 of 2 aggregates of v:0 holds more gradients than the 2"));
}

// ---- no_aggregate ----

TEST(NoAggregate, tells_when_the_first_one_would_be_there_in_seconds_or_from_an_hour_on_in_hours) {
  Story soon = two_workers(), late = two_workers(), never = two_workers();
  EXPECT_THAT(soon.push(1, 1).at(1799, KernelCutOff{}).told("no_aggregate"),  // the other one computes
              HasSubstr("1 of 2 gradients were there. At this pace the first one would be complete after 3598.0 s."));
  EXPECT_THAT(late.push(1, 1).at(1800, KernelCutOff{}).told("no_aggregate"), HasSubstr("complete after 1.0 h."));
  EXPECT_THAT(never.at(1, LogLine{kChief, 'I', kNoDetail}).told("no_aggregate"), Not(HasSubstr("At this pace")));
}

TEST(NoAggregate, tells_no_pace_and_who_is_to_come_where_a_worker_has_not_begun) {
  const auto told = [](std::int64_t planned) {
    Story s;
    s.ready(0, kChief).at(0, SyncPlanned{kChief, 2, planned, 0}).step(0, kChief, 1).take(0, 2).push(1, 1).push(1, 1);
    return s.at(2, ConditionChanged{kNoDetail, kNoDetail, kNoDetail, kNoDetail, true}).told("no_aggregate");
  };
  EXPECT_THAT(told(2), HasSubstr("2 of 2 gradients were there, and worker 1 had begun no step. To do: let it run "
                                 "longer, or aggregate fewer gradients (1 of 2 workers had begun)."));
  EXPECT_THAT(told(1), HasSubstr("2 of 2 gradients were there. To do")) << "no other is part of the job";
}

// ---- absent ----

TEST(Absent, counts_the_workers_of_the_plan_that_never_began) {
  Story s = two_workers();
  s.at(0, SyncPlanned{kChief, 2, 3, 0});
  EXPECT_EQ(s.told("absent"), "") << "the run ended before the first aggregate, which tells who had begun no step";
  s.push(0, 1).push(0, 2).aggregate(0).at(0, SyncPlanned{kChief, 2, 2, 0});
  EXPECT_EQ(s.told("absent"), "");
  const std::string one = s.at(0, SyncPlanned{kChief, 2, 3, 0}).told("absent");
  EXPECT_THAT(one, HasSubstr("The graph is for 3 workers, one never began a step. The others suffice for the 2 "
                             "gradients of an aggregate, and use its tokens"));
  EXPECT_THAT(one, HasSubstr("goes on without its data. To do: start it, or build the graph for 2 workers."));
  EXPECT_THAT(s.at(0, SyncPlanned{kChief, 2, 4, 0}).told("absent"), HasSubstr("4 workers, 2 never began a step."));
  EXPECT_THAT(s.told("absent"), HasSubstr("without their data. To do: start the workers that are missing, or build"));
}

TEST(Absent, says_who_it_is_and_that_its_gradients_are_needed_all_the_same) {
  Story s;
  s.ready(0, kChief).step(0, kChief, 1).take(0, 3).aggregate(0, 3).at(0, SyncPlanned{kChief, 3, 2, 0});
  const std::string told = s.told("absent");
  EXPECT_THAT(told,
              HasSubstr("The graph is for 2 workers, worker 1 never began a step. An aggregate needs 3 gradients all "
                        "the same: the others make those of the missing ones, with their tokens"));
  EXPECT_THAT(told, Not(HasSubstr("Nothing waits")));
}

TEST(Absent, is_a_client_that_looked_for_the_model_in_vain) {
  Story s;
  s.ready(0, kChief).step(0, kChief, 1).at(1, SessionMoved{kOther, SessionStage::created, kNoDetail});
  EXPECT_EQ(s.told("absent"), "");
  s.at(2, SessionMoved{kOther, SessionStage::waiting, kNoDetail});
  EXPECT_THAT(s.told("absent"), HasSubstr("worker 1 never began a step: it looked for the model once"));
  s.at(2, SessionMoved{kOther, SessionStage::waiting, kNoDetail});
  EXPECT_THAT(s.told("absent"),
              HasSubstr("it looked for the model 2 times, and did not find it ready. Between two looks a "
                        "worker waits, by default for 30 s. To do: start the workers after the chief"));
  s.at(3, SessionMoved{kOther, SessionStage::ready, kNoDetail}).at(0, SyncPlanned{kChief, 2, 2, 0});
  EXPECT_EQ(s.take(3, 2).told("absent"), "") << "it found the model, and the run was over before its first step";
}

// ---- losses and faults ----

int count_of(const Story& s, const std::string& kind, std::span<const Proof> proofs = {}) {
  int n = 0;
  for (const Verdict& v : judge(s.log, s.contributions(), kTasks, proofs)) n += v.kind == kind;
  return n;
}

TEST(Fair, is_said_of_no_run_that_lost_a_process) {
  Story s = two_workers();
  s.push(1, 1).push(1, 2).aggregate(1);
  EXPECT_THAT(s.told("fair"), HasSubstr("holds one gradient of each of the 2 workers"));
  EXPECT_EQ(s.at(1.1, ProcessEnded{kPs}).told("fair"), "");
}

TEST(Fair, is_said_of_a_run_that_lost_a_server_without_a_part_in_it) {
  Story s = two_workers();
  TaskNames tasks = kTasks;
  tasks.names.push_back("/job:ps/replica:0/task:1");
  s.push(1, 1).push(1, 2).aggregate(1).at(1.1, ProcessEnded{TaskId{3u}}).at(1.2, ProcessBegan{TaskId{3u}, 1});
  const auto told = [&] { return judge(s.log, s.contributions(), tasks); };
  EXPECT_TRUE(std::ranges::any_of(told(), [](const Verdict& v) { return v.kind == "fair"; }));
  s.at(1.3, Enqueued{TaskId{3u}, kGlobalStep, StepId{1}, 0});
  EXPECT_TRUE(std::ranges::none_of(told(), [](const Verdict& v) { return v.kind == "fair"; })) << "it holds a queue";
}

TEST(Fair, tells_drops_for_the_initial_tokens_from_later_ones) {
  Story s = two_workers();
  s.at(0, StepBegan{kChief, StepId{50}, Purpose::init_tokens}).at(0, Enqueued{kPs, kGlobalStep, StepId{50}, 0});
  s.push(1, 1).push(1, 2).aggregate(1).push(1.5, 1, false).push(2, 1).push(2, 2).aggregate(2);
  EXPECT_THAT(s.told("fair"), HasSubstr("1 gradient was dropped at the start, for the initial tokens."));
  s.push(3, 1).push(3, 2).aggregate(3).push(3.5, 2, false);
  EXPECT_THAT(s.told("fair"),
              HasSubstr("2 gradients were dropped: 1 at the start, for the initial tokens, and 1 later."));
}

TEST(Fair, says_so_where_a_worker_has_several_gradients_in_an_aggregate) {
  Story s = two_workers();
  s.take(0, 4).push(1, 1).push(1, 2).push(1, 1).push(1, 2).aggregate(1, 4);
  EXPECT_THAT(s.told("fair"), HasSubstr("holds gradients of each of the 2 workers"));
}

TEST(Failed, tells_clients_of_one_error_once) {
  Story s = two_workers();
  s.at(1, SessionMoved{kChief, SessionStage::failed, kNoDetail});
  EXPECT_THAT(s.told("failed"), HasSubstr("worker 0 left training at 1.000 s with an error: "));
  s.at(2, SessionMoved{kOther, SessionStage::failed, kNoDetail})
      .at(3, SessionMoved{kChief, SessionStage::failed, kNoDetail});
  EXPECT_THAT(s.told("failed"),
              HasSubstr("worker 0 and worker 1 left training from 1.000 s to 3.000 s with the same error: "));
}

TEST(Asynchronous, tells_the_steps_of_each_worker_and_how_stale_they_are) {
  Story s;
  s.step(0, kChief, 1).step(0, kOther, 2).ended(1, kChief, 1).step(1, kChief, 3).ended(2, kOther, 2);
  s.step(2, kOther, 4).ended(3, kOther, 4).ended(4, kChief, 3);
  EXPECT_THAT(s.told("asynchronous"), HasSubstr("worker 0 made 2 steps (2.0), worker 1 made 2 steps (0.0);"));
}

TEST(Asynchronous, of_more_than_eight_workers_tells_those_with_the_fewest_steps_and_the_most) {
  Story s;
  TaskNames tasks{{"/job:ps/replica:0/task:0"}};
  std::uint64_t id = 0;
  for (std::size_t w = 0; w < 9; ++w) {
    tasks.names.push_back("/job:worker/replica:0/task:" + std::to_string(w));
    for (std::size_t k = 0; k < (w == 4 ? 3u : w == 7 ? 1u : 2u); ++k, ++id)
      s.step(static_cast<double>(id), TaskId{w + 1}, id).ended(static_cast<double>(id) + 1, TaskId{w + 1}, id);
  }
  const std::vector<Verdict> said = judge(s.log, s.contributions(), tasks);
  ASSERT_FALSE(said.empty());
  EXPECT_THAT(
      said.back().text,
      HasSubstr(
          "of 9 workers, worker 7 made 1 step (0.0), fewest of all, and worker 4 made 3 steps (0.0), most of all;"));
}

TEST(Asynchronous, says_nothing_of_workers_that_ended_no_step) {
  Story s;
  s.ready(0, kChief).step(0, kChief, 1).step(0, kOther, 2);
  EXPECT_EQ(s.told("asynchronous"), "");
  EXPECT_NE(s.ended(1, kOther, 2).told("asynchronous"), "");
}

TEST(Causes, of_more_than_five_are_the_first_four_and_how_many_there_are) {
  const Story s = two_workers();
  const Contributions c = s.contributions();
  const Evidence e = read_evidence(s.log, c, kTasks);
  WaitsFor waits;
  waits.troubles.assign(5, {.kind = Trouble::Kind::left, .task = kOther});
  EXPECT_THAT(causes_in_words(e, waits), testing::EndsWith("worker 1 left training at 0.000 s"));
  waits.troubles.push_back(waits.troubles.front());
  EXPECT_THAT(causes_in_words(e, waits), testing::EndsWith("worker 1 left training at 0.000 s; and 2 more"));
}

TEST(WentOn, is_said_once_of_an_asynchronous_worker_that_was_lost) {
  Story s;
  s.ready(0, kChief).ready(0, kOther).step(0, kOther, 1000).ended(1, kOther, 1000).step(1, kOther, 1001);
  s.at(1.5, ProcessEnded{kOther});
  for (std::uint64_t i = 1; i < 30; ++i)
    s.step(static_cast<double>(i), kChief, i).ended(static_cast<double>(i + 1), kChief, i);
  EXPECT_EQ(count_of(s, "went_on"), 1);
}

TEST(WentOn, needs_another_worker) {
  Story s;
  s.ready(0, kChief).step(0, kChief, 1).ended(1, kChief, 1).at(1.5, ProcessEnded{kChief});
  EXPECT_EQ(s.verdicts(), (std::vector<std::string>{"stuck", "asynchronous"}));
}

TEST(WentOn, is_said_of_a_loss_when_a_standstill_has_just_ended) {
  Story s = two_workers();
  s.push(1, 1).push(1, 2).aggregate(1).at(2, ProcessEnded{kOther}).ready(9, kOther).aggregate(10);
  EXPECT_EQ(count_of(s, "went_on"), 0);
  s.at(10, ProcessEnded{kOther}).aggregate(11).aggregate(12);
  EXPECT_EQ(count_of(s, "went_on"), 1);
}

// ---- proofs ----

TEST(Proofs, of_loads_are_told_of_what_gains_most_first_and_not_of_a_job_that_stands_still) {
  Story s = two_workers();
  s.push(1, 1).push(1, 2).aggregate(1);
  const std::vector<Proof> proofs{{.cause = Proof::Cause::far_host, .what = "FIRST", .gain = 0.2},
                                  {.cause = Proof::Cause::far_host, .what = "SECOND", .gain = 0.4},
                                  {.cause = Proof::Cause::far_host, .what = "THIRD", .goes_on = true}};
  std::vector<std::string> told;
  for (const Verdict& v : judge(s.log, s.contributions(), kTasks, proofs))
    if (v.kind == "far") told.push_back(v.text.substr(19, v.text.find('.') - 19));
  EXPECT_THAT(told, testing::ElementsAre("SECOND", "FIRST"));
}

TEST(Proofs, of_a_fault_stand_with_the_loss_that_it_was_and_with_no_other) {
  Story s = two_workers();
  s.push(1, 1).push(1, 2).aggregate(1).at(2, ProcessEnded{kOther}).aggregate(3).aggregate(4);
  const std::vector<Proof> own{{.task = kOther, .instead = "without it", .gain = 0.4}},
      others{{.task = kChief, .what = "WHAT", .instead = "without it", .gain = 0.4}};
  const auto told = [&](const std::vector<Proof>& proofs, std::string_view kind) {
    for (const Verdict& v : judge(s.log, s.contributions(), kTasks, proofs))
      if (v.kind == kind) return v.text;
    return std::string();
  };
  EXPECT_THAT(told(own, "went_on"), HasSubstr("Run again without it"));
  EXPECT_EQ(told(own, "slowed"), "");
  EXPECT_THAT(told(others, "went_on"), Not(HasSubstr("Run again")));
  EXPECT_THAT(told(others, "slowed"), HasSubstr("It cost time that WHAT. Run again without it"));
}

// ---- many names ----

// Nothing passes between the server and a host on which so many workers are.
std::string parted_from(int workers) {
  Story s = two_workers();
  s.log.set_names({"v:0/grad_accum", "global_step", "", "part", "host1", "server"});
  s.push(1, 1).push(1, 2).aggregate(1).step(1, kChief, 3).step(1, kOther, 4);
  s.at(1, ConditionChanged{kNoDetail, NameId{3u}, NameId{4u}, NameId{5u}, true});
  s.at(30, LogLine{kChief, 'I', kNoDetail});
  TaskNames tasks = kTasks;
  tasks.hosts = {"server", "host0", "host1"};
  for (int w = 2; w <= workers; ++w) {
    tasks.names.push_back(fmt::format("/job:worker/replica:0/task:{}", w));
    tasks.hosts.emplace_back("host1");
  }
  for (const Verdict& v : judge(s.log, s.contributions(), tasks))
    if (v.kind == "stuck") return v.text;
  return "";
}

TEST(Standing, names_six_tasks_and_counts_more) {
  EXPECT_THAT(parted_from(6), HasSubstr("(worker 1, worker 2, worker 3, worker 4, worker 5 and worker 6 on host1, "));
  EXPECT_THAT(parted_from(7), HasSubstr("(7 workers on host1, ps 0 on server)"));
}

// Worker 1 has pushed a gradient, and worker 0, which made the model, has not asked for an aggregate yet: the end of
// the run cuts off what it does instead, or what worker 1 does.
std::string nobody_asked(Purpose purpose, const char* kind, const std::optional<Event>& cut_off, TaskId who = kChief) {
  Story s;
  s.at(0, StepBegan{kChief, StepId{6}, Purpose::init}).at(0, StepEnded{kChief, StepId{6}, 0});
  s.ready(0, kChief).ready(0, kOther).step(0, kOther, 2).push(1, 2);
  s.at(1, StepBegan{who, StepId{7}, purpose}).at(60, SyncPlanned{kChief, 1, 2, 0});
  if (cut_off) s.at(60, *cut_off);
  return s.at(60, RunEnded{}).told(kind);
}

TEST(NoAggregate, tells_what_the_client_does_that_is_to_ask_for_the_first) {
  const Event kernel = KernelCutOff{.task = kPs, .step = StepId{7}}, message = MessageCutOff{.from = kPs, .to = kChief};
  EXPECT_EQ(nobody_asked(Purpose::save, "no_aggregate", kernel),
            "The run ended at 60.000 s, before anybody had asked for an aggregate: worker 0 was saving a checkpoint, "
            "before its first step. To do: let it run longer.");
  EXPECT_THAT(nobody_asked(Purpose::restore, "no_aggregate", kernel),
              HasSubstr("worker 0 was restoring a checkpoint, "));
  EXPECT_THAT(nobody_asked(Purpose::hook_init, "no_aggregate", message), HasSubstr("worker 0 was initialising, "));
  for (const Event& cut_off : {kernel, message}) EXPECT_EQ(nobody_asked(Purpose::save, "stuck", cut_off), "");
  EXPECT_NE(nobody_asked(Purpose::save, "stuck", {}), "") << "nothing goes on";
  EXPECT_NE(nobody_asked(Purpose::queue_runner, "stuck", kernel), "") << "that feeds it, and brings it to no step";
  EXPECT_NE(nobody_asked(Purpose::save, "stuck", kernel, TaskId{3u}), "") << "that is another client";
}

TEST(VerdictKinds, are_in_alphabetical_order_and_some_need_further_runs) {
  const std::vector<std::string> kinds = verdict_kinds();
  EXPECT_TRUE(std::ranges::is_sorted(kinds));
  EXPECT_EQ(kinds.size(), verdict_table().size());
  for (const char* const kind : {"slowed", "network_bound", "varied"}) EXPECT_TRUE(needs_further_runs(kind)) << kind;
  for (const char* const kind : {"stuck", "failed", "stale_synchronous", "fair"})
    EXPECT_FALSE(needs_further_runs(kind)) << kind;
}

}  // namespace
}  // namespace tarry
