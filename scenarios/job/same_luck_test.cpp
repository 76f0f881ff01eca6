// What is drawn in a run is keyed by what it is for: where one thing of a job changes, all others have the same luck.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "scenarios/job/faults/small_run.hpp"

namespace tarry {
namespace {

constexpr TaskId kOther{2u};  // the worker that is changed
constexpr Nanos kMean = kSecond / 10;

// Two workers of ten steps that draw their costs.
Job job_of_two(const Amount& of_other) {
  Job job = small_job(Kill{kWorker});
  job.faults.clear();
  job.cluster.hosts.push_back({"host1"});
  job.cluster.tasks.push_back({"/job:worker/replica:0/task:1", HostId{2u}});
  job.costs.rules = {
      {.op = "SparseSoftmaxCrossEntropyWithLogits", .task = job.cluster.tasks[kOther.index()].name, .amount = of_other},
      {.op = "SparseSoftmaxCrossEntropyWithLogits", .amount = Lognormal{kMean, kMean / 3}}};
  TrainOptions options = job.clients[0].options;
  options.session.device_filters.clear();
  options.steps = 10;
  job.clients[0].options = options;
  job.clients.push_back({kOther, shipped_program("softmax_async_ps1_task1", {.batch = 4}), options});
  job.stop.time = {};
  job.keep_kernels = true;
  return job;
}

std::vector<Fault> random_faults() {
  return {{Nanos{0}, HeavyTail{kWorker, {"*"}, {3}, {400}, {}}},
          {Nanos{0}, Reorder{{kWorker, kPs}, kSecond / 50, {}}},
          {Nanos{0}, HeavyTail{kOther, {"*"}, {2}, {700}, {}}},
          {Nanos{0}, Reorder{{kOther, kPs}, kSecond / 50, {}}}};
}

bool is_between(const MessageDelivered& m, TaskId a, TaskId b) {
  return (m.from == a && m.to == b) || (m.from == b && m.to == a);
}

// When kernels of a task ended and messages between it and the parameter server arrived, and how long they took.
std::vector<std::pair<Nanos, Nanos>> course_of(TaskId task, const Job& job) {
  std::vector<std::pair<Nanos, Nanos>> all;
  const Outcome outcome = run_here(job);
  for (const LoggedEvent& e : outcome.log.events()) {
    if (const auto* k = std::get_if<KernelRan>(&e.event); k != nullptr && k->task == task)
      all.emplace_back(e.at, e.at - k->began);
    if (const auto* m = std::get_if<MessageDelivered>(&e.event); m != nullptr && is_between(*m, task, kPs))
      all.emplace_back(e.at, e.at - m->sent);
  }
  std::ranges::sort(all);
  return all;
}

rc::Gen<Amount> any_law() {
  const auto time = rc::gen::inRange<Nanos>(1, kSecond);
  return rc::gen::oneOf(rc::gen::map(time, [](Nanos t) { return Amount{Constant{t}}; }),
                        rc::gen::map(time,
                                     [](Nanos t) {
                                       return Amount{Normal{t, t / 2}};
                                     }),
                        rc::gen::map(time, [](Nanos t) { return Amount{Exponential{t}}; }),
                        rc::gen::map(time,
                                     [](Nanos t) {
                                       return Amount{Pareto{t, 2 * kOneShape}};
                                     }),
                        rc::gen::map(time,
                                     [](Nanos t) {
                                       return Amount{Weibull{t, kOneShape / 2}};
                                     }),
                        rc::gen::map(time, [](Nanos t) {
                          return Amount{Uniform{t, 2 * t}};
                        }));
}

RC_GTEST_PROP(SameLuck, of_a_worker_whatever_another_ones_costs_are, (bool has_faults)) {
  Job usual = job_of_two(Lognormal{kMean, kMean / 3}), changed = job_of_two(*any_law());
  if (has_faults) usual.faults = changed.faults = random_faults();
  const auto course = course_of(kWorker, usual);
  RC_ASSERT(course.size() > 40u);
  RC_ASSERT((course == course_of(kWorker, changed)));
}

RC_GTEST_PROP(SameLuck, of_a_worker_without_a_fault_of_another, ()) {
  Job job = job_of_two(Lognormal{kMean, kMean / 3});
  job.faults = random_faults();
  const auto course = course_of(kWorker, job);
  job.faults.erase(job.faults.begin() + *rc::gen::inRange(2, 4));
  RC_ASSERT((course == course_of(kWorker, job)));
}

TEST(SameLuck, of_messages_does_not_depend_on_when_they_began_to_take_longer) {
  const auto with = [](Nanos first) {
    Job job = job_of_two(Constant{kMean});
    job.faults = {{first, Reorder{{kWorker, kPs}, kSecond / 50, {}}}};
    std::map<Nanos, int> luck;  // how often a message from the worker took so long
    const Outcome outcome = run_here(job);
    for (const LoggedEvent& e : outcome.log.events())
      if (const auto* m = std::get_if<MessageDelivered>(&e.event);
          m && m->from == kWorker && m->to == kPs && e.at > first)
        ++luck[e.at - m->sent];
    return luck;
  };
  const auto early = with(0);
  const auto late = with(kSecond / 2);
  int same = 0;
  for (const auto& [took, times] : late) same += took > 0 && early.contains(took) ? times : 0;
  EXPECT_GT(same, 10);
}

}  // namespace
}  // namespace tarry
