// Runs one device's graph for one step (docs/rules/runtime.md#C).
//
// A node runs when all its inputs are there, also when it is known to be dead; a dead node's kernel does not run, but
// for Send and Recv, which carry deadness on. A Merge runs at its first live input. Ready nodes run in first-come
// order; those with a cost occupy their device and finish later. The first error aborts the step: successors are not
// scheduled, what waits is released, and the executor ends when everything launched has come back. Nothing is allocated
// per node: a step's state is reused by later steps.
#pragma once

#include <memory>
#include <vector>

#include "workers/executor/exec_graph.hpp"

namespace tarry {

struct ExecutorStep {  // what a run needs to know; outlives the run
  StepContext* context = nullptr;
  // Called at most once per run, with the first error, before anything else is released.
  std::function<void(const Status&)> on_first_error;
  // Sees every node that ran but Send and Recv, by name and with its outputs; empty = nobody looks.
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

  // Storage for iterations made so far, in use or not: what loops cost in memory.
  [[nodiscard]] std::size_t iterations_held() const;
  // Loop frames that have begun and not ended, of runs in progress and of each run's last step: 0 after steps that
  // ended well.
  [[nodiscard]] std::size_t frames_live() const;

 private:
  class Run;
  Run& idle_run();

  ExecGraph graph_;
  Env& env_;
  std::vector<std::unique_ptr<Run>> runs_;  // all that were ever needed at once
  std::vector<Run*> idle_;
};

}  // namespace tarry
