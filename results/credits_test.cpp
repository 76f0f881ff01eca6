// The ledger of credits, from logs written by hand.

#include "results/credits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/hanging_story.hpp"

namespace tarry::audited {
namespace {

using testing::HasSubstr;

// ---- who may still push ----

TEST(Ledger, counts_gradients_tokens_and_whoever_may_still_push) {
  EXPECT_EQ(training().pushed(1, kOthers).due(), 3) << "a gradient, and two sessions";
  EXPECT_EQ(in_steps().due(), 2) << "a gradient, and the chief's";
  EXPECT_EQ(in_steps().pushed(3, kChiefs).due(), 2);
  EXPECT_EQ(in_steps().pushed(3, kChiefs).token(4, 0).due(), 3);
  EXPECT_EQ(in_steps().pushed(3, kChiefs, 0, 1).token(4, 0).token(4, 1).due(), 2) << "stale: the gradient and a token";
  EXPECT_EQ(in_steps().gets(3, 0, kOthers).due(), 3);
  EXPECT_EQ(in_steps().gets(3, -1, kOthers).due(), 2) << "its token is stale";
  EXPECT_EQ(in_steps().over(3, kOther, kOthers, 2).due(), 3) << "a new session brings a new one";
  EXPECT_EQ(in_steps().gone(3, kChief).due(), 1);
  EXPECT_EQ(in_steps().stage(3, kChief, SessionStage::failed).due(), 1);
}

TEST(Ledger, takes_the_local_step_of_a_session_and_then_the_tokens) {
  Hang h = training();
  h.pushed(0.5, kSync, 5, 5);
  EXPECT_EQ(h.due(), 3) << "nobody set a local step";
  const NameId local = h.name("sync_rep_local_step");
  Hang late = Hang(h).stage(1, kOther, SessionStage::created);
  late.at(1, ScalarAssigned{kOther, local, kInit, 4});
  EXPECT_EQ(Hang(late).stage(1, kOther, SessionStage::ready).due(), 2) << "its local step is behind";
  EXPECT_EQ(Hang(late).stage(1, kOther, SessionStage::ready).step(2, kOther, kOthers).due(), 2);
  late.stage(1, kOther, SessionStage::ready).step(2, kOther, kOthers);
  EXPECT_EQ(Hang(late).gets(3, 5, kOthers).over(4, kOther, kOthers).due(), 3) << "the token is its next local step";
  EXPECT_EQ(Hang(late).over(4, kOther, kOthers).due(), 2) << "without one it stays";
  late.at(2, ScalarAssigned{kOther, local, kOthers, 9});
  EXPECT_EQ(late.due(), 2) << "only a session sets it";
  EXPECT_EQ(late.stage(3, kOther, SessionStage::created).due(), 3) << "forgotten with the session";
}

TEST(Ledger, awaits_as_many_tokens_as_workers_or_gradients) {
  const Hang taken = in_steps().pushed(3, kChiefs).took(4, kTakes, 1);
  EXPECT_EQ(taken.due(), 2);
  EXPECT_EQ(Hang(taken).token(5, 1).due(), 2);
  EXPECT_EQ(Hang(taken).token(5, 1).token(5, 1).due(), 2);
  EXPECT_EQ(Hang(taken).token(5, 1).token(5, 1).token(5, 1).due(), 3) << "never fewer than none";
  EXPECT_TRUE(Hang(taken).gone(5, kPs).credits().accumulators.empty());
  Hang more = in_steps();
  more.at(2, SyncPlanned{kChief, 3, 2, 0});
  EXPECT_EQ(more.took(4, kTakes, 1).due(), 3 + 1);
}

// ---- losses ----

TEST(Ledger, tells_of_each_way_to_lose_a_credit) {
  EXPECT_EQ(in_steps().gone(3, kChief).losses(),
            "the process of worker 0 ended at 3.000 s while it computed, with its token 0\n");
  EXPECT_EQ(in_steps().gets(3, 7, kOthers).gone(4, kOther).losses(),
            "the process of worker 1 ended at 4.000 s with its token 7\n");
  EXPECT_EQ(in_steps().gets(3, 7, kOthers).over(4, kOther, kOthers).gone(5, kOther).losses(),
            "the process of worker 1 ended at 5.000 s with its token 7\n");
  EXPECT_EQ(in_steps().gone(3, kOther).losses(), "") << "it has pushed, and has no token";
  EXPECT_EQ(in_steps().over(3, kOther, kOthers, 2).gone(4, kOther).losses(), "") << "it had lost its session";
  EXPECT_EQ(in_steps().over(3, kOther, kOthers, 2).token(3, 7).given(4, 7, kOthers).losses(),
            "token 7 left the queue at 4.000 s for a step of worker 1 that was over\n");
  EXPECT_EQ(in_steps().gets(3, 7, kOthers).over(4, kOther, kOthers, 2).losses(),
            "a step of worker 1 failed at 4.000 s after its token 7 was delivered\n");
  EXPECT_EQ(in_steps().over(3, kOther, kOthers, 2).losses(), "");
  Hang left = in_steps().gets(3, 7, kOthers).over(4, kOther, kOthers);
  EXPECT_EQ(Hang(left).stage(5, kOther, SessionStage::left_loop).losses(),
            "worker 1 left training at 5.000 s with its token 7\n");
  EXPECT_EQ(training().stage(5, kOther, SessionStage::left_loop).losses(), "") << "it had none";
  EXPECT_EQ(left.step(5, kOther, kNext).stage(6, kOther, SessionStage::failed).losses(), "") << "its step has it";
}

TEST(Ledger, knows_gradients_that_were_on_their_way) {
  const Hang dead = in_steps().gone(3, kChief);
  EXPECT_EQ(Hang(dead).pushed(4, kChiefs).losses(), "");
  Hang again = Hang(dead).pushed(4, kChiefs);
  again.at(5, ProcessBegan{kChief, 1});
  again.ready(5, kChief).step(6, kChief, kChiefs).gone(7, kChief);
  EXPECT_THAT(again.losses(), HasSubstr("ended at 7.000 s while it computed"));
}

TEST(Ledger, tells_of_tokens_that_a_chief_never_handed_out) {
  const Hang taken = in_steps().pushed(3, kChiefs).took(4, kTakes, 1);
  const std::string both = "worker 0 was lost at 5.000 s between an aggregate and its 2 tokens\n";
  EXPECT_EQ(Hang(taken).over(5, kChief, kTakes, 2).losses(), both);
  EXPECT_EQ(Hang(taken).gone(5, kChief).losses(), both);
  EXPECT_THAT(Hang(taken).token(4, 1).over(5, kChief, kTakes, 2).losses(), HasSubstr("and its 1 tokens"));
  EXPECT_EQ(Hang(taken).over(5, kChief, kTakes).losses(), "") << "it ended well";
  EXPECT_EQ(in_steps().over(3, kChief, kTakes, 2).took(5, kTakes, 1).losses(), both) << "nobody hears of it";
}

TEST(Ledger, knows_what_is_given_to_a_step_that_was_cancelled_there) {
  Hang cancelled = in_steps().token(2, 7).over(3, kOther, kOthers, 2);
  EXPECT_EQ(Hang(cancelled).given(4, 7, kOthers).credits().tokens.size(), 0u);
  cancelled.fact({.what = What::run_cancelled, .task = kPs, .step = kOthers});
  const Credits c = cancelled.given(4, 7, kOthers).credits();
  EXPECT_EQ(c.not_permitted, "token 7 was given at 4.000 s to a step that was cancelled there before");
  EXPECT_EQ(c.tokens, std::vector<std::int64_t>{7});
  Hang late = in_steps().token(2, 7).over(3, kOther, kOthers, 2).given(4, 7, kOthers);
  late.fact({.what = What::run_cancelled, .task = kPs, .step = kOthers});
  EXPECT_EQ(late.credits().not_permitted, "") << "cancelled after that";
  Hang take = in_steps();
  take.fact({.what = What::run_cancelled, .task = kPs, .step = kTakes});
  EXPECT_EQ(take.took(4, kTakes, 1).credits().not_permitted,
            "an aggregate was given at 4.000 s to a step that was cancelled there before");
}

TEST(Ledger, follows_the_queue_of_tokens_alone) {
  Hang h = training().token(1, 7);
  h.began(1, kChief, kPuts, Purpose::init_tokens);
  h.token(1, 8, kPuts).token(1, 9, kChiefs).step(1, kOther, kOthers);
  EXPECT_EQ(h.credits().tokens, (std::vector<std::int64_t>{7, 8})) << "a sync step, and the one of initial tokens";
  h.at(2, Dequeued{kPs, kOtherQueue, kOthers, 7}).at(2, Dequeued{kOther, kTokens, kOthers, 7});
  EXPECT_EQ(h.credits().tokens, (std::vector<std::int64_t>{7, 8}));
  EXPECT_EQ(h.gone(2, kOther).credits().tokens.size(), 2u);
  EXPECT_EQ(h.gone(2, kPs).credits().tokens.size(), 0u);
}

}  // namespace
}  // namespace tarry::audited
