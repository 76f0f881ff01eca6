// When training ended, from logs written by hand.

#include "results/work_done.hpp"

#include <gtest/gtest.h>

#include "results/told_story.hpp"

namespace tarry {
namespace {

struct Leaving : Story {
  Leaving() {
    ready(0, kChief).ready(0, kOther).step(0, kChief, 1).step(0, kOther, 2);
    leaves(3, kOther);
  }
  Leaving& leaves(double t, TaskId task, SessionStage stage = SessionStage::left_loop) {
    at(t, SessionMoved{task, stage, kNoDetail});
    return *this;
  }
  Nanos end() {
    at(20, LogLine{kPs, 'I', kNoDetail});
    const Contributions c = contributions();
    return training_ended(read_evidence(log, c, kTasks));
  }
};

TEST(TrainingEnded, when_the_last_worker_left_or_failed) {
  EXPECT_EQ(Leaving().leaves(5, kChief).end(), 5 * kSecond);
  EXPECT_EQ(Leaving().leaves(6, kChief, SessionStage::failed).end(), 6 * kSecond);
}

TEST(TrainingEnded, with_the_run_where_a_worker_never_left_or_came_back) {
  EXPECT_EQ(Leaving().end(), 20 * kSecond);
  Leaving back;
  back.leaves(5, kChief).ready(7, kOther);
  EXPECT_EQ(back.end(), 20 * kSecond);
}

}  // namespace
}  // namespace tarry
