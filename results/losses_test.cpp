// What was lost and what it was doing, from logs written by hand.

#include "results/losses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_story.hpp"

namespace tarry {
namespace {

TEST(Losses, a_worker_that_has_not_pushed_was_computing_and_one_that_has_waits_for_a_token) {
  Story s = two_workers();
  s.push(1, 2).at(2, ProcessEnded{kChief}).at(2, ProcessEnded{kOther});
  const Losses l = read_losses(s.log);
  ASSERT_EQ(l.processes.size(), 2u);
  EXPECT_EQ(l.processes[0].doing, Loss::Doing::in_first_step);
  EXPECT_EQ(l.processes[1].doing, Loss::Doing::waiting_for_token);
}

TEST(Losses, before_a_process_has_ended_a_step_cost_no_token) {
  const auto doing = [](bool has_begun, bool has_trained) {
    Story s;
    s.ready(0, kOther);
    if (has_trained) s.step(1, kOther, 1).ended(2, kOther, 1);
    if (has_begun) s.step(2, kOther, 2);
    s.at(3, ProcessEnded{kOther}).at(4, ProcessBegan{kOther, 1}).at(5, ProcessEnded{kOther});
    const Losses l = read_losses(s.log);
    EXPECT_EQ(l.processes.at(1).doing, Loss::Doing::before_first_step) << "the next process did nothing";
    return l.processes.at(0).doing;
  };
  EXPECT_EQ(doing(false, false), Loss::Doing::before_first_step);
  EXPECT_EQ(doing(true, false), Loss::Doing::in_first_step);
  EXPECT_EQ(doing(true, true), Loss::Doing::computing);
  EXPECT_EQ(doing(false, true), Loss::Doing::nothing);
}

TEST(Losses, in_a_session_made_anew_no_token_is_held) {
  const auto doing = [](const std::vector<Event>& then) {
    Story s;
    s.ready(0, kOther).step(1, kOther, 1).ended(2, kOther, 1).step(3, kOther, 2).push(4, 2);
    s.at(5, Dequeued{kPs, kAccumulator, StepId{2}, 1});
    for (const Event& e : then) s.at(6, e);
    return read_losses(s.at(8, ProcessEnded{kOther}).log).processes.at(0).doing;
  };
  const SessionMoved created{kOther, SessionStage::created, kNoDetail}, waits{kOther, SessionStage::waiting, kNoDetail};
  const StepBegan next{kOther, StepId{3}, Purpose::train}, save{kOther, StepId{4}, Purpose::save};
  EXPECT_EQ(doing({}), Loss::Doing::nothing);
  EXPECT_EQ(doing({created}), Loss::Doing::before_first_step);
  EXPECT_EQ(doing({waits}), Loss::Doing::before_first_step);
  EXPECT_EQ(doing({StepEnded{kOther, StepId{2}, 14}}), Loss::Doing::before_first_step) << "it lost its session";
  EXPECT_EQ(doing({StepEnded{kOther, StepId{2}, 0}}), Loss::Doing::nothing);
  EXPECT_EQ(doing({save, StepEnded{kOther, StepId{4}, 14}}), Loss::Doing::nothing) << "that was no training step";
  EXPECT_EQ(doing({created, next}), Loss::Doing::in_first_step);
  EXPECT_EQ(doing({next}), Loss::Doing::computing);
}

TEST(Losses, a_token_on_its_way_is_a_credit_again) {
  Story s = two_workers();
  s.push(1, 2).at(1, Dequeued{kPs, kAccumulator, StepId{2}, 1}).at(1, ProcessEnded{kOther});
  EXPECT_EQ(read_losses(s.log).processes.at(0).doing, Loss::Doing::nothing);
}

TEST(Losses, a_token_taken_for_a_step_whose_client_is_gone_is_lost_with_it) {
  Story s = two_workers();
  s.push(1, 2).at(1, ProcessEnded{kOther}).at(1, Dequeued{kPs, kAccumulator, StepId{2}, 1});
  EXPECT_EQ(read_losses(s.log).processes.at(0).doing, Loss::Doing::nothing);
}

TEST(Losses, what_a_step_takes_before_its_push_is_no_token) {
  Story s = two_workers();
  s.at(1, Dequeued{kPs, kAccumulator, StepId{2}, 1}).at(1, ProcessEnded{kOther});
  EXPECT_EQ(read_losses(s.log).processes.at(0).doing, Loss::Doing::in_first_step);
}

TEST(Losses, a_gradient_that_was_on_its_way_counts) {
  Story s = two_workers();
  s.at(1, ProcessEnded{kOther}).push(1, 2);
  EXPECT_EQ(read_losses(s.log).processes.at(0).doing, Loss::Doing::waiting_for_token);
}

// Each step of worker 0 pushes to two accumulators.
TEST(Losses, a_worker_whose_gradients_have_arrived_in_part_still_computes) {
  const auto doing = [](int before, int after) {
    Story s = two_workers();
    s.push(1, 1).push(1, 1);
    for (int i = 0; i < before; ++i) s.push(1, 2);
    s.at(2, ProcessEnded{kOther});
    for (int i = 0; i < after; ++i) s.push(3, 2);
    return read_losses(s.log).processes.at(0).doing;
  };
  EXPECT_EQ(doing(1, 0), Loss::Doing::in_first_step);
  EXPECT_EQ(doing(2, 0), Loss::Doing::waiting_for_token);
  EXPECT_EQ(doing(0, 1), Loss::Doing::in_first_step);
  EXPECT_EQ(doing(1, 1), Loss::Doing::waiting_for_token) << "the rest was on its way";
}

TEST(Losses, know_the_aggregates_around_them_and_when_the_process_was_back) {
  Story s = two_workers();
  s.push(1, 1)
      .push(1, 2)
      .aggregate(1)
      .at(2, ProcessEnded{kOther})
      .at(8, ProcessBegan{kOther, 1})
      .ready(9, kOther)
      .aggregate(10);
  const Loss l = read_losses(s.log).processes.at(0);
  EXPECT_EQ(std::tuple(l.last_aggregate, l.at, l.back, l.next_aggregate),
            std::tuple(1 * kSecond, 2 * kSecond, 9 * kSecond, 10 * kSecond));
}

TEST(Losses, end_with_the_first_session_and_the_first_aggregate_after_them) {
  Story s = two_workers();
  s.at(2, ProcessEnded{kOther}).at(3, ProcessBegan{kOther, 1}).ready(9, kOther).aggregate(10);
  s.ready(11, kOther).aggregate(12);
  const Loss l = read_losses(s.log).processes.at(0);
  EXPECT_EQ(std::tuple(l.last_aggregate, l.back, l.next_aggregate), std::tuple(-1, 9 * kSecond, 10 * kSecond));
}

TEST(Losses, a_server_without_a_client_is_back_when_its_process_is) {
  Story s = two_workers();
  s.at(2, ProcessEnded{kPs}).at(3, ProcessBegan{kPs, 1});
  EXPECT_EQ(read_losses(s.log).processes.at(0).back, 3 * kSecond);
}

TEST(Losses, a_global_step_that_goes_back_is_a_setback) {
  Story s;
  for (const std::int64_t value : {0, 1, 2, 2, 1, 2}) s.at(1, ScalarAssigned{kPs, kGlobalStep, StepId{1}, value});
  const Losses l = read_losses(s.log);
  ASSERT_EQ(l.setbacks.size(), 1u);
  EXPECT_EQ(std::pair(l.setbacks[0].from, l.setbacks[0].to), std::pair(std::int64_t{2}, std::int64_t{1}));
}

}  // namespace
}  // namespace tarry
