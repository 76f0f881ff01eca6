#include "scenarios/job/slow_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr TaskId kChief{0u}, kSecond1{1u}, kThird{2u};
constexpr NameId kMatMul{0u}, kRelu{1u}, kApply{2u}, kOwn0{3u}, kOwn1{4u};

Outcome ran(std::vector<NodeUse> nodes) {
  Outcome o;
  o.log.set_names({"MatMul", "Relu", "Apply", "tower_0/MatMul", "tower_1/MatMul"});
  o.stats.nodes = std::move(nodes);
  return o;
}

const std::map<TaskId, StepsDone> kTwoSteps = {{kChief, 2}, {kSecond1, 2}, {kThird, 2}};

TEST(SlowKernels, of_equal_workers_take_equally_long_whatever_else_the_chief_runs) {
  const Outcome o = ran({{kChief, kMatMul, 40, 4},  // its synchronization thread runs it, too
                         {kSecond1, kMatMul, 20, 2},
                         {kThird, kMatMul, 20, 2},
                         {kChief, kApply, 50, 2}});
  const SlowKernels kernels({}, o, kTwoSteps);
  ASSERT_TRUE(kernels.are_known());
  EXPECT_THAT(kernels.times(), ElementsAre(Pair(kChief, 10), Pair(kSecond1, 10), Pair(kThird, 10)));
}

TEST(SlowKernels, run_so_often_in_a_step_as_steps_that_were_cut_off_leave_room_for) {
  const auto time_of_a_step = [](std::uint64_t executions) {
    const Outcome o = ran({{kChief, kMatMul, 40, executions}, {kSecond1, kMatMul, 40, executions}});
    const StepsDone done{2.5, 2, 4};
    return SlowKernels({}, o, {{kChief, done}, {kSecond1, done}}).times().at(kChief);
  };
  EXPECT_DOUBLE_EQ(time_of_a_step(2), 20);  // those that were cut off had not come to it
  EXPECT_DOUBLE_EQ(time_of_a_step(4), 20) << "twice in a step, and not 1.6 times";
  EXPECT_DOUBLE_EQ(time_of_a_step(3), 40.0 / 3);
  EXPECT_DOUBLE_EQ(time_of_a_step(1), 40.0 * (1 / 2.5)) << "not in every step";
}

TEST(SlowKernels, of_several_sessions_are_of_one_node) {
  const Outcome o = ran({{kChief, kMatMul, 10, 1}, {kChief, kMatMul, 30, 1}, {kSecond1, kMatMul, 20, 2}});
  EXPECT_THAT(SlowKernels({}, o, {{kChief, 2}, {kSecond1, 2}}).times(),
              ElementsAre(Pair(kChief, 20), Pair(kSecond1, 10)));
}

TEST(SlowKernels, take_the_usual_time_with_the_paces_of_their_nodes) {
  const Outcome o = ran({{kChief, kMatMul, 20, 2},
                         {kSecond1, kMatMul, 20, 2},
                         {kThird, kMatMul, 20, 2},
                         {kChief, kRelu, 8, 2},
                         {kSecond1, kRelu, 8, 2},
                         {kThird, kRelu, 80, 2}});
  const SlowKernels kernels({}, o, kTwoSteps);
  EXPECT_THAT(kernels.times(), ElementsAre(Pair(kChief, 14), Pair(kSecond1, 14), Pair(kThird, 50)));
  EXPECT_THAT(kernels.paces_of(kThird, 14), ElementsAre(Pair("MatMul", 1'000'000), Pair("Relu", 100'000)));
  EXPECT_THAT(kernels.paces_of(kThird, 28), ElementsAre(Pair("MatMul", 2'000'000), Pair("Relu", 200'000)));
}

TEST(SlowKernels, of_two_workers_are_as_fast_as_the_other_one) {
  const Outcome o = ran({{kChief, kMatMul, 10, 1}, {kSecond1, kMatMul, 40, 1}});
  const SlowKernels kernels({}, o, {{kChief, 1}, {kSecond1, 1}});
  EXPECT_THAT(kernels.paces_of(kSecond1, 10), ElementsAre(Pair("MatMul", 250'000)));
}

TEST(SlowKernels, of_the_faster_one_of_two_workers_are_as_slow_as_the_other_one) {
  const Outcome o =
      ran({{kChief, kMatMul, 10, 1}, {kSecond1, kMatMul, 40, 1}, {kChief, kRelu, 8, 1}, {kSecond1, kRelu, 8, 1}});
  const SlowKernels kernels({}, o, {{kChief, 1}, {kSecond1, 1}});
  EXPECT_THAT(kernels.paces_of(kChief, 48), ElementsAre(Pair("MatMul", 4'000'000), Pair("Relu", 1'000'000)));
}

TEST(SlowKernels, of_a_worker_without_a_finished_step_are_counted_as_the_others_run_them) {
  const Outcome o = ran({{kChief, kMatMul, 40, 4}, {kSecond1, kMatMul, 50, 1}});
  EXPECT_THAT(SlowKernels({}, o, {{kChief, 2}, {kSecond1, 0}}).times(),
              ElementsAre(Pair(kChief, 20), Pair(kSecond1, 100)));
}

TEST(SlowKernels, of_a_node_that_a_worker_has_not_come_to_are_like_its_others_of_that_op) {
  Job job;
  job.clients.emplace_back();
  const GraphSpec graph{{{"MatMul", "MatMul"}, {"Apply", "MatMul"}, {"Relu", "Relu"}}, {}, {}};
  job.clients[0].program.graph = std::make_shared<const GraphSpec>(graph);
  std::vector<NodeUse> nodes = {{kSecond1, kMatMul, 40, 1}, {kSecond1, kRelu, 5, 1}};
  for (const TaskId task : {kChief, kThird})
    for (const auto& [node, time] : {std::pair(kMatMul, 10), {kRelu, 5}, {kApply, 20}, {kOwn0, 15}})
      nodes.push_back({task, node, time, 1});
  const Outcome o = ran(std::move(nodes));
  const SlowKernels kernels(job, o, {{kChief, 1}, {kSecond1, 0}, {kThird, 1}});
  EXPECT_THAT(kernels.times(), ElementsAre(Pair(kChief, 50), Pair(kSecond1, 40 + 5 + 80 + 45), Pair(kThird, 50)))
      << "a node that the graph does not have is like all of them";
  EXPECT_EQ(kernels.paces_of(kSecond1, 50).at("Apply"), 250'000);
}

TEST(SlowKernels, of_two_workers_are_known_where_one_has_not_come_to_the_end_of_a_step) {
  const Outcome o = ran({{kChief, kMatMul, 10, 1}, {kChief, kRelu, 10, 1}, {kSecond1, kMatMul, 40, 1}});
  EXPECT_THAT(SlowKernels({}, o, {{kChief, 1}, {kSecond1, 0}}).times(),
              ElementsAre(Pair(kChief, 20), Pair(kSecond1, 80)));
  EXPECT_THAT(SlowKernels({}, o, {{kChief, 1}, {kSecond1, 1}}).times(),
              ElementsAre(Pair(kChief, 10), Pair(kSecond1, 40)));
}

// Of the graph in which Relu needs MatMul, and Apply needs both.
ClientJob client_that_runs(TaskId task, std::vector<std::string> fetches) {
  const GraphSpec graph{
      {{"MatMul", "MatMul"}, {"Apply", "Apply", "", {"MatMul:1", "^Relu"}}, {"Relu", "Relu", "", {"MatMul"}}}, {}, {}};
  ClientJob client;
  client.task = task;
  client.program.graph = std::make_shared<const GraphSpec>(graph);
  client.program.fetches = std::move(fetches);
  return client;
}

// A cost of Relu names the third worker, which ran it so often; the first two do as they are told.
struct OwnCost {
  Job job;
  std::map<TaskId, StepsDone> steps = kTwoSteps;
  OwnCost() {
    for (std::size_t i = 0; i < 3; ++i) {
      job.cluster.tasks.push_back({fmt::format("/job:worker/task:{}", i), HostId{0u}});
      job.clients.push_back(client_that_runs(TaskId{i}, {"Relu:0"}));
    }
    job.costs.rules = {{.op = "Relu", .task = "/job:worker/task:2", .amount = Constant{45}}};
  }
  [[nodiscard]] double time_of(TaskId task, std::uint64_t executions = 2) const {
    const Outcome o = ran({{kChief, kMatMul, 20, 2},
                           {kSecond1, kMatMul, 20, 2},
                           {kThird, kMatMul, 20, 2},
                           {kThird, kRelu, 45 * static_cast<Nanos>(executions), executions}});
    return SlowKernels(job, o, steps).times().at(task);
  }
};

TEST(SlowKernels, whose_costs_name_one_worker_run_so_often_in_a_step_as_there) {
  OwnCost own;
  for (auto& [task, did] : own.steps) did = StepsDone(2.7, 2, 3);
  EXPECT_DOUBLE_EQ(own.time_of(kThird), 55) << "the step that was cut off had not come to it";
  EXPECT_DOUBLE_EQ(own.time_of(kThird, 6), 100) << "twice in each";
}

TEST(SlowKernels, whose_costs_name_one_worker_take_only_those_no_time_whose_steps_run_them) {
  OwnCost own;
  for (std::size_t i : {0u, 1u}) own.job.clients[i].program.fetches = {"MatMul"};
  EXPECT_DOUBLE_EQ(own.time_of(kThird), 10);
  for (std::size_t i : {0u, 1u}) own.job.clients[i].program.targets = {"Apply"};
  EXPECT_DOUBLE_EQ(own.time_of(kThird), 55);
  EXPECT_DOUBLE_EQ(own.time_of(kChief), 10);
  for (std::size_t i : {0u, 1u}) own.job.clients[i].program.targets.clear();
  EXPECT_DOUBLE_EQ(own.time_of(kThird), 10);
  for (std::size_t i : {0u, 1u}) own.job.clients[i].options.also = {"Apply"};
  EXPECT_DOUBLE_EQ(own.time_of(kThird), 55) << "they run it besides";
  own.steps[kChief] = own.steps[kSecond1] = StepsDone();
  EXPECT_DOUBLE_EQ(own.time_of(kChief), 55) << "they may take time when they come to it";
}

TEST(SlowKernels, whose_costs_name_one_worker_do_so_by_the_first_rule_that_applies) {
  const auto with_first = [&](const CostRule& rule) {
    OwnCost changed;
    changed.job.costs.rules.insert(changed.job.costs.rules.begin(), rule);
    return changed.time_of(kThird);
  };
  EXPECT_DOUBLE_EQ(with_first({.node = "MatMul", .amount = Constant{45}}), 55);
  EXPECT_DOUBLE_EQ(with_first({.node = "Relu", .amount = Constant{45}}), 10);
  EXPECT_DOUBLE_EQ(with_first({.node = "Relu", .device_type = "GPU", .amount = Constant{45}}), 55) << "it has none";
}

// Nobody else has a cost for Relu; Apply is the chief's, whose cost names nobody.
TEST(SlowKernels, whose_costs_name_one_worker_take_the_others_no_time) {
  const auto times = [](std::size_t clients, const char* task) {
    Job job;
    for (const char* name : {"/job:worker/task:0", "/job:worker/task:1", "/job:worker/task:2"})
      job.cluster.tasks.push_back({name, HostId{0u}});
    job.clients.resize(clients);
    for (std::size_t i = 0; i < clients; ++i) job.clients[i] = client_that_runs(TaskId{i}, {"Relu:0"});
    job.costs.rules = {{.op = "Re*", .task = task, .amount = Constant{45}}, {.op = "Apply", .amount = Constant{7}}};
    const Outcome o = ran({{kChief, kMatMul, 20, 2},
                           {kSecond1, kMatMul, 20, 2},
                           {kThird, kMatMul, 20, 2},
                           {kThird, kRelu, 90, 2},
                           {kChief, kApply, 14, 2}});
    const SlowKernels kernels(job, o, kTwoSteps);
    return std::pair(kernels.are_known(), kernels.times().at(kThird));
  };
  EXPECT_EQ(times(3, "/job:worker/task:2"), std::pair(true, 55.0));
  EXPECT_EQ(times(3, "/job:worker/task:1"), std::pair(false, 10.0));
  EXPECT_EQ(times(1, "/job:worker/task:2"), std::pair(false, 10.0)) << "one client's workers run nodes of their own";
}

TEST(SlowKernels, are_known_where_workers_share_more_than_half_of_the_time) {
  const auto are_known = [](Nanos shared) {
    const Outcome o = ran({{kChief, kMatMul, shared, 1},
                           {kSecond1, kMatMul, shared, 1},
                           {kChief, kOwn0, 10, 1},
                           {kSecond1, kOwn1, 10, 1}});
    return SlowKernels({}, o, {{kChief, 1}, {kSecond1, 1}}).are_known();
  };
  EXPECT_FALSE(are_known(10));
  EXPECT_TRUE(are_known(11));
  EXPECT_FALSE(SlowKernels({}, ran({}), kTwoSteps).are_known());
}

}  // namespace
}  // namespace tarry
