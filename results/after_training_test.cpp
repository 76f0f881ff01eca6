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
  EXPECT_EQ(training_over(again_after_the_end().log), 5 * kSecond) << "it trains to the end of the run";
}

TEST(AfterTraining, does_not_begin_where_the_data_was_at_its_end_or_a_fault_told_a_client_to_leave) {
  const auto over = [](const char* detail, const char* fault) {
    Story s = both_ready();
    s.log.set_names({detail, fault, "/job:worker/replica:0/task:0", ""});
    s.at(1, ConditionChanged{NameId{1u}, NameId{1u}, NameId{2u}, NameId{3u}, true});
    return training_over(s.at(2, SessionMoved{kChief, SessionStage::left_loop, NameId{0u}}).at(3, kOtherLeft).log);
  };
  EXPECT_EQ(over("", "slow"), 3 * kSecond);
  EXPECT_EQ(over("", "leave"), std::nullopt);
  EXPECT_EQ(over("RandomShuffleQueue '_1_x' is closed and has insufficient elements", "slow"), std::nullopt);
}

}  // namespace
}  // namespace tarry
