// How long the kernels of a step take on each worker, beside the median worker: node by node, where workers run the
// same nodes.
//
// What only one worker runs says nothing of how fast it is: a chief's synchronization thread may run the model's
// forward pass a second time, which makes its device busier, and none of its kernels slower.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scenarios/job/job.hpp"

namespace tarry {

class SlowKernels {
 public:
  // `steps`: of each worker, how many it did, a part of one counted as such; 0 where it has not shown what a step
  // needs. REQUIRES: `outcome` outlives it.
  SlowKernels(const Outcome& outcome, const std::map<TaskId, double>& steps);

  // The workers share at least half of the time that they computed. They do not where one client runs the parts of all.
  [[nodiscard]] bool are_known() const { return 2 * shared_ > all_; }
  // Nanoseconds of a step's kernels, by worker: of the nodes that most workers run, each with its mean time there, so
  // many times as the median worker runs it.
  [[nodiscard]] const std::map<TaskId, double>& times() const { return times_; }
  // With which the worker's nodes take as long as on the median one of the others, and all of them together `usual`.
  [[nodiscard]] NodePaces paces_of(TaskId task, double usual) const;

 private:
  struct Use {
    double time = 0, executions = 0;
    [[nodiscard]] double each() const { return time / executions; }
  };
  struct Node {
    std::string name;
    std::map<TaskId, Use> uses;
    double in_a_step = 0;        // executions
    std::vector<double> sorted;  // the mean times, by worker
  };
  void sum_up(Node& node, const std::map<TaskId, double>& steps);

  std::vector<Node> nodes_;  // that most workers run, by name
  double all_ = 0, shared_ = 0;
  std::map<TaskId, double> times_;
};

}  // namespace tarry
