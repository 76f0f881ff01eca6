// Slow workers beside what makes them slow.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/small_why.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;
using testing::DoubleNear;
using testing::Optional;

// A worker that is slow because of a fault is its effect: there is one cause, and taken away twice it would be faster
// than the others.
TEST(Why, a_fault_that_slows_a_worker_is_told_and_that_the_worker_is_slow_is_not) {
  Job job = healthy();
  job.faults = {{0, Slow{kSlowed, {200}, {}}}};
  const Why w = why_of(job);
  ASSERT_EQ(w.causes.size(), 1u);
  EXPECT_EQ(w.causes[0].proof.cause, Cause::faults);
  EXPECT_EQ(w.ideal, 2 * kSecond);
  EXPECT_THAT(w.add(w.causes[0]), Optional(1.0));
}

// On average it is slow; but all that it lacks is told by the fault.
TEST(Why, a_fault_that_slows_a_worker_for_a_while_is_told_and_that_the_worker_is_slow_is_not) {
  Job job = healthy();
  job.faults = {{kSecond / 2, Slow{kSlowed, {500}, kSecond}}};
  EXPECT_NE(find(why_of(job), Cause::faults), nullptr);
  EXPECT_EQ(find(why_of(job), Cause::slow_worker), nullptr);
  job.faults = {{kSecond / 2, SlowHost{job.cluster.tasks[kSlowed.index()].host, {500}, kSecond}}};
  EXPECT_EQ(find(why_of(job), Cause::slow_worker), nullptr);
  Job slow = with_slow_other();
  slow.faults = {{kSecond / 2, Slow{kSlowed, {110}, kSecond}}};
  EXPECT_NE(find(why_of(slow), Cause::slow_worker), nullptr) << "it is slow without the fault as well";
}

// One step in four takes 0.5 s and the others 0.1 s, as those of the other worker.
TEST(Why, a_worker_that_is_slow_now_and_then_is_as_fast_as_the_others_in_each_step) {
  Job job = healthy();
  const Nanos usual = kSecond / 10;
  job.costs.rules.insert(job.costs.rules.begin(), CostRule{.op = kCompute,
                                                           .task = job.cluster.tasks[kSlowed.index()].name,
                                                           .amount = Listed{{usual, usual, usual, 5 * usual}}});
  const Why w = why_of(job);
  EXPECT_EQ(w.base.time, 4 * kSecond);
  const WhyCause* slow = find(w, Cause::slow_worker);
  ASSERT_NE(slow, nullptr);
  EXPECT_EQ(slow->without, 2 * kSecond);
}

// Its device is what differs, which no cost, no fault and no part of the network is the cause of.
TEST(Why, a_worker_with_a_slow_device_of_its_own_is_told) {
  Job job = healthy();
  job.costs.rules.clear();
  for (TaskSpec& t : job.cluster.tasks) t.cpu.launch = kSecond / 1000;
  job.cluster.tasks[kSlowed.index()].cpu.launch = kSecond / 100;
  job.cluster.network.between_hosts.latency = kSecond / 1000;
  const Why w = why_of(job);
  const WhyCause* slow = find(w, Cause::slow_worker);
  ASSERT_NE(slow, nullptr);
  EXPECT_GT(slow->proof.gain, 0.5);
  EXPECT_THAT(w.add(*slow), Optional(testing::Gt(0.9)));
}

// Worker 1 is slow by a rule of its own before one for all: with the mean of a law in place of all's, it still is.
TEST(Why, a_law_at_its_mean_leaves_the_rules_before_it_alone) {
  Job job = with_slow_other();
  job.costs.rules.back().amount = Uniform{kSecond / 20, 3 * kSecond / 20};
  const Why w = why_of(job);
  EXPECT_THAT(static_cast<double>(w.ideal.value()), DoubleNear(2e9, 2e8));
  const WhyCause* slow = find(w, Cause::slow_worker);
  ASSERT_NE(slow, nullptr);
  EXPECT_EQ(slow->alone, 4 * kSecond);
}

// With a worker as fast as the other one the job is done before a path is cut for good.
TEST(Why, of_a_hang_is_nothing_without_which_the_job_is_over_before_the_fault) {
  Job job = with_slow_other();
  job.faults = {{3 * kSecond, Part{{job.cluster.tasks[0].host, job.cluster.tasks[kSlowed.index()].host}, {}}}};
  const Why w = why_of(job);
  const WhyCause *slow = find(w, Cause::slow_worker), *cut = find(w, Cause::faults);
  ASSERT_NE(cut, nullptr);
  EXPECT_TRUE(cut->proof.goes_on);
  EXPECT_TRUE(slow == nullptr || !slow->proof.goes_on);
  for (const WhyCause& c : w.causes) EXPECT_TRUE(!c.proof.goes_on || changes_what_is_done(c.proof.cause));
}

}  // namespace
}  // namespace tarry
