// Who gave what to which aggregate, and the law of credits, from logs written by hand.

#include "results/contributions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_story.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;

constexpr StepId kTokensStep{90};
constexpr NameId kTokenQueue{2u};

TEST(Contributions, an_aggregate_holds_what_each_worker_gave_since_the_one_before) {
  Story s = two_workers();
  s.push(1, 1).push(1, 1).push(1, 2, false).aggregate(1).push(2, 2).aggregate(2, 1).push(3, 1);
  const AccumulatorStory a = s.contributions().accumulators.at(0);
  ASSERT_EQ(a.aggregates.size(), 2u);
  EXPECT_THAT(a.aggregates[0].by_worker, ElementsAre(2, 0));
  EXPECT_THAT(a.aggregates[1].by_worker, ElementsAre(0, 1));
  EXPECT_THAT(a.left, ElementsAre(1, 0));
  EXPECT_THAT(a.pushed, ElementsAre(3, 2));
  EXPECT_THAT(a.accepted, ElementsAre(3, 1));
  EXPECT_THAT(a.dropped, ElementsAre(0, 1));
  EXPECT_EQ(std::pair(a.aggregates[0].step, a.aggregates[1].step), std::pair(std::int64_t{1}, std::int64_t{2}));
}

TEST(Contributions, an_aggregate_is_divided_by_what_was_averaged_and_is_over_full_by_what_exceeds_the_take) {
  Story s = two_workers();
  const AccumulatorStory a = s.aggregate(1, 5).aggregate(2, 2).contributions().accumulators.at(0);
  EXPECT_EQ(std::pair(a.aggregates.at(0).averaged, a.aggregates.at(1).averaged),
            std::pair(std::int64_t{5}, std::int64_t{2}));
  EXPECT_THAT(a.over_accepted, ElementsAre(3, 0));
}

TEST(Contributions, an_aggregate_is_lone_when_one_of_several_workers_filled_it_with_several_gradients) {
  const auto is_lone = [](std::vector<std::int64_t> by_worker) { return Aggregate{1, std::move(by_worker)}.is_lone(); };
  EXPECT_TRUE(is_lone({2, 0}));
  EXPECT_TRUE(is_lone({0, 0, 3}));
  EXPECT_FALSE(is_lone({1, 0}));
  EXPECT_FALSE(is_lone({2, 1}));
  EXPECT_FALSE(is_lone({0, 0}));
  EXPECT_FALSE(is_lone({2}));
}

TEST(Contributions, training_lasts_until_the_last_worker_has_left_it) {
  Story s = two_workers();
  s.at(2, SessionMoved{kChief, SessionStage::left_loop, kNoDetail});
  EXPECT_EQ(training_time(s.contributions(), 9 * kSecond), 9 * kSecond) << "the other one still trains";
  s.at(3, SessionMoved{kOther, SessionStage::failed, kNoDetail});
  s.at(5, SessionMoved{kChief, SessionStage::closed, kNoDetail});
  EXPECT_EQ(training_time(s.contributions(), 9 * kSecond), 3 * kSecond);
  s.at(6, SessionMoved{kChief, SessionStage::looping, kNoDetail});
  EXPECT_EQ(training_time(s.contributions(), 9 * kSecond), 9 * kSecond) << "it is back";
}

TEST(Contributions, training_does_not_last_for_a_worker_that_was_lost) {
  Story s = two_workers();
  s.at(1, ProcessEnded{kOther}).at(2, SessionMoved{kChief, SessionStage::left_loop, kNoDetail});
  EXPECT_EQ(training_time(s.contributions(), 9 * kSecond), 2 * kSecond);
  s.at(3, SessionMoved{kOther, SessionStage::looping, kNoDetail});
  EXPECT_EQ(training_time(s.contributions(), 9 * kSecond), 9 * kSecond) << "it is back";
}

TEST(Contributions, gradients_that_were_dropped_are_of_no_use) {
  Story s = two_workers();
  s.push(1, 1).push(1, 2).aggregate(1).push(2, 1, false).push(2, 2);
  EXPECT_EQ(gradients_used(s.contributions()), 2) << "the last one is in no aggregate yet";
}

TEST(Contributions, are_read_up_to_the_aggregate_that_is_asked_for) {
  Story s = two_workers();
  s.aggregate(1).aggregate(2).aggregate(3);
  EXPECT_EQ(read_contributions(s.log, 2).accumulators.at(0).aggregates.size(), 2u);
  EXPECT_EQ(read_contributions(s.log).accumulators.at(0).aggregates.size(), 3u);
}

TEST(Contributions, the_nearest_server_is_that_of_the_fastest_message_to_one_with_an_accumulator) {
  Story s = two_workers();
  s.log.started_at = kSecond / 2;
  s.push(1, 1)
      .at(4, MessageDelivered{kChief, kPs, kNoDetail, 1, 1 * kSecond})
      .at(5, MessageDelivered{kChief, kPs, kNoDetail, 1, 3 * kSecond})
      .at(6, MessageDelivered{kChief, kPs, kNoDetail, 1, 1 * kSecond})
      .at(6, MessageDelivered{kChief, kOther, kNoDetail, 1, 6 * kSecond})
      .at(6, MessageDelivered{kPs, kChief, kNoDetail, 1, 6 * kSecond});
  const Contributions c = s.contributions();
  EXPECT_EQ(c.workers.at(0).nearest_ps, 2 * kSecond);
  EXPECT_EQ(c.workers.at(1).nearest_ps, -1);
}

TEST(Contributions, a_step_counts_when_it_ended_well) {
  Story s = two_workers();
  s.log.started_at = kSecond;
  s.ended(3, kChief, 1).at(4, StepEnded{kOther, StepId{2}, 1}).step(5, kChief, 3);
  const Contributions c = s.contributions();
  EXPECT_EQ(std::pair(c.workers.at(0).steps, c.workers.at(1).steps), std::pair(std::int64_t{1}, std::int64_t{0}));
  EXPECT_THAT(c.workers[0].step_ended, ElementsAre(2 * kSecond));
}

TEST(Contributions, the_staleness_of_an_update_is_how_many_of_others_came_during_its_step) {
  Story s;
  s.step(0, kOther, 20).step(0, kChief, 10).ended(1, kOther, 20).ended(1, kChief, 10);
  s.step(1, kOther, 21).step(1, kChief, 11).ended(2, kOther, 21);
  s.step(2, kOther, 22).ended(3, kOther, 22).ended(3, kChief, 11);
  s.step(3, kOther, 23).ended(4, kOther, 23);
  const Contributions c = s.contributions();
  const auto all = staleness_of_updates(c);
  EXPECT_THAT(all, ElementsAre(ElementsAre(1, 2), ElementsAre(1, 0, 1, 0)));
  EXPECT_EQ(mean_after_first(all[1]), 1 / 3.0);
  EXPECT_EQ(mean_after_first({5}), 0);
}

// A stale-synchronous step says that it is done, and waits for a token.
TEST(Contributions, what_comes_while_a_step_waits_for_its_token_makes_it_no_staler) {
  Story s;
  s.log.set_names({"", "stale_done_q_0"});
  const NameId done{1u};
  s.step(0, kChief, 10).step(0, kOther, 20).at(1, Enqueued{kPs, done, StepId{10}, 0});
  s.ended(2, kOther, 20).step(2, kOther, 21).ended(3, kOther, 21).ended(4, kChief, 10);
  s.step(4, kChief, 11).at(5, Enqueued{kPs, done, StepId{11}, 1}).at(6, Enqueued{kPs, done, StepId{11}, 1});
  const Contributions c = s.contributions();
  EXPECT_THAT(staleness_of_updates(c), ElementsAre(ElementsAre(0, 0), ElementsAre(1, 0)));
  EXPECT_EQ(c.workers[0].steps, 1) << "the second one still waits";
  EXPECT_EQ(gradients_used(c), 4) << "and has changed the variables";
}

TEST(Contributions, tokens_are_what_a_training_step_takes_of_the_queue_that_the_chief_fills) {
  Story s = two_workers();
  s.push(1, 1).at(1, StepBegan{kChief, kTokensStep, Purpose::init_tokens});
  s.at(1, Enqueued{kPs, kTokenQueue, kTokensStep, 7}).at(1, Dequeued{kPs, kAccumulator, StepId{1}, 3});
  s.at(2, Dequeued{kPs, kTokenQueue, StepId{1}, 7});
  EXPECT_EQ(s.contributions().workers[0].tokens, std::vector<std::int64_t>{7});
  EXPECT_EQ(s.contributions().tokens_dequeued, 1);
}

// ---- credits ----

// Two workers, one token at the beginning, one of a sync step, and so many pushes.
Contributions after_pushes(int accepted, int dropped) {
  Story s = two_workers();
  s.ready(0, kPs)  // it never trains
      .at(0, StepBegan{kChief, kTokensStep, Purpose::init_tokens})
      .at(0, Enqueued{kPs, kTokenQueue, kTokensStep, 0})
      .at(0, StepBegan{kChief, StepId{99}, Purpose::sync})
      .at(0, Enqueued{kPs, kTokenQueue, StepId{99}, 1})
      .at(0, Enqueued{kPs, kTokenQueue, StepId{1}, 2});  // a training step's is no token
  for (int i = 0; i < accepted; ++i) s.push(1, 1);
  for (int i = 0; i < dropped; ++i) s.push(1, 2, false);
  return s.contributions();
}

// Of a name without its variable; a job with a plan, and one with a thread that takes aggregates.
TEST(Contributions, of_accumulators_that_a_program_has_for_itself_are_none) {
  const auto aggregates = [](const char* name, auto add) {
    Story s = two_workers();
    s.log.set_names({name, "global_step", ""});
    add(s);
    s.push(1, 1).take(1, 1).aggregate(1);
    const Contributions c = s.contributions();
    EXPECT_EQ(check_credit_law(c), "") << name;
    return c.accumulators.size();
  };
  const auto nothing = [](Story&) {};
  EXPECT_EQ(aggregates("v:0/grad_accum", nothing), 1u);
  EXPECT_EQ(aggregates("acc", nothing), 0u);
  EXPECT_EQ(aggregates("acc", [](Story& s) { s.at(0, SyncPlanned{kChief, 2, 2}); }), 1u);
  EXPECT_EQ(aggregates("acc", [](Story& s) { s.at(0, StepBegan{kChief, StepId{99}, Purpose::sync}); }), 1u);
}

TEST(Contributions, count_the_initial_tokens_since_the_process_of_their_queue_began) {
  Story s = two_workers();
  const auto initialise = [&](std::uint64_t step) {
    s.at(1, StepBegan{kChief, StepId{step}, Purpose::init_tokens});
    for (int i = 0; i < 2; ++i) s.at(1, Enqueued{kPs, kTokenQueue, StepId{step}, 0});
  };
  initialise(50), initialise(51);
  EXPECT_EQ(s.contributions().initial_tokens.size(), 4u);
  s.at(1, ProcessEnded{kOther}), initialise(52);
  EXPECT_EQ(s.contributions().initial_tokens.size(), 6u);
  s.at(1, ProcessEnded{kPs}), initialise(53);
  EXPECT_EQ(s.contributions().initial_tokens.size(), 2u);
  EXPECT_EQ(s.contributions().tokens_enqueued, 8);
}

TEST(Contributions, of_own_accumulators_are_told_by_themselves) {
  Story s = two_workers();  // which take 2
  s.log.set_names({"acc", "global_step", ""});
  s.push(1, 1).push(1, 2).aggregate(1).take(1, 3).push(2, 2).push(2, 1, false).push(2, 99);
  const Contributions c = s.contributions();
  ASSERT_EQ(c.own.size(), 1u);
  EXPECT_EQ(c.own[0].name, "acc");
  EXPECT_EQ(c.own[0].task, kPs);
  EXPECT_EQ(c.own[0].required, 3);
  EXPECT_EQ(c.own[0].open_takes, 1);
  EXPECT_EQ(c.own[0].given, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(c.own[0].left, (std::vector<std::int64_t>{0, 1}));
}

TEST(Contributions, of_own_accumulators_end_with_the_step_or_the_process_that_waits) {
  const auto after = [](const auto& happens) {
    Story s = two_workers();
    s.log.set_names({"acc", "global_step", ""});
    s.push(1, 1).step(1, kOther, 99).take(1, 3).push(2, 2);  // one take is from the beginning
    happens(s);
    const OwnAccumulator a = s.contributions().own[0];
    return std::pair{a.open_takes, sum(a.left)};
  };
  using Left = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(after([](Story&) {}), (Left{2, 2}));
  EXPECT_EQ(after([](Story& s) { s.aggregate(3); }), (Left{1, 0})) << "one of two takes is answered";
  EXPECT_EQ(after([](Story& s) { s.at(3, StepEnded{kChief, StepId{99}, 1}); }), (Left{0, 2}));
  EXPECT_EQ(after([](Story& s) { s.at(3, StepEnded{kChief, StepId{98}, 1}); }), (Left{2, 2})) << "of another step";
  EXPECT_EQ(after([](Story& s) { s.at(3, ProcessEnded{kPs}); }), (Left{0, 0}));
  EXPECT_EQ(after([](Story& s) { s.at(3, ProcessEnded{kOther}); }), (Left{0, 2}));
  EXPECT_EQ(after([](Story& s) { s.at(3, ProcessEnded{kChief}); }), (Left{2, 2}));
}

TEST(CreditLaw, holds_for_a_push_of_each_session_and_each_token) {
  EXPECT_EQ(check_credit_law(after_pushes(4, 0)), "");
  EXPECT_EQ(check_credit_law(after_pushes(2, 2)), "");
}

TEST(CreditLaw, is_broken_by_one_push_more_accepted_or_not) {
  constexpr char kBroken[] = "5 pushes to v:0/grad_accum but only 4 credits (2 sessions of workers, 2 tokens)";
  EXPECT_EQ(check_credit_law(after_pushes(5, 0)), kBroken);
  EXPECT_EQ(check_credit_law(after_pushes(4, 1)), kBroken);
}

TEST(CreditLaw, is_one_of_the_laws) {
  Story s = two_workers();
  const auto is_told = [&] {
    return std::ranges::any_of(broken_laws(s.log), [](const BrokenLaw& b) { return b.law == "credits_conserved"; });
  };
  s.push(1, 1).push(1, 1);
  EXPECT_FALSE(is_told());
  s.push(1, 1);
  EXPECT_TRUE(is_told());
}

}  // namespace
}  // namespace tarry
