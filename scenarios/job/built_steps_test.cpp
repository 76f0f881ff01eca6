// What a client's training step runs beside its optimizer stays in jobs that are built from its graph.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/job/shipped_graphs.hpp"
#include "workers/train/build/job_plan.hpp"

namespace tarry {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr char kOptimizer[] = "GradientDescent";

const NodeSpec& node(const ClientProgram& p, const std::string& name) {
  const auto it = std::ranges::find(p.graph->nodes, name, &NodeSpec::name);
  if (it == p.graph->nodes.end()) throw std::out_of_range(name);
  return *it;
}

// A softmax model whose step runs a group: the optimizer, and an op that waits for it.
ClientProgram with_group(const std::vector<std::string>& waits_for = {kOptimizer}) {
  ClientProgram p = shipped_program("softmax_async_ps1_task0", {.batch = 4});
  GraphSpec graph = *p.graph;
  NodeSpec averages{"averages", "NoOp", node(p, kOptimizer).device, {}, {}};
  for (const std::string& op : waits_for) averages.inputs.push_back("^" + op);
  graph.nodes.push_back(averages);
  graph.nodes.push_back({"group", "NoOp", "/job:worker/task:0", {"^averages", "^" + std::string(kOptimizer)}, {}});
  p.graph = std::make_shared<const GraphSpec>(std::move(graph));
  p.targets = {"group"};
  return p;
}

std::vector<ClientProgram> built(const ClientProgram& from, Protocol protocol) {
  return build_job(from, {.protocol = protocol, .workers = 2}).value();
}

TEST(BuiltSteps, wait_for_the_step_of_the_barrier_where_they_waited_for_the_optimizer) {
  for (const ClientProgram& p : built(with_group(), Protocol::synchronous)) {
    EXPECT_THAT(p.targets, ElementsAre("group"));
    ASSERT_THAT(node(p, "averages").inputs, SizeIs(1));
    const std::string step = node(p, "averages").inputs[0].substr(1);
    EXPECT_THAT(node(p, step).inputs[1], HasSubstr("sync_token_q_Dequeue"));
    EXPECT_THAT(node(p, "group").inputs, ElementsAre("^averages", "^" + step));
  }
}

TEST(BuiltSteps, of_a_synchronous_graph_wait_for_its_optimizer_again) {
  const ClientProgram recorded = built(with_group(), Protocol::synchronous)[0];
  for (const ClientProgram& p : built(recorded, Protocol::asynchronous)) {
    EXPECT_THAT(p.targets, ElementsAre("group"));
    EXPECT_THAT(node(p, "averages").inputs, ElementsAre("^" + std::string(kOptimizer)));
  }
}

TEST(BuiltSteps, keep_their_group_beside_the_tokens_of_other_barriers) {
  for (const Protocol protocol : {Protocol::stale_synchronous, Protocol::replicated})
    for (const ClientProgram& p : built(with_group(), protocol)) {
      EXPECT_THAT(p.targets, AllOf(SizeIs(2), Contains("group")));
      EXPECT_THAT(node(p, "averages").inputs, ElementsAre("^" + std::string(kOptimizer)));
    }
}

TEST(BuiltSteps, may_fetch_from_what_waits_for_the_optimizer) {
  ClientProgram p = with_group();
  p.targets.clear();
  p.fetches = {"averages:0"};
  EXPECT_TRUE(build_job(p, {.workers = 2}).ok());
  p.fetches = {"global_step:0"};
  EXPECT_THAT(std::string(text_of(build_job(p, {.workers = 2}).status())),
              HasSubstr("its training step (global_step) runs none in place of"));
}

TEST(BuiltSteps, that_run_no_optimizer_or_two_are_refused) {
  ClientProgram p = with_group();
  p.targets = {"averages", "global_step"};
  p.graph = shipped_program("softmax_async_ps1_task0", {.batch = 4}).graph;
  EXPECT_THAT(std::string(text_of(build_job(p, {.workers = 2}).status())),
              HasSubstr("its training step (averages, global_step) runs none in place of one optimizer's "
                        "apply_gradients with the global step"));
  GraphSpec twice = *with_group().graph;
  NodeSpec second = node(p, kOptimizer);
  second.name = "Second";
  twice.nodes.push_back(second);
  p.graph = std::make_shared<const GraphSpec>(std::move(twice));
  p.targets = {"group", "Second"};
  EXPECT_THAT(std::string(text_of(build_job(p, {.workers = 2}).status())),
              HasSubstr("(group, Second) runs GradientDescent, Second in place of one"));
}

}  // namespace
}  // namespace tarry
