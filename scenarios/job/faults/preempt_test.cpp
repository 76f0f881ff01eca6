#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

TEST(Preempt, ends_the_process_and_begins_another_later) {
  const SmallRun run = run_under(Preempt{kWorker, 2 * kSecond});
  EXPECT_EQ(run.processes, (std::vector{false, true}));
  EXPECT_TRUE(std::ranges::none_of(run.step_ended, [](double at) { return at > 1.05 && at < 3.05; }));
  EXPECT_GT(run.step_ended.back(), 4.8);
}

TEST(Preempt, begins_no_second_process_where_one_has_begun_meanwhile) {
  Job job = small_job(Preempt{kWorker, 2 * kSecond});
  job.faults.push_back({2 * kSecond, Restart{kWorker}});
  const Outcome outcome = run_here(job);
  const auto began = std::ranges::count_if(
      outcome.log.events(), [](const LoggedEvent& e) { return std::holds_alternative<ProcessBegan>(e.event); });
  EXPECT_EQ(began, 1);
}

}  // namespace
}  // namespace tarry
