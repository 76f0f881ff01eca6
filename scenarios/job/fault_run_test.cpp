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
