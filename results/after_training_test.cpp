// When training is over, and that what comes after it is nobody's trouble, from logs written by hand.
#include "results/after_training.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_facts.hpp"

namespace tarry {
namespace {

const SessionMoved kChiefLeft{kChief, SessionStage::left_loop, kNoDetail},
    kOtherLeft{kOther, SessionStage::left_loop, kNoDetail}, kOtherFailed{kOther, SessionStage::failed, kNoDetail};

// Both are ready to train at 0 s.
Story both_ready() {
  Story s = two_workers();
  s.ready(0, kChief).ready(0, kOther);
  return s;
}

TEST(AfterTraining, begins_when_the_last_client_has_left) {
  EXPECT_EQ(training_over(both_ready().at(2, kChiefLeft).at(5, kOtherLeft).log), 5 * kSecond);
  EXPECT_EQ(training_over(both_ready().at(2, kChiefLeft).log), std::nullopt) << "worker 1 trains";
  EXPECT_EQ(training_over(both_ready().at(2, kChiefLeft).at(5, kOtherFailed).log), std::nullopt) << "it failed";
  EXPECT_EQ(training_over(both_ready().at(2, kChiefLeft).at(3, ProcessEnded{kOther}).log), std::nullopt)
      << "it is lost";
  EXPECT_EQ(training_over(Story().log), std::nullopt) << "nobody trains";
  EXPECT_EQ(training_over(Story().ready(0, kChief).step(1, kOther, 1).at(2, kChiefLeft).log), std::nullopt)
      << "whose steps are in the log trains, too";
}

TEST(AfterTraining, is_not_there_before_a_client_that_comes_late_has_left) {
  EXPECT_EQ(training_over(two_workers().ready(0, kChief).at(2, kChiefLeft).ready(4, kOther).at(5, kOtherLeft).log),
            5 * kSecond);
}

// Worker 1 begins anew when all have left, and is ready to train again.
Story again_after_the_end() {
  Story s = both_ready();
  s.at(2, kChiefLeft).at(5, kOtherLeft).at(8, ProcessEnded{kOther}).ready(9, kOther);
  return s;
}

TEST(AfterTraining, stays_when_a_new_process_trains_again_and_leaves) {
  EXPECT_EQ(training_over(again_after_the_end().at(11, kOtherLeft).log), 5 * kSecond);
  EXPECT_EQ(training_over(again_after_the_end().log), std::nullopt) << "it trains to the end of the run";
}

}  // namespace
}  // namespace tarry
