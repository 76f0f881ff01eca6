// What a client's training step runs beside its optimizer stays in jobs that are built from its graph.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "placer/core/text.hpp"
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

// ---- what other barriers add ----

// "name = Op(inputs)", then its device, as "ps0" or "worker1/device:GPU:0", and its attributes but those of
// bookkeeping.
std::string lines_of(const NodeSpec& n) {
  static const std::regex kTask("/job:(\\w+)/task:(\\d+)");
  std::string attrs;
  for (const auto& [name, value] : n.attrs)
    if (name == "_class" || (!name.starts_with("_") && name != "debug_name"))
      attrs += fmt::format(" {}={}", name, summarize(value));
  const std::string device = std::regex_replace(n.device, kTask, "$1$2");
  const bool is_long = join(n.inputs, ", ").size() > 70;
  return fmt::format("{} = {}({})\n    {}:{}\n", n.name, n.op, join(n.inputs, is_long ? ",\n        " : ", "), device,
                     attrs);
}

// The nodes that a job's program has and the asynchronous one of the same worker has not, or has otherwise; and what
// the client does with them.
std::string added_to(const char* graph, JobPlan plan, std::size_t worker, const std::string& of = "") {
  const ClientProgram recorded = shipped_program(graph, {.batch = 4});
  const ClientProgram p = build_job(recorded, plan).value()[worker];
  plan.protocol = Protocol::asynchronous;
  const GraphSpec before = own_graph(build_job(recorded, plan).value()[worker]);
  std::string text = "\n";
  for (const NodeSpec& n : own_graph(p).nodes)
    if (std::ranges::find(before.nodes, n) == before.nodes.end() && lines_of(n).find(of) != std::string::npos)
      text += lines_of(n);
  text += fmt::format("targets: {}\n", join(p.targets, ", "));
  for (const QueueRunner& r : p.queue_runners)
    text += fmt::format("runner: {} runs {}; {} {}\n", r.queue, join(r.enqueue_ops, ", "), r.close_op, r.cancel_op);
  return text;
}

constexpr char kOfTheChief[] = R"(
stale_done_q_0 = FIFOQueueV2()
    ps0: capacity=-1 component_types=[DT_INT64] container="" shapes=[[]] shared_name="stale_done_q_0"
stale_done_q_0_enqueue = QueueEnqueueV2(stale_done_q_0, global_step/read, ^GradientDescent)
    ps0: Tcomponents=[DT_INT64] timeout_ms=-1
stale_token_q_0 = FIFOQueueV2()
    ps0: capacity=-1 component_types=[DT_INT64] container="" shapes=[[]] shared_name="stale_token_q_0"
stale_token_q_0_Dequeue = QueueDequeueV2(stale_token_q_0, ^stale_done_q_0_enqueue)
    ps0: component_types=[DT_INT64] timeout_ms=-1
stale_done_q_0_Dequeue = QueueDequeueV2(stale_done_q_0)
    ps0: component_types=[DT_INT64] timeout_ms=-1
stale_done_q_1 = FIFOQueueV2()
    ps0: capacity=-1 component_types=[DT_INT64] container="" shapes=[[]] shared_name="stale_done_q_1"
stale_done_q_1_Dequeue = QueueDequeueV2(stale_done_q_1)
    ps0: component_types=[DT_INT64] timeout_ms=-1
stale_clock_tick = NoOp(^stale_done_q_0_Dequeue, ^stale_done_q_1_Dequeue)
    ps0:
stale_token_q_0_enqueue = QueueEnqueueV2(stale_token_q_0, global_step/read, ^stale_clock_tick)
    ps0: Tcomponents=[DT_INT64] timeout_ms=-1
stale_token_q_1 = FIFOQueueV2()
    ps0: capacity=-1 component_types=[DT_INT64] container="" shapes=[[]] shared_name="stale_token_q_1"
stale_token_q_1_enqueue = QueueEnqueueV2(stale_token_q_1, global_step/read, ^stale_clock_tick)
    ps0: Tcomponents=[DT_INT64] timeout_ms=-1
stale_token_q_0_Close = QueueCloseV2(stale_token_q_0)
    ps0: cancel_pending_enqueues=true
stale_token_q_1_Close = QueueCloseV2(stale_token_q_1)
    ps0: cancel_pending_enqueues=true
stale_clock = NoOp(^stale_token_q_0_enqueue, ^stale_token_q_1_enqueue)
    ps0:
stale_close = NoOp(^stale_token_q_0_Close, ^stale_token_q_1_Close)
    ps0:
stale_tokens/dims = Const()
    ps0: dtype=DT_INT32 value=Tensor<type: int32 shape: [1] values: 1>
stale_tokens/Fill = Fill(stale_tokens/dims, global_step/read)
    ps0: T=DT_INT64 index_type=DT_INT32
stale_token_q_0_EnqueueMany = QueueEnqueueManyV2(stale_token_q_0, stale_tokens/Fill)
    ps0: Tcomponents=[DT_INT64] timeout_ms=-1
stale_token_q_1_EnqueueMany = QueueEnqueueManyV2(stale_token_q_1, stale_tokens/Fill)
    ps0: Tcomponents=[DT_INT64] timeout_ms=-1
group_deps_1/NoOp_1 = NoOp(^stale_token_q_0_EnqueueMany, ^stale_token_q_1_EnqueueMany)
    ps0:
targets: stale_token_q_0_Dequeue
runner: stale_clock runs stale_clock;  stale_close
)";

constexpr char kOfTheOther[] = R"(
stale_done_q_1 = FIFOQueueV2()
    ps0: capacity=-1 component_types=[DT_INT64] container="" shapes=[[]] shared_name="stale_done_q_1"
stale_done_q_1_enqueue = QueueEnqueueV2(stale_done_q_1, global_step/read, ^GradientDescent)
    ps0: Tcomponents=[DT_INT64] timeout_ms=-1
stale_token_q_1 = FIFOQueueV2()
    ps0: capacity=-1 component_types=[DT_INT64] container="" shapes=[[]] shared_name="stale_token_q_1"
stale_token_q_1_Dequeue = QueueDequeueV2(stale_token_q_1, ^stale_done_q_1_enqueue)
    ps0: component_types=[DT_INT64] timeout_ms=-1
targets: stale_token_q_1_Dequeue
)";

TEST(BuiltSteps, of_stale_synchronous_training_have_queues_tokens_and_a_clock) {
  const JobPlan plan{.protocol = Protocol::stale_synchronous, .workers = 2, .staleness = 1};
  EXPECT_EQ(added_to("softmax_async_ps1_task0", plan, 0, "stale"), kOfTheChief);
  EXPECT_EQ(added_to("softmax_async_ps1_task0", plan, 1, "stale"), kOfTheOther);
}

constexpr char kOfThree[] = R"(
softmax/BiasAdd = BiasAdd(softmax/MatMul, tower_0/softmax/bias/read)
    worker1/device:GPU:0: T=DT_FLOAT data_format="NHWC"
tower_1/softmax/BiasAdd = BiasAdd(tower_1/softmax/MatMul, tower_1/softmax/bias/read)
    worker1/device:GPU:1: T=DT_FLOAT data_format="NHWC"
softmax/bias/replicate = Identity(softmax/bias)
    ps0: T=DT_FLOAT
replicate_variable_1_token = Const(^GradientDescent/update_softmax/bias/ApplyGradientDescent)
    ps0: dtype=DT_BOOL value=Tensor<type: bool shape: [] values: 0>
replicate_variable_1_0_enqueue = QueueEnqueueV2(replicate_variable_1_0,
        replicate_variable_1_token,
        ^GradientDescent/update_softmax/bias/ApplyGradientDescent)
    ps0: Tcomponents=[DT_BOOL] timeout_ms=-1
replicate_variable_1_2_enqueue = QueueEnqueueV2(replicate_variable_1_2,
        replicate_variable_1_token,
        ^GradientDescent/update_softmax/bias/ApplyGradientDescent)
    ps0: Tcomponents=[DT_BOOL] timeout_ms=-1
softmax/bias/updated = Identity(softmax/bias,
        ^replicate_variable_1_0_enqueue,
        ^replicate_variable_1_2_enqueue,
        ^replicate_variable_1_1_DequeueMany)
    worker1/device:CPU:0: T=DT_FLOAT
tower_0/softmax/bias = VariableV2()
    worker1/device:GPU:0: container="" dtype=DT_FLOAT shape=[10] shared_name=""
tower_0/softmax/bias/read = Identity(tower_0/softmax/bias)
    worker1/device:GPU:0: T=DT_FLOAT
tower_0/softmax/bias/Assign = Assign(tower_0/softmax/bias, softmax/bias/replicate)
    worker1/device:GPU:0: T=DT_FLOAT _class=["loc:@tower_0/softmax/bias"] use_locking=true validate_shape=true
tower_0/softmax/bias/update = Assign(tower_0/softmax/bias, softmax/bias/updated)
    worker1/device:GPU:0: T=DT_FLOAT _class=["loc:@tower_0/softmax/bias"] use_locking=true validate_shape=true
tower_1/softmax/bias = VariableV2()
    worker1/device:GPU:1: container="" dtype=DT_FLOAT shape=[10] shared_name=""
tower_1/softmax/bias/read = Identity(tower_1/softmax/bias)
    worker1/device:GPU:1: T=DT_FLOAT
tower_1/softmax/bias/Assign = Assign(tower_1/softmax/bias, softmax/bias/replicate)
    worker1/device:GPU:1: T=DT_FLOAT _class=["loc:@tower_1/softmax/bias"] use_locking=true validate_shape=true
tower_1/softmax/bias/update = Assign(tower_1/softmax/bias, softmax/bias/updated)
    worker1/device:GPU:1: T=DT_FLOAT _class=["loc:@tower_1/softmax/bias"] use_locking=true validate_shape=true
group_deps_1/NoOp_1 = NoOp(^tower_0/softmax/bias/Assign, ^tower_0/softmax/kernel/Assign)
    worker1/device:GPU:0:
group_deps_1/NoOp_2 = NoOp(^tower_1/softmax/bias/Assign, ^tower_1/softmax/kernel/Assign)
    worker1/device:GPU:1:
replicated_step/NoOp_1 = NoOp(^tower_0/softmax/bias/update, ^tower_0/softmax/kernel/update)
    worker1/device:GPU:0:
replicated_step/NoOp_2 = NoOp(^tower_1/softmax/bias/update, ^tower_1/softmax/kernel/update)
    worker1/device:GPU:1:
targets: replicated_step
)";

TEST(BuiltSteps, of_replicated_variables_have_copies_and_a_barrier_for_each) {
  const JobPlan plan{.protocol = Protocol::replicated, .workers = 3, .towers = 2};
  EXPECT_EQ(added_to("softmax_async_ps1_task0", plan, 1, "bias"), kOfThree);
}

constexpr char kOfOne[] = R"(
softmax/ReadVariableOp_1 = ReadVariableOp(tower_0/softmax/bias)
    : dtype=DT_FLOAT
softmax/bias/replicate = ReadVariableOp(softmax/bias)
    ps0: dtype=DT_FLOAT
softmax/bias/updated = ReadVariableOp(softmax/bias,
        ^GradientDescent/update_softmax/bias/ResourceApplyGradientDescent)
    ps0: dtype=DT_FLOAT
softmax/bias/updated_here = Identity(softmax/bias/updated)
    worker0/device:CPU:0: T=DT_FLOAT
tower_0/softmax/bias = VarHandleOp()
    worker0/device:GPU:0: allowed_devices=[] container="" dtype=DT_FLOAT shape=[10] shared_name="tower_0/softmax/bias"
tower_0/softmax/bias/Assign = AssignVariableOp(tower_0/softmax/bias, softmax/bias/replicate)
    worker0/device:GPU:0: dtype=DT_FLOAT validate_shape=true
tower_0/softmax/bias/update = AssignVariableOp(tower_0/softmax/bias, softmax/bias/updated_here)
    worker0/device:GPU:0: dtype=DT_FLOAT validate_shape=true
group_deps_1/NoOp_1 = NoOp(^tower_0/softmax/bias/Assign, ^tower_0/softmax/kernel/Assign)
    worker0/device:GPU:0:
replicated_step/NoOp_1 = NoOp(^tower_0/softmax/bias/update, ^tower_0/softmax/kernel/update)
    worker0/device:GPU:0:
targets: replicated_step
)";

TEST(BuiltSteps, of_one_worker_with_replicated_variables_have_no_barrier) {
  const JobPlan plan{.protocol = Protocol::replicated, .workers = 1};
  EXPECT_EQ(added_to("softmax_async_res_ps2_task1", plan, 0, "bias"), kOfOne);
}

}  // namespace
}  // namespace tarry
