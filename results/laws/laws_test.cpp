// Each law: the shortest story that keeps it, and the one event or fact that breaks it. Queues, accumulators, steps.

#include "results/laws.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "results/laws/audited_story.hpp"

namespace tarry::audited {
namespace {

using testing::HasSubstr;

TEST(Laws, have_names_of_their_own) {
  std::set<std::string_view> names;
  for (const Law& law : laws()) {
    EXPECT_TRUE(names.insert(law.name).second) << law.name;
    EXPECT_TRUE(law.meaning.ends_with(".")) << law.name;
  }
  EXPECT_EQ(names.size(), 15u);
}

TEST(Laws, hold_in_a_run_in_which_nothing_happens) { EXPECT_THAT(broken_laws(EventLog()), testing::IsEmpty()); }

// ---- tokens_conserved ----

Tale two_tokens() {
  Tale r;
  r.began(1, kChief, kSync, Purpose::sync);
  return r.at(1, Enqueued{kPs, kTokens, kSync, 7}).at(1, Enqueued{kPs, kTokens, kSync, 8});
}
constexpr std::string_view kTokensLaw = "tokens_conserved";

TEST(Tokens, leave_in_order) {
  EXPECT_EQ(two_tokens().at(2, Dequeued{kPs, kTokens, kStep, 7}).says(kTokensLaw), "");
  EXPECT_EQ(two_tokens().at(2, Dequeued{kPs, kTokens, kStep, 8}).says(kTokensLaw),
            "at 2.000 s step 1 took 8 from sync_token_q at task 0, but 7 is in front");
}

TEST(Tokens, leave_once) {
  Tale r = two_tokens();
  r.at(2, Dequeued{kPs, kTokens, kStep, 7}).at(2, Dequeued{kPs, kTokens, kStep, 8});
  EXPECT_EQ(r.says(kTokensLaw), "");
  EXPECT_THAT(r.at(3, Dequeued{kPs, kTokens, kNext, 8}).says(kTokensLaw), HasSubstr("which is empty"));
}

TEST(Tokens, go_with_their_process) {
  Tale r = two_tokens();
  r.at(2, ProcessEnded{kPs}).at(2, ProcessBegan{kPs, 1});
  EXPECT_THAT(r.at(3, Dequeued{kPs, kTokens, kNext, 7}).says(kTokensLaw), HasSubstr("which is empty"));
}

TEST(Tokens, are_inside_at_the_end_or_were_lost_with_a_dequeue_of_several) {
  const auto inside = [](std::int64_t n, std::int64_t lost) {
    return two_tokens().rest({.what = Rest::queue, .task = kPs, .name = kTokensText, .a = n, .d = lost});
  };
  EXPECT_EQ(inside(2, 0).says(kTokensLaw), "");
  EXPECT_EQ(inside(1, 1).says(kTokensLaw), "");
  EXPECT_THAT(inside(1, 0).says(kTokensLaw), HasSubstr("holds 1 elements; 2 entered it and did not leave"));
}

TEST(Tokens, of_a_sync_step_are_as_many_as_workers_or_gradients) {
  const auto with = [](std::int64_t required, std::int64_t workers) {
    Tale r;
    r.at(0, SyncPlanned{kChief, required, workers, 1}).began(0, kChief, kInit, Purpose::init_tokens);
    r.at(0, Enqueued{kPs, kTokens, kInit, 0}).ended(0, kChief, kInit).began(1, kChief, kSync, Purpose::sync);
    r.at(1, Enqueued{kPs, kTokens, kSync, 7}).at(1, Enqueued{kPs, kTokens, kSync, 7});
    return r.ended(2, kChief, kSync).says(kTokensLaw);
  };
  EXPECT_EQ(with(2, 1), "");
  EXPECT_EQ(with(1, 2), "");
  EXPECT_THAT(with(3, 2), HasSubstr("put 2 tokens into the queue in place of 3"));
}

TEST(Tokens, are_counted_in_sync_steps_and_in_that_of_the_initial_ones_alone) {
  Tale r;
  r.at(0, SyncPlanned{kChief, 2, 2, 3}).began(0, kChief, kStep).ended(1, kChief, kStep);
  EXPECT_EQ(r.says(kTokensLaw), "") << "a training step puts none";
  r.began(1, kChief, kInit, Purpose::init_tokens).at(1, Enqueued{kPs, kTokens, kInit, 0});
  EXPECT_EQ(Tale(r).ended(2, kChief, kInit, 1).says(kTokensLaw), "") << "it failed";
  EXPECT_THAT(r.ended(2, kChief, kInit).says(kTokensLaw), HasSubstr("put 1 tokens into the queue in place of 3"));
}

TEST(Tokens, are_looked_for_in_the_queue_that_has_their_name) {
  Tale r;
  r.at(1, Enqueued{kPs, kTokens, kSync, 7}).at(1, Enqueued{kPs, kTokens, kSync, 8});
  r.at(1, Enqueued{kPs, kOtherQueue, kSync, 7});
  EXPECT_EQ(r.rest({.what = Rest::queue, .task = kPs, .name = kTokensText, .a = 2}).says(kTokensLaw), "");
}

TEST(Elements, of_other_queues_may_change_while_they_are_inside) {
  Tale r;
  r.at(1, Enqueued{kPs, kOtherQueue, kStep, 7}).at(2, Dequeued{kPs, kOtherQueue, kStep, 8});
  EXPECT_EQ(r.says(kTokensLaw), "");
}

// ---- staleness, aggregates_whole ----

TEST(Staleness, is_a_local_step_behind_the_accumulators) {
  EXPECT_EQ(Tale().push(1, 0, 0, true).says("staleness"), "");
  EXPECT_THAT(Tale().push(1, 0, 0, false).says("staleness"), HasSubstr("was dropped by v/grad_accum"));
  Tale r;
  r.at(1, AccumulatorStepSet{kPs, kGradients, 4});
  EXPECT_EQ(Tale(r).push(2, 3, 4, false).says("staleness"), "");
  EXPECT_THAT(Tale(r).push(2, 3, 4, true).says("staleness"),
              HasSubstr("with local step 3 was accepted by v/grad_accum at task 0, which is at step 4"));
  EXPECT_THAT(r.push(2, 3, 3, true).says("staleness"), HasSubstr("at step 3 in place of 4"));
}

TEST(Staleness, counts_from_an_accumulators_step_which_moves_by_one) {
  Tale r;
  r.at(1, AggregateTaken{kPs, kGradients, kSync, 1, 1});
  EXPECT_EQ(r.says("staleness"), "");
  EXPECT_THAT(Tale(r).at(2, AggregateTaken{kPs, kGradients, kSync, 1, 3}).says("staleness"),
              HasSubstr("to step 3 in place of 2"));
  const AuditRest other{.what = Rest::accumulator, .task = kPs, .name = kGradientsText, .b = 2};
  EXPECT_THAT(r.rest(other).says("staleness"), HasSubstr("is at step 2 in place of 1"));
}

Tale two_gradients() {
  Tale r;
  r.at(1, TakeIssued{kPs, kGradients, kSync, 2});
  return r.push(1, 0, 0, true).push(1, 0, 0, true);
}
constexpr std::string_view kAggregates = "aggregates_whole";

TEST(Aggregates, hold_what_was_accepted) {
  EXPECT_EQ(two_gradients().at(2, AggregateTaken{kPs, kGradients, kSync, 2, 1}).says(kAggregates), "");
  EXPECT_THAT(two_gradients().at(2, AggregateTaken{kPs, kGradients, kSync, 3, 1}).says(kAggregates),
              HasSubstr("step 3 took 3 gradients"));
}

TEST(Aggregates, hold_what_was_required) {
  Tale r;
  r.at(1, TakeIssued{kPs, kGradients, kSync, 2}).push(1, 0, 0, true);
  EXPECT_THAT(r.at(2, AggregateTaken{kPs, kGradients, kSync, 1, 1}).says(kAggregates), HasSubstr("but required 2"));
}

TEST(Aggregates, are_taken_once_for_each_take) {
  Tale r = two_gradients();
  r.at(2, AggregateTaken{kPs, kGradients, kSync, 2, 1});
  EXPECT_THAT(r.at(2, AggregateTaken{kPs, kGradients, kSync, 0, 2}).says(kAggregates),
              HasSubstr("without having asked for one"));
}

TEST(Aggregates, are_given_as_soon_as_they_are_whole) {
  const auto with = [](std::int64_t gradients, std::int64_t required) {
    return two_gradients()
        .rest({.what = Rest::accumulator, .task = kPs, .name = kGradientsText, .a = gradients, .c = 1, .d = required})
        .says(kAggregates);
  };
  EXPECT_EQ(with(2, 3), "");
  EXPECT_THAT(with(2, 2), HasSubstr("a take that requires 2 waits"));
  EXPECT_THAT(with(1, 3), HasSubstr("has 1 gradients, but accepted 2"));
}

// ---- global_step_by_one ----

TEST(GlobalStep, moves_by_one_or_is_set) {
  Tale r;
  r.began(0, kChief, kInit, Purpose::init).at(0, ScalarAssigned{kPs, kGlobalStep, kInit, 5});
  r.began(1, kChief, kSync, Purpose::sync).at(1, ScalarAssigned{kPs, kGlobalStep, kSync, 6});
  EXPECT_EQ(r.says("global_step_by_one"), "");
  EXPECT_EQ(Tale(r).at(2, ScalarAssigned{kPs, kGlobalStep, kInit, 2}).says("global_step_by_one"), "");
  Tale restored = r;
  restored.began(2, kChief, kNext, Purpose::restore).at(2, ScalarAssigned{kPs, kGlobalStep, kNext, 2});
  EXPECT_EQ(restored.says("global_step_by_one"), "");
  for (const std::int64_t wrong : {6, 8})
    EXPECT_THAT(Tale(r).at(2, ScalarAssigned{kPs, kGlobalStep, kSync, wrong}).says("global_step_by_one"),
                HasSubstr("moved the global step from 6"));
  r.at(2, ProcessEnded{kPs}).at(2, ProcessBegan{kPs, 1});
  EXPECT_THAT(r.at(3, ScalarAssigned{kPs, kGlobalStep, kSync, 7}).says("global_step_by_one"),
              HasSubstr("before it was initialised"));
}

// ---- steps_end_once, ended_steps_rest ----

TEST(Steps, end_once_if_they_began) {
  Tale r;
  r.began(1, kChief, kStep).ended(2, kChief, kStep);
  EXPECT_EQ(r.says("steps_end_once"), "");
  EXPECT_THAT(Tale(r).ended(3, kChief, kStep).says("steps_end_once"), HasSubstr("ended a second time"));
  EXPECT_THAT(Tale(r).began(3, kChief, kStep).says("steps_end_once"), HasSubstr("began a second time"));
  EXPECT_THAT(r.ended(3, kChief, kNext).says("steps_end_once"), HasSubstr("though it had not begun"));
}

TEST(Steps, begin_and_end_in_one_process) {
  Tale r;
  r.began(1, kChief, kStep).at(2, ProcessEnded{kChief});
  EXPECT_THAT(Tale(r).began(3, kChief, kNext).says("steps_end_once"), HasSubstr("though it has no process"));
  r.at(3, ProcessBegan{kChief, 1});
  EXPECT_EQ(Tale(r).began(3, kChief, kNext).ended(4, kChief, kNext).says("steps_end_once"), "");
  EXPECT_THAT(r.ended(4, kChief, kStep).says("steps_end_once"), HasSubstr("the process that began it is gone"));
}

constexpr std::string_view kRest = "ended_steps_rest";
TEST(EndedSteps, do_nothing_where_they_ended) {
  Tale r = running();
  r.push(1, 0, 0, true);
  EXPECT_EQ(r.says(kRest), "");
  r.here(What::run_ended);
  EXPECT_EQ(r.says(kRest), "");
  EXPECT_THAT(Tale(r).push(2, 0, 0, true).says(kRest), HasSubstr("pushed a gradient at task 0, where it had ended"));
  EXPECT_THAT(Tale(r).at(2, KernelRan{kPs, kNothing, kNothing, kNothing, kStep, 0}).says(kRest),
              HasSubstr("ran a kernel"));
  EXPECT_THAT(Tale(r).here(What::value_arrived).says(kRest), HasSubstr("at task 0, where it was over"));
  EXPECT_EQ(r.at(2, GradientPushed{kPs, kGradients, kNext, 0, 0, true}).says(kRest), "");
  EXPECT_EQ(Tale().here(What::run_cancelled).push(2, 0, 0, true).says(kRest), "") << "no graph of it has run yet";
}

TEST(EndedSteps, have_ended_when_all_their_graphs_at_the_process_have) {
  Tale r = running().here(What::run_began);
  r.here(What::run_ended);
  EXPECT_EQ(Tale(r).push(2, 0, 0, true).says(kRest), "");
  EXPECT_EQ(Tale(r).here(What::run_ended, kStep, 1).push(2, 0, 0, true).says(kRest), "") << "in another process";
  EXPECT_THAT(r.here(What::run_ended).push(2, 0, 0, true).says(kRest), HasSubstr("had ended"));
}

TEST(CancelledSteps, finish_what_they_do_and_take_nothing) {
  const auto cancelled = [] { return running().here(What::run_cancelled); };
  EXPECT_EQ(cancelled().push(2, 0, 0, true).says(kRest), "");
  EXPECT_THAT(cancelled().at(2, Dequeued{kPs, kTokens, kStep, 0}).says(kRest), HasSubstr("where it was cancelled"));
  EXPECT_THAT(cancelled().at(2, Enqueued{kPs, kTokens, kStep, 0}).says(kRest), HasSubstr("put an element"));
  EXPECT_THAT(cancelled().at(2, AggregateTaken{kPs, kGradients, kStep, 0, 1}).says(kRest), HasSubstr("an aggregate"));
  EXPECT_THAT(cancelled().here(What::value_arrived).says(kRest), HasSubstr("where it was cancelled"));
}

TEST(CleanedUpSteps, neither_begin_nor_take_values) {
  EXPECT_THAT(running().here(What::cleaned_up).here(What::value_arrived).says(kRest), HasSubstr("cleaned up"));
  EXPECT_THAT(running().here(What::cleaned_up).here(What::run_began).says(kRest), HasSubstr("began at task 0"));
  EXPECT_EQ(running().here(What::cleaned_up).here(What::run_began, kStep, 1).says(kRest), "");
}

}  // namespace
}  // namespace tarry::audited
