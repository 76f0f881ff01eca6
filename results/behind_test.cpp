// What verdicts say of the faults behind a standstill or an error, once, and of nothing else; from logs written by
// hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_facts.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr NameId kBroke{3u}, kDisconnect{4u}, kPsName{5u}, kChiefName{6u}, kError{7u};

// The connections of the chief break at 1.5 s, and its client fails at 2 s.
Story chief_fails_after_a_broken_connection(bool is_stuck, bool takes_aggregates = false) {
  Story s = two_workers();
  if (takes_aggregates) s.at(0, StepBegan{kChief, StepId{99}, Purpose::sync});
  s.log.set_names({"v:0/grad_accum", "global_step", "",
                   "the connections between " + kTasks.names[0] + " and " + kTasks.names[1] + " broke", "disconnect",
                   kTasks.names[0], kTasks.names[1], "it is closed"});
  s.at(1.5, ConditionChanged{kBroke, kDisconnect, kPsName, kChiefName, false});
  s.at(2, SessionMoved{kChief, SessionStage::failed, kError});
  s.log.is_deadlocked = is_stuck;
  return s;
}
const std::vector<Proof> kWithoutIt{{.a = kTasks.names[0],
                                     .b = kTasks.names[1],
                                     .what = "there were faults",
                                     .instead = "without it",
                                     .goes_on = true}};

std::vector<Verdict> judged(const Story& s, std::span<const Proof> proofs) {
  return judge(s.log, s.contributions(), kTasks, proofs);
}
std::string told_of(const std::vector<Verdict>& verdicts, std::string_view kind) {
  const auto it = std::ranges::find(verdicts, kind, &Verdict::kind);
  return it == verdicts.end() ? "" : it->text;
}

TEST(FaultsBehind, a_standstill_are_told_there_though_they_are_over_and_nowhere_else) {
  const auto verdicts = judged(chief_fails_after_a_broken_connection(true), kWithoutIt);
  EXPECT_THAT(told_of(verdicts, "stuck"),
              HasSubstr("A fault was behind it: the connections between ps 0 and worker 0 broke at 1.500 s. Run again "
                        "without it (same seed), the job goes on."));
  EXPECT_THAT(told_of(verdicts, "failed"), Not(HasSubstr("A fault was behind it")));
  EXPECT_EQ(told_of(verdicts, "slowed"), "");
  EXPECT_THAT(told_of(judged(chief_fails_after_a_broken_connection(true), {}), "stuck"), Not(HasSubstr("behind it")));
}

TEST(FaultsBehind, a_standstill_are_told_after_what_it_waits_for) {
  Story s = chief_fails_after_a_broken_connection(true, true);
  s.at(40, LogLine{kOther, 'I', kNoDetail});
  EXPECT_THAT(
      told_of(judged(s, kWithoutIt), "stuck"),
      testing::AllOf(HasSubstr("The cause: worker 0 left training with an error at 2.000 s"),
                     HasSubstr("A fault was behind it: the connections between ps 0 and worker 0 broke at 1.500 s.")));
}

TEST(FaultsBehind, an_error_are_told_without_it) {
  Facts f(Training::asynchronous);
  f.stage(3, kOther, SessionStage::failed);
  f.e.troubles = {{.kind = Trouble::Kind::gone, .task = kOther, .from = kSecond, .back = 2 * kSecond},
                  {.kind = Trouble::Kind::failed, .task = kOther, .from = 3 * kSecond, .text = "ERROR"}};
  Proof p = proof(Proof::Cause::faults, 0, kOther);
  p.goes_on = true;
  const std::string told = f.with("failed", {p});
  EXPECT_THAT(told, HasSubstr("A fault was behind it: the process of worker 1 ended at 1.000 s, the next one began at "
                              "2.000 s, and it was not ready again before the end. Run again INSTEAD"));
}

TEST(FaultsBehind, a_client_s_error_are_told_with_it_where_nothing_stands_still) {
  Story s = chief_fails_after_a_broken_connection(false);
  s.push(2, 1)
      .push(2, 2)
      .aggregate(2)
      .ended(2, kOther, 2)
      .at(2, SessionMoved{kOther, SessionStage::left_loop, kNoDetail});
  const auto verdicts = judged(s, kWithoutIt);
  ASSERT_EQ(told_of(verdicts, "stuck"), "");
  EXPECT_THAT(told_of(verdicts, "failed"), HasSubstr("\nA fault was behind it: the connections between ps 0 and"));
  EXPECT_EQ(told_of(verdicts, "slowed"), "");
  EXPECT_THAT(told_of(judged(s, {}), "failed"), Not(HasSubstr("behind it")));
}

TEST(FaultsBehind, training_that_never_began_are_told_once) {
  Story s;
  s.at(1, ProcessEnded{kChief});
  const std::vector<Proof> proofs{{.task = kChief, .instead = "without it", .goes_on = true}};
  const auto verdicts = judged(s, proofs);
  EXPECT_THAT(told_of(verdicts, "not_started"),
              testing::EndsWith("did not come back. Run again without it (same seed), "
                                "the job goes on. To do: restart worker 0."));
  EXPECT_EQ(verdicts.size(), 1u);
}

TEST(Slowed, is_not_said_where_training_stands_still) {
  const std::vector<Proof> slower{{.a = kTasks.names[0], .b = kTasks.names[1], .what = "it rained", .gain = 0.5}};
  EXPECT_EQ(told_of(judged(chief_fails_after_a_broken_connection(true), slower), "slowed"), "");
  EXPECT_THAT(told_of(judged(chief_fails_after_a_broken_connection(false), slower), "slowed"),
              HasSubstr("It cost time that it rained."));
}

TEST(WentOn, does_not_promise_that_a_job_goes_on_that_went_on) {
  Story s = two_workers();
  s.push(1, 1).push(1, 2).aggregate(1).at(2, ProcessEnded{kOther}).aggregate(4).aggregate(5);
  const auto told = [&](bool goes_on) {
    const std::vector<Proof> proofs{{.task = kOther, .instead = "without it", .gain = 0.5, .goes_on = goes_on}};
    return told_of(judged(s, proofs), "went_on");
  };
  EXPECT_THAT(told(false), HasSubstr("Run again without it (same seed), the same work takes 50.0 % less time."));
  EXPECT_THAT(told(true), Not(HasSubstr("Run again")));
}

TEST(Chief, is_known_by_the_model_that_it_made_before_the_first_aggregate) {
  const auto told = [](Purpose purpose) {
    Story s;
    s.at(0, SessionMoved{kChief, SessionStage::created, kNoDetail})
        .at(0, StepBegan{kChief, StepId{1}, purpose})
        .at(0.5, StepEnded{kChief, StepId{1}, 0})
        .at(1, ProcessEnded{kChief});
    s.ready(2, kOther).step(2, kOther, 2).push(3, 2);
    s.log.is_deadlocked = true;
    return s.told("stuck");
  };
  EXPECT_THAT(told(Purpose::init), HasSubstr("did not come back: it is the chief, which had initialised the model"));
  EXPECT_THAT(told(Purpose::init), HasSubstr("To do: restart worker 0, the chief, and save checkpoints"));
  EXPECT_THAT(told(Purpose::ready_check), Not(HasSubstr("chief")));
  EXPECT_THAT(told(Purpose::ready_check), Not(HasSubstr("the token that it had just been given")));
}

TEST(Cures, of_a_process_that_was_back_at_once_are_no_restart) {
  const auto told = [](double back) {
    Story s = two_workers();
    s.push(1, 1).push(1, 2).aggregate(1).ended(1, kChief, 1).ended(1, kOther, 2).step(1, kChief, 3).push(1.5, 3);
    s.at(2, ProcessEnded{kOther}).take(2, 2);
    if (back > 0) s.at(back, ProcessBegan{kOther});
    s.at(60, LogLine{kChief, 'I', kNoDetail});
    s.log.is_deadlocked = true;
    return s.told("stuck");
  };
  EXPECT_THAT(told(0), HasSubstr("To do: restart worker 1"));
  EXPECT_THAT(told(2.5), HasSubstr("To do: find out what ends worker 1"));
  EXPECT_THAT(told(59), HasSubstr("To do: find out what ends worker 1"));  // it is there, and still nothing moves
}

TEST(Names, of_tasks_are_plain_in_what_the_log_says) {
  const TaskNames tasks{{"/job:worker/replica:0/task:1", "/job:worker/replica:0/task:12"}};
  EXPECT_EQ(tasks.in_plain("between /job:worker/replica:0/task:12 and /job:worker/replica:0/task:1, 1"),
            "between worker 12 and worker 1, 1");
  EXPECT_EQ(tasks.in_plain("/job:worker/replica:0/task:13"), "/job:worker/replica:0/task:13");
  EXPECT_EQ(tasks.without_name(TaskId{1u}, "/job:worker/replica:0/task:12 and /job:worker/replica:0/task:1"),
            "itself and /job:worker/replica:0/task:1");
  EXPECT_EQ(tasks.without_name(TaskId{9u}, "x"), "x") << "a task that nobody named";
}

}  // namespace
}  // namespace tarry
