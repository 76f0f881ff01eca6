// The moments that faults wait for.

#include "scenarios/job/fault_run.hpp"

#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

// A fault that waits for the second token of the worker, and whether its moment has come.
struct Waiting {
  NameTable names;
  World world{small_job(Kill{kWorker}).cluster, {}, 1, names, [](Nanos, const Event&) {}};
  Directory directory{world, {{"/job:ps/replica:0/task:0", {}}, {"/job:worker/replica:0/task:0", {}}}};
  std::vector<Fault> faults;
  FaultRun run;

  explicit Waiting(Moment moment, std::int64_t count = 2)
      : faults{{Trigger{moment, kWorker, count, 5}, Kill{kWorker}}}, run({world, directory, {}}, faults) {
    run.note(StepBegan{kWorker, StepId{1}, Purpose::train});
    run.note(StepBegan{kPs, StepId{2}, Purpose::train});
  }
  bool after(const Event& e) {
    run.note(e);
    return run.is_pending();
  }
  Dequeued taken(std::string_view queue, std::uint64_t step) {
    return Dequeued{kPs, world.name(queue), StepId{step}, 0};
  }
};

TEST(FaultRun, a_token_is_what_a_workers_step_takes_from_the_token_queue_and_from_no_other) {
  Waiting w(Moment::token_taken);
  EXPECT_FALSE(w.after(w.taken("sync_token_q", 1)));
  EXPECT_FALSE(w.after(w.taken("input_q", 1)));
  EXPECT_FALSE(w.after(w.taken("sync_token_q", 2)));  // another task's step
  EXPECT_FALSE(w.after(w.taken("sync_token_q", 9)));  // nobody's
  EXPECT_TRUE(w.after(w.taken("scope/sync_token_q", 1)));
}

TEST(FaultRun, a_push_is_one_of_the_workers_step_dropped_or_not) {
  Waiting w(Moment::pushed);
  EXPECT_FALSE(w.after(GradientPushed{kPs, {}, StepId{1}, 0, 0, false}));
  EXPECT_FALSE(w.after(GradientPushed{kPs, {}, StepId{2}, 0, 0, true}));
  EXPECT_FALSE(w.after(w.taken("sync_token_q", 1)));
  EXPECT_TRUE(w.after(GradientPushed{kPs, {}, StepId{1}, 0, 0, true}));
}

TEST(FaultRun, a_session_is_ready_when_it_says_so) {
  Waiting w(Moment::session_ready, 1);
  EXPECT_FALSE(w.after(SessionMoved{kWorker, SessionStage::created, {}}));
  EXPECT_FALSE(w.after(SessionMoved{kPs, SessionStage::ready, {}}));
  EXPECT_TRUE(w.after(SessionMoved{kWorker, SessionStage::ready, {}}));
}

// Whether the second of these events is the moment that was waited for, and none of the others.
bool comes_with(Moment moment, const Event& that, std::initializer_list<Event> others) {
  Waiting w(moment, 1);
  for (const Event& other : others)
    if (w.after(other)) return false;
  return w.after(that);
}

TEST(FaultRun, a_gradient_is_accepted_or_dropped) {
  const GradientPushed yes{kPs, {}, StepId{1}, 0, 0, true}, no{kPs, {}, StepId{1}, 0, 0, false},
      other{kPs, {}, StepId{2}, 0, 0, true};
  EXPECT_TRUE(comes_with(Moment::accepted, yes, {no, other}));
  EXPECT_TRUE(comes_with(Moment::dropped, no, {yes, other}));
}

TEST(FaultRun, a_training_step_begins_and_ends_and_other_steps_do_not_count) {
  const StepBegan sync{kWorker, StepId{7}, Purpose::sync}, train{kWorker, StepId{8}, Purpose::train};
  Waiting began(Moment::step_began, 2);  // one has begun
  EXPECT_FALSE(began.after(sync));
  EXPECT_FALSE(began.after(StepBegan{kPs, StepId{9}, Purpose::train}));
  EXPECT_TRUE(began.after(train));
  EXPECT_TRUE(comes_with(Moment::step_ended, StepEnded{kWorker, StepId{1}, 14},
                         {sync, StepEnded{kWorker, StepId{7}, 0}, StepEnded{kPs, StepId{2}, 0}}));
}

TEST(FaultRun, a_session_is_created_and_may_wait) {
  const SessionMoved created{kWorker, SessionStage::created, {}}, waiting{kWorker, SessionStage::waiting, {}};
  EXPECT_TRUE(comes_with(Moment::session_created, created, {waiting}));
  EXPECT_TRUE(comes_with(Moment::session_waiting, waiting, {created}));
}

TEST(FaultRun, a_checkpoint_is_written_when_its_step_ends_well) {
  const StepBegan bad{kWorker, StepId{7}, Purpose::save}, good{kWorker, StepId{8}, Purpose::save};
  EXPECT_TRUE(comes_with(Moment::checkpoint_written, StepEnded{kWorker, StepId{8}, 0},
                         {bad, good, StepEnded{kWorker, StepId{7}, 8}, StepEnded{kWorker, StepId{1}, 0}}));
}

TEST(FaultRun, an_aggregate_is_taken_for_the_chief) {
  const StepBegan sync{kWorker, StepId{7}, Purpose::sync};
  EXPECT_TRUE(comes_with(Moment::aggregate_taken, AggregateTaken{kPs, {}, StepId{7}, 3, 1},
                         {sync, AggregateTaken{kPs, {}, StepId{2}, 3, 1}}));
}

TEST(FaultRun, graphs_are_registered_and_run_at_other_tasks) {
  Waiting registered(Moment::registered, 1), run(Moment::rungraph_arrived, 1);
  const auto message = [](Waiting& w, TaskId from, TaskId to, std::string_view kind) {
    return w.after(MessageDelivered{from, to, w.world.name(kind), 1, 0, {}, {}});
  };
  EXPECT_FALSE(message(registered, kWorker, kPs, "RegisterGraph request"));
  EXPECT_FALSE(message(registered, kWorker, kPs, "RegisterGraph reply"));
  EXPECT_TRUE(message(registered, kPs, kWorker, "RegisterGraph reply"));
  EXPECT_FALSE(message(run, kPs, kWorker, "RunGraph request"));
  EXPECT_FALSE(message(run, kPs, kWorker, "RunGraph reply"));
  EXPECT_TRUE(message(run, kWorker, kPs, "RunGraph request"));
}

TEST(FaultRun, happens_once_however_often_its_moment_comes) {
  Waiting w(Moment::session_ready, 1);
  int ended = 0;
  FaultRun run({w.world, w.directory, {[&](TaskId) { ++ended; }, nullptr}}, w.faults);
  for (int i = 0; i < 3; ++i) run.note(SessionMoved{kWorker, SessionStage::ready, {}});
  EXPECT_TRUE(run.is_pending());
  while (w.world.run([] { return false; }, 100) != Ended::idle) {
  }
  EXPECT_FALSE(run.is_pending());
  EXPECT_EQ(w.world.now(), 5);
}

}  // namespace
}  // namespace tarry
