// Hangs by design of TensorFlow and defects of the runtime are told apart (results/by_design.hpp).

#include "results/by_design.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/cluster/heal.hpp"
#include "properties/hunting/hunting.hpp"
#include "results/credits.hpp"
#include "scenarios/cases/shipped.hpp"
#include "scenarios/file/faults.hpp"

namespace tarry {
namespace {

using ::testing::HasSubstr;

constexpr Nanos kTime = 90 * kSecond;

// Workers with compute times of their own, beside one parameter server.
struct KillShape {
  int workers = 3, replicas = 3, tokens = -1;
};
std::string kill_scenario(const KillShape& shape, Random& random) {
  std::string hosts = "server", tasks = "ps/0: server", costs;
  for (int w = 0; w < shape.workers; ++w) {
    hosts += fmt::format(", host{}", w);
    tasks += fmt::format(", worker/{}: host{}", w, w);
    costs += fmt::format("  - {{op: SparseSoftmaxCrossEntropyWithLogits, task: worker/{}, time: {}ms}}\n", w,
                         100 + random.below(1400));
  }
  return fmt::format(
      "title: random kills\ncluster:\n  hosts: [{}]\n  tasks: {{{}}}\n  network: {{latency: 1ms}}\n"
      "build: {{graph: softmax_async_ps1_task0, protocol: sync, replicas_to_aggregate: {}}}\n"
      "feeds: {{batch: 4}}\ncosts:\n{}training: {{num_tokens: {}}}\nstop: {{time: 90s}}\n",
      hosts, tasks, shape.replicas, costs, shape.tokens);
}
Job kill_job(const KillShape& shape, Random& random) {
  Job job = job_for(parse_scenario(kill_scenario(shape, random), "test").value()).value();
  job.audits = true;
  return job;
}

// Kills of workers that are not the chief, in the first ten seconds; some of them come back.
std::vector<Fault> kills(const KillShape& shape, Random& random) {
  std::vector<Fault> faults;
  std::vector<std::size_t> left;
  for (int w = 1; w < shape.workers; ++w) left.push_back(1 + static_cast<std::size_t>(w));
  for (std::uint64_t n = 1 + random.below(left.size()); n > 0; --n) {
    const std::size_t i = random.below(left.size());
    const TaskId task{left[i]};
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
    const Nanos at = static_cast<Nanos>(random.below(10'000)) * 1'000'000;
    faults.push_back({at, Kill{task}});
    if (random.chance(1, 5)) faults.push_back({at + 2 * kSecond, Restart{task}});
  }
  return faults;
}

// The run itself: no aggregate in its last half, which is much longer than any step.
bool stood_still(const Outcome& o) {
  Nanos last = 0;
  for (const LoggedEvent& e : o.log.events())
    if (std::holds_alternative<AggregateTaken>(e.event)) last = e.at - o.log.started_at;
  return last < kTime / 2;
}

// The credits of the ledger do not suffice for an aggregate.
bool hangs_by_credits(const Outcome& o) {
  const Credits credits = read_credits(o.log, o.audit);
  return std::ranges::any_of(credits.accumulators, [&](const AccumulatorCredits& a) {
    return credits.due(a) < credits.plan->replicas_to_aggregate;
  });
}

struct Agreement {
  int runs = 0, hung = 0;
};
Agreement compare_random_kills(std::uint64_t seed, std::uint64_t runs) {
  Agreement all;
  for (std::uint64_t n = 0; n < runs; ++n) {
    Random random = random_of_case(seed, n);
    const int workers = 2 + static_cast<int>(random.below(4)), replicas = workers - static_cast<int>(random.below(2));
    const KillShape shape{workers, replicas, static_cast<int>(random.below(3)) - 1};
    Job job = kill_job(shape, random);
    job.faults = kills(shape, random);
    const Outcome o = run_here(job);
    const bool hung = stood_still(o);
    all.hung += hung ? 1 : 0;
    ++all.runs;
    SCOPED_TRACE(fmt::format("run {}: W={} R={} T0={} --faults '{}'", n, workers, replicas, shape.tokens,
                             faults_line(job.faults, job.cluster)));
    EXPECT_EQ(hangs_by_credits(o), hung);
    EXPECT_EQ(why_by_design(o.log, o.audit, o.tasks, TaskId{1u}).has_value(), hung);
  }
  return all;
}

TEST(RandomKills, hang_a_synchronous_job_iff_the_credits_do_not_suffice) {
  const Agreement all = compare_random_kills(1, 40);
  EXPECT_GT(all.hung, 5);
  EXPECT_GT(all.runs - all.hung, 5);
}

// tarry_hunt_cluster_test --gtest_also_run_disabled_tests --gtest_filter='RandomKills.DISABLED_*'
TEST(RandomKills, DISABLED_five_hundred) {
  const Agreement all = compare_random_kills(2, 500);
  std::cout << fmt::format("{} of {} runs hang\n", all.hung, all.runs);
}

// ---- bugs planted in the runtime ----

Outcome run_planted(Job job, const Schedule& schedule, std::uint64_t seed, PlantedClusterBug bug) {
  job.faults = schedule.faults;
  job.seed = seed;
  job.planted = bug;
  return run_here(job);
}

// A worker that still trains, or makes a session, has no rule to stand still by.
bool is_told_as_defect(const Outcome& o) {
  const Credits credits = read_credits(o.log, o.audit);
  return std::ranges::any_of(credits.workers, [&](const auto& entry) {
    const WorkerCredit::Phase phase = entry.second.phase;
    return phase != WorkerCredit::Phase::gone && phase != WorkerCredit::Phase::over &&
           !why_by_design(o.log, o.audit, o.tasks, entry.first);
  });
}

struct HangsTold {
  int hangs = 0, as_defects = 0;
};
// Runs that stand still with the bug, and not without it.
Job audited(const char* name) {
  Job job = job_for(shipped(name)).value();
  job.faults.clear();
  job.audits = true;
  return job;
}

HangsTold planted_hangs(PlantedClusterBug bug, std::uint64_t runs) {
  HangsTold told;
  for (const char* name : {"040_worker_dies", "047_chief_dies_checkpoint", "052_chief_finishes_first"}) {
    const Job job = audited(name);
    const Course course = course_of(run_here(job));
    for (std::uint64_t n = 0; n < runs; ++n) {
      Random random = random_of_case(3, n);
      const Schedule schedule = recoverable(draw_schedule(job.cluster, course, 4, random), course, job);
      const Outcome o = run_planted(job, schedule, n, bug);
      if (!o.log.is_deadlocked || run_planted(job, schedule, n, PlantedClusterBug::none).log.is_deadlocked) continue;
      ++told.hangs;
      const bool is_defect = is_told_as_defect(o);
      told.as_defects += is_defect ? 1 : 0;
      if (!is_defect)
        ADD_FAILURE() << name << ", run " << n << ": " << faults_line(schedule.faults, job.cluster) << "\n"
                      << in_words(*why_by_design(o.log, o.audit, o.tasks, TaskId{1u}));
    }
  }
  return told;
}

TEST(PlantedHangs, are_defects_and_not_by_design) {
  using Bug = PlantedClusterBug;
  for (const Bug bug : {Bug::token_lost, Bug::close_does_not_wake, Bug::abort_skips_waiter}) {
    SCOPED_TRACE(static_cast<int>(bug));
    const HangsTold told = planted_hangs(bug, 60);
    EXPECT_GT(told.hangs, 0);
    EXPECT_EQ(told.as_defects, told.hangs);
  }
}

// The dequeue of a worker that died waiting is cancelled, and its token stays for the others.
TEST(PlantedHangs, of_a_token_that_went_with_a_cancelled_dequeue_is_a_defect) {
  const Scenario s = shipped("043_worker_dies_waiting");
  Job job = job_for(s).value();
  job.audits = true;
  const Schedule kill{{s.faults.front()}};
  const Outcome well = run_planted(job, kill, 1, PlantedClusterBug::none);
  const Outcome ill = run_planted(job, kill, 1, PlantedClusterBug::credit_kept_on_abort);
  EXPECT_FALSE(well.log.is_deadlocked);
  EXPECT_TRUE(ill.log.is_deadlocked);
  EXPECT_TRUE(is_told_as_defect(ill));
}

}  // namespace
}  // namespace tarry
