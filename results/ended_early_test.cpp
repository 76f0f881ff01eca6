// When a chief that left is said to have ended the training of others, from logs written by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_story.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

Story one_aggregate() {
  Story s = two_workers();
  s.at(0, SyncPlanned{kChief, 2, 2, 0}).push(1, 1).push(1, 2).aggregate(1);
  return s;
}

const CutShort kCut{kOther, 10, 40, 0};
const SessionMoved kChiefLeft{kChief, SessionStage::left_loop, kNoDetail},
    kChiefFailed{kChief, SessionStage::failed, kNoDetail}, kChiefClosed{kChief, SessionStage::closed, kNoDetail};

TEST(EndedEarly, needs_a_chief_that_left) {
  EXPECT_EQ(one_aggregate().at(3, kCut).told("ended_early"), "") << "the chief still trains";
  EXPECT_EQ(one_aggregate().at(2, kCut).at(3, kChiefLeft).told("ended_early"), "") << "something else closed its queue";
  const std::string told = one_aggregate().at(2, kChiefLeft).at(3, kCut).told("ended_early");
  EXPECT_THAT(told, HasSubstr("worker 0 left training at 2.000 s; it is the chief"));
  EXPECT_THAT(told, HasSubstr("worker 1 after 10 steps of 40."));
  Story closed = one_aggregate();
  closed.at(2, kChiefLeft).at(2, kChiefClosed).at(3, kCut);
  EXPECT_THAT(closed.told("ended_early"), HasSubstr("worker 1 after 10 steps of 40."));
  EXPECT_EQ(closed.ready(4, kChief).at(5, CutShort{kOther, 11, 40, 0}).told("ended_early"), "") << "it is back";
}

TEST(EndedEarly, is_said_of_a_chief_that_failed_unless_the_others_wait) {
  EXPECT_THAT(one_aggregate().at(2, kChiefFailed).at(3, kCut).told("ended_early"),
              HasSubstr("worker 0 left training with an error at 2.000 s"));
  EXPECT_THAT(one_aggregate().at(2, kCut).at(3, kChiefFailed).at(3, kChiefClosed).told("ended_early"),
              HasSubstr("worker 1 after 10 steps of 40."))
      << "the queue was closed with a session that broke before";
  Story stuck = one_aggregate();
  stuck.at(2, kChiefFailed).at(60, kCut);
  EXPECT_EQ(stuck.told("ended_early"), "") << stuck.told("stuck");
  EXPECT_NE(stuck.told("stuck"), "");
  EXPECT_EQ(one_aggregate().at(2, kChiefFailed).at(3, kCut).ready(4, kChief).told("ended_early"), "") << "it is back";
}

// The chief and the other one prepare training as chiefs, and a third worker trains.
Story two_chiefs() {
  Story s = one_aggregate();
  s.at(1, SyncPlanned{kOther, 2, 2, 0});
  s.at(1, StepBegan{kChief, StepId{50}, Purpose::sync}).at(1, StepBegan{kOther, StepId{51}, Purpose::sync});
  return s;
}

TEST(EndedEarly, names_the_first_of_several_chiefs_to_leave) {
  const auto left = [](TaskId task) { return SessionMoved{task, SessionStage::left_loop, kNoDetail}; };
  const CutShort third{TaskId{3u}, 9, 40, 0}, other{kOther, 10, 40, 0}, chief{kChief, 10, 40, 0};
  Story first = two_chiefs();
  const std::string one = first.at(2, left(kChief)).at(3, other).at(3, left(kOther)).at(3, third).told("ended_early");
  EXPECT_THAT(one,
              HasSubstr("worker 0 left training at 2.000 s; it is a chief, which hands out tokens. With it their"));
  EXPECT_THAT(one, HasSubstr("without an error: worker 1 after 10 steps of 40, "));
  EXPECT_THAT(two_chiefs().at(2, left(kOther)).at(3, chief).at(3, left(kChief)).told("ended_early"),
              HasSubstr("worker 1 left training at 2.000 s; it is a chief"));
  EXPECT_THAT(two_chiefs().at(2, chief).at(2, left(kChief)).at(3, left(kOther)).at(4, third).told("ended_early"),
              HasSubstr("worker 1 left training at 3.000 s"))
      << "the queue was closed to the first to leave";
  EXPECT_THAT(two_chiefs().at(2, left(kChief)).at(3, left(kOther)).at(4, third).told("ended_early"),
              HasSubstr("worker 0 left training at 2.000 s"));
  Story back = two_chiefs();
  back.at(2, SessionMoved{kChief, SessionStage::failed, kNoDetail}).ready(3, kChief).at(4, left(kOther));
  EXPECT_THAT(back.at(5, chief).told("ended_early"), HasSubstr("worker 1 left training at 4.000 s"));
}

TEST(EndedEarly, names_four_workers_and_counts_more) {
  const auto told = [](int workers) {
    Story s = one_aggregate();
    s.at(2, SessionMoved{kChief, SessionStage::left_loop, kNoDetail});
    for (int w = 0; w < workers; ++w) s.at(3, CutShort{kOther, 10 + w, 40, 0});
    return s.told("ended_early");
  };
  EXPECT_THAT(told(4), HasSubstr("worker 1 after 12 steps of 40, worker 1 after 13 steps of 40."));
  EXPECT_THAT(told(6), HasSubstr("worker 1 after 13 steps of 40, 2 more."));
}

TEST(EndedEarly, is_not_said_of_the_last_tenth_of_the_steps) {
  const auto after = [](std::int64_t steps) {
    return one_aggregate()
        .at(2, SessionMoved{kChief, SessionStage::left_loop, kNoDetail})
        .at(3, CutShort{kOther, steps, 40, 0})
        .told("ended_early");
  };
  EXPECT_THAT(after(36), HasSubstr("worker 1 after 36 steps of 40."));
  EXPECT_EQ(after(37), "");
}

TEST(EndedEarly, is_not_said_near_the_last_global_step) {
  const auto at_step = [](std::int64_t step) {
    return one_aggregate()
        .at(1, ScalarAssigned{kPs, kGlobalStep, StepId{99}, step})
        .at(2, SessionMoved{kChief, SessionStage::left_loop, kNoDetail})
        .at(3, CutShort{kOther, 10, 0, 40})
        .told("ended_early");
  };
  EXPECT_THAT(at_step(20), HasSubstr("worker 1 after 10 steps, to train up to global step 40."));
  EXPECT_EQ(at_step(39), "");
}

}  // namespace
}  // namespace tarry
