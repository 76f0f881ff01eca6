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

  StepStats run(const std::vector<NodeSpec>& nodes) {
    GraphManager manager{env, devices, {.keeps_partitions = true}};
    const auto handle = manager.register_graph(SentGraph(std::make_shared<const GraphSpec>(GraphSpec{nodes})));
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
    return trace.stats();
  }
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

}  // namespace
}  // namespace tarry
