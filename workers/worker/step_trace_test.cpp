#include "workers/worker/step_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/fake_env.hpp"
#include "workers/rendezvous/rendezvous.hpp"

namespace tarry {
namespace {

const std::string kAlice = "/job:worker/replica:0/task:0/device:CPU:0";

// A worker with one device, and what its step has sent and will receive.
struct Traced : Rendezvous {
  FakeEnv env;
  LocalDevices devices;
  LocalRendezvous table;
  StepContext context;

  Traced() {
    check(devices.set.add(kAlice, "CPU", 1).ok(), "a device name");
    auto& d = *devices.devices.emplace_back(std::make_unique<LocalDevice>());
    d.host = {&env, TaskId{0u}, kAlice, env.name(kAlice), &d.resources, [](std::string_view) { return TaskId{0u}; },
              4096};
    context.rendezvous = this;
  }
  Status send(const TransferKey& key, Received value) override { return table.send(key.key, std::move(value)); }
  void receive(const TransferKey& key, CancellationManager& step, ReceiveDone&& done) override {
    table.receive(key.key, &step, std::move(done));
  }

  StepStats run(const std::vector<NodeSpec>& nodes, std::int64_t build_cost_model = 0) {
    GraphOptions how;
    how.build_cost_model = build_cost_model;
    GraphManager manager{env, devices, {.keeps_partitions = true}};
    const auto handle = manager.register_graph(SentGraph(std::make_shared<const GraphSpec>(GraphSpec{nodes})), how);
    check(handle.ok(), std::string(text_of(handle.status())).c_str());
    StepTrace trace(manager.find(*handle));
    ExecutorStep step{
        .context = &context,
        .on_first_error = {},
        .on_node_ran = [&](std::string_view n, std::span<const Value> outputs) { trace.ran(n, outputs); }};
    Status ended = error(Code::kInternal, "it did not end");
    manager.find(*handle)->executors.at(0)->run(step, [&](Status s) { ended = std::move(s); });
    env.run();
    EXPECT_EQ(ended, Status());
    costs = trace.costs();
    return trace.stats();
  }

  std::vector<CostNode> costs;  // of the last run
};

Attrs transfer_attrs(const char* tensor, const char* type_attr) {
  return {{"tensor_name", tensor},
          {"send_device", kAlice},
          {"recv_device", kAlice},
          {"send_device_incarnation", std::int64_t{1}},
          {type_attr, DataType::kFloat}};
}

// docs/rules/runtime.md#I.4, StepStatsNumerical: one device; the source and the addition, but no Send and no Recv.
TEST(StepTrace, tells_of_the_source_and_what_computes_and_of_no_transfer) {
  Traced t;
  for (const char* tensor : {"a", "b"})
    (void)t.table.send(t.env.name(fmt::format("{};0000000000000001;{};{};0:0", kAlice, kAlice, tensor)),
                       {make_scalar(1.0F), false});
  const StepStats stats = t.run({{"a", "_Recv", kAlice, {}, transfer_attrs("a", "tensor_type")},
                                 {"b", "_Recv", kAlice, {}, transfer_attrs("b", "tensor_type")},
                                 {"c", "Add", kAlice, {"a", "b"}, {{"T", DataType::kFloat}}},
                                 {"send", "_Send", kAlice, {"c"}, transfer_attrs("c", "T")}});
  ASSERT_EQ(stats.size(), 1u);
  EXPECT_EQ(stats[0].device, kAlice);
  ASSERT_EQ(stats[0].nodes.size(), 2u);
  EXPECT_EQ(stats[0].nodes[0].node, "_SOURCE");
  EXPECT_EQ(stats[0].nodes[1].label, "c = Add(a, b)");
}

TEST(StepTrace, tells_of_a_constant) {
  Traced t;
  const StepStats stats = t.run({{"c",
                                  "Const",
                                  kAlice,
                                  {},
                                  {{"dtype", DataType::kFloat},
                                   {"value", std::make_shared<const TensorSpec>(
                                                 TensorSpec{DataType::kFloat, Shape(), std::string(4, '\0'), {}})}}}});
  ASSERT_EQ(stats.size(), 1u);
  ASSERT_EQ(stats[0].nodes.size(), 2u);
  EXPECT_EQ(stats[0].nodes[1].label, "c = Const()");
}

// c -> n -> send
std::vector<NodeSpec> constant_negated() {
  const TensorSpec zero{DataType::kFloat, Shape(), std::string(4, '\0'), {}};
  return {
      {"c", "Const", kAlice, {}, {{"dtype", DataType::kFloat}, {"value", std::make_shared<const TensorSpec>(zero)}}},
      {"n", "Neg", kAlice, {"c"}, {{"T", DataType::kFloat}}},
      {"send", "_Send", kAlice, {"n"}, transfer_attrs("n", "T")}};
}

TEST(StepTrace, has_costs_of_graphs_that_were_registered_to_have_them) {
  Traced t;
  t.run(constant_negated());
  EXPECT_THAT(t.costs, testing::IsEmpty());
  t.run(constant_negated(), 1);
  std::vector<std::string> nodes;
  for (const CostNode& c : t.costs) nodes.push_back(fmt::format("{}: {}", c.id, c.name));
  EXPECT_THAT(nodes, testing::ElementsAre("0: _SOURCE", "1: _SINK", "2: c", "3: n", "4: send"));
  EXPECT_EQ(t.costs[0].device, "");
  EXPECT_EQ(t.costs[2].device, kAlice);
  EXPECT_THAT(t.costs[0].outputs, testing::IsEmpty());
  EXPECT_THAT(t.costs[1].control, testing::ElementsAre(0, 0, 4)) << "once more than there are edges from the source";
}

TEST(StepTrace, counts_a_constants_value_as_memory_that_stays) {
  Traced t;
  t.run(constant_negated(), 1);
  const CostNode &c = t.costs.at(2), &n = t.costs.at(3), &send = t.costs.at(4);
  EXPECT_EQ(c.persistent_bytes, 4);
  EXPECT_EQ(c.outputs.at(0).size, 0);
  EXPECT_THAT(c.control, testing::ElementsAre(0)) << "the source";
  EXPECT_EQ(n.persistent_bytes, 0);
  EXPECT_EQ(n.outputs.at(0).size, 4);
  EXPECT_EQ(n.outputs.at(0).type, DataType::kFloat);
  EXPECT_THAT(n.preceding, testing::ElementsAre(2));
  EXPECT_THAT(n.ports, testing::ElementsAre(0));
  EXPECT_FALSE(n.is_final);
  EXPECT_TRUE(send.is_final);
  EXPECT_THAT(send.outputs, testing::IsEmpty());
}

}  // namespace
}  // namespace tarry
