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
  EXPECT_EQ(teller.tell(StepBegan{kChief, StepId{1}, Purpose::restore}), "worker 0: a step begins (restore)");
  EXPECT_EQ(teller.tell(SessionMoved{kChief, SessionStage::created, kNoDetail}), "worker 0: its session is created");
}

}  // namespace
}  // namespace tarry
