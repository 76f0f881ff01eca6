// One run of one executor: the state of a step on a device, and how it moves. Private to workers/executor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workers/executor/executor.hpp"

namespace tarry {

class Executor::Run {
 public:
  Run(Executor& owner);

  void start(ExecutorStep& step, StatusCallback done);

 private:
  using Index = std::uint32_t;

  void drain();
  void process(Index n);
  void compute(Index n);
  void finish(Index n, Status s);
  Status gather(Index n);
  void propagate(Index n, bool is_dead);
  void deliver(const ExecEdge& edge, bool src_is_dead, const Value& value);
  void deliver_to_merge(Index dst, const ExecEdge& edge, bool is_dead, const Value& value);
  void make_ready(Index n) { ready_.push_back(n); ++outstanding_; }
  void fail(Index n, const Status& s);
  void complete_if_idle();
  [[nodiscard]] std::span<Value> inputs_of(const ExecNode& e) { return std::span(inputs_).subspan(e.first_input, e.input_count); }
  [[nodiscard]] std::span<Value> outputs_of(const ExecNode& e) { return std::span(outputs_).subspan(e.first_output, e.output_count); }

  Executor& owner_;
  const ExecGraph& graph_;
  ExecutorStep* step_ = nullptr;
  StatusCallback done_;
  Status status_;
  std::vector<std::int32_t> pending_, dead_inputs_;
  std::vector<Value> inputs_, outputs_;
  std::vector<KernelContext> contexts_;
  std::vector<Index> ready_;       // first come, first served
  std::size_t next_ready_ = 0;
  std::size_t outstanding_ = 0;    // launched or ready, not finished
  bool draining_ = false;
};

}  // namespace tarry
