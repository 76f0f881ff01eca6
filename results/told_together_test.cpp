// What several workers have in common is one verdict, however many they are.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "results/told_facts.hpp"

namespace tarry {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr char kChiefOom[] = "From /job:worker/replica:0/task:0: OOM",
               kOtherOom[] = "From /job:worker/replica:0/task:1: OOM";

// How many verdicts of that kind there are, and what the last says.
std::pair<int, std::string> all_told(const Story& s, std::string_view kind) {
  std::pair<int, std::string> told;
  for (const Verdict& v : judge(s.log, s.contributions(), kTasks))
    if (v.kind == kind) ++told.first, told.second = v.text;
  return told;
}

Story both_fail(std::string_view chief_says, std::string_view other_says) {
  Story s = two_workers();
  s.log.set_names({"v:0/grad_accum", "global_step", std::string(chief_says), std::string(other_says)});
  s.at(1, SessionMoved{kChief, SessionStage::failed, NameId{2u}});
  s.at(1, SessionMoved{kOther, SessionStage::failed, NameId{3u}});
  return s;
}

TEST(ToldTogether, are_errors_that_differ_only_in_the_name_of_the_task_that_has_them) {
  const auto [count, text] = all_told(both_fail(kChiefOom, kOtherOom), "failed");
  EXPECT_EQ(count, 1);
  EXPECT_THAT(text, HasSubstr("worker 0 and worker 1 left training at 1.000 s with errors that differ only in the "
                              "task's name; worker 0's: From /job:worker/replica:0/task:0: OOM"));
}

TEST(ToldTogether, are_errors_that_name_the_task_as_a_graph_may_without_its_replica) {
  EXPECT_EQ(
      all_told(both_fail("x is on '/job:worker/task:0/device:GPU:0'", "x is on '/job:worker/task:1/device:GPU:0'"),
               "failed")
          .first,
      1);
  EXPECT_EQ(all_told(both_fail("x is on /job:worker/task:0", "x is on /job:worker/task:10"), "failed").first, 2);
}

TEST(ToldTogether, are_equal_errors_but_not_errors_of_other_words) {
  EXPECT_THAT(all_told(both_fail(kChiefOom, kChiefOom), "failed").second, HasSubstr("with the same error: From "));
  EXPECT_EQ(all_told(both_fail(kChiefOom, kChiefOom), "failed").first, 1);
  EXPECT_EQ(all_told(both_fail(kChiefOom, "From /job:worker/replica:0/task:1: lost"), "failed").first, 2);
}

TEST(ToldTogether, is_no_task_whose_name_begins_like_that_of_the_client) {
  const std::string of_ten = "From /job:worker/replica:0/task:10: OOM";
  EXPECT_EQ(all_told(both_fail(kChiefOom, of_ten), "failed").first, 2);
}

TEST(ToldTogether, are_workers_whose_gradients_were_dropped) {
  Story s = two_workers();
  for (int i = 0; i < 3; ++i) s.push(1, 1, false).push(1, 2, false);
  const auto [count, text] = all_told(s, "starved");
  EXPECT_EQ(count, 1);
  EXPECT_THAT(text, AllOf(HasSubstr("6 of 6 gradients that worker 0 and worker 1 pushed to v:0 were dropped"),
                          HasSubstr("To do: aggregate more gradients, or take the workers out.")));
}

TEST(ToldTogether, are_more_than_six_by_their_number) {
  TaskNames tasks;
  std::vector<TaskId> workers, all;
  for (unsigned t = 0; t < 8; ++t) {
    tasks.names.push_back(fmt::format("/job:{}/replica:0/task:{}", t < 1 ? "ps" : "worker", t));
    all.push_back(TaskId{t});
    if (t > 0) workers.push_back(TaskId{t});
  }
  const EventLog log;
  const Contributions contributions;
  const Evidence e = read_evidence(log, contributions, tasks);
  EXPECT_EQ(names_of(e, workers), "7 workers");
  EXPECT_EQ(names_of(e, all), "8 tasks");
  workers.pop_back();
  EXPECT_THAT(names_of(e, workers), HasSubstr("worker 5 and worker 6"));
}

TEST(ToldTogether, are_asynchronous_workers_with_as_many_steps) {
  const auto told = [](int last) {
    Story s;
    TaskNames tasks = kTasks;
    std::uint64_t id = 0;
    for (unsigned t = 1; t < 10; ++t) {
      if (t > 2) tasks.names.push_back(fmt::format("/job:worker/replica:0/task:{}", t - 1));
      s.ready(0, TaskId{t});
      for (int n = 0; n < (t == 9 ? last : 2); ++n) ++id, s.step(1, TaskId{t}, id).ended(2, TaskId{t}, id);
    }
    for (const Verdict& v : judge(s.log, s.contributions(), tasks))
      if (v.kind == "asynchronous") return v.text;
    return std::string();
  };
  EXPECT_THAT(told(2), HasSubstr("at its own pace: each of the 9 workers made 2 steps ("));
  EXPECT_THAT(told(3),
              HasSubstr("of 9 workers, worker 0 made 2 steps (17.0), fewest of all, and worker 8 made 3 steps"));
}

// Workers 1 to `lost` of eight end at 2 s for good, in their second steps; the first worker is the chief.
Story loses(std::size_t lost, TaskNames& tasks, std::string_view why = "") {
  Story s;
  s.log.set_names({"v:0/grad_accum", "global_step", "", "h1 is lost", "lose_host", std::string(why)});
  tasks = {{"/job:ps/replica:0/task:0"}, {"server"}};
  for (std::size_t w = 0; w < 8; ++w) {
    tasks.names.push_back("/job:worker/replica:0/task:" + std::to_string(w));
    tasks.hosts.push_back(w == 0 || w > lost ? "h0" : "h1");
    s.ready(0, TaskId{w + 1}).step(0, TaskId{w + 1}, w + 1);
  }
  s.at(0, StepBegan{kChief, StepId{99}, Purpose::sync}).take(0, 8);
  for (std::size_t w = 0; w < 8; ++w) s.push(1, w + 1);
  s.aggregate(1, 8).take(1, 8);
  for (std::size_t w = 0; w < 8; ++w) s.ended(1, TaskId{w + 1}, w + 1).step(1, TaskId{w + 1}, w + 11);
  if (!why.empty()) s.at(2, ConditionChanged{NameId{3u}, NameId{4u}, NameId{5u}, NameId{2u}, true});
  for (std::size_t w = 1; w <= lost; ++w) s.at(2, ProcessEnded{TaskId{w + 1}});
  s.push(2, 11).at(60, LogLine{kChief, 'I', kNoDetail});
  s.log.is_deadlocked = true;
  return s;
}

std::string stuck_of(std::size_t lost, std::string_view why = "") {
  TaskNames tasks;
  const Story s = loses(lost, tasks, why);
  for (const Verdict& v : judge(s.log, s.contributions(), tasks))
    if (v.kind == "stuck") return v.text;
  return "";
}

TEST(ToldTogether, are_processes_that_ended_at_one_moment_for_good) {
  EXPECT_THAT(
      stuck_of(2, "h1"),
      AllOf(HasSubstr("The cause: the processes of worker 1 and worker 2 ended at 2.000 s (h1 is lost) and did "
                      "not come back (each while it computed: the token that it had taken is gone with it). The "
                      "accumulator"),
            HasSubstr("To do: restart worker 1 and worker 2, or aggregate fewer")));
  EXPECT_THAT(stuck_of(7), AllOf(HasSubstr("the processes of 7 workers ended at 2.000 s and did not"),
                                 HasSubstr("To do: restart these 7 workers, or aggregate fewer")));
  EXPECT_THAT(stuck_of(1), HasSubstr("the process of worker 1 ended at 2.000 s and did not come back (while it"));
}

TEST(ToldTogether, are_no_processes_that_different_faults_ended) {
  TaskNames tasks;
  const Story s = loses(2, tasks, "h1");
  tasks.hosts[3] = "h2";
  for (const Verdict& v : judge(s.log, s.contributions(), tasks))
    if (v.kind == "stuck")
      EXPECT_THAT(v.text, AllOf(HasSubstr("the process of worker 1 ended at 2.000 s (h1 is lost)"),
                                HasSubstr("the process of worker 2 ended at 2.000 s and did not")));
}

TEST(ToldTogether, are_no_workers_of_which_one_was_between_two_steps) {
  Story s;
  TaskNames tasks = kTasks;
  tasks.names.emplace_back("/job:worker/replica:0/task:2");
  const TaskId third{3u};
  for (const TaskId w : {kChief, kOther, third}) s.ready(0, w).step(0, w, w.index());
  s.ended(0.9, third, 3).at(1, ProcessEnded{kOther}).at(1, ProcessEnded{third}).ended(5, kChief, 1);
  std::string all;
  for (const Verdict& v : judge(s.log, s.contributions(), tasks)) all += v.text;
  EXPECT_THAT(
      all,
      AllOf(HasSubstr("The process of worker 1 ended at 1.000 s, while it computed the first step of its session."),
            HasSubstr("The process of worker 2 ended at 1.000 s, between two steps.")));
}

TEST(ToldTogether, are_workers_that_were_lost_at_one_moment_and_came_back) {
  const auto told = [](double second) {
    Story s;
    TaskNames tasks = kTasks;
    tasks.names.emplace_back("/job:worker/replica:0/task:2");
    const TaskId third{3u};
    for (const TaskId w : {kChief, kOther, third}) s.ready(0, w).step(0, w, w.index());
    s.at(1, ProcessEnded{kOther}).at(1, ProcessEnded{third}).ended(1.5, kChief, 1).step(1.5, kChief, 9);
    s.at(2, ProcessBegan{kOther, 1}).at(2, ProcessBegan{third, 1}).ready(3, kOther).ready(second, third);
    s.step(5, kOther, 12).step(5, third, 13).ended(6, kOther, 12).ended(6, third, 13).ended(6, kChief, 9);
    std::string all;
    for (const Verdict& v : judge(s.log, s.contributions(), tasks))
      if (v.kind == "went_on") all += v.text;
    return all;
  };
  EXPECT_THAT(told(3), HasSubstr("The processes of worker 1 and worker 2 ended at 1.000 s, each while it computed the "
                                 "first step of its session. "
                                 "Their next processes were ready at 3.000 s. Asynchronous workers"));
  EXPECT_THAT(told(4), HasSubstr("Their next processes were ready from 3.000 s to 4.000 s."));
  EXPECT_THAT(told(3.0001), HasSubstr("Their next processes were ready at 3.000 s. "));
}

TEST(ToldTogether, are_setbacks_and_what_broke_the_chief_s_session) {
  Story s = two_workers();
  s.log.set_names(
      {"v:0/grad_accum", "global_step", "", "the connections of " + kTasks.names[1] + " broke", "disconnect", "slow"});
  s.at(0, SessionMoved{kChief, SessionStage::created, kNoDetail}).at(0, StepBegan{kChief, StepId{70}, Purpose::init});
  for (int i = 1; i <= 5; ++i) {
    const double t = 10.0 * i;
    s.at(t, ScalarAssigned{kPs, kGlobalStep, StepId{1}, 100 * i});
    if (i == 1) s.at(t + 1, ConditionChanged{NameId{3u}, NameId{4u}, kNoDetail, kNoDetail, false});
    if (i == 2) s.at(t + 1, ConditionChanged{NameId{3u}, NameId{5u}, kNoDetail, kNoDetail, true});
    if (i == 3) s.at(t + 1, ProcessEnded{kChief});
    s.at(t + 2, ScalarAssigned{kPs, kGlobalStep, StepId{1}, 50 * i}).ready(t + 3, kChief);
  }
  EXPECT_THAT(
      s.told("progress_lost"),
      AllOf(HasSubstr("At 12.000 s the global step went from 100 back to 50: the chief, in a new session "
                      "(the connections of worker 0 broke at 11.000 s), restores its last checkpoint over what the "
                      "parameter servers hold. What was trained from 0.000 s to 10.000 s is lost. At 22.000 s the "
                      "global step went from 200 back to 100: a chief that starts anew restores"),
            HasSubstr("At 32.000 s the global step went from 300 back to 150: a chief that starts anew (its process "
                      "ended at 31.000 s) restores"),
            HasSubstr(" So it did 2 times more. To do: save checkpoints more often.")));
}

// ---- runs that are too short, and chiefs that leave ----

TEST(NotStarted, tells_a_run_that_was_over_before_anything_could_begin_or_end) {
  Story none, first, ended;
  none.at(0.1, SessionMoved{kChief, SessionStage::created, kNoDetail});
  none.at(0.1, SessionMoved{kOther, SessionStage::created, kNoDetail});
  EXPECT_EQ(none.told("not_started"),
            "No training step began. The run ended at 0.100 s, before any client was ready to train. To do: let it run "
            "longer.");
  for (Story* s : {&first, &ended}) s->ready(0, kChief).ready(0, kOther).step(0, kChief, 1).step(0, kOther, 2);
  first.at(0.5, KernelCutOff{.task = kChief});
  ended.ended(0.5, kChief, 1).at(0.5, KernelCutOff{.task = kOther});
  EXPECT_EQ(
      first.told("not_started"),
      "No training step ended: the run was over at 0.500 s, with worker 0 and worker 1 in their first. To do: let "
      "it run longer.");
  EXPECT_EQ(ended.told("not_started"), "");
}

TEST(NotStarted, tells_a_client_that_was_ready_and_began_no_step) {
  Story s;
  s.at(0, SessionMoved{kOther, SessionStage::waiting, kNoDetail}).ready(1, kOther).ready(1, kChief);
  s.at(50, LogLine{kChief, 'I', kNoDetail});
  EXPECT_THAT(
      s.told("not_started"),
      testing::EndsWith("The run ended at 50.000 s, before a step of worker 0 and worker 1 began. To do: let it "
                        "run longer."));
}

TEST(Asynchronous, says_that_nobody_saved_after_the_chief_had_left) {
  const auto told = [](int others_after, bool saves, bool does_other = false) {
    Story s;
    s.ready(0, kChief).ready(0, kOther);
    if (saves) s.at(0, StepBegan{kChief, StepId{500}, Purpose::save});
    if (does_other) s.at(0, StepBegan{kOther, StepId{501}, Purpose::save});
    std::uint64_t id = 0;
    for (int t = 0; t < 10 + others_after; ++t)
      for (const TaskId w : {kChief, kOther}) {
        if (w == kChief && t == 10) s.at(t, SessionMoved{kChief, SessionStage::left_loop, kNoDetail});
        if (w == kChief && t >= 10) continue;
        id += 1;
        s.step(t, w, id).ended(t + 0.5, w, id);
      }
    return s.told("asynchronous");
  };
  EXPECT_THAT(told(10, true),
              HasSubstr("Nobody saved checkpoints after worker 0 had left at 10.000 s: it is the chief. "
                        "The others made 10 of 30 steps after that. To do: let worker 0 train as long"));
  EXPECT_THAT(told(10, false), Not(HasSubstr("Nobody saved")));
  EXPECT_THAT(told(2, true), Not(HasSubstr("Nobody saved")));
  EXPECT_THAT(told(10, true, true), Not(HasSubstr("Nobody saved")));
}

// ---- what hides each other ----

TEST(ToldTogether, are_causes_that_hide_each_other_as_they_had_one_run) {
  Facts f(Training::synchronous, 3, 3);
  const auto told = [&](const char* kind, const std::string& run, const Proof& p, const Proof& q) {
    std::vector<Proof> both{p, q};
    for (Proof& one : both) one.instead = run;
    return f.with(kind, both);
  };
  const Proof host = proof(Proof::Cause::interference, .3, TaskId::none(), "host1"),
              third = proof(Proof::Cause::interference, .3, kThird),
              server = proof(Proof::Cause::interference, .3, kPs),
              second = proof(Proof::Cause::interference, .3, kSecondPs);
  const std::string run = "WITHOUT BOTH, neither of which gains much alone",
                    again = " Run again " + run + " (same seed), the same work takes 30.0 % less time. To do: look at ";
  EXPECT_EQ(told("straggler", run, host, third), "host1 and worker 2 are what the others wait for: WHAT; WHAT." +
                                                     again +
                                                     "what else goes on there, or give these workers a smaller batch.");
  EXPECT_EQ(std::ranges::count(told("straggler", "INSTEAD", host, third), '\n'), 1) << "each has a run of its own";
  EXPECT_EQ(told("busy_server", run, server, second),
            "The workers wait for parameter servers: WHAT; WHAT." + again +
                "what keeps them busy, or spread the variables over more parameter servers.");
}

TEST(Stalled, is_not_told_of_what_it_stood_still_for_in_the_end) {
  Facts f(Training::asynchronous);
  const Trouble parted{.kind = Trouble::Kind::parted, .a = "host0", .b = "server", .from = kSecond, .text = "PARTED"};
  Trouble other = parted;
  other.from = 4 * kSecond;
  f.e.standstills = {{kSecond, 2 * kSecond, 0, {.troubles = {parted}}}, {5 * kSecond, -1, 0, {.troubles = {parted}}}};
  EXPECT_EQ(f.says("stalled"), "");
  f.e.standstills.back().waits.troubles = {other};
  EXPECT_THAT(f.says("stalled"), testing::HasSubstr("PARTED"));
}

TEST(Slowed, by_lost_checkpoints_is_told_with_what_to_do) {
  Facts f(Training::asynchronous);
  Proof lost = proof(Proof::Cause::faults, .3);
  lost.what = "there were faults of the checkpoints (lose_checkpoints)";
  EXPECT_EQ(f.with("slowed", {lost}),
            "It cost time that there were faults of the checkpoints (lose_checkpoints). Run again INSTEAD (same seed), "
            "the same work takes 30.0 % less time. To do: keep checkpoints where they are not lost.");
}

TEST(Slowed, by_broken_connections_is_told_with_what_to_do) {
  Facts f(Training::asynchronous);
  Proof broken = proof(Proof::Cause::faults, .3, TaskId::none(), "/job:worker/replica:0/task:0");
  broken.b = "/job:ps/replica:0/task:0";
  EXPECT_THAT(f.with("slowed", {broken}),
              testing::EndsWith("less time. To do: look at the connections between worker 0 and ps 0."));
}

// Asynchronous: no step of either worker ends from 5 s to 20 s. Nothing passes between the server and worker 0 from 5 s
// to 19 s, or to the end, and nothing between it and worker 1 from 5 s on.
std::vector<Trouble> stalled_by(bool ends) {
  Story s;
  s.log.set_names({"", "", "", "PARTED", "part", "host0", "host1", "server"});
  s.ready(0, kChief).ready(0, kOther);
  for (int t = 0; t < 30; ++t) {
    const auto id = static_cast<std::uint64_t>(t);
    for (const std::uint32_t host : {5u, 6u})
      if (t == 5 || (t == 19 && ends && host == 5u))
        s.at(t, ConditionChanged{NameId{3u}, NameId{4u}, NameId{host}, NameId{7u}, t == 5});
    if (t >= 5 && t < 20) continue;
    for (const TaskId w : {kChief, kOther}) s.step(t, w, 100 * (1 + w.index()) + id);
    for (const TaskId w : {kChief, kOther}) s.ended(t + 0.5, w, 100 * (1 + w.index()) + id);
  }
  TaskNames tasks = kTasks;
  tasks.hosts = {"server", "host0", "host1"};
  const Contributions c = s.contributions();
  const std::vector<Standstill> all = read_evidence(s.log, c, tasks).standstills;
  return all.empty() ? std::vector<Trouble>() : all.front().waits.troubles;
}

TEST(Stalled, of_asynchronous_workers_is_not_by_what_held_on_when_they_went_on) {
  const std::vector<Trouble> ended = stalled_by(true);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].a, "host0");
  EXPECT_TRUE(stalled_by(false).empty());
}

// Both gradients of the first aggregate are there from 1 s on, and it is taken at once or never; nothing passes between
// worker 0 and the server from 3 s to 4 s, and both workers compute to the end.
std::string stuck_where_the_first(bool is_taken) {
  Story s = two_workers();
  s.log.set_names({"v:0/grad_accum", "global_step", "", "PARTED", "part", "host0", "server"});
  s.at(0, StepBegan{kChief, StepId{99}, Purpose::sync}).push(1, 1).push(1, 2);
  if (is_taken) s.aggregate(1).take(1, 2);
  s.ended(1, kChief, 1).ended(1, kOther, 2).step(2, kChief, 3).step(2, kOther, 4);
  for (const double t : {3.0, 4.0}) s.at(t, ConditionChanged{NameId{3u}, NameId{4u}, NameId{5u}, NameId{6u}, t < 4});
  for (const std::uint64_t id : {3u, 4u}) s.at(60, KernelCutOff{.task = kPs, .step = StepId{id}});
  s.at(60, RunEnded{});
  TaskNames tasks = kTasks;
  tasks.hosts = {"server", "host0", "host1"};
  for (const Verdict& v : judge(s.log, s.contributions(), tasks))
    if (v.kind == "stuck") return v.text;
  return "";
}

TEST(Stuck, is_a_job_whose_workers_compute_while_nobody_takes_an_aggregate_that_is_complete) {
  EXPECT_THAT(stuck_where_the_first(false), HasSubstr("PARTED"));
  EXPECT_EQ(stuck_where_the_first(true), "");
}

}  // namespace
}  // namespace tarry
