// Single events as sentences.

#include "results/event_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_story.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(EventsInWords, name_the_worker_whose_step_did_it) {
  Story s = two_workers();
  s.push(1, 2).push(1, 1, false).aggregate(1).at(1, ScalarAssigned{kPs, kGlobalStep, StepId{99}, 7});
  EXPECT_THAT(
      events_in_words(s.log, kTasks, kSecond, kSecond, 9),
      ElementsAre("1.000 s  worker 1: its gradient of step 0 reaches v:0/grad_accum, which is at step 0: accepted",
                  "1.000 s  worker 0: its gradient of step 0 reaches v:0/grad_accum, which is at step 0: dropped",
                  "1.000 s  a step of nobody: it takes 2 gradients from v:0/grad_accum",
                  "1.000 s  a step of nobody: it sets global_step to 7"));
}

TEST(EventsInWords, leave_messages_and_kernels_out_and_count_what_is_too_much) {
  Story s = two_workers();
  s.at(2, MessageDelivered{kPs, kChief, kNoDetail, 7, 0, kNoDetail, StepId{1}})
      .ended(3, kChief, 1)
      .at(4, ProcessEnded{kPs});
  s.at(4, ProcessBegan{kPs, 1}).at(4, SessionMoved{kChief, SessionStage::failed, kGlobalStep});
  EXPECT_THAT(
      events_in_words(s.log, kTasks, kSecond, 4 * kSecond, 9),
      ElementsAre("3.000 s  worker 0: a step ends", "4.000 s  ps 0: its process ends",
                  "4.000 s  ps 0: a new process begins", "4.000 s  worker 0: its session has failed: global_step"));
  EXPECT_THAT(events_in_words(s.log, kTasks, kSecond, 4 * kSecond, 1),
              ElementsAre("3.000 s  worker 0: a step ends", "... and 3 more"));
  EXPECT_THAT(events_in_words(s.log, kTasks, kSecond, 4 * kSecond, 3), testing::Contains("... and 1 more"));
  EXPECT_THAT(events_in_words(s.log, kTasks, 5 * kSecond, 9 * kSecond, 1), IsEmpty());
}

// A purpose or a stage without a name would throw.
TEST(EventsInWords, have_a_name_for_every_purpose_and_stage) {
  Story s = two_workers();
  const EventTeller teller(s.log, kTasks);
  std::vector<std::string> told;
  for (int p = 0; p < 12; ++p) told.push_back(teller.tell(StepBegan{kChief, StepId{1}, static_cast<Purpose>(p)}));
  EXPECT_THAT(told, ElementsAre("worker 0: a step begins (initialisation)", "worker 0: a step begins (ready check)",
                                "worker 0: a step begins (local initialisation)",
                                "worker 0: a step begins (hook's initialisation)",
                                "worker 0: a step begins (initial tokens)", "worker 0: a step begins (training)",
                                "worker 0: a step begins (sync)", "worker 0: a step begins (queue runner)",
                                "worker 0: a step begins (queue closing)", "worker 0: a step begins (other)",
                                "worker 0: a step begins (save)", "worker 0: a step begins (restore)"));
  told.clear();
  for (int stage = 0; stage < 7; ++stage)
    told.push_back(teller.tell(SessionMoved{kChief, static_cast<SessionStage>(stage), kNoDetail}));
  EXPECT_THAT(told, ElementsAre("worker 0: its session is created", "worker 0: its session waits for the model",
                                "worker 0: its session is ready", "worker 0: its session begins to train",
                                "worker 0: its session has left training", "worker 0: its session is closed",
                                "worker 0: its session has failed"));
}

TEST(EventsInWords, tell_of_accumulators_queues_and_kernels_by_name) {
  Story s = two_workers();
  s.log.set_names({"v:0/grad_accum", "global_step", "", "sync_token_q", "matmul", "MatMul", "gpu 0"});
  EventTeller teller(s.log, kTasks);
  teller.note(StepBegan{kOther, StepId{8}, Purpose::train});
  const StepId step{8};
  const NameId queue{3u}, node{4u}, op{5u}, device{6u};
  EXPECT_EQ(teller.tell(TakeIssued{kPs, kAccumulator, step, 3}), "worker 1: it asks v:0/grad_accum for 3 gradients");
  EXPECT_EQ(teller.tell(AccumulatorStepSet{kPs, kAccumulator, 12}), "v:0/grad_accum is set to step 12");
  EXPECT_EQ(teller.tell(Enqueued{kPs, queue, step, 5}), "worker 1: it puts 5 into sync_token_q");
  EXPECT_EQ(teller.tell(Dequeued{kPs, queue, step, 6}), "worker 1: it takes 6 from sync_token_q");
  EXPECT_EQ(teller.tell(KernelRan{kPs, device, node, op, step, 0}), "ps 0: matmul (MatMul) ends on gpu 0");
  EXPECT_EQ(teller.tell(KernelCutOff{kPs, device, node, op, step, 0}), "ps 0: matmul is cut off on gpu 0");
}

TEST(EventsInWords, say_who_a_message_is_from_and_who_gets_it) {
  Story s = two_workers();
  s.log.set_names({"RecvTensor reply", "somebody slows down", ""});
  const EventTeller teller(s.log, kTasks);
  const NameId kind{0u};
  EXPECT_EQ(teller.tell(MessageDelivered{kPs, kChief, kind, 7, 0, kNoDetail, StepId{1}}),
            "worker 0 gets a RecvTensor reply of 7 bytes from ps 0");
  EXPECT_EQ(teller.tell(MessageCutOff{kPs, kChief, kind, 7, 0, kNoDetail, StepId{1}}),
            "a RecvTensor reply from ps 0 to worker 0 is cut off");
  EXPECT_EQ(teller.tell(ConditionChanged{NameId{1u}, kind, kind, kind, true}), "somebody slows down");
  EXPECT_EQ(teller.tell(LogLine{kOther, 'I', NameId{1u}}), "worker 1: somebody slows down");
}

TEST(EventsInWords, say_how_much_a_plan_a_step_and_a_run_came_to) {
  Story s = two_workers();
  const EventTeller teller(s.log, kTasks);
  EXPECT_EQ(teller.tell(SyncPlanned{kChief, 2, 3, 4}),
            "worker 0: 2 of 3 gradients make an aggregate, 4 initial tokens");
  EXPECT_EQ(teller.tell(StepEnded{kChief, StepId{1}, 14}), "worker 0: a step ends with code 14");
  EXPECT_EQ(teller.tell(CutShort{kOther, 9, 100, 0}),
            "worker 1: a queue is closed to it, which ends its training after 9 steps");
  EXPECT_EQ(teller.tell(RunEnded{0, false}), "the run ends");
  EXPECT_EQ(teller.tell(RunEnded{0, true}), "the run ends: nothing is left to happen");
}

TEST(EventsInWords, know_a_step_by_its_last_beginning) {
  Story s = two_workers();
  EventTeller teller(s.log, kTasks);
  teller.note(StepBegan{kChief, StepId{8}, Purpose::train});
  teller.note(StepEnded{kChief, StepId{8}, 0});
  EXPECT_EQ(teller.tell(TakeIssued{kPs, kAccumulator, StepId{8}, 1}),
            "worker 0: it asks v:0/grad_accum for 1 gradients");
  teller.note(StepBegan{kOther, StepId{8}, Purpose::train});
  EXPECT_EQ(teller.tell(TakeIssued{kPs, kAccumulator, StepId{8}, 1}),
            "worker 1: it asks v:0/grad_accum for 1 gradients");
}

// Both ends of the time that is asked for are in it.
TEST(EventsInWords, begin_at_the_first_moment_and_end_with_the_last) {
  Story s = two_workers();
  s.ended(2, kChief, 1).ended(3, kOther, 2).at(3.5, ProcessEnded{kPs});
  EXPECT_THAT(events_in_words(s.log, kTasks, 2 * kSecond, 3 * kSecond, 9),
              ElementsAre("2.000 s  worker 0: a step ends", "3.000 s  worker 1: a step ends"));
}

}  // namespace
}  // namespace tarry
