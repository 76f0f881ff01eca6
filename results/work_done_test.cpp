// When training ended, from logs written by hand.

#include "results/work_done.hpp"

#include <gtest/gtest.h>

#include "results/told_facts.hpp"

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
  back.ready(7, kOther);
  EXPECT_EQ(back.leaves(9, kChief).end(), 20 * kSecond);
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

// ---- of a run ----

WorkDone done(const Story& s, std::optional<Nanos> cut_off = {}) {
  const Contributions c = s.contributions();
  return work_done(read_evidence(s.log, c, kTasks), cut_off);
}

// Steps of one worker that end at those seconds; with each the global step goes to the next.
struct Steps : Story {
  std::uint64_t last = 0;
  Steps() { ready(0, kChief), step(0, kChief, 0); }
  Steps& end_at(std::initializer_list<double> times) {
    for (const double t : times) {
      at(t, ScalarAssigned{kPs, kGlobalStep, StepId{last}, ++global_step}), ended(t, kChief, last);
      step(t, kChief, ++last);
    }
    return *this;
  }
  Steps& set_back(double t, std::int64_t to) {
    at(t, ScalarAssigned{kPs, kGlobalStep, StepId{99}, global_step = to});
    return *this;
  }
  std::int64_t global_step = 0;
};

TEST(WorkDone, of_a_run_that_was_cut_off_takes_its_share_of_the_time_until_the_next_step_would_have_ended) {
  Steps s;
  s.end_at({1, 2, 3});
  EXPECT_EQ(done(s, 3 * kSecond).time, 3 * kSecond);
  s.log.ended_at = 8 * kSecond;
  EXPECT_EQ(done(s, 8 * kSecond).time, 6 * kSecond) << "a fourth would have come after 8 s";
  EXPECT_EQ(done(s).time, 3 * kSecond) << "it was not cut off";
  s.log.ended_at = 4 * kSecond;
  EXPECT_EQ(done(s, 4 * kSecond).time, 3 * kSecond);
  Steps none;
  none.log.ended_at = 8 * kSecond;
  EXPECT_EQ(done(none, 8 * kSecond).time, 8 * kSecond);
}

TEST(WorkDone, is_without_what_was_lost_when_the_global_step_went_back) {
  Steps s;
  s.end_at({1, 2, 3, 4}).set_back(5, 2).end_at({6, 7, 8});
  EXPECT_EQ(done(s).done, 5);
  EXPECT_EQ(done(s).lost, 2);
  EXPECT_EQ(done(s).progressed, 8 * kSecond);
  s.set_back(9, 4);
  EXPECT_EQ(done(s).done, 4);
  EXPECT_EQ(done(s).lost, 3);
  EXPECT_EQ(done(s).progressed, 7 * kSecond) << "the fourth that lasts";
  s.set_back(10, 0);
  EXPECT_EQ(done(s).done, 0);
}

// The run was cut off at 9 s: the last of four lasting ones took its share of that.
// Steps end at 1 and 2 s, and at 9 s one that was under way when the global step was 2.
TEST(WorkDone, of_clients_that_stop_at_a_global_step_ends_when_that_is_reached) {
  Facts f(Training::asynchronous);
  f.c.workers[0].step_ended = {kSecond, 9 * kSecond};
  f.c.workers[1].step_ended = {2 * kSecond};
  for (const auto& [t, step] : {std::pair(0.9, 1), {1.9, 2}, {8.9, 3}})
    f.at(t, ScalarAssigned{kPs, kGlobalStep, StepId{1}, step});
  const WorkDone w = work_done(f.e, {}, 2);
  EXPECT_EQ(w.done, 2);
  EXPECT_EQ(w.progressed, 2 * kSecond);
  EXPECT_EQ(w.time, 2 * kSecond);
  EXPECT_EQ(w.lost, 0);
  EXPECT_EQ(work_done(f.e, {}).done, 3);
  EXPECT_EQ(work_done(f.e, {}, 4).done, 3);
  f.at(9.5, ScalarAssigned{kPs, kGlobalStep, StepId{1}, 1});
  EXPECT_EQ(work_done(f.e, {}, 2).done, 3) << "it went back";
}

TEST(WorkDone, takes_for_a_part_of_it_the_time_until_that_was_done) {
  Steps s;
  s.end_at({1, 2, 3, 4}).set_back(5, 2).end_at({6, 7});
  s.log.ended_at = 9 * kSecond;
  const WorkDone w = done(s, 9 * kSecond);
  EXPECT_EQ(w.time_for(2), 2 * kSecond);
  EXPECT_EQ(w.time_for(3), 6 * kSecond);
  EXPECT_EQ(w.time_for(4), w.time);
  EXPECT_EQ(w.time, 9 * kSecond * 4 / 5);
  EXPECT_EQ(w.time_for(8), 2 * w.time) << "at its mean pace";
  const WorkDone all = w.as_if_nothing_was_lost();
  EXPECT_EQ(all.done, 6);
  EXPECT_EQ(all.lost, 0);
  EXPECT_EQ(all.time_for(3), 3 * kSecond);
  EXPECT_EQ(all.time_for(5), 6 * kSecond);
}

// Of a run that was cut off at 12 s: no step of four is left.
TEST(WorkDone, with_what_was_lost_takes_the_time_of_that) {
  Steps s;
  s.end_at({1, 2, 3, 4}).set_back(5, 0);
  s.log.ended_at = 12 * kSecond;
  const WorkDone all = done(s, 12 * kSecond).as_if_nothing_was_lost();
  EXPECT_EQ(all.done, 4);
  EXPECT_EQ(all.time, 12 * kSecond * 4 / 5);
  EXPECT_EQ(all.progressed, 4 * kSecond);
  EXPECT_EQ(done(s).as_if_nothing_was_lost().time, 4 * kSecond) << "it ended by itself";
}

WorkDone moments(std::vector<Nanos> all, std::vector<WorkDone::Pause> standstills, bool has_faults = true) {
  const Nanos last = all.back();
  return {.done = std::ssize(all),
          .time = last,
          .progressed = last,
          .moments = all,
          .standstills = standstills,
          .has_faults = has_faults};
}

TEST(WorkDone, takes_for_as_much_as_another_run_its_standstills_too_where_they_come_later) {
  const WorkDone other = moments({1, 2, 3, 44, 45}, {{4, 44}, {46, -1}, {46, 50}});
  EXPECT_EQ(moments({1, 2, 2, 3, 4, 5}, {}).time_for_as_much_as(other), 44) << "it had done as much before";
  EXPECT_EQ(moments({1, 2, 2, 3, 4, 5}, {}, false).time_for_as_much_as(other), 4) << "nothing comes";
  EXPECT_EQ(moments({1, 2, 3, 4, 5, 6}, {}).time_for_as_much_as(other), 5) << "it did not stand still";
  EXPECT_EQ(moments({1, 2, 3, 4, 5, 6}, {{5, -1}}).time_for_as_much_as(other), 45) << "it stands still after that";
  EXPECT_EQ(moments({1, 2, 3, 4, 5, 25}, {{5, 25}}).time_for_as_much_as(other), 25) << "it is over sooner";
  EXPECT_EQ(moments({1, 2, 2, 3, 3, 25}, {{3, 25}}).time_for_as_much_as(other), 25) << "as long as its own";
  EXPECT_EQ(moments({1, 2, 3, 4, 5, 6}, {{5, 7}}).time_for_as_much_as(other), 45) << "its run ended in the midst of it";
  EXPECT_EQ(moments({1, 2, 3, 14, 15, 16}, {{4, 14}}).time_for_as_much_as(other), 15) << "it stood still before";
  EXPECT_EQ(moments({1, 2, 3, 14, 15, 80}, {{45, 80}}).time_for_as_much_as(other), 15) << "for something else";
}

// The last step before it ended at 4 s, or at 6 s, and the parameter server was lost at 5 s.
TEST(WorkDone, stands_still_since_something_was_wrong) {
  const auto since = [](Nanos last, std::vector<Trouble> troubles) {
    Facts f(Training::asynchronous);
    f.e.standstills = {{.from = last, .to = 35, .waits = {.troubles = std::move(troubles)}}};
    return work_done(f.e, {}).standstills.at(0).from;
  };
  const Trouble lost{.task = kPs, .from = 5}, later{.task = kOther, .from = 8};
  EXPECT_EQ(since(4, {lost, later}), 5);
  EXPECT_EQ(since(6, {lost, later}), 6);
  EXPECT_EQ(since(4, {}), 4);
}

TEST(WorkDone, loses_the_steps_of_all_workers_where_several_make_one_global_step) {
  Steps s;
  s.end_at({1, 2}).step(2, kOther, 50).ended(2.2, kOther, 50).step(2.2, kOther, 51).ended(2.4, kOther, 51);
  s.set_back(3, 1);
  EXPECT_EQ(done(s).done, 2);
  EXPECT_EQ(done(s).lost, 2);
}

}  // namespace
}  // namespace tarry
