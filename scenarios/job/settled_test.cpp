// A race around a client that waits is no gain of a load.

#include "scenarios/job/settled.hpp"

#include <gtest/gtest.h>

#include "scenarios/job/kept.hpp"
#include "scenarios/job/small_why.hpp"

namespace tarry {
namespace {

// The other worker looks for a model before the chief has made it, and again after 30 s.
Job with_early_look() {
  Job job = healthy();
  job.start_together = false;
  job.clients[0].options.start_after = 2 * kSecond;
  job.clients[0].options.joins_gate = false;
  return job;
}

struct Lessened {
  double gain = 0;
  std::string instead;
  bool has_waited = false;
};
Lessened lessened(const Job& job, Proof::Cause cause, const Job& with) {
  const Outcome o = run_apart(job).value();
  const ProofWatch nobody;
  Beside beside(job, o, nobody);
  Settled settled(job, o, beside);
  Proof proof{.cause = cause, .instead = "with less", .gain = 0.5};
  EXPECT_TRUE(settled.lessen(proof, with).ok());
  const bool has_waited = std::ranges::any_of(o.log.events(), [](const LoggedEvent& e) {
    const auto* moved = std::get_if<SessionMoved>(&e.event);
    return moved != nullptr && moved->stage == SessionStage::waiting;
  });
  return {proof.gain, proof.instead, has_waited};
}

TEST(Settled, a_load_gains_what_it_does_where_clients_look_again_soon) {
  const Job job = with_early_look();
  const Lessened same = lessened(job, Proof::Cause::network, job);
  ASSERT_TRUE(same.has_waited);
  EXPECT_EQ(same.gain, 0) << "the same job gains nothing over itself";
  EXPECT_EQ(same.instead, "with less, waits of clients for a model left out");
  EXPECT_EQ(lessened(job, Proof::Cause::polls, job).gain, 0.5) << "these waits are what it is about";
}

// The same wait is in both runs.
TEST(Settled, nothing_is_less_where_clients_waited_as_long_without_the_load) {
  const Job job = with_early_look();
  const Outcome o = run_apart(job).value();
  const ProofWatch nobody;
  Beside beside(job, o, nobody);
  Settled settled(job, o, beside);
  const auto gain = [&](const std::optional<Outcome>& ran) {
    Proof proof{.cause = Proof::Cause::network, .instead = "with less", .gain = 0.5};
    EXPECT_TRUE(settled.lessen(proof, job, ran).ok());
    return proof.gain;
  };
  EXPECT_EQ(gain(run_apart(job).value()), 0.5);
  EXPECT_EQ(gain(run_apart(healthy()).value()), 0) << "there nobody waited";
  Job once_more = job;
  for (ClientJob& c : once_more.clients) c.options.recovery_wait += 2 * kSecond;
  EXPECT_EQ(gain(run_apart(once_more).value()), 0) << "there it waited longer";
}

WorkDone done_by(const Job& job) { return work_done(job, run_apart(job).value()).as_if_nothing_was_lost(); }

// The chief's next process begins the model anew: of the steps before it many are lost, and of those more that look
// again soon.
TEST(Settled, a_load_gains_its_part_of_the_time_with_what_was_lost_counted_as_done) {
  Job job = with_early_look();
  job.faults = {{3 * kSecond, Preempt{job.clients[0].task, kSecond / 10}}};
  Job with = job;
  for (CostRule& rule : with.costs.rules) rule.amount = Constant{kSecond / 20};
  const auto looking_soon = [](Job j) {
    for (ClientJob& c : j.clients) c.options.recovery_wait = kSecond;
    return done_by(j);
  };
  const WorkDone own = done_by(job), soon = looking_soon(job);
  Proof by_hand{.cause = Proof::Cause::network};
  set_gain(by_hand, soon, looking_soon(with));
  EXPECT_GT(by_hand.gain, 0.2);
  EXPECT_NEAR(lessened(job, Proof::Cause::network, with).gain,
              by_hand.gain * static_cast<double>(soon.time) / static_cast<double>(own.time), 1e-6);
}

TEST(Settled, nothing_is_less_where_nobody_waited) {
  const Lessened same = lessened(healthy(), Proof::Cause::network, healthy());
  EXPECT_FALSE(same.has_waited);
  EXPECT_EQ(same.gain, 0.5);
  EXPECT_EQ(same.instead, "with less");
}

TEST(Settled, nothing_is_less_where_all_waits_were_before_the_common_start) {
  Job job = healthy();
  for (ClientJob& c : job.clients) c.lets_others_look = c.task == job.clients[0].task;
  job.clients[0].options.start_after = 2 * kSecond;
  const Lessened same = lessened(job, Proof::Cause::network, job);
  ASSERT_TRUE(same.has_waited);
  EXPECT_EQ(same.gain, 0.5);
}

}  // namespace
}  // namespace tarry
