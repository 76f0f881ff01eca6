#include "scenarios/sweep/ending.hpp"

#include <gtest/gtest.h>

#include "results/told_story.hpp"
#include "scenarios/file/load.hpp"
#include "scenarios/file/make_job.hpp"

namespace tarry {
namespace {

// Two workers on hosts of their own, of which each step takes 1 s.
Ending ending(const std::string& protocol, const std::string& rest) {
  const auto scenario = parse_scenario(
      "cluster: {hosts: [a, b, c], tasks: {ps/0: a, worker/0: b, worker/1: c}}\n"
      "build: {graph: softmax_async_ps1_task0, " +
          protocol + "}\nfeeds: {batch: 4}\ncosts: [{op: SparseSoftmaxCrossEntropyWithLogits, time: 1s}]\n" + rest,
      "s.yaml");
  const Job job = make_job(scenario.value(), {TARRY_SOURCE_DIR "/scenarios/graphs", false, {}}).value();
  const Outcome o = run_here(job);
  const Contributions c = read_contributions(o.log);
  const Evidence e = read_evidence(o.log, c, o.tasks);
  return ending_of(job, e, judge(e));
}
bool reaches(const std::string& protocol, const std::string& rest) { return ending(protocol, rest).reached_stop(); }

const std::string kEndsAsync = "protocol: async", kEndsSync = "protocol: sync, num_tokens: 0",
                  kWorkerDies = "faults: [{at: 2.5s, kill: worker/1}]\n";

TEST(Ending, is_the_stop_where_what_it_asks_for_is_done) {
  EXPECT_TRUE(reaches(kEndsSync, "stop: {aggregates: 3}\n"));
  EXPECT_TRUE(reaches(kEndsSync, "stop: {steps: 3}\n"));
  EXPECT_TRUE(reaches(kEndsAsync, "stop: {steps: 3}\n"));
  EXPECT_TRUE(reaches(kEndsAsync, "stop: {global_step: 5}\n"));
  EXPECT_TRUE(reaches(kEndsAsync, "stop: {time: 5s}\n"));
}

TEST(Ending, is_before_the_stop_where_the_time_is_up_first) {
  EXPECT_FALSE(reaches(kEndsSync, "stop: {aggregates: 30, time: 5s}\n"));
  EXPECT_FALSE(reaches(kEndsAsync, "stop: {steps: 30, time: 5s}\n"));
  EXPECT_FALSE(reaches(kEndsAsync, "stop: {global_step: 30, time: 5s}\n"));
  EXPECT_EQ(ending(kEndsAsync, "stop: {steps: 30, time: 5s}\n").latest, 5'000'000'000);
}

TEST(Ending, of_a_job_that_stands_still_is_before_the_stop_whatever_it_asks_for) {
  for (const char* stop : {"{aggregates: 9}", "{steps: 9}", "{global_step: 9}", "{time: 300s}"}) {
    const Ending e = ending(kEndsSync, kWorkerDies + "stop: " + stop + "\n");
    EXPECT_TRUE(e.stands_still) << stop;
    EXPECT_FALSE(e.reached_stop()) << stop;
  }
}

TEST(Ending, asks_no_steps_of_a_worker_that_is_lost_while_others_do_theirs) {
  EXPECT_TRUE(reaches(kEndsAsync, kWorkerDies + "stop: {steps: 6}\n"));
  EXPECT_FALSE(reaches(kEndsAsync,
                       "faults: [{at: 2.5s, kill: worker/0}, {at: 2.5s, kill: worker/1}]\n"
                       "stop: {steps: 6}\n"));
}

// ---- from logs written by hand: two workers that are to do ten steps each ----

struct TenSteps : Story {
  TenSteps() { ready(0, kChief).ready(0, kOther).step(0, kChief, 1).step(0, kOther, 2); }
  TenSteps& moved(double t, TaskId task, SessionStage stage) {
    at(t, SessionMoved{task, stage, kNoDetail});
    return *this;
  }
  TenSteps& cut_short(double t, TaskId task, std::int64_t steps) {
    at(t, CutShort{task, steps, 10, 0});
    return moved(t, task, SessionStage::left_loop);
  }
  bool did_what_stop_asks() {
    Job job;
    job.clients = {{.task = kChief, .program = {}, .options = {}}, {.task = kOther, .program = {}, .options = {}}};
    for (ClientJob& c : job.clients) c.options.steps = 10;
    const Contributions c = contributions();
    return ending_of(job, read_evidence(log, c, kTasks), {}).did_what_stop_asks;
  }
};

TEST(Ending, is_before_the_stop_where_a_queue_was_closed_long_before) {
  EXPECT_TRUE(TenSteps()
                  .moved(5, kChief, SessionStage::left_loop)
                  .moved(6, kOther, SessionStage::left_loop)
                  .did_what_stop_asks());
  EXPECT_FALSE(TenSteps().moved(5, kChief, SessionStage::left_loop).cut_short(6, kOther, 3).did_what_stop_asks());
  EXPECT_FALSE(TenSteps().cut_short(5, kChief, 3).cut_short(6, kOther, 3).did_what_stop_asks());
  TenSteps again;
  again.moved(5, kChief, SessionStage::left_loop).cut_short(6, kOther, 3).ready(7, kOther);
  EXPECT_TRUE(
      again.moved(7, kOther, SessionStage::looping).moved(9, kOther, SessionStage::left_loop).did_what_stop_asks());
}

TEST(Ending, asks_no_steps_of_a_worker_that_has_failed_while_others_do_theirs) {
  const auto failed = [](TaskId task, double t, TenSteps& s) { s.moved(t, task, SessionStage::failed); };
  TenSteps one, both;
  failed(kOther, 3, one), failed(kOther, 3, both), failed(kChief, 4, both);
  EXPECT_TRUE(one.moved(5, kChief, SessionStage::left_loop).did_what_stop_asks());
  EXPECT_FALSE(both.did_what_stop_asks());
}

TEST(Ending, is_before_the_stop_where_all_are_gone_before_the_time_is_up) {
  const std::string all_die = "faults: [{at: 2.5s, kill: worker/0}, {at: 2.5s, kill: worker/1}]\n";
  EXPECT_FALSE(ending(kEndsAsync, all_die + "stop: {time: 60s}\n").did_what_stop_asks);
}

TEST(Ending, of_standing_still_is_that_of_the_kinds_which_deadlock) {
  EXPECT_TRUE(is_of_standing_still("stuck"));
  EXPECT_FALSE(is_of_standing_still("stalled"));
  EXPECT_FALSE(is_of_standing_still("no kind"));
}

}  // namespace
}  // namespace tarry
