// How often clients have looked in vain.

#include "scenarios/job/vigil.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

constexpr TaskId kWorker{1u};

Vigil after(const std::vector<Event>& events) {
  Vigil vigil;
  for (const Event& e : events) vigil.note(e);
  return vigil;
}

TEST(Vigil, counts_moves_of_sessions_and_lines_of_the_clients_logs) {
  const Vigil vigil = after({SessionMoved{kWorker}, LogLine{kWorker}, Dequeued{}});
  EXPECT_EQ(vigil.looks(), 2u);
  EXPECT_TRUE(vigil.has_begun(kWorker));
  EXPECT_FALSE(vigil.has_begun(TaskId{2u}));
}

TEST(Vigil, begins_anew_where_training_goes_on_or_the_cluster_changes) {
  StepBegan training;
  training.purpose = Purpose::train;
  for (const Event& e : std::vector<Event>{training, AggregateTaken{}, GradientPushed{}, ProcessEnded{kWorker},
                                           ProcessBegan{kWorker}, ConditionChanged{}}) {
    const Vigil vigil = after({LogLine{kWorker}, e, SessionMoved{kWorker}});
    EXPECT_EQ(vigil.looks(), 1u) << e.index();
    EXPECT_TRUE(vigil.has_begun(kWorker));
  }
  EXPECT_EQ(after({LogLine{kWorker}, StepBegan{}, StepEnded{}}).looks(), 1u) << "no training";
}

}  // namespace
}  // namespace tarry
