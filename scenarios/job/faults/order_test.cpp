#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

// Two equal workers, whose messages meet at the server.
Job two_equal(std::int64_t seed) {
  Job job = small_job(Order{{seed}, Count{2}, Count{100}});
  job.cluster.hosts.push_back({"host1"});
  job.cluster.tasks.push_back({"/job:worker/replica:0/task:1", HostId{2u}});
  ClientJob other = job.clients[0];
  other.task = TaskId{2u};
  other.program = shipped_program("softmax_async_ps1_task1", {.batch = 4});
  other.options.session.device_filters = {"/job:ps", "/job:worker/task:1"};
  job.clients.push_back(other);
  return job;
}

TEST(Order, is_told_and_lets_the_job_go_on) {
  const SmallRun run = run_small(two_equal(7));
  EXPECT_THAT(run.told, testing::ElementsAre("which of simultaneous events comes first is drawn from 7"));
  EXPECT_GT(run.steps_between(1.05, 5), 30);
  EXPECT_TRUE(run.failed.empty());
}

TEST(Order, is_another_with_another_seed_and_the_same_with_the_same) {
  std::set<std::string> hashes;
  for (std::int64_t seed = 1; seed <= 8; ++seed) {
    const auto hash = run_here(two_equal(seed)).log.hash();
    EXPECT_EQ(run_here(two_equal(seed)).log.hash(), hash);
    hashes.insert(to_string(hash));
  }
  EXPECT_GT(hashes.size(), 6u);  // the seed alone is in what the log says of the fault
}

// Which worker's steps end first, of those that end at one time.
TEST(Order, changes_who_comes_first) {
  const auto firsts = [](std::int64_t seed) {
    std::set<TaskId> first;
    Nanos last = -1;
    const Outcome outcome = run_here(two_equal(seed));
    for (const LoggedEvent& e : outcome.log.events())
      if (const auto* ended = std::get_if<StepEnded>(&e.event); ended != nullptr && e.at != last) {
        last = e.at;
        if (e.at > 2 * kSecond) first.insert(ended->task);
      }
    return first;
  };
  std::set<TaskId> all;
  for (std::int64_t seed = 1; seed <= 8; ++seed) all.merge(firsts(seed));
  EXPECT_EQ(all.size(), 2u);
}

}  // namespace
}  // namespace tarry
