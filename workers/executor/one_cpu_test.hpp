// One device, its rendezvous and small graphs for it: for tests of the executor.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "placer/graph/import.hpp"
#include "workers/executor/executor.hpp"
#include "workers/fake_env.hpp"
#include "workers/rendezvous/key.hpp"
#include "workers/rendezvous/rendezvous.hpp"

namespace tarry::one_cpu {

inline constexpr const char* kCpu = "/job:localhost/replica:0/task:0/device:CPU:0";

// One device and its rendezvous.
struct Bench : Rendezvous {
  FakeEnv env;
  ResourceManager resources;
  KernelHost host{&env, TaskId{0u}, kCpu, NameId::none(), &resources, [](std::string_view) { return TaskId{0u}; },
                  4096};
  SharedKernels shared;
  LocalRendezvous table;

  Status send(const TransferKey& key, Received value) override { return table.send(key.key, std::move(value)); }
  void receive(const TransferKey& key, CancellationManager& step, ReceiveDone&& done) override {
    table.receive(key.key, &step, std::move(done));
  }

  NameId key(const std::string& tensor) {
    return env.name(std::string(kCpu) + ";0000000000000001;" + kCpu + ";" + tensor + ";0:0");
  }
  // Runs the graph to its end; nullopt when it hangs.
  std::optional<Status> run(const std::vector<NodeSpec>& nodes) {
    const auto g = import_graph({nodes});
    check(g.ok(), std::string(text_of(g.status())).c_str());
    return run(plan_exec_graph(*g));
  }
  std::optional<Status> run(const ExecPlanRef& plan, KeptKernels* kept = nullptr) {
    auto exec = make_exec_graph(plan, host, shared, nullptr, kept);
    if (!exec.ok()) return exec.status();
    executors.push_back(std::make_unique<Executor>(*std::move(exec), env));
    return run_again();
  }
  // Runs the last graph in another step.
  std::optional<Status> run_again() {
    StepContext& context = *contexts.emplace_back(std::make_unique<StepContext>());
    context.rendezvous = this;
    ExecutorStep& step = *steps.emplace_back(std::make_unique<ExecutorStep>());
    step.context = &context;
    step.on_first_error = [&](const Status& s) {
      table.abort(s);
      context.cancellation.start();
    };
    auto result = std::make_shared<std::optional<Status>>();
    executors.back()->run(step, [result](Status s) { *result = s; });
    env.run();
    return *result;
  }
  Received take(const std::string& tensor) {
    Received got;
    table.receive(key(tensor), nullptr, [&](StatusOr<Received> r) {
      if (r.ok()) got = *r;
    });
    return got;
  }
  // The code that a waiting receive of `tensor` gets, or nullopt while it waits.
  std::optional<Code> table_code(const std::string& tensor) {
    std::optional<Code> code;
    table.receive(key(tensor), nullptr, [&](StatusOr<Received> r) { code = r.status().code(); });
    return code;
  }
  void put(const std::string& tensor, TensorRef value) { (void)table.send(key(tensor), {std::move(value), false}); }

  std::vector<std::unique_ptr<Executor>> executors;
  std::vector<std::unique_ptr<StepContext>> contexts;
  std::vector<std::unique_ptr<ExecutorStep>> steps;
};

inline Attrs transfer(const std::string& tensor, const char* type_attr, DataType type) {
  return {{"tensor_name", tensor},
          {"send_device", kCpu},
          {"recv_device", kCpu},
          {"send_device_incarnation", std::int64_t{1}},
          {type_attr, type}};
}
inline NodeSpec send(std::string from, const std::string& tensor, DataType t = DataType::kFloat) {
  return {"send_" + tensor, "_Send", kCpu, {std::move(from)}, transfer(tensor, "T", t)};
}
inline NodeSpec recv(std::string name, const std::string& tensor, DataType t = DataType::kFloat) {
  return {std::move(name), "_Recv", kCpu, {}, transfer(tensor, "tensor_type", t)};
}
inline NodeSpec node(std::string op, std::string name, std::vector<std::string> inputs,
                     Attrs attrs = {{"T", DataType::kFloat}}) {
  return {std::move(name), std::move(op), kCpu, std::move(inputs), std::move(attrs)};
}
inline float value_of(const Received& r) { return r.tensor->as<float>()[0]; }

}  // namespace tarry::one_cpu
