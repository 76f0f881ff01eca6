// Where the time of a run went: T without each cause, and with it alone.

#include "scenarios/job/why.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/difference.hpp"
#include "scenarios/job/overheads.hpp"
#include "scenarios/job/small_why.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;
using testing::DoubleNear;
using testing::IsEmpty;
using testing::Optional;

TEST(Proofs, are_cancelled_where_the_job_is_interrupted) {
  Job job = with_slow_other();
  const Outcome outcome = run_apart(job).value();
  EXPECT_TRUE(prove(job, outcome).ok());
  job.interrupted = [] { return true; };
  EXPECT_EQ(prove(job, outcome).status().code(), Code::kCancelled);
}

TEST(Why, a_healthy_job_takes_as_long_as_the_ideal_one_and_only_its_kernels_cost_time) {
  const Why w = why_of(healthy());
  EXPECT_EQ(w.base.time, 2 * kSecond);
  EXPECT_EQ(w.ideal, 2 * kSecond);
  EXPECT_THAT(w.causes, IsEmpty());
  ASSERT_EQ(w.itself.size(), 1u);
  EXPECT_EQ(w.itself[0].proof.cause, Cause::kernels);
  EXPECT_EQ(w.itself[0].proof.gain, 1);
  EXPECT_EQ(w.add(w.itself[0]), std::nullopt);
}

TEST(Why, of_a_job_that_a_fault_stops_says_nothing_of_kernels_that_take_no_time) {
  Job job = healthy();
  job.faults = {{kSecond, Kill{kSlowed}}};
  job.faults.push_back({kSecond, Kill{TaskId{0u}}});
  const Why w = why_of(job);
  EXPECT_TRUE(w.base.stands_still);
  EXPECT_TRUE(std::ranges::any_of(w.causes, [](const WhyCause& c) { return c.proof.goes_on; }));
  EXPECT_EQ(find(w, Cause::kernels), nullptr);
}

TEST(Why, the_only_cause_explains_all_of_the_slowdown_taken_away_and_alone) {
  const Why w = why_of(with_slow_other());
  EXPECT_EQ(w.base.time, 4 * kSecond);
  EXPECT_EQ(w.ideal, 2 * kSecond);
  EXPECT_DOUBLE_EQ(w.slowdown(), 2);
  const WhyCause* slow = find(w, Cause::slow_worker);
  ASSERT_NE(slow, nullptr);
  EXPECT_EQ(slow->proof.task, kSlowed);
  EXPECT_EQ(slow->without, 2 * kSecond);
  EXPECT_EQ(slow->alone, 4 * kSecond);
  EXPECT_THAT(w.rem(*slow), Optional(1.0));
  EXPECT_THAT(w.add(*slow), Optional(1.0));
}

// It is paused from 3 s to 13 s. As fast as the first worker, it has done its steps by then, and would be paused after
// as many of a longer job.
TEST(Why, a_load_gains_no_pause_and_the_ideal_job_has_none) {
  Job job = with_slow_other();
  job.faults = {{3 * kSecond, Pause{kSlowed, 10 * kSecond}}};
  const Why w = why_of(job);
  EXPECT_EQ(w.base.time, 14 * kSecond);
  EXPECT_EQ(w.ideal, 2 * kSecond);
  const WhyCause *slow = find(w, Cause::slow_worker), *paused = find(w, Cause::faults);
  ASSERT_TRUE(slow != nullptr && paused != nullptr);
  EXPECT_DOUBLE_EQ(slow->proof.gain, 2.0 / 14);
  EXPECT_DOUBLE_EQ(paused->proof.gain, 10.0 / 14);
}

bool tries_a_slow_worker(const Job& job) {
  const std::vector<WhatIf> all = what_ifs(job, run_apart(job).value(), Scope::all);
  return std::ranges::any_of(all, [](const WhatIf& w) { return w.proof.cause == Cause::slow_worker; });
}

// Both have the same law: with another seed the other one is slower.
TEST(Why, accuses_no_worker_that_is_slow_by_chance) {
  Job job = healthy();
  job.costs.rules = {{.op = kCompute, .amount = Exponential{kSecond / 10}}};
  while (!tries_a_slow_worker(job) && job.seed < 50) ++job.seed;
  ASSERT_LT(job.seed, 50u);
  EXPECT_EQ(find(why_of(job), Cause::slow_worker), nullptr) << "seed " << job.seed;
}

// The other worker's steps take 0.2 s and 4 messages of 10 ms each way more.
TEST(Why, of_two_causes_each_explains_its_part) {
  Job job = with_slow_other();
  job.cluster.network.between_hosts.latency = kSecond / 100;
  const Why w = why_of(job);
  const WhyCause *slow = find(w, Cause::slow_worker), *latency = find(w, Cause::latency);
  ASSERT_TRUE(slow != nullptr && latency != nullptr);
  EXPECT_LT(slow, latency);  // what gains most comes first
  EXPECT_THAT(*w.rem(*slow) + *w.rem(*latency), DoubleNear(1, 0.01));
  EXPECT_THAT(*w.add(*slow) + *w.add(*latency), DoubleNear(1, 0.01));
  EXPECT_GT(*w.rem(*slow), 0.5);
}

// A step of worker 0 takes twice its time since a fault slows it down; one of worker 1, since it is far away: 4
// messages of 25 ms.
TEST(Why, causes_that_hide_each_other_are_told_by_what_each_is_alone) {
  Job job = healthy();
  job.faults = {{0, Slow{kWorker, {200}, {}}}};
  set_link(job.cluster.network, kServer, HostId{2u}, {.latency = kSecond / 40});
  const Why w = why_of(job);
  EXPECT_THAT(w.slowdown(), DoubleNear(2, 0.01));
  EXPECT_THAT(w.causes, IsEmpty());
  ASSERT_EQ(w.hidden.size(), 3u) << "all latencies are one as well";
  EXPECT_EQ(w.hidden[2].proof.cause, Cause::latency);
  for (const WhyCause& c : w.hidden) EXPECT_THAT(*w.add(c), DoubleNear(1, 0.02)) << c.proof.what;
  EXPECT_GE(*w.add(w.hidden[0]), *w.add(w.hidden[1])) << "the worst comes first";
  for (const WhyCause& c : w.hidden) EXPECT_THAT(static_cast<double>(c.without), DoubleNear(4e9, 4e7));
  job.faults.clear();
  const Why seen = why_of(job);
  EXPECT_NE(find(seen, Cause::far_host), nullptr);
  EXPECT_THAT(seen.hidden, IsEmpty()) << "what is there alone hides behind nothing";
}

TEST(Why, an_op_is_told_by_what_the_run_gains_without_it_where_there_are_several) {
  Job job = healthy();
  job.costs.rules.push_back({.op = "MatMul", .job = "worker", .amount = Constant{kSecond / 50}});
  const Why w = why_of(job);
  std::vector<std::string> ops;
  for (const WhyCause& c : w.itself)
    if (c.proof.cause == Cause::op) ops.push_back(c.proof.a);
  EXPECT_THAT(ops, testing::ElementsAre(kCompute, "MatMul"));
}

TEST(Why, a_job_that_stands_still_has_no_ideal_and_is_told_what_lets_it_go_on) {
  Job job = small_job(Kill{kPs});
  job.keep_kernels = true;
  const Why w = why_of(job);
  EXPECT_TRUE(w.base.stands_still);
  EXPECT_EQ(w.ideal, std::nullopt);
  ASSERT_FALSE(w.causes.empty());
  EXPECT_EQ(w.causes[0].proof.cause, Cause::faults);
  EXPECT_TRUE(w.causes[0].proof.goes_on);
}

TEST(Why, another_design_is_told_by_its_gain_alone) {
  const Job job = with_slow_other();
  const auto w = why(job, run_apart(job).value(), {{{.cause = Cause::replicas, .instead = "HALF"}, healthy()}}).value();
  const WhyCause* design = find(w, Cause::replicas);
  ASSERT_NE(design, nullptr);
  EXPECT_EQ(design->alone, std::nullopt);
  EXPECT_DOUBLE_EQ(design->proof.gain, 0.5);
}

// ---- differences ----

// Something of each kind that may differ.
Job changed(Job job) {
  for (const Overhead& o : overheads()) o.take_away(job);
  job.faults.push_back({Nanos{0}, Slow{kSlowed, {50}, {}}});
  job.clients[1].options.first_step_after = kSecond;
  return job;
}

Job limited() {
  Job job = healthy();
  job.cluster.hosts[1].nic_bandwidth = 1000;
  job.cluster.hosts[2].pcie = {.root_bandwidth = 12, .gpus_per_root = 2};
  job.cluster.tasks[0].inter_op_threads = 2;
  job.cluster.network = {
      .between_hosts = {.latency = 5, .bandwidth = 7},
      .links = {{HostId{0u}, HostId{2u}, {.latency = 9, .bandwidth = 11}}},
      .racks = {{"r", {.latency = 2, .bandwidth = 13}}},
      .same_host = {.latency = 1},
      .transport = {.send = {.per_message = 1}, .receive = {.copy = 2}, .threads = 3, .window = 4, .incast = {{5, 6}}},
      .variations = {{.every = 3}}};
  job.clients[0].options.save_steps = 5;
  job.costs.variations = {{.law = Amount{Constant{2'000'000}}}};
  return job;
}

bool have_same_paths(const Job& a, const Job& b) {
  for (const std::size_t x : {0u, 1u, 2u})
    for (const std::size_t y : {0u, 1u, 2u})
      if (!(link_between(a.cluster.network, HostId{x}, HostId{y}) ==
            link_between(b.cluster.network, HostId{x}, HostId{y})))
        return false;
  return true;
}

void expect_same(const Job& a, const Job& b) {
  EXPECT_EQ(a.faults, b.faults);
  EXPECT_EQ(a.costs.rules, b.costs.rules);
  EXPECT_EQ(a.costs.variations, b.costs.variations);
  EXPECT_EQ(a.cluster.hosts, b.cluster.hosts);
  EXPECT_EQ(a.cluster.tasks, b.cluster.tasks);
  EXPECT_EQ(a.cluster.network.racks, b.cluster.network.racks);
  EXPECT_EQ(a.cluster.network.transport, b.cluster.network.transport);
  EXPECT_EQ(a.cluster.network.variations, b.cluster.network.variations);
  EXPECT_TRUE(have_same_paths(a, b));
  for (std::size_t c = 0; c < a.clients.size(); ++c) {
    const TrainOptions &x = a.clients[c].options, &y = b.clients[c].options;
    EXPECT_EQ(std::tuple(x.save_steps, x.save_every, x.start_after, x.first_step_after, x.recovery_wait),
              std::tuple(y.save_steps, y.save_every, y.start_after, y.first_step_after, y.recovery_wait));
  }
}

TEST(Difference, makes_one_job_of_another_and_back) {
  const Job before = limited(), after = changed(before);
  Job job = before;
  make_difference(job, before, after);
  expect_same(job, after);
  make_difference(job, after, before);
  expect_same(job, before);
}

TEST(Difference, leaves_what_does_not_differ_as_the_target_has_it) {
  const Job before = limited();
  Job after = before, target = before;
  after.cluster.hosts[0].nic_bandwidth = 3;
  target.cluster.hosts[1].nic_bandwidth = 4;
  target.cluster.network.links[0].path.latency = 0;
  make_difference(target, before, after);
  EXPECT_EQ(target.cluster.hosts[0].nic_bandwidth, 3u);
  EXPECT_EQ(target.cluster.hosts[1].nic_bandwidth, 4u);
  EXPECT_EQ(target.cluster.network.links[0].path, (PathSpec{.latency = 0, .bandwidth = 11}));
}

// What differs in `field` moves to a third job and back; what does not differ stays as that job has it.
template <class Field, class Value>
void expect_moves(Field field, const Value& value) {
  const Job before = limited();
  Job after = before, third = before;
  field(after) = value;
  ASSERT_FALSE(field(third) == value);
  make_difference(third, before, after);
  EXPECT_TRUE(field(third) == value);
  make_difference(third, before, before);
  EXPECT_TRUE(field(third) == value);
  make_difference(third, after, before);
  EXPECT_TRUE(field(third) == field(Job(before)));
}

TEST(Difference, is_made_of_what_kernels_and_hosts_have) {
  using Interferences = std::vector<Interference>;
  expect_moves(
      [](auto&& j) -> auto& { return j.costs.interference; }, Interferences{{.task = kSlowed}});
  expect_moves(
      [](auto&& j) -> auto& { return j.costs.node_paces; },
      std::map<std::string, NodePaces, std::less<>>{{"worker", {{"MatMul", 5}}}});
  expect_moves(
      [](auto&& j) -> auto& { return j.cluster.hosts[0].rack; }, RackId{0u});
  expect_moves(
      [](auto&& j) -> auto& { return j.cluster.hosts[2].pcie.gpus_per_root; }, 3u);
  expect_moves(
      [](auto&& j) -> auto& { return j.cluster.tasks[0].inter_op_threads; }, 7);
  expect_moves(
      [](auto&& j) -> auto& { return j.cluster.tasks[1].gpus; }, std::vector<GpuSpec>(2));
}

TEST(Difference, of_the_paces_of_one_tasks_nodes_leaves_those_of_its_other_nodes) {
  Job target, after;
  target.costs.node_paces["worker"] = {{"MatMul", 5}, {"Relu", 6}};
  after.costs.node_paces["worker"] = {{"MatMul", 0}, {"Read", 0}};
  make_difference(target, {}, after);
  EXPECT_EQ(target.costs.node_paces.at("worker"), (NodePaces{{"MatMul", 0}, {"Read", 0}, {"Relu", 6}}));
}

TEST(Difference, is_made_of_what_networks_have) {
  expect_moves(
      [](auto&& j) -> auto& { return j.cluster.network.same_host.latency; }, 8);
  expect_moves(
      [](auto&& j) -> auto& { return j.cluster.network.same_host.bandwidth; }, 8u);
  expect_moves(
      [](auto&& j) -> auto& { return j.cluster.network.transport.send.copy; }, 8u);
  expect_moves(
      [](auto&& j) -> auto& { return j.cluster.network.transport.receive.per_message; }, 8);
  expect_moves(
      [](auto&& j) -> auto& { return j.cluster.network.transport.threads; }, 8u);
  expect_moves(
      [](auto&& j) -> auto& { return j.cluster.network.transport.window; }, 8u);
  expect_moves(
      [](auto&& j) -> auto& { return j.cluster.network.transport.incast; }, std::vector<IncastStep>{{9, 8}});
  expect_moves(
      [](auto&& j) -> auto& { return j.cluster.network.racks[0].trunk.latency; }, 8);
}

TEST(Difference, is_made_of_what_clients_have) {
  expect_moves(
      [](auto&& j) -> auto& { return j.clients[1].program.graph; }, std::make_shared<const GraphSpec>());
  expect_moves(
      [](auto&& j) -> auto& { return j.clients[1].options.num_tokens; }, 3);
  expect_moves(
      [](auto&& j) -> auto& { return j.clients[1].options.recovery_wait; }, kSecond);
  expect_moves(
      [](auto&& j) -> auto& { return j.clients[1].options.save_steps; }, 3);
  expect_moves(
      [](auto&& j) -> auto& { return j.clients[1].options.save_every; }, kSecond);
  expect_moves(
      [](auto&& j) -> auto& { return j.clients[1].options.start_after; }, kSecond);
  expect_moves(
      [](auto&& j) -> auto& { return j.clients[1].options.first_step_after; }, kSecond);
  expect_moves(
      [](auto&& j) -> auto& { return j.clients[1].options.joins_gate; }, false);
}

TEST(Difference, of_one_in_a_list_leaves_it_in_its_place) {
  const CostRule own{.op = "own"}, old{.op = "old"}, fresh{.op = "fresh"};
  Job before = healthy(), after = before, third = before;
  before.costs.rules = {old}, after.costs.rules = {fresh}, third.costs.rules = {own, old};
  make_difference(third, before, after);
  EXPECT_THAT(third.costs.rules, testing::ElementsAre(own, fresh)) << "a rule for few kernels wins as before";
  make_difference(third, after, before);
  EXPECT_THAT(third.costs.rules, testing::ElementsAre(own, old));
}

TEST(Difference, of_lists_is_what_is_new_in_front_and_once) {
  const CostRule own{.op = "own"}, old{.op = "old"}, more{.op = "more"}, fresh{.op = "fresh"};
  Job before = healthy(), after = before, third = before;
  before.costs.rules = {old, more}, after.costs.rules = {fresh}, third.costs.rules = {own, old, more};
  make_difference(third, before, after);
  EXPECT_THAT(third.costs.rules, testing::ElementsAre(fresh, own));
  make_difference(third, before, after);
  EXPECT_THAT(third.costs.rules, testing::ElementsAre(fresh, own)) << "it has it already";
}

TEST(Overheads, of_trunks_and_of_all_bandwidth_leave_latencies_and_what_they_are_not_about) {
  for (const Overhead& o : overheads()) {
    if ((o.cause != Cause::trunks && o.cause != Cause::network) || o.part == std::string_view("host")) continue;
    Job job = limited();
    o.take_away(job);
    EXPECT_EQ(job.cluster.network.racks[0].trunk, (PathSpec{.latency = 2, .bandwidth = 0}));
    job.cluster.network.transport.window = 0;  // stays in either case
    EXPECT_EQ(has_flows(job.cluster), o.cause == Cause::trunks);
  }
}

TEST(Overheads, of_transport_are_all_of_it_and_those_of_bandwidth_what_cards_take_in) {
  for (const Overhead& o : overheads()) {
    Job job = limited();
    const TransportSpec before = job.cluster.network.transport;
    o.take_away(job);
    const TransportSpec& left = job.cluster.network.transport;
    if (o.part == std::string_view(kAllParts)) EXPECT_EQ(left, TransportSpec());
    if (o.cause == Cause::network && o.part == std::string_view())
      EXPECT_EQ(left,
                (TransportSpec{.send = before.send, .receive = before.receive, .threads = 3, .window = before.window}));
    if (o.cause != Cause::transport && o.cause != Cause::network) EXPECT_EQ(left, before);
  }
}

TEST(Overheads, of_pcie_roots_are_gone_without_them) {
  for (const Overhead& o : overheads())
    if (o.cause == Cause::pcie) {
      Job job = limited();
      o.take_away(job);
      EXPECT_FALSE(o.is_there(job));
    }
}

TEST(Overheads, of_latency_are_those_of_trunks_too) {
  Job job = healthy();
  job.cluster.network.racks = {{"r", {.latency = 2, .bandwidth = 13}}};
  for (const Overhead& o : overheads())
    if (o.cause == Cause::latency) {
      EXPECT_TRUE(o.is_there(job));
      o.take_away(job);
    }
  EXPECT_EQ(job.cluster.network.racks[0].trunk, (PathSpec{.latency = 0, .bandwidth = 13}));
}

TEST(Overheads, are_tried_where_the_job_has_them) {
  const auto there = [](const Job& job) {
    std::vector<Cause> causes;
    for (const Overhead& o : overheads())
      if (o.is_there(job)) causes.push_back(o.cause);
    return causes;
  };
  EXPECT_THAT(there(healthy()), IsEmpty());
  EXPECT_THAT(there(limited()),
              testing::ElementsAre(Cause::pcie, Cause::trunks, Cause::network, Cause::latency, Cause::transport,
                                   Cause::transport, Cause::transport, Cause::transport, Cause::transport,
                                   Cause::transport, Cause::threads, Cause::checkpoints, Cause::card_variations));
  Job job = healthy();
  job.costs.rules.push_back({.op = "_S*", .amount = Constant{1}});
  job.start_together = false;
  job.costs.variations = {{.law = Amount{Constant{2}}}};
  EXPECT_THAT(there(job), testing::ElementsAre(Cause::messages, Cause::polls));
}

}  // namespace
}  // namespace tarry
