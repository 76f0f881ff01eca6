// Runs one device's graph for one step (docs/rules/runtime.md#C).
//
// A node runs when all its inputs are there, even if it is already known to be dead. A dead node's kernel does not run,
// except for Send and Recv, which pass deadness on. A Merge runs at its first live input. Ready nodes run in the order
// in which they became ready; those with a cost occupy their device and finish later. The first error aborts the step:
// successors are not scheduled, waiting kernels are released, and the executor ends when every launched node has
// finished. Nothing is allocated per node: a step's state is reused by later steps.
#pragma once

#include <memory>
#include <vector>

#include "workers/executor/exec_graph.hpp"

namespace tarry {

struct ExecutorStep {  // what a run needs to know; outlives the run
  StepContext* context = nullptr;
  // Called at most once per run, with the first error, before anything else is released.
  std::function<void(const Status&)> on_first_error;
  // Called for every node that ran, except Send and Recv, with its name and outputs. May be empty.
  std::function<void(std::string_view, std::span<const Value>)> on_node_ran;
};

class Executor {
 public:
  Executor(ExecGraph graph, Env& env);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // `done` is called once, after every launched node has finished; with the first error, if any (text ends `\n\t
  // [[{{node NAME}}]]`). Runs of several steps may overlap.
  void run(ExecutorStep& step, StatusCallback&& done);

  // How many iterations there is storage for, in use or not: the memory that loops cost.
  [[nodiscard]] std::size_t iterations_held() const;
  // Loop frames that have begun and not ended, in runs in progress and in the last steps of idle ones: 0 after steps
  // that succeeded.
  [[nodiscard]] std::size_t frames_live() const;

 private:
  class Run;
  Run& idle_run();

  ExecGraph graph_;
  Env& env_;
  std::vector<std::unique_ptr<Run>> runs_;  // as many as were ever needed at once
  std::vector<Run*> idle_;
};

}  // namespace tarry
