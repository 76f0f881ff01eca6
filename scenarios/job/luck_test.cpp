// Who may be slow by chance: a worker of which the job says nothing that it does not say of most.

#include "scenarios/job/luck.hpp"

#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

constexpr TaskId kSuspect{2u};
constexpr HostId kItsHost{2u};
constexpr const char* kCompute = "SparseSoftmaxCrossEntropyWithLogits";

// Two workers whose steps take an exponential time.
Job make_random_job() {
  Job job = small_job(Kill{kWorker});
  job.faults.clear();
  job.cluster.hosts.push_back({"host1"});
  job.cluster.tasks.push_back({"/job:worker/replica:0/task:1", kItsHost});
  job.costs.rules = {{.op = kCompute, .amount = Exponential{kSecond / 10}}};
  TrainOptions options;
  options.steps = 2;
  job.clients[0].options = options;
  job.clients.push_back({kSuspect, shipped_program("softmax_async_ps1_task1", {.batch = 4}), options});
  job.stop.time = {};
  return job;
}

Job random_job() {
  static const Job job = make_random_job();
  return job;
}

// Whether worker 1 had bad luck: it was told slow, and with other seeds it is not nearly so slow.
bool is_by_chance(const Job& job) {
  constexpr double kHowSlow = 1000;  // times as long as the median's step
  const Outcome outcome = run_apart(job).value();
  const ProofWatch nobody;
  Beside beside(job, outcome, nobody);
  const std::vector<WhatIf> slow{{{.cause = Proof::Cause::slow_worker, .task = kSuspect}, job, kHowSlow},
                                 {{.cause = Proof::Cause::late_start, .task = kWorker}, job, kHowSlow}};
  const std::set<TaskId> lucky = slow_by_chance(slow, job, beside).value();
  EXPECT_FALSE(lucky.contains(kWorker)) << "nobody asked about it";
  return lucky.contains(kSuspect);
}

TEST(Luck, is_where_costs_are_random) {
  EXPECT_TRUE(is_by_chance(random_job()));
  Job constant = random_job();
  constant.costs.rules[0].amount = Constant{kSecond / 10};
  EXPECT_FALSE(is_by_chance(constant));
  constant.costs.rules[0].amount = Listed{{kSecond / 10, kSecond / 5}};
  EXPECT_FALSE(is_by_chance(constant));
  constant.costs.variations = {{.law = Amount{Constant{2'000'000}}}};
  EXPECT_FALSE(is_by_chance(constant));
  Job otherwise = constant, varied = constant, switching = constant;
  otherwise.costs.otherwise = Exponential{1000};
  EXPECT_TRUE(is_by_chance(otherwise));
  varied.costs.variations = {{.law = Amount{Uniform{1'000'000, 2'000'000}}}};
  EXPECT_TRUE(is_by_chance(varied));
  switching.costs.variations = {{.law = Switching{2'000'000, 100'000, 300'000}}};
  EXPECT_TRUE(is_by_chance(switching));
}

TEST(Luck, is_none_where_the_job_says_something_of_the_worker) {
  const auto with = [](auto change) {
    Job job = random_job();
    change(job);
    return is_by_chance(job);
  };
  EXPECT_FALSE(with([](Job& j) { j.costs.rules.push_back({.op = "x", .task = j.cluster.tasks[2].name}); }));
  EXPECT_TRUE(with([](Job& j) { j.costs.rules.push_back({.op = "x", .task = j.cluster.tasks[1].name}); }));
  EXPECT_FALSE(with([](Job& j) { j.costs.variations = {{.task = kSuspect, .law = Amount{Constant{1'000'000}}}}; }));
  EXPECT_TRUE(with([](Job& j) { j.costs.variations = {{.task = kWorker, .law = Amount{Constant{1'000'000}}}}; }));
  EXPECT_FALSE(with([](Job& j) { j.costs.interference = {{.task = kSuspect}}; }));
  EXPECT_FALSE(with([](Job& j) { j.costs.interference = {{.host = kItsHost}}; }));
  EXPECT_TRUE(with([](Job& j) { j.costs.interference = {{.task = kWorker}, {.host = kHost0}}; }));
}

TEST(Luck, is_none_where_its_devices_are_not_those_of_most) {
  const auto with = [](auto change) {
    Job job = random_job();
    job.cluster.tasks.push_back({"/job:worker/replica:0/task:2", kItsHost});
    job.clients.push_back({TaskId{3u}, job.clients[1].program, job.clients[1].options});
    EXPECT_TRUE(serve_as(job.clients[2].program, job.cluster.tasks[3].name).ok());
    change(job.cluster.tasks[2], job.cluster.tasks[3]);
    return is_by_chance(job);
  };
  using T = TaskSpec;
  EXPECT_FALSE(with([](T& t, T&) { t.inter_op_threads = 4; }));
  EXPECT_FALSE(with([](T& t, T&) { t.cpu.launch = 1; }));
  EXPECT_FALSE(with([](T& t, T&) { t.gpus.resize(1); }));
  EXPECT_TRUE(with([](T& t, T& o) { t.inter_op_threads = o.inter_op_threads = 4; })) << "two of three have so many";
  EXPECT_TRUE(with([](T&, T& o) { o.inter_op_threads = 4; }));
  Job half = random_job();
  half.cluster.tasks[2].inter_op_threads = 4;
  EXPECT_FALSE(is_by_chance(half)) << "one of two is not most";
}

TEST(Luck, is_none_where_a_fault_makes_its_kernels_longer) {
  const auto with = [](const FaultKinds& fault) {
    Job job = random_job();
    for (const TaskId worker : {kWorker, kSuspect}) job.cluster.tasks[worker.index()].gpus.resize(1);
    job.faults = {{Nanos{1000}, fault}};
    return is_by_chance(job);
  };
  EXPECT_FALSE(with(Slow{kSuspect, {150}, {}}));
  EXPECT_TRUE(with(Slow{kWorker, {150}, {}}));
  EXPECT_FALSE(with(SlowHost{kItsHost, {150}, {}}));
  EXPECT_TRUE(with(SlowHost{kHost0, {150}, {}}));
  EXPECT_FALSE(with(Throttle{kSuspect, {0}, {150}, {}}));
  EXPECT_TRUE(with(Throttle{kWorker, {0}, {150}, {}}));
  EXPECT_FALSE(with(HeavyTail{kSuspect, {"x"}, {2}, {150}, {}}));
  EXPECT_FALSE(with(Pause{kSuspect, kSecond / 1000}));
  for (const FaultKinds& of_no_kernel : {FaultKinds(LoseCheckpoints{}), FaultKinds(Jam{{kHost0, kItsHost}, 1000}),
                                         FaultKinds(Disconnect{{kWorker, kSuspect}})})
    EXPECT_TRUE(with(of_no_kernel));
}

}  // namespace
}  // namespace tarry
