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

TEST(Vigil, knows_how_often_clients_looked_since_the_last_of_them_began) {
  const TaskId late{2u};
  EXPECT_EQ(after({LogLine{kWorker}}).looks_since_one_began(), 1u);
  EXPECT_EQ(after({LogLine{kWorker}, LogLine{kWorker}, LogLine{kWorker}}).looks_since_one_began(), 3u);
  const std::vector<Event> both{LogLine{kWorker}, LogLine{kWorker}, SessionMoved{late}, LogLine{kWorker}};
  EXPECT_EQ(after(both).looks_since_one_began(), 2u);
  EXPECT_EQ(after(both).looks(), 4u);
  std::vector<Event> anew = both;
  anew.push_back(AggregateTaken{}), anew.push_back(LogLine{kWorker});
  EXPECT_EQ(after(anew).looks_since_one_began(), 1u);
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
