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

TEST(Progress, of_a_synchronous_job_is_an_aggregate_of_all_accumulators) {
  Story s;
  s.ready(0, kChief).ready(0, kOther).step(0, kChief, 1).step(0, kOther, 2).take(0, 2);
  const auto other = [&](double t) { s.at(t, AggregateTaken{kPs, kGlobalStep, StepId{99}, 2, 1}); };
  s.aggregate(1), other(2), other(3), s.aggregate(4), s.aggregate(5);
  const Contributions c = s.contributions();
  const Evidence e = read_evidence(s.log, c, kTasks);
  EXPECT_EQ(progress_of(e), (std::vector<Nanos>{2 * kSecond, 4 * kSecond}));
}

}  // namespace
}  // namespace tarry
