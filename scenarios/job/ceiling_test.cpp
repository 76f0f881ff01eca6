// What messages take bounds what a network gains.

#include "scenarios/job/ceiling.hpp"

#include <gtest/gtest.h>

#include "scenarios/job/told_run.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;

// A run of 1,000 ns on a server and two workers, all messages between whom are under way for 100 ns of it, 10 ns of
// that by latency; the server computes for 50 ns.
struct Bounded {
  ToldRun t{1, 2};
  WorkDone base{.done = 10, .time = 1000};
  Bounded() {
    t.job.cluster.network.between_hosts.latency = 10;
    t.job.clients.resize(2);
    send(TaskId{1u}, 100, 160),
        send(TaskId{2u}, 140, 200);  // of these 20 ns overlap, and of the transfers 30 ns do not
    t.busy(TaskId{0u}, 50);
    t.outcome.log.ended_at = 1000;
  }
  void send(TaskId to, Nanos from, Nanos at) {
    t.outcome.log.add(at, MessageDelivered{TaskId{0u}, to, NameId{0u}, 8, from});
  }
  Proof lessened(Cause cause, const char* instead = "with more") {
    Proof proof{.cause = cause, .instead = instead, .gain = 0.5};
    const bool is_less = Ceiling(t.job, t.outcome, base).lessen(proof);
    EXPECT_EQ(is_less, proof.gain < 0.5);
    return proof;
  }
};

TEST(Ceiling, bandwidth_gains_no_more_than_the_time_of_transfers) {
  const Proof p = Bounded().lessened(Cause::network);
  EXPECT_NEAR(p.gain, 0.09, 1e-9);
  EXPECT_EQ(p.instead, "with more, no more counted than messages take");
  EXPECT_NEAR(Bounded().lessened(Cause::slow_card).gain, 0.09, 1e-9);
  EXPECT_NEAR(Bounded().lessened(Cause::imbalance, "with bytes split evenly").gain, 0.09, 1e-9);
}

TEST(Ceiling, latency_gains_no_more_than_messages_take_and_another_spread_what_servers_compute_as_well) {
  EXPECT_NEAR(Bounded().lessened(Cause::latency).gain, 0.1, 1e-9);
  EXPECT_NEAR(Bounded().lessened(Cause::far_host).gain, 0.1, 1e-9);
  EXPECT_NEAR(Bounded().lessened(Cause::imbalance, "with variables spread").gain, 0.15, 1e-9);
  EXPECT_NEAR(Bounded().lessened(Cause::servers).gain, 0.15, 1e-9);
}

TEST(Ceiling, kernels_of_a_parameter_server_gain_no_more_than_they_take) {
  const Proof p = Bounded().lessened(Cause::server_kernels, "with kernels on ps 0 that take no time");
  EXPECT_NEAR(p.gain, 0.05, 1e-9);
  EXPECT_EQ(p.instead, "with kernels on ps 0 that take no time, counted as no more than the time that they take now");
}

TEST(Ceiling, of_kernels_counts_those_of_the_server_that_the_proof_is_about) {
  ToldRun t{2, 1};
  for (const std::size_t task : {0u, 1u, 2u}) t.busy(TaskId{task}, task == 0 ? 50 : 100);
  const WorkDone base{.done = 10, .time = 1000};
  Proof of_one{.cause = Cause::server_kernels, .task = TaskId{0u}, .gain = 0.5}, of_all = of_one;
  of_all.task = TaskId();
  Ceiling ceiling(t.job, t.outcome, base);
  EXPECT_TRUE(ceiling.lessen(of_one));
  EXPECT_TRUE(ceiling.lessen(of_all));
  EXPECT_NEAR(of_one.gain, 0.05, 1e-9);
  EXPECT_NEAR(of_all.gain, 0.15, 1e-9) << "and no worker's";
}

TEST(Ceiling, is_none_of_what_is_no_network) {
  for (const Cause cause : {Cause::slow_worker, Cause::faults, Cause::transport, Cause::checkpoints})
    EXPECT_EQ(Bounded().lessened(cause).gain, 0.5);
}

TEST(Ceiling, is_higher_where_a_shorter_run_saves_less_often) {
  Bounded b;
  b.t.job.clients[0].options.save_every = 100;
  b.t.outcome.log.add(300, StepBegan{TaskId{1u}, StepId{77}, Purpose::save});
  b.t.outcome.log.add(800, StepEnded{TaskId{1u}, StepId{77}, 0});
  EXPECT_NEAR(b.lessened(Cause::network).gain, 0.18, 1e-9);
  b.t.job.clients[0].options.save_every = {};
  EXPECT_NEAR(b.lessened(Cause::network).gain, 0.09, 1e-9) << "saved by steps";
}

TEST(Ceiling, is_none_where_gradients_may_be_dropped) {
  Bounded b;
  b.t.outcome.log.set_names({"", "v:0/grad_accum"});
  b.t.outcome.log.add(300, TakeIssued{TaskId{0u}, NameId{1u}, StepId{12}, 1});
  EXPECT_EQ(b.lessened(Cause::network).gain, 0.5);
}

TEST(Ceiling, leaves_what_gains_less_alone) {
  Bounded b;
  b.send(TaskId{1u}, 200, 700);
  EXPECT_EQ(b.lessened(Cause::network).gain, 0.5);
}

}  // namespace
}  // namespace tarry
