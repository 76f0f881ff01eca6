// Stale-synchronous jobs: the bound holds in every log, it is reached, and a worker that is lost stops the others
// there.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "results/staleness.hpp"
#include "scenarios/job/job.hpp"
#include "scenarios/job/shipped_graphs.hpp"
#include "workers/train/build/job_plan.hpp"

namespace tarry {
namespace {

constexpr Nanos kMilli = 1'000'000;

// One ps, and workers that each have a host, with compute times in milliseconds.
Job job_of(const std::string& graph, int staleness, const std::vector<int>& compute) {
  Job job;
  job.cluster.hosts.push_back({"server"});
  job.cluster.tasks.push_back({"/job:ps/replica:0/task:0", HostId{0u}, 0, {}});
  job.cluster.network.between_hosts.latency = kMilli;
  auto programs =
      *build_job(shipped_program(graph, {.batch = 4, .shapes = {}}), {.protocol = Protocol::stale_synchronous,
                                                                      .workers = static_cast<int>(compute.size()),
                                                                      .ps = 1,
                                                                      .staleness = staleness});
  for (std::size_t w = 0; w < compute.size(); ++w) {
    job.cluster.hosts.push_back({fmt::format("host{}", w)});
    job.cluster.tasks.push_back({fmt::format("/job:worker/replica:0/task:{}", w), HostId{w + 1}, 0, {}});
    job.costs.rules.push_back({.op = "SparseSoftmaxCrossEntropyWithLogits",
                               .task = job.cluster.tasks.back().name,
                               .amount = Constant{compute[w] * kMilli}});
    job.clients.push_back({TaskId{w + 1}, std::move(programs[w]), {}});
  }
  job.stop.time = 20'000 * kMilli;
  return job;
}

// The most that a worker was ahead of the slowest when it began a step: counted anew here, from what clients know of
// their steps alone.
struct Counted {
  std::int64_t farthest = 0;
  std::map<TaskId, std::int64_t> done;
};
Counted count(const EventLog& log, std::size_t workers) {
  Counted c;
  std::map<StepId, TaskId> steps;
  for (std::size_t w = 1; w <= workers; ++w) c.done[TaskId{w}] = 0;
  for (const LoggedEvent& e : log.events()) {
    if (const auto* put = std::get_if<Enqueued>(&e.event); put != nullptr && steps.contains(put->step))
      ++c.done[steps[put->step]];
    const auto* began = std::get_if<StepBegan>(&e.event);
    if (began == nullptr || began->purpose != Purpose::train) continue;
    steps[began->step] = began->task;
    const auto least = std::ranges::min_element(c.done, {}, [](const auto& d) { return d.second; });
    c.farthest = std::max(c.farthest, c.done[began->task] - least->second);
  }
  return c;
}

class StaleKinds : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Variables, StaleKinds,
                         testing::Values("softmax_async_ps1_task0", "softmax_async_res_ps2_task1"));

TEST_P(StaleKinds, a_fast_worker_gets_as_far_ahead_as_it_may_and_no_further) {
  for (const int staleness : {0, 1, 4}) {
    const EventLog log = run_here(job_of(GetParam(), staleness, {100, 1000, 130})).log;
    const Counted counted = count(log, 3);
    EXPECT_EQ(counted.farthest, staleness);
    EXPECT_GE(counted.done.at(TaskId{2u}), 18) << "the slow worker waits for nobody";
    const auto story = read_staleness(log);
    ASSERT_TRUE(story.has_value());
    EXPECT_EQ(std::pair(story->bound, story->farthest), std::pair(std::int64_t{staleness}, std::int64_t{staleness}));
  }
}

RC_GTEST_PROP(StaleSynchronous, nobody_is_further_ahead_than_the_bound, ()) {
  const int staleness = *rc::gen::inRange(0, 5);
  const auto workers = *rc::gen::inRange<std::size_t>(2, 5);
  const auto compute = *rc::gen::container<std::vector<int>>(workers, rc::gen::inRange(50, 1500));
  const Counted counted = count(run_here(job_of("softmax_async_ps1_task0", staleness, compute)).log, workers);
  RC_ASSERT(counted.farthest <= staleness);
  RC_ASSERT(counted.done.begin()->second > 0);
}

TEST(StaleSynchronous, a_lost_worker_stops_the_others_when_they_are_as_far_ahead_as_they_may) {
  Job job = job_of("softmax_async_ps1_task0", 3, {100, 100, 100});
  job.faults.push_back({5'050 * kMilli, Kill{TaskId{3u}}});
  const EventLog log = run_here(job).log;
  const auto done = count(log, 3).done;
  for (const TaskId w : {TaskId{1u}, TaskId{2u}})
    EXPECT_EQ(done.at(w), done.at(TaskId{3u}) + 4) << "three tokens ahead, and the step that waits for the fourth";
}

TEST(StaleSynchronous, an_asynchronous_job_is_none) {
  Job job = job_of("softmax_async_ps1_task0", 0, {100});
  job.clients[0].program = build_job(shipped_program("softmax_async_ps1_task0", {.batch = 4, .shapes = {}}),
                                     {.protocol = Protocol::asynchronous})
                               ->at(0);
  job.stop.time = 1000 * kMilli;
  EXPECT_FALSE(read_staleness(run_here(job).log).has_value());
}

}  // namespace
}  // namespace tarry
