// What verdicts say of facts that are given one by one, to the last word.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_facts.hpp"

namespace tarry {
namespace {

using Kind = Trouble::Kind;
using Cause = Proof::Cause;

// ---- went_on ----

// Nothing passes between the server and worker 0 from 5 s on; worker 1 trains on, and worker 0 from `back` on.
std::string cut_off(int back, const char* kind, bool leaves) {
  Facts f(Training::asynchronous);
  f.log.set_names({"v:0/grad_accum", "global_step", "", "nothing passes", kind, "host0", "server"});
  f.at(5, ConditionChanged{NameId{3u}, NameId{4u}, NameId{5u}, NameId{6u}, true});
  f.c.workers[0].steps = 3;
  f.stage(0, kChief, SessionStage::ready).stage(0, kOther, SessionStage::ready);
  for (int t = 0; t < 40; ++t) {
    const auto id = static_cast<std::uint64_t>(t);
    if (t == 5 && leaves) f.stage(5, kChief, SessionStage::failed);
    if (t == back) f.at(t, ConditionChanged{NameId{3u}, NameId{4u}, NameId{5u}, NameId{6u}, false});
    f.at(t, StepBegan{kOther, StepId{100 + id}, Purpose::train}).at(t + 0.5, StepEnded{kOther, StepId{100 + id}, 0});
    if (t >= 5 && t < back) continue;
    f.at(t + 0.6, StepBegan{kChief, StepId{200 + id}, Purpose::train});
    f.at(t + 0.7, StepEnded{kChief, StepId{200 + id}, 0});
  }
  const Contributions read = read_contributions(f.log);
  Evidence e = read_evidence(f.log, read, f.tasks);
  std::string all;
  for (const Verdict& v : judge(e))
    if (v.kind == "went_on") all += v.text;
  return all;
}

TEST(Words, of_a_worker_that_was_cut_off_and_the_trouble_that_it_waited_for) {
  EXPECT_EQ(cut_off(20, "part", false),
            "The others went on without it: from 4.700 s to 20.700 s no step of worker 0 ended. The cause: nothing "
            "passes from 5.000 s to 20.000 s (worker 0 on host0, ps 0 on server). To do: join host0 and server sooner; "
            "a time limit on each step (RunOptions.timeout_in_ms) would tell.");
  EXPECT_EQ(cut_off(99, "part", false),
            "The others went on without it: after 4.700 s no step of worker 0 ended. The cause: nothing passes from "
            "5.000 s on (worker 0 on host0, ps 0 on server). To do: join host0 and server again; a time limit on each "
            "step (RunOptions.timeout_in_ms) would tell.");
  EXPECT_EQ(cut_off(99, "part", true), "") << "it left by itself";
}

TEST(Words, of_a_plan_for_more_workers_than_train) {
  const auto of = [](std::int64_t planned, std::int64_t required, std::int64_t dropped, std::size_t workers = 2) {
    Facts f(Training::synchronous, required, workers);
    f.c.planned_workers = planned;
    f.c.accumulators[0].dropped[0] = dropped;
    return f.says("absent");
  };
  EXPECT_EQ(of(3, 3, 1),
            "The graph is for 3 workers, worker 2 never began a step. An aggregate needs 3 gradients all the same: the "
            "others make those of the missing ones, with their tokens (1 gradient was dropped), and training goes on "
            "without its data. To do: start it, or build the graph for 2 workers.");
  EXPECT_EQ(of(3, 2, 2),
            "The graph is for 3 workers, worker 2 never began a step. The others suffice for the 2 gradients of an "
            "aggregate, and use its tokens (2 gradients were dropped), and training goes on without its data. To do: "
            "start it, or build the graph for 2 workers.");
  EXPECT_EQ(of(5, 2, 0),
            "The graph is for 5 workers, 3 never began a step. The others suffice for the 2 gradients of an aggregate, "
            "and use its tokens (0 gradients were dropped), and training goes on without their data. To do: start the "
            "workers that are missing, or build the graph for 2 workers.")
      << "the cluster has one of them";
  EXPECT_EQ(of(2, 2, 0), "");
}

TEST(Words, of_a_plan_leave_out_who_is_told_as_late_and_all_before_anybody_asked) {
  Facts f(Training::synchronous, 2, 2);
  f.c.planned_workers = 3;
  EXPECT_NE(f.says("absent"), "");
  EXPECT_EQ(f.with("absent", {proof(Cause::late_start, 0.2, kThird)}), "");
  EXPECT_NE(f.with("absent", {proof(Cause::late_start, 0.2, kOther)}), "") << "that one trains";
  EXPECT_NE(f.with("absent", {proof(Cause::data, 0.2, kThird)}), "");
  f.c.accumulators[0].required = 0, f.proofs.clear();
  EXPECT_EQ(f.says("absent"), "");
}

TEST(Words, of_a_plan_are_left_out_where_another_verdict_tells_more) {
  Facts stuck(Training::synchronous);
  stuck.c.planned_workers = 3;
  EXPECT_EQ(stuck.says("absent", std::vector<Verdict>{{"stuck", ""}}), "");
  stuck.e.losses.processes = {lost(kThird, 5)};
  EXPECT_EQ(stuck.says("absent"), "") << "it was lost";
}

TEST(Words, of_a_missing_worker_tell_no_plan_where_something_explains_it) {
  const auto with = [](const Trouble& t) {
    Facts f(Training::synchronous);
    f.c.planned_workers = 3;
    f.e.troubles = {t};
    return !f.says("absent").empty();
  };
  for (const Kind kind : {Kind::parted, Kind::parted_one_way, Kind::held, Kind::breaking}) {
    EXPECT_FALSE(with({.kind = kind, .a = "host2", .from = 0}));
    EXPECT_FALSE(with({.kind = kind, .a = "server", .b = "host2", .from = -5}));
    EXPECT_TRUE(with({.kind = kind, .a = "host1", .b = "server", .from = 0})) << "that one trains";
    EXPECT_TRUE(with({.kind = kind, .a = "host2", .from = 1})) << "after the start";
    EXPECT_TRUE(with({.kind = kind, .a = "host2", .from = -5, .to = 0})) << "over by then";
  }
  EXPECT_TRUE(with({.kind = Kind::delayed, .a = "host2", .from = 0}));
  Facts found(Training::synchronous);
  found.c.planned_workers = 3;
  EXPECT_EQ(found.stage(3, kThird, SessionStage::ready).says("absent"), "") << "it found the model";
}

TEST(Words, of_clients_that_looked_for_a_model_in_vain) {
  Facts f(Training::asynchronous, 0, 1);
  f.stage(0, kChief, SessionStage::waiting);
  f.stage(1, kOther, SessionStage::waiting).stage(2, kThird, SessionStage::waiting);
  EXPECT_EQ(f.says("absent"),
            "worker 1 and worker 2 never began a step: each of them looked for the model once, and did not find it "
            "ready. Between two looks a worker waits, by default for 30 s. To do: start the workers after the chief "
            "has made the model, or let them look again sooner (recovery_wait_secs).");
  f.stage(3, kThird, SessionStage::waiting);
  EXPECT_EQ(f.says("absent"),
            "worker 1 never began a step: it looked for the model once, and did not find it ready. Between two looks a "
            "worker waits, by default for 30 s. To do: start the workers after the chief has made the model, or let "
            "them look again sooner (recovery_wait_secs).\nworker 2 never began a step: it looked for the model 2 "
            "times, and did not find it ready. Between two looks a worker waits, by default for 30 s. To do: start the "
            "workers after the chief has made the model, or let them look again sooner (recovery_wait_secs).");
  f.stage(4, kOther, SessionStage::ready);
  EXPECT_EQ(f.says("absent"),
            "worker 2 never began a step: it looked for the model 2 times, and did not find it ready. Between two "
            "looks a worker waits, by default for 30 s. To do: start the workers after the chief has made the model, "
            "or let them look again sooner (recovery_wait_secs).");
}

TEST(Words, of_clients_that_look_too_early_leave_it_to_a_fault_that_gains_nearly_as_much) {
  Facts f(Training::synchronous, 1, 2);
  const auto beside = [&](double gain) {
    Proof polls = proof(Cause::polls, .5);
    polls.b = kAfterFaults;
    return f.with("late_start", {polls, proof(Cause::faults, gain, kPs)});
  };
  EXPECT_THAT(f.with("late_start", {proof(Cause::polls, .5), proof(Cause::faults, .6, kPs)}),
              testing::HasSubstr("start the workers after the chief has made the model"))
      << "they looked before";
  EXPECT_THAT(beside(.44), testing::HasSubstr("start the workers after the chief has made the model"));
  EXPECT_EQ(beside(.46), "");
}

TEST(Words, of_asynchronous_workers_that_never_came) {
  Facts f(Training::asynchronous, 0, 1);
  f.stage(0, kChief, SessionStage::ready);
  EXPECT_EQ(f.says("absent"),
            "worker 1 and worker 2 never came. Nobody waits for them: the others train on without their data. To do: "
            "start the workers that are missing.");
  f.e.driven = {kThird};
  EXPECT_EQ(f.says("absent"),
            "worker 1 never came. Nobody waits for it: the others train on without its data. To do: start it.")
      << "the other one runs parts of steps";
  f.c.own = {{"acc", kPs, 2, 0, {1}, {0}}};
  EXPECT_EQ(f.says("absent"), "worker 1 never came: the others train on without its data. To do: start it.")
      << "the program may wait for it";
  f.c.own.clear();
  EXPECT_EQ(f.with("absent", {proof(Cause::late_start, .2, kOther)}), "") << "its proof tells of it";
}

TEST(Words, of_training_that_did_not_begin_tell_what_was_wrong_to_the_end) {
  Facts f(Training::none);
  const auto with = [&](const Trouble& t) {
    f.e.troubles = {t};
    return f.says("not_started");
  };
  const std::string nobody = "No training step began. worker 0, worker 1 and worker 2 never came.";
  EXPECT_EQ(with({.kind = Kind::gone, .task = kPs, .from = kSecond}),
            "No training step began. worker 0, worker 1 and worker 2 never came. This was wrong to the end: the "
            "process of ps 0 ended at 1.000 s with all that it held and did not come back. To do: restart ps 0 soon, "
            "and save checkpoints.");
  EXPECT_EQ(with({.kind = Kind::gone, .task = kPs, .from = kSecond, .to = 3 * kSecond}), nobody) << "over";
  EXPECT_EQ(with({.kind = Kind::failed, .task = kChief, .from = kSecond}), nobody) << "another verdict tells of it";
  EXPECT_EQ(with({.kind = Kind::left, .task = kChief, .from = kSecond}), nobody);
  EXPECT_EQ(with({.kind = Kind::slowed, .task = kChief, .from = kSecond}), nobody);
}

TEST(Words, of_a_run_that_ended_before_its_first_aggregate) {
  Facts f(Training::synchronous, 8);
  f.c.accumulators[0].left = {2, 1};
  EXPECT_EQ(f.says("no_aggregate"),
            "The run ended at 60.000 s, before the first aggregate was complete: 3 of 8 gradients were there. At this "
            "pace the first one would be complete after 160.0 s. To do: let it run longer, or aggregate fewer "
            "gradients (there are 2 workers).");
  f.c.workers.pop_back(), f.c.planned_workers = 1;
  f.c.accumulators[0].left = {0, 0};
  EXPECT_EQ(f.says("no_aggregate"),
            "The run ended at 60.000 s, before the first aggregate was complete: 0 of 8 gradients were there. To do: "
            "let it run longer, or aggregate fewer gradients (there is 1 worker).");
  EXPECT_EQ(f.says("no_aggregate", std::vector<Verdict>{{"failed", ""}}), "");
}

TEST(Words, of_those_whose_training_ended_with_the_chief) {
  Facts f(Training::synchronous);
  f.c.sync_client = f.e.closer = kChief;
  for (int i = 0; i < 4; ++i) f.e.cut_short.push_back({kOther, i, i == 1 ? 0 : 9, i == 1 ? 40 : 0});
  f.e.cut_short[2].last_step = 0;
  EXPECT_THAT(f.says("ended_early"), testing::EndsWith("the end of its data. To do: restart worker 1."))
      << "the chief is there";
  f.e.troubles = {{.kind = Kind::left, .task = kOther, .from = kSecond},
                  {.kind = Kind::gone, .task = kChief, .from = kSecond},
                  {.kind = Kind::left, .task = kChief, .from = 2 * kSecond}};
  EXPECT_EQ(f.says("ended_early"),
            "worker 0 left training at 2.000 s; it is the chief, which hands out the tokens. With it their queue was "
            "closed, which ends the training of all others without an error: worker 1 after 0 steps of 9, worker 1 "
            "after 1 step, to train up to global step 40, worker 1 after 2 steps, worker 1 after 3 steps of 9. To do: "
            "let worker 0 train as long as the others.");
  f.e.cut_short.push_back({kThird, 2, 0, 0});
  f.e.cut_short.push_back({kThird, 2, 0, 0});
  EXPECT_THAT(f.says("ended_early"), testing::HasSubstr("worker 1 after 3 steps of 9, 2 more. To do"));
  f.e.troubles.back().to = 5 * kSecond;
  EXPECT_THAT(f.says("ended_early"), testing::EndsWith("the end of its data. To do: restart worker 1 and worker 2."))
      << "the chief is there again";
}

// ---- stalled, stuck ----

Standstill stood(double from, double to, const std::vector<Trouble>& troubles) {
  Standstill s{static_cast<Nanos>(from * kSecond), to < 0 ? -1 : static_cast<Nanos>(to * kSecond), kSecond / 2, {}};
  s.waits.troubles = troubles;
  return s;
}

TEST(Words, of_standstills_that_ended) {
  Facts f(Training::asynchronous);
  Trouble paused{.kind = Kind::paused, .task = kOther, .from = 2 * kSecond, .to = 5 * kSecond, .text = "PAUSED"};
  f.e.standstills = {stood(2, 5, {paused})};
  EXPECT_EQ(f.says("stalled"),
            "No step ended from 2.000 s to 5.000 s (3.000 s, in place of the usual 0.500 s). The cause: PAUSED from "
            "2.000 s to 5.000 s. It ended after the process of worker 1 went on, at 5.000 s. To do: let the process of "
            "worker 1 go on (is it stopped, swapped out, or its machine frozen?); a time limit on each step "
            "(RunOptions.timeout_in_ms) would tell.");
  paused.to = 0;
  f.e.standstills = {stood(2, 5, {paused})};
  EXPECT_THAT(f.says("stalled"), testing::HasSubstr("It ended after the process of worker 1 went on, at 0.000 s."));
  paused.to = -1;
  f.e.standstills = {stood(2, 5, {paused}), stood(7, 8, {paused})};
  EXPECT_THAT(f.says("stalled"), testing::Not(testing::HasSubstr("It ended")));
  EXPECT_THAT(f.says("stalled"), testing::EndsWith("training once more, up to 8.000 s, for 1.000 s."));
  f.e.standstills.push_back(stood(10, 13, {paused}));
  EXPECT_THAT(f.says("stalled"), testing::EndsWith("training 2 times more, up to 13.000 s, for 4.000 s together."));
}

TEST(Words, of_standstills_with_the_same_cause_are_told_once) {
  Facts f(Training::asynchronous);
  const Trouble paused{.kind = Kind::paused, .task = kOther, .from = 2 * kSecond, .text = "PAUSED"};
  const auto differs = [&](auto change) {
    Trouble other = paused;
    change(other);
    f.e.standstills = {stood(2, 5, {paused}), stood(7, 8, {other})};
    return f.says("stalled").find("The same cause") == std::string::npos;
  };
  EXPECT_FALSE(differs([](Trouble& t) { t.from = 7 * kSecond; }));
  EXPECT_TRUE(differs([](Trouble& t) { t.kind = Kind::slowed; }));
  EXPECT_TRUE(differs([](Trouble& t) { t.task = kChief; }));
  EXPECT_TRUE(differs([](Trouble& t) { t.a = "host0"; }));
  EXPECT_TRUE(differs([](Trouble& t) { t.b = "host0"; }));
  EXPECT_TRUE(differs([](Trouble& t) { t.fault = "another"; }));
}

std::string stuck(const std::vector<Trouble>& troubles) {
  Facts f(Training::synchronous, 2);
  f.c.sync_client = kChief;
  f.e.standstills = {stood(3, -1, troubles)};
  return f.says("stuck");
}

TEST(Words, of_what_a_job_that_stands_still_waits_for) {
  EXPECT_EQ(stuck({{.kind = Kind::gone, .task = kOther, .from = 2 * kSecond}}),
            "Nothing moves any more: no aggregate was complete after 3.000 s, to the end at 60.000 s. The cause: the "
            "process of worker 1 ended at 2.000 s and did not come back. To do: restart worker 1, or aggregate fewer "
            "gradients than there are workers; watch the time since the last aggregate.");
  EXPECT_EQ(stuck({{.kind = Kind::gone, .task = kChief, .from = 2 * kSecond, .back = 50 * kSecond}}),
            "Nothing moves any more: no aggregate was complete after 3.000 s, to the end at 60.000 s. The cause: the "
            "process of worker 0 ended at 2.000 s, the next one began at 50.000 s, and it was not ready again before "
            "the end: its "
            "sync thread takes the aggregates and hands out the tokens, and nobody else does. To do: find out what "
            "ends worker 0, the chief, and save checkpoints.");
  EXPECT_EQ(stuck({{.kind = Kind::slowed, .task = kPs, .from = 2 * kSecond, .text = "SLOW"}}),
            "Training stood still: no aggregate was complete after 3.000 s, to the end at 60.000 s. The cause: SLOW "
            "from 2.000 s on. To do: look at what else runs on the host of ps 0, or move the parameter servers there "
            "to another host.");
}

TEST(Words, of_a_job_that_stands_still_since_somebody_left_or_much_is_wrong) {
  EXPECT_EQ(stuck({{.kind = Kind::left, .task = kOther, .from = 2 * kSecond}}),
            "Nothing moves any more: no aggregate was complete after 3.000 s, to the end at 60.000 s. The cause: "
            "worker 1 left training at 2.000 s. To do: let worker 1 train as long as the others, or aggregate fewer "
            "gradients than there are workers.");
  EXPECT_EQ(stuck({{.kind = Kind::left, .task = kChief, .from = 2 * kSecond}}),
            "Nothing moves any more: no aggregate was complete after 3.000 s, to the end at 60.000 s. The cause: "
            "worker 0 left training at 2.000 s: its sync thread takes the aggregates and hands out the tokens, and "
            "nobody else does. To do: let worker 0 train as long as the others.");
  std::vector<Trouble> six(6, {.kind = Kind::parted, .a = "host1", .b = "server", .from = kSecond, .text = "PARTED"});
  EXPECT_THAT(stuck(six), testing::HasSubstr("; and 2 more. To do"));
  six.pop_back();
  EXPECT_THAT(stuck(six), testing::Not(testing::HasSubstr(" more. To do")));
}

TEST(Words, of_the_cure_of_a_loss_say_whether_it_was_back_early) {
  const auto of = [](TaskId task, double back, double to) {
    Facts f(Training::asynchronous);
    const auto nanos = [](double t) { return t < 0 ? Nanos{-1} : static_cast<Nanos>(t * kSecond); };
    return cure_of(f.e, {.kind = Kind::gone, .task = task, .from = 10 * kSecond, .to = nanos(to), .back = nanos(back)});
  };
  EXPECT_EQ(of(kPs, -1, -1), "restart ps 0 soon, and save checkpoints");
  EXPECT_EQ(of(kPs, 40, -1), "find out what ends ps 0, and save checkpoints");
  EXPECT_EQ(of(kOther, 11, 11.5), "find out what ends worker 1") << "within a second";
  EXPECT_EQ(of(kOther, 12, 13), "restart worker 1 sooner");
  EXPECT_EQ(of(kOther, 12, 15), "find out what ends worker 1") << "most of it was not ready";
  EXPECT_EQ(of(kOther, 0, -1), "find out what ends worker 1") << "at the start";
}

TEST(Words, of_replicated_variables) {
  Facts f(Training::replicated);
  EXPECT_EQ(f.says("replicated"),
            "Replicated variables: 2 workers made 5 steps each. Each GPU reads copies of the variables, which are set "
            "to the servers' values when all workers have updated these. No gradient is stale or dropped, and nobody "
            "is faster than the slowest worker.");
  f.c.workers[1].steps = 7;
  f.e.losses.processes = {lost(kPs, 5)};
  EXPECT_EQ(f.says("replicated"),
            "Replicated variables: 2 workers made 5 to 7 steps. Each GPU reads copies of the variables, which are set "
            "to the servers' values when all workers have updated these.");
  f.e.losses.processes.push_back(lost(kOther, 5));
  EXPECT_THAT(f.says("replicated"), testing::EndsWith(" may be a step apart."));
  f.c.workers[0].steps = f.c.workers[1].steps = 0;
  EXPECT_EQ(f.says("replicated"), "");
}

TEST(Words, of_a_global_step_that_went_back) {
  Facts f(Training::asynchronous);
  f.log.set_names({"", "", "", "lose_checkpoints", "pause"});
  f.e.losses.setbacks = {{9 * kSecond, 40, 0}};
  EXPECT_EQ(f.says("progress_lost"),
            "At 9.000 s the global step went from 40 back to 0: a chief that starts anew initialises the model over "
            "what the parameter servers hold. To do: save checkpoints, and give the chief their folder.");
  f.at(5, ConditionChanged{kNoDetail, NameId{4u}, kNoDetail, kNoDetail, true});
  f.at(6, ConditionChanged{kNoDetail, NameId{3u}, kNoDetail, kNoDetail, true});
  f.e.losses.processes = {lost(kPs, 5)};
  EXPECT_EQ(f.says("progress_lost"),
            "At 9.000 s the global step went from 40 back to 0: the process of ps 0 had ended at 2.000 s with all that "
            "it held, and the chief initialises the model. To do: find out what removed the checkpoints: they were "
            "gone at 6.000 s.");
  f.e.losses.setbacks = {{9 * kSecond, 40, 1}};
  EXPECT_EQ(f.says("progress_lost"),
            "At 9.000 s the global step went from 40 back to 1: the process of ps 0 had ended at 2.000 s with all that "
            "it held, and the chief restores its last checkpoint. To do: save checkpoints more often.");
}

TEST(Words, of_a_global_step_that_went_back_twice_tell_each_loss_once) {
  Facts f(Training::asynchronous);
  f.e.losses.processes = {lost(kPs, 5)};
  f.e.losses.setbacks = {{3 * kSecond, 8, 4}, {9 * kSecond, 40, 1}};
  EXPECT_THAT(f.says("progress_lost"), testing::EndsWith("a chief that starts anew restores its last checkpoint over "
                                                         "what the parameter servers hold. To do: save checkpoints "
                                                         "more often."))
      << "the loss was why it went back before";
  f.e.losses.setbacks = {{kSecond, 8, 4}, {9 * kSecond, 40, 1}};
  EXPECT_THAT(f.says("progress_lost"), testing::HasSubstr("the process of ps 0 had ended at 2.000 s"))
      << "a later loss";
}

}  // namespace
}  // namespace tarry
