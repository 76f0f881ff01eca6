// Of jobs whose workers still compute when the run ends, for steps that a lost parameter server has ended.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_facts.hpp"
#include "results/told_story.hpp"

namespace tarry {
namespace {

// Asynchronous: steps of a second each, and long ones from 5 s on; the server is lost at 6 s and back at 7 s.
// `chief_leaves`: before that.
Story lost_server(double ends, bool chief_leaves = false, bool is_back = true) {
  Story s;
  s.at(0, StepBegan{kChief, StepId{6}, Purpose::init}).at(0, StepEnded{kChief, StepId{6}, 0});
  s.ready(0, kChief).ready(0, kOther);
  for (std::uint64_t t = 0; t < 5; ++t)
    for (const TaskId w : {kChief, kOther}) {
      const std::uint64_t id = 10 * (t + 1) + w.index();
      s.step(static_cast<double>(t), w, id).ended(static_cast<double>(t + 1), w, id);
    }
  if (chief_leaves)
    s.at(5, SessionMoved{kChief, SessionStage::left_loop, kNoDetail});
  else
    s.step(5, kChief, 1);
  s.step(5, kOther, 2).at(6, ProcessEnded{kPs});
  if (is_back) s.at(7, ProcessBegan{kPs, 1});
  for (const TaskId w : {kChief, kOther})
    if (w == kOther || !chief_leaves) s.at(ends, KernelCutOff{.task = w, .step = StepId{w.index()}});
  s.at(ends, RunEnded{});
  return s;
}

TEST(AtWork, for_a_step_that_a_lost_server_ended_the_chief_makes_the_model_anew_after_it) {
  const auto has = [](const Story& s, const char* kind) { return !s.told(kind).empty(); };
  EXPECT_TRUE(has(lost_server(20), "stalled"));
  EXPECT_FALSE(has(lost_server(20), "stuck"));
  EXPECT_THAT(
      lost_server(20).told("stalled"),
      testing::HasSubstr("No step ended from 5.000 s to 20.000 s (15.000 s, in place of the usual 1.000 s). The "
                         "cause: the process of ps 0 ended at 6.000 s with all that it held, the next one "
                         "began at 7.000 s, and no session was ready again before the end."));
  EXPECT_TRUE(has(lost_server(20, true), "stuck")) << "nobody makes the model";
  EXPECT_TRUE(has(lost_server(20, false, false), "stuck")) << "the server is not back";
  EXPECT_TRUE(has(lost_server(37), "stuck")) << "longer than a client waits by itself";
}

// Both workers compute for their first steps, which the server's loss has ended; or a run without the fault does more.
TEST(AtWork, for_first_steps_that_a_lost_server_ended_is_told_as_a_run_that_was_too_short) {
  Facts f(Training::asynchronous);
  for (WorkerStory& w : f.c.workers) w.steps = 0;
  const Trouble gone{.kind = Trouble::Kind::gone, .task = kPs, .from = 2 * kSecond, .back = 3 * kSecond};
  f.e.troubles = {gone, {.kind = Trouble::Kind::gone, .task = kOther, .from = 4 * kSecond}};
  f.e.losses.processes = {{.task = kPs, .at = 2 * kSecond, .back = 3 * kSecond}};
  f.e.standstills = {{.from = 0, .to = f.log.ended_at, .usual = 0, .waits = {.troubles = {gone}}}};
  EXPECT_EQ(
      f.says("not_started"),
      "No training step ended: the run was over at 60.000 s, with worker 0 and worker 1 in their first. Meanwhile "
      "the process of ps 0 ended at 2.000 s with all that it held, the next one began at 3.000 s, and no session "
      "was ready again before the end. To do: let it run longer.");
  EXPECT_EQ(f.says("stalled"), "");
  f.e.standstills[0].usual = kSecond;
  EXPECT_EQ(f.says("not_started"), "");
  EXPECT_NE(f.says("stalled"), "");
  f.e.troubles.clear(), f.e.standstills.clear();
  EXPECT_EQ(f.says("not_started"),
            "No training step ended: the run was over at 60.000 s, with worker 0 and worker 1 in their first. To do: "
            "let it run longer.");
}

TEST(AtWork, on_the_first_aggregate_is_told_with_the_servers_that_were_lost_meanwhile) {
  Facts f(Training::synchronous);
  f.e.troubles = {
      {.kind = Trouble::Kind::gone, .task = kPs, .from = 2 * kSecond, .to = 3 * kSecond, .back = 3 * kSecond}};
  EXPECT_EQ(
      f.says("no_aggregate"),
      "The run ended at 60.000 s, before the first aggregate was complete: 0 of 2 gradients were there. Meanwhile "
      "the process of ps 0 ended at 2.000 s with all that it held, the next one began at 3.000 s. To do: let it "
      "run longer, or aggregate fewer gradients (there are 2 workers).");
  f.c.accumulators.clear(), f.c.initialiser = kChief, f.e.at_end.before_training = {{kChief, Purpose::init}};
  EXPECT_EQ(f.says("no_aggregate"),
            "The run ended at 60.000 s, before anybody had asked for an aggregate: worker 0 was initialising, before "
            "its first step. Meanwhile the process of ps 0 ended at 2.000 s with all that it held, the next one began "
            "at 3.000 s. To do: let it run longer.");
}

// ---- what is known of the time after the end ----

// Aggregates of both workers at 1 s, 2 s ... 5 s; then worker 1 is slow, or not, and nothing is done until 60 s.
std::vector<Standstill> known_to_go_on(Nanos at, bool is_slow, bool in_vain = false) {
  Story s;
  s.log.set_names({"v:0/grad_accum", "global_step", "", "slow", "/job:worker/replica:0/task:1"});
  s.ready(0, kChief).ready(0, kOther).at(0, StepBegan{kChief, StepId{99}, Purpose::sync}).take(0, 2);
  for (std::uint64_t t = 1; t <= 5; ++t) {
    const auto now = static_cast<double>(t);
    for (const std::uint64_t w : {1U, 2U})
      s.step(now, TaskId{w}, 10 * t + w).push(now, 10 * t + w).ended(now, TaskId{w}, 10 * t + w);
    s.aggregate(now).take(now, 2);
  }
  if (is_slow) s.at(6, ConditionChanged{NameId{3u}, NameId{3u}, NameId{4u}, NameId::none(), true});
  s.at(60, RunEnded{});
  s.log.goes_on_at = at, s.log.slows_in_vain = in_vain;
  const Contributions c = s.contributions();
  return read_evidence(s.log, c, kTasks).standstills;
}

TEST(AtWork, a_run_that_would_go_on_is_not_stuck_unless_something_slows_it_down_to_the_end) {
  const auto unknown = known_to_go_on(EventLog::kUnknown, false);
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_EQ(unknown[0].to, -1);
  EXPECT_EQ(known_to_go_on(70 * kSecond, false).size(), 0u);
  const auto slow = known_to_go_on(70 * kSecond, true);
  ASSERT_EQ(slow.size(), 1u);
  EXPECT_EQ(slow[0].to, -1);
  EXPECT_EQ(known_to_go_on(70 * kSecond, true, true).size(), 0u) << "it would stand still without that as well";
}

TEST(AtWork, a_run_that_will_never_go_on_is_stuck_however_short_its_last_pause_was) {
  const auto ends_at = [](double end, Nanos goes_on) {
    Story s = lost_server(end);
    s.log.goes_on_at = goes_on;
    const std::string told = s.told("stuck");
    return told.substr(0, told.find(" The cause"));
  };
  EXPECT_EQ(ends_at(7.5, EventLog::kUnknown), "");
  EXPECT_EQ(ends_at(7.5, EventLog::kNever),
            "Nothing moves any more: no step ended after 5.000 s, to the end at 7.500 s.");
  EXPECT_EQ(ends_at(20, EventLog::kNever),
            "Nothing moves any more: no step ended after 5.000 s, to the end at 20.000 s.");
  EXPECT_EQ(ends_at(20, 22 * kSecond), "");
}

// Stale-synchronous: worker 2 of the cluster never came, and the server was lost for a while, or is lost.
TEST(AtWork, who_never_came_is_named_before_what_is_over_where_every_worker_has_a_part) {
  const auto told = [](Nanos back, std::vector<Proof> proofs, Training training = Training::stale_synchronous) {
    Facts f(training);
    const Trouble gone{.kind = Trouble::Kind::gone, .task = kPs, .from = kSecond, .to = back, .back = back};
    f.e.troubles = {gone};
    f.e.standstills = {{.from = 0, .to = -1, .usual = 0, .waits = {.troubles = {gone}}}};
    f.stage(0, kChief, SessionStage::ready).stage(0, kOther, SessionStage::ready);
    f.at(50, StepBegan{kChief, StepId{1}, Purpose::train});
    return f.with("stuck", std::move(proofs));
  };
  EXPECT_THAT(told(2 * kSecond, {}), testing::HasSubstr("The cause: worker 2 never came, and every worker has a part"));
  EXPECT_THAT(told(-1, {}), testing::HasSubstr("The cause: the process of ps 0 ended at 1.000 s"));
  Proof decisive = proof(Proof::Cause::faults, 0, kPs);
  decisive.goes_on = true;
  EXPECT_THAT(told(2 * kSecond, {decisive}), testing::HasSubstr("The cause: the process of ps 0 ended at 1.000 s"));
  EXPECT_THAT(told(2 * kSecond, {}, Training::asynchronous), testing::HasSubstr("The cause: the process of ps 0"));
}

// Worker 1 was slow from 10 s to 20 s, and no aggregate came then.
TEST(AtWork, a_standstill_in_which_something_was_slow_is_left_out_where_only_something_else_cost_time) {
  const auto told = [](std::vector<Proof> proofs, Trouble::Kind kind = Trouble::Kind::slowed) {
    Facts f(Training::synchronous);
    const Trouble slow{.kind = kind,
                       .task = kOther,
                       .from = 10 * kSecond,
                       .to = 20 * kSecond,
                       .text = "x",
                       .fault = "slow /job:worker/replica:0/task:1 "};
    f.e.troubles = {slow};
    f.e.standstills = {{.from = 10 * kSecond, .to = 20 * kSecond, .usual = kSecond, .waits = {.troubles = {slow}}}};
    return f.with("stalled", std::move(proofs));
  };
  const Proof saves = proof(Proof::Cause::checkpoints, 0.1), few = proof(Proof::Cause::checkpoints, 0.09);
  EXPECT_NE(told({}), "");
  EXPECT_EQ(told({saves}), "");
  EXPECT_NE(told({few}), "");
  EXPECT_NE(told({saves, proof(Proof::Cause::faults, 0.05, kOther)}), "");
  EXPECT_NE(told({saves}, Trouble::Kind::paused), "");
}

TEST(AtWork, a_run_that_would_go_on_says_when) {
  Story s = lost_server(40);
  s.log.goes_on_at = 42 * kSecond;
  EXPECT_EQ(s.told("stuck"), "");
  EXPECT_THAT(s.told("stalled"),
              testing::HasSubstr("ready again before the end. Training would have gone on at 42.000 s. To"));
  Facts sync(Training::synchronous, 8), async(Training::asynchronous);
  sync.c.accumulators[0].left = {2, 1};
  for (WorkerStory& w : async.c.workers) w.steps = 0;
  for (Facts* f : {&sync, &async}) f->log.goes_on_at = 64 * kSecond;
  EXPECT_THAT(sync.says("no_aggregate"),
              testing::HasSubstr("gradients were there. The first one would have been complete at 64.000 s. To do"));
  sync.c.planned_workers = 3;
  EXPECT_THAT(sync.says("no_aggregate"),
              testing::HasSubstr("had begun no step. The first one would have been complete at 64.000 s. To do"));
  EXPECT_THAT(async.says("not_started"), testing::HasSubstr("in their first. The first would have ended at 64.000 s."));
  sync.c.accumulators.clear(), sync.c.initialiser = kChief;
  sync.e.at_end.before_training = {{kChief, Purpose::init}};
  EXPECT_THAT(sync.says("no_aggregate"),
              testing::HasSubstr("before its first step. The first one would have been complete at 64.000 s. To do"));
}

TEST(AtWork, saves_that_are_under_way_at_a_moment_are_done_when_the_last_of_them_is) {
  EventLog log;
  log.started_at = 100 * kSecond;
  const auto at = [&](int second, const Event& e) { log.add((100 + second) * kSecond, e); };
  at(1, StepBegan{kChief, StepId{1}, Purpose::save});
  at(2, StepBegan{kOther, StepId{2}, Purpose::save});
  at(3, StepBegan{kChief, StepId{3}, Purpose::train});
  at(4, StepEnded{kOther, StepId{2}, 0});
  at(6, StepEnded{kChief, StepId{1}, 0});
  at(7, StepBegan{kChief, StepId{4}, Purpose::save});
  at(8, StepEnded{kChief, StepId{3}, 0});
  at(9, StepEnded{kChief, StepId{4}, 0});
  EXPECT_EQ(when_saves_were_done(log, 3 * kSecond), 6 * kSecond);
  EXPECT_EQ(when_saves_were_done(log, 7 * kSecond), 7 * kSecond) << "none was under way";
  EXPECT_EQ(when_saves_were_done(log, 8 * kSecond), 9 * kSecond);
}

TEST(AtWork, saves_are_between_two_moments_where_one_of_them_was_under_way_then) {
  EventLog log;
  log.started_at = 100 * kSecond;
  const auto at = [&](int second, const Event& e) { log.add((100 + second) * kSecond, e); };
  at(1, StepBegan{kChief, StepId{1}, Purpose::save});
  at(3, StepEnded{kChief, StepId{1}, 0});
  at(4, StepBegan{kChief, StepId{2}, Purpose::train});
  at(8, StepBegan{kChief, StepId{3}, Purpose::save});
  EXPECT_TRUE(has_saves_between(log, 2 * kSecond, 4 * kSecond));
  EXPECT_TRUE(has_saves_between(log, 0, 2 * kSecond)) << "it ends later";
  EXPECT_FALSE(has_saves_between(log, 4 * kSecond, 7 * kSecond))
      << "it had ended before, and the other one begins later";
  EXPECT_TRUE(has_saves_between(log, 9 * kSecond, -1)) << "it is under way at the end";
  EXPECT_FALSE(has_saves_between(log, 0, kSecond)) << "what ends at that moment had not begun";
}

}  // namespace
}  // namespace tarry
