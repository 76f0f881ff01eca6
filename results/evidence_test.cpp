// What kind of training a log shows, and the names of tasks.

#include "results/evidence.hpp"

#include <gtest/gtest.h>

#include "results/told_story.hpp"

namespace tarry {
namespace {

const TaskNames kFour{{"/job:ps/replica:0/task:0", "/job:worker/replica:0/task:0", "/job:worker/replica:0/task:1",
                       "/job:ps/replica:0/task:1"}};

Training training_of(const Story& s) {
  const Contributions c = s.contributions();
  return read_evidence(s.log, c, kFour).training;
}

// The client's step runs a part there.
Story driving(TaskId task) {
  Story s;
  s.log.set_names({"RunGraph request"});
  s.step(0, kChief, 1).at(1, MessageDelivered{kChief, task, NameId{0u}, 1, 0});
  return s;
}

TEST(Evidence, training_is_synchronous_where_a_gradient_was_pushed_or_one_was_planned) {
  Story pushed, planned;
  EXPECT_EQ(training_of(pushed), Training::none);
  pushed.step(0, kChief, 1).push(1, 1);
  planned.step(0, kChief, 1).at(0, SyncPlanned{kChief, 1, 1, 0});
  EXPECT_EQ(training_of(pushed), Training::synchronous);
  EXPECT_EQ(training_of(planned), Training::synchronous);
}

TEST(Evidence, one_client_that_runs_parts_on_other_workers_trains_in_the_graph) {
  EXPECT_EQ(training_of(driving(kOther)), Training::in_graph);
  EXPECT_EQ(training_of(driving(kPs)), Training::asynchronous);
  EXPECT_EQ(training_of(driving(TaskId{3u})), Training::asynchronous);  // another parameter server
  EXPECT_EQ(training_of(driving(kChief)), Training::asynchronous);      // its own
  EXPECT_EQ(training_of(driving(kOther).step(2, kOther, 2)), Training::asynchronous);
}

TEST(TaskNames, are_short_where_they_are_a_job_and_a_number) {
  const TaskNames tasks{{"/job:worker/replica:0/task:12", "x/job:worker/task:1", "/job:worker"}};
  EXPECT_EQ(tasks.show(TaskId{0u}), "worker 12");
  EXPECT_EQ(tasks.show(TaskId{1u}), "x/job:worker/task:1");
  EXPECT_EQ(tasks.show(TaskId{2u}), "/job:worker");
  EXPECT_EQ(tasks.show(TaskId{3u}), "somebody");
  EXPECT_EQ(tasks.show(TaskId::none()), "somebody");
  EXPECT_TRUE(kFour.is_ps(TaskId{3u}));
  EXPECT_FALSE(kFour.is_ps(TaskId{2u}));
  EXPECT_FALSE(kFour.is_ps(TaskId{4u}));
}

TEST(EventLog, counts_what_it_hashes_kept_or_not) {
  EventLog log, with_kernels(true);
  for (EventLog* l : {&log, &with_kernels}) {
    l->add(1, ProcessEnded{kPs});
    l->add(2, KernelRan{kPs, {}, {}, {}, StepId{1}, 1});
    EXPECT_EQ(l->count(), 2u);
  }
  EXPECT_EQ(log.events().size(), 1u);
  EXPECT_EQ(with_kernels.events().size(), 2u);
  EXPECT_EQ(log.hash(), with_kernels.hash());
}

TEST(Losses, are_told_with_what_became_of_the_token_where_there_are_tokens) {
  using Doing = Loss::Doing;
  const std::string waits = "while it waited for a token: its gradient counts, and its token is left to the others";
  const auto told = [](Doing doing, Training training) { return std::string(in_words(doing, training)); };
  EXPECT_EQ(told(Doing::computing, Training::synchronous),
            "while it computed: the token that it had taken is gone with it");
  EXPECT_EQ(told(Doing::waiting_for_token, Training::synchronous), waits);
  EXPECT_EQ(told(Doing::nothing, Training::synchronous),
            "between two steps: the token that it had just been given is gone with it");
  EXPECT_EQ(told(Doing::before_first_step, Training::synchronous), "before the first step of its session");
  EXPECT_EQ(told(Doing::in_first_step, Training::synchronous), "while it computed the first step of its session");
  EXPECT_EQ(told(Doing::computing, Training::asynchronous), "while it computed");
  EXPECT_EQ(told(Doing::nothing, Training::asynchronous), "between two steps");
}

}  // namespace
}  // namespace tarry
