#include "workers/executor/exec_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/graph/import.hpp"
#include "workers/executor/one_cpu_test.hpp"
#include "workers/executor/ready_queue.hpp"

namespace tarry {
namespace {

constexpr const char* kOnlyCpu = "/job:localhost/replica:0/task:0/device:CPU:0";

// A device of a run: what another run's registration knows nothing of.
struct OneRun {
  FakeEnv env;
  ResourceManager resources;
  SharedKernels shared;
  KernelHost host{&env, TaskId{0u}, kOnlyCpu, NameId::none(), &resources, [](std::string_view) { return TaskId{0u}; },
                  4096};

  ExecGraph register_plan(const ExecPlanRef& plan, KeptKernels* kept = nullptr) {
    StatusOr<ExecGraph> made = make_exec_graph(plan, host, shared, nullptr, kept);
    check(made.ok(), std::string(text_of(made.status())).c_str());
    return *std::move(made);
  }
};

ExecPlanRef plan_of_each_kind() {
  const TensorSpec shape{DataType::kInt32, Shape({1}), std::string("\2\0\0\0", 4), {}};
  const Attrs transfer{{"T", DataType::kFloat},
                       {"tensor_name", "t"},
                       {"send_device", kOnlyCpu},
                       {"recv_device", kOnlyCpu},
                       {"send_device_incarnation", std::int64_t{1}}};
  const auto g = import_graph(
      {{{"shape",
         "Const",
         kOnlyCpu,
         {},
         {{"dtype", DataType::kInt32}, {"value", std::make_shared<const TensorSpec>(shape)}}},
        {"random", "RandomUniform", kOnlyCpu, {"shape"}, {{"T", DataType::kInt32}, {"dtype", DataType::kFloat}}},
        {"negative", "Neg", kOnlyCpu, {"random"}, {{"T", DataType::kFloat}}},
        {"same", "Identity", kOnlyCpu, {"negative"}, {{"T", DataType::kFloat}}},
        {"variable", "VariableV2", kOnlyCpu, {}, {{"dtype", DataType::kFloat}, {"shape", Shape({2})}}},
        {"sent", "_Send", kOnlyCpu, {"same"}, transfer}}});
  check(g.ok(), std::string(text_of(g.status())).c_str());
  return plan_exec_graph(*g);
}

TEST(ExecGraph, of_an_exit_outside_of_any_loop_is_refused) {
  const auto g = import_graph({{{"x", "Placeholder", kOnlyCpu, {}, {{"dtype", DataType::kFloat}}},
                                {"out", "Exit", kOnlyCpu, {"x"}, {{"T", DataType::kFloat}}}}});
  EXPECT_EQ(text_of(plan_exec_graph(*g)->fault), "Invalid Exit op: Cannot find a corresponding Enter op.");
}

Status of_registering(NodeSpec node) {
  ImportOptions options = made_by_itself();
  node.device = kOnlyCpu;
  const auto g = import_graph({{std::move(node)}}, options);
  check(g.ok(), std::string(text_of(g.status())).c_str());
  OneRun run;
  return make_exec_graph(plan_exec_graph(*g), run.host, run.shared).status();
}

TEST(ExecGraph, a_kernel_that_cannot_be_made_is_said_with_its_node) {
  EXPECT_EQ(text_of(of_registering({"q",
                                    "FIFOQueueV2",
                                    "",
                                    {},
                                    {{"component_types", AttrList{.type = {DataType::kFloat}}},
                                     {"shapes", AttrList{.shape = {Shape({-2})}}}}})),
            "Shape [-2] is not fully defined\n\t [[{{node q}}]]");
  EXPECT_EQ(text_of(of_registering({"q",
                                    "PaddingFIFOQueueV2",
                                    "",
                                    {},
                                    {{"component_types", AttrList{.type = {DataType::kFloat}}},
                                     {"shapes", AttrList{.shape = {Shape::unknown()}}}}})),
            "shape <unknown> must have known rank.\n\t [[{{node q}}]]");
}

TEST(ExecGraph, a_constant_that_is_none_is_said_with_its_node) {
  const TensorSpec number{DataType::kInt32, Shape(), "", {}};
  EXPECT_EQ(
      text_of(of_registering({"c",
                              "Const",
                              "",
                              {},
                              {{"dtype", DataType::kFloat}, {"value", std::make_shared<const TensorSpec>(number)}}})),
      "Type mismatch between value (int32) and dtype (float)\n\t [[{{node c}}]]");
  TensorSpec none{DataType::kFloat, Shape({2}), "", {}};
  none.unread = "dtype: DT_FLOAT\n";
  EXPECT_EQ(
      text_of(of_registering(
          {"c", "Const", "", {}, {{"dtype", DataType::kFloat}, {"value", std::make_shared<const TensorSpec>(none)}}})),
      "Cannot parse tensor from proto: dtype: DT_FLOAT\n\n\t [[{{node c}}]]");
}

TEST(ExecGraph, a_function_that_is_not_there_is_said_without_the_node) {
  const FuncRef cond{"nosuch", nullptr}, body{"neither", nullptr};
  const Status s = of_registering(
      {"w", "StatelessWhile", "", {}, {{"T", AttrList()}, {"cond", AttrValue(cond)}, {"body", AttrValue(body)}}});
  EXPECT_EQ(s.code(), Code::kNotFound);
  EXPECT_EQ(text_of(s), "Function nosuch is not defined.");
}

// Names of the nodes whose kernel two registrations share.
std::vector<std::string> shared_between(const ExecGraph& a, const ExecGraph& b) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < a.nodes.size(); ++i)
    if (a.nodes[i].kernel == b.nodes[i].kernel) names.emplace_back(a.info_of(a.nodes[i]).name);
  return names;
}

TEST(ExecGraph, registrations_of_two_runs_share_the_kernels_that_depend_on_their_node_alone) {
  const ExecPlanRef plan = plan_of_each_kind();
  OneRun first, second;
  KeptKernels kept;
  EXPECT_THAT(shared_between(first.register_plan(plan, &kept), second.register_plan(plan, &kept)),
              testing::UnorderedElementsAre("shape", "negative", "same"));
}

TEST(ExecGraph, registrations_of_two_runs_share_nothing_where_nothing_is_kept) {
  const ExecPlanRef plan = plan_of_each_kind();
  OneRun first, second;
  const ExecGraph a = first.register_plan(plan), b = second.register_plan(plan);
  EXPECT_THAT(shared_between(a, b), testing::IsEmpty());
}

TEST(ExecGraph, registrations_of_one_session_share_stateful_kernels_too) {
  const ExecPlanRef plan = plan_of_each_kind();
  OneRun run;
  KeptKernels kept;
  EXPECT_THAT(shared_between(run.register_plan(plan, &kept), run.register_plan(plan, &kept)),
              testing::UnorderedElementsAre("shape", "random", "negative", "same", "variable", "sent"));
}

TEST(ExecGraph, registrations_share_none_where_memory_is_counted) {
  const ExecPlanRef plan = plan_of_each_kind();
  OneRun first, second;
  first.host.memory = second.host.memory = DeviceMemoryRef(new DeviceMemory(kOnlyCpu, "cpu", 1 << 20));
  KeptKernels kept;
  const ExecGraph a = first.register_plan(plan, &kept), b = second.register_plan(plan, &kept);
  EXPECT_THAT(shared_between(a, b), testing::IsEmpty());
}

// What a kernel remembers of one run's values is not another run's.
TEST(ExecGraph, registrations_that_share_kernels_compute_of_their_own_values) {
  using namespace one_cpu;
  const ExecPlanRef plan =
      plan_exec_graph(import_graph({{recv("a", "a"), recv("b", "b"), node("AddV2", "sum", {"a", "b"}),
                                     node("Neg", "result", {"sum"}), send("result", "result")}})
                          .value());
  Bench first, second;
  KeptKernels kept;
  const auto result = [&](Bench& of, float a, float b) {
    of.table = {};  // another step's
    of.put("a", make_scalar(a));
    of.put("b", make_scalar(b));
    EXPECT_EQ(of.run(plan, &kept), Status());
    return value_of(of.take("result"));
  };
  EXPECT_EQ(result(first, 1, 2), -3);
  EXPECT_EQ(result(second, 10, 20), -30);
  EXPECT_EQ(result(first, 1, 2), -3);
  EXPECT_THAT(shared_between(*make_exec_graph(plan, first.host, first.shared, nullptr, &kept),
                             *make_exec_graph(plan, second.host, second.shared, nullptr, &kept)),
              testing::UnorderedElementsAre("sum", "result"));
}

TEST(ReadyQueue, is_first_come_first_served_however_it_grows_and_starts_over) {
  ReadyQueue queue;
  std::uint32_t in = 0, out = 0;
  for (const std::uint32_t more : {3u, 60u, 2u, 200u, 1u, 900u}) {
    for (std::uint32_t i = 0; i < more; ++i) queue.push({nullptr, in++, false});
    for (std::uint32_t i = 0; i < more / 2; ++i) EXPECT_EQ(queue.pop().node, out++);
    if (more % 2 == 0) continue;
    while (!queue.empty()) EXPECT_EQ(queue.pop().node, out++);
    EXPECT_EQ(in, out);
  }
  while (!queue.empty()) EXPECT_EQ(queue.pop().node, out++);
  EXPECT_EQ(in, out);
}

}  // namespace
}  // namespace tarry
