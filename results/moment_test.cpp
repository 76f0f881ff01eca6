// Where a job stands at one moment, from logs written by hand.

#include "results/moment.hpp"

#include <gtest/gtest.h>

#include <map>

#include "results/told_story.hpp"

namespace tarry {
namespace {

constexpr NameId kSecondOne{1u};

JobState at(const Story& s, double t) { return moment_at(s.log, static_cast<Nanos>(t * kSecond)); }

TEST(JobState, has_what_happened_up_to_it_itself_included) {
  Story s = two_workers();
  s.push(1, 1).push(2, 2).aggregate(3);
  EXPECT_EQ(at(s, 0.9).accumulators.at(0).gradients(), 0);
  EXPECT_EQ(at(s, 1).accumulators.at(0).gradients(), 1);
  EXPECT_EQ(at(s, 2).accumulators.at(0).gradients(), 2);
  EXPECT_EQ(at(s, 2).accumulators.at(0).take_is_open, true);
  EXPECT_EQ(at(s, 3).accumulators.at(0).gradients(), 0);
  EXPECT_EQ(at(s, 3).accumulators.at(0).take_is_open, false);
}

TEST(JobState, knows_whose_gradients_an_accumulator_holds) {
  Story s = two_workers();
  s.push(1, 2).push(2, 2).push(3, 7);  // nobody's step
  EXPECT_EQ(at(s, 3).accumulators.at(0).left, (std::map<TaskId, std::int64_t>{{kOther, 2}, {TaskId::none(), 1}}));
}

TEST(JobState, an_accumulator_is_empty_when_its_server_has_ended) {
  Story s = two_workers();
  s.at(0, TakeIssued{kOther, kSecondOne, StepId{99}, 2})
      .at(1, GradientPushed{kOther, kSecondOne, StepId{1}, 0, 0, true});
  s.push(1, 1).push(1, 2).at(2, ProcessEnded{kPs}).at(3, ProcessBegan{kPs, 1}).push(4, 2);
  EXPECT_EQ(at(s, 1).accumulators.at(0).gradients(), 2);
  EXPECT_EQ(at(s, 2).accumulators.at(0).gradients(), 0);
  EXPECT_FALSE(at(s, 2).accumulators.at(0).take_is_open);
  EXPECT_EQ(at(s, 2).accumulators.at(0).required, 2);
  EXPECT_EQ(at(s, 2).accumulators.at(1).gradients(), 1) << "another server has that one";
  EXPECT_TRUE(at(s, 2).accumulators.at(1).take_is_open);
  EXPECT_EQ(at(s, 4).accumulators.at(0).gradients(), 1);
}

TEST(JobState, times_count_from_the_start) {
  Story s = two_workers();
  s.log.started_at = kSecond;
  s.push(2, 1);
  EXPECT_EQ(at(s, 0.9).accumulators.at(0).gradients(), 0);
  EXPECT_EQ(at(s, 1).accumulators.at(0).gradients(), 1);
}

TEST(JobState, a_worker_waits_for_a_token_from_its_push_to_what_it_takes) {
  Story s = two_workers();
  s.at(0.5, Dequeued{kPs, kNoDetail, StepId{1}, 0});  // input, before its push
  s.push(1, 1).at(2, Dequeued{kPs, kNoDetail, StepId{1}, 0}).ended(3, kChief, 1);
  EXPECT_FALSE(at(s, 0.5).waits_for_token(kChief, kAccumulator));
  EXPECT_TRUE(at(s, 1).waits_for_token(kChief, kAccumulator));
  EXPECT_FALSE(at(s, 1).waits_for_token(kOther, kAccumulator));
  EXPECT_FALSE(at(s, 1).waits_for_token(kChief, kSecondOne));
  EXPECT_FALSE(at(s, 2).waits_for_token(kChief, kAccumulator));
  EXPECT_FALSE(at(s, 3).waits_for_token(kChief, kAccumulator));
}

TEST(JobState, a_token_that_an_earlier_step_takes_is_not_the_present_one_s) {
  Story s = two_workers();
  s.push(1, 1).ended(2, kChief, 1).step(3, kChief, 3).push(4, 3);
  s.at(5, Dequeued{kPs, kNoDetail, StepId{1}, 0});
  EXPECT_TRUE(at(s, 5).waits_for_token(kChief, kAccumulator));
}

TEST(JobState, a_dropped_gradient_is_waited_for_like_others_and_is_in_no_accumulator) {
  Story s = two_workers();
  s.push(1, 1, false);
  EXPECT_EQ(at(s, 1).accumulators.at(0).gradients(), 0);
  EXPECT_TRUE(at(s, 1).waits_for_token(kChief, kAccumulator));
}

TEST(JobState, the_next_to_fill_is_the_one_furthest_behind_that_lacks_gradients) {
  Story s = two_workers();
  s.at(0, TakeIssued{kPs, kSecondOne, StepId{99}, 1});
  const auto next = [&](double t) { return at(s, t).next_to_fill()->name; };
  EXPECT_EQ(next(0), kAccumulator);  // the first of equals
  s.aggregate(1).take(1, 2);
  EXPECT_EQ(next(1), kSecondOne);
  s.at(2, GradientPushed{kPs, kSecondOne, StepId{1}, 0, 0, true});  // that one is full
  EXPECT_EQ(next(2), kAccumulator);
  EXPECT_EQ(at(Story(), 0).next_to_fill(), nullptr);
}

TEST(JobState, a_sync_step_is_open_until_it_ends_or_its_process_does) {
  Story ended, lost;
  for (Story* s : {&ended, &lost}) s->at(1, StepBegan{kChief, StepId{99}, Purpose::sync});
  ended.at(2, StepEnded{kChief, StepId{99}, 0});
  lost.step(1, kChief, 1).at(2, ProcessEnded{kChief});
  for (const Story* s : {&ended, &lost}) {
    EXPECT_EQ(at(*s, 1).sync_steps.size(), 1u);
    EXPECT_EQ(at(*s, 2).sync_steps.size(), 0u);
    EXPECT_EQ(at(*s, 2).steps.size(), 0u);
    EXPECT_EQ(at(*s, 2).sync_client, kChief);
  }
}

}  // namespace
}  // namespace tarry
