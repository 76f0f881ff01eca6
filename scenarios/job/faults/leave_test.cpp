#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(Leave, ends_the_client_after_its_step_and_leaves_the_server) {
  const Outcome outcome = run_here(small_job(Leave{kWorker}));  // at 1.05 s, in the eleventh step
  std::vector<SessionStage> stages;
  for (const LoggedEvent& e : outcome.log.events()) {
    if (const auto* s = std::get_if<SessionMoved>(&e.event)) stages.push_back(s->stage);
    EXPECT_FALSE(std::holds_alternative<ProcessEnded>(e.event));
  }
  EXPECT_EQ(stages.back(), SessionStage::closed);
  EXPECT_EQ(read_contributions(outcome.log).workers.at(0).steps, 11);
}

TEST(Leave, of_a_task_without_a_client_changes_nothing) { EXPECT_GT(run_under(Leave{kPs}).step_ended.size(), 45u); }

}  // namespace
}  // namespace tarry
