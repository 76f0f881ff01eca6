// One run of one executor: one step on one device. Private to workers/executor.
#pragma once

#include <cstdint>
#include <forward_list>
#include <memory>
#include <span>
#include <vector>

#include "workers/executor/executor.hpp"
#include "workers/executor/propagation.hpp"

namespace tarry {

class Executor::Run {
 public:
  Run(Executor& owner);

  void start(ExecutorStep& step, StatusCallback&& done);
  [[nodiscard]] std::size_t iterations_held() const { return flow_.frames().iterations_made(); }
  [[nodiscard]] std::size_t frames_live() const { return flow_.frames().loops_live(); }

 private:
  // A node that waits for its device or for its kernel to call back. All other nodes finish at once and share one set
  // of outputs.
  struct Activation : KernelContext {
    Run* run = nullptr;
    ReadyNode at;
    std::vector<Value> made;  // its outputs
  };

  void drain();
  void begin(const ReadyNode& at);
  void arrive(Activation& a, const Status& s);
  [[nodiscard]] Work work_of(const ReadyNode& at);
  [[nodiscard]] Status hold(const ReadyNode& at, std::span<Value> outputs);
  [[nodiscard]] Status hold(const TensorBody* body) const;
  void process(const ReadyNode& at);
  [[nodiscard]] Status check_time();
  void hand_out(const ReadyNode& at, const ExecNode& e);
  void count(const ExecNode& e, bool is_dead);
  void compute(Activation& a);
  void start_twice(const Activation& a, Kernel& kernel);
  void finish(Activation& a, const Status& s);
  void finish(const ReadyNode& at, std::span<Value> outputs, const Status& s);
  [[nodiscard]] bool is_lost() const { return graph_.health != nullptr && graph_.health->is_lost; }
  [[nodiscard]] bool is_plainly_well(const ExecNode& e, std::span<const Value> outputs, const Status& s) const;
  void judge(const ReadyNode& at, std::span<Value> outputs, Status s);
  [[nodiscard]] Status gather(const ReadyNode& at);
  [[nodiscard]] Status dereference(Value& input, const ExecInput& how, const ExecNode& e, std::size_t index) const;
  [[nodiscard]] std::string name_of_input(const ExecNode& e, std::size_t index) const;
  [[nodiscard]] Status check_outputs(const ExecNode& e, std::span<const Value> outputs) const;
  [[nodiscard]] KernelContext context_of(const ReadyNode& at, std::span<Value> outputs);
  Activation& activate(const ReadyNode& at);
  [[nodiscard]] static bool is_as_received(const ExecNode& e, std::span<const Value> outputs);
  [[nodiscard]] Status check_type(const ExecNode& e, std::span<const Value> outputs) const;
  [[nodiscard]] Status check_reference(const ExecNode& e, std::span<const Value> outputs) const;
  void fail(const Status& s);
  void complete_if_idle();
  [[nodiscard]] static std::span<Value> inputs_of(const ReadyNode& at, const ExecNode& e);
  [[nodiscard]] std::span<Value> inputs_of(const ReadyNode& at);

  Executor& owner_;
  const ExecGraph& graph_;
  ExecutorStep* step_ = nullptr;
  StatusCallback done_;
  Status status_;
  Propagation flow_;
  std::vector<Value> outputs_;  // of the node that runs now
  std::vector<std::unique_ptr<Activation>> activations_;
  std::vector<Activation*> idle_activations_;
  std::forward_list<KernelContext> started_twice_;  // PlantedRuntimeBug::recv_started_twice
  bool draining_ = false;
};

}  // namespace tarry
