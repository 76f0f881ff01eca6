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

// Aggregates of two accumulators at 2 and 4 s; of the first one alone at 5 s.
struct TwoAccumulators : Story {
  TwoAccumulators() {
    ready(0, kChief).ready(0, kOther).step(0, kChief, 1).step(0, kOther, 2).take(0, 2);
    aggregate(1), other(2), other(3), aggregate(4), aggregate(5);
  }
  void other(double t) { at(t, AggregateTaken{kPs, kGlobalStep, StepId{99}, 2, 1}); }
  std::vector<Nanos> progress() {
    const Contributions c = contributions();
    return progress_of(read_evidence(log, c, kTasks));
  }
};

TEST(Progress, of_a_synchronous_job_is_an_aggregate_of_all_accumulators) {
  EXPECT_EQ(TwoAccumulators().progress(), (std::vector<Nanos>{2 * kSecond, 4 * kSecond}));
  TwoAccumulators with_a_third;
  with_a_third.at(6, GradientPushed{kPs, kNoDetail, StepId{1}, 0, 0, true});
  EXPECT_EQ(with_a_third.progress(), std::vector<Nanos>()) << "nothing was taken of it";
}

// The chief went between the two at 5 s; the step of the new one takes from both again.
TEST(Progress, leaves_out_what_a_chief_took_before_it_went) {
  TwoAccumulators s;
  s.at(7, AggregateTaken{kPs, kGlobalStep, StepId{100}, 2, 1})
      .at(8, AggregateTaken{kPs, kAccumulator, StepId{100}, 2, 1});
  EXPECT_EQ(s.progress(), (std::vector<Nanos>{2 * kSecond, 4 * kSecond, 8 * kSecond}));
}

}  // namespace
}  // namespace tarry
