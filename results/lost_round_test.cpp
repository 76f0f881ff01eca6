// A sync step that had taken aggregates when it ended, from logs written by hand.

#include "results/verdicts/lost_round.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_facts.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr NameId kOtherAccumulator{3u}, kTokens{4u};
constexpr StepId kRound{99};

// Both gradients of two variables have come; the thread of the chief has the aggregate of the first one.
Story half_a_round() {
  Story s;
  s.log.set_names({"v:0/grad_accum", "global_step", "", "w:0/grad_accum", "sync_token_q"});
  s.ready(0, kChief).ready(0, kOther).step(0, kChief, 1).step(0, kOther, 2);
  s.at(0, StepBegan{kChief, kRound, Purpose::sync}).take(0, 2).at(0, TakeIssued{kPs, kOtherAccumulator, kRound, 2});
  s.push(1, 1).push(1, 2).at(1, GradientPushed{kPs, kOtherAccumulator, StepId{1}, 0, 0, true});
  s.aggregate(1);
  return s;
}
// The chief is there again, and nothing moves.
std::string told_after(Story& s) {
  s.at(2, ProcessEnded{kChief}).at(3, ProcessBegan{kChief, 2}).ready(4, kChief);
  s.log.is_deadlocked = true;
  return s.told("stuck");
}

TEST(LostRound, is_told_where_the_chief_that_took_aggregates_is_back_and_nothing_moves) {
  Story s = half_a_round();
  const std::string told = told_after(s);
  EXPECT_THAT(told, HasSubstr(" A step of the sync thread of worker 0 ended when it had the aggregates of 1 of 2 "
                              "variables: the gradients in them are lost, and no tokens came for them."));
  EXPECT_THAT(told, HasSubstr(" To do: give at least 1 initial token (num_tokens of make_session_run_hook); and find "
                              "out what ends worker 0."));
}

TEST(LostRound, is_none_where_a_later_round_had_its_tokens) {
  Story s = half_a_round();
  s.at(2, ProcessEnded{kChief}).at(3, ProcessBegan{kChief, 1}).ready(4, kChief);
  s.at(4, StepBegan{kChief, StepId{98}, Purpose::sync}).at(5, Enqueued{kPs, kTokens, StepId{98}, 1});
  const Contributions c = s.contributions();
  EXPECT_FALSE(lost_round(read_evidence(s.log, c, kTasks), {}));
}

// The take that waits on the server gets its aggregate, and nobody hears of it.
TEST(LostRound, may_be_complete_only_after_the_process_has_ended) {
  Story s = two_workers();
  s.at(0, StepBegan{kChief, kRound, Purpose::sync}).at(1, ProcessEnded{kChief});
  EXPECT_THAT(s.told("stuck"), Not(HasSubstr("A step of the sync thread")));
  s.push(2, 1).push(2, 2).aggregate(2);
  const Contributions c = s.contributions();
  const Evidence e = read_evidence(s.log, c, kTasks);
  const auto round = lost_round(e, {});
  ASSERT_TRUE(round);
  EXPECT_THAT(in_words(*round, e), HasSubstr("the aggregates of the only variable:"));
}

TEST(LostRound, may_have_all_aggregates_and_no_tokens) {
  Story s = half_a_round();
  s.at(1.5, AggregateTaken{kPs, kOtherAccumulator, kRound, 2, 1});
  EXPECT_THAT(told_after(s), HasSubstr("the aggregates of all 2 variables"));
}

TEST(LostRound, is_none_of_a_thread_that_took_nothing_or_handed_out_tokens) {
  Story handed_out = half_a_round(), took_nothing = two_workers(), took_in_training = two_workers();
  handed_out.at(1.5, Enqueued{kPs, kTokens, kRound, 1});
  took_nothing.at(0, StepBegan{kChief, kRound, Purpose::sync});
  took_in_training.at(1, AggregateTaken{kPs, kAccumulator, StepId{1}, 2, 1}).ended(1, kChief, 1);
  for (Story* s : {&handed_out, &took_nothing, &took_in_training})
    EXPECT_THAT(told_after(*s), Not(HasSubstr("A step of the sync thread")));
}

TEST(LostRound, ends_with_its_step_where_only_the_session_broke) {
  Story s = half_a_round();
  s.at(2, StepEnded{kChief, kRound, 10}).ready(3, kChief);
  const Contributions c = s.contributions();
  const Evidence e = read_evidence(s.log, c, kTasks);
  const auto round = lost_round(e, {});
  ASSERT_TRUE(round);
  EXPECT_EQ(in_words(*round, e).substr(0, 26), " A step of the sync thread");
  EXPECT_EQ(round->chief, kChief);
  const Trouble away{.kind = Trouble::Kind::gone, .task = kOther};
  EXPECT_FALSE(lost_round(e, {&away, 1})) << "what is still wrong explains more";
}

}  // namespace
}  // namespace tarry
