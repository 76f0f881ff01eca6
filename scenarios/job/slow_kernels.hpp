// How long the kernels of a step take on each worker, beside the median worker: node by node, where workers run the
// same nodes.
//
// What only one worker runs says nothing of how fast it is: a chief's synchronization thread may run the model's
// forward pass a second time, which makes its device busier, and none of its kernels slower. But a node that takes time
// because a cost names that worker is one that the others run as well, in no time. A worker that has not come to a node
// yet is taken to run it as its other nodes of that op.
#pragma once

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/job/job.hpp"

namespace tarry {

// How many steps a worker did: a part of one counted as such, how many to their end, and how many it began.
struct StepsDone {
  double count = 0;  // 0 where it has not shown what a step needs
  std::int64_t whole = 0, begun = 0;
  StepsDone() = default;
  StepsDone(double whole_steps)  // NOLINT(google-explicit-constructor): none was cut off
      : count(whole_steps), whole(std::llround(whole_steps)), begun(whole) {}
  StepsDone(double counted, std::int64_t to_their_end, std::int64_t all)
      : count(counted), whole(to_their_end), begun(all) {}
};

class StepNodes;  // what a training step of each client runs

class SlowKernels {
 public:
  SlowKernels(const Job& job, const Outcome& outcome, const std::map<TaskId, StepsDone>& steps);

  // The workers share more than half of the time that they computed. They do not where one client runs the parts of
  // all.
  [[nodiscard]] bool are_known() const { return 2 * shared_ > all_; }
  // Nanoseconds of a step's kernels, by worker: of the nodes that most workers run, each with its mean time there, so
  // many times as the median worker runs it; of those that prepare examples, as the worker runs them that reads least
  // ahead.
  [[nodiscard]] const std::map<TaskId, double>& times() const { return times_; }
  // Of that, what these nodes take.
  [[nodiscard]] double time_of(TaskId task, const std::set<std::string_view>& nodes) const;
  // Paces for the nodes of `task`: with them each takes as long as on the median one of the other workers, scaled so
  // that all nodes together take `usual`.
  [[nodiscard]] NodePaces paces_of(TaskId task, double usual) const;

 private:
  struct Use {
    double time = 0, executions = 0;
    bool is_free = false;
    [[nodiscard]] double each() const { return time / executions; }
  };
  struct Node {
    std::string name, op;  // "" = not one of the graph that the first client gave
    std::map<TaskId, Use> uses;
    bool is_input = false;            // it prepares examples
    double in_a_step = 1;             // executions
    std::vector<double> sorted = {};  // the mean times
    double usual = 0;                 // the median of these
  };
  struct Ratio {  // of what a worker takes to what is usual
    double own = 0, usual = 0;
  };
  [[nodiscard]] static bool is_of_most(const std::map<TaskId, Use>& uses, const std::map<TaskId, StepsDone>& steps);
  // Uses that took no time, where the costs of `node` name all who took time: of others whose steps run it, and that
  // came to the end of one.
  static void add_free_uses(Node& node, const Job& job, const std::map<TaskId, StepsDone>& steps, StepNodes& of_steps);
  void sum_up(Node& node, const std::map<TaskId, StepsDone>& steps);
  // Who is slow to read its examples may compute as fast as the others.
  [[nodiscard]] static std::string all_ops_beside(const Node& node) { return node.is_input ? "input" : ""; }
  [[nodiscard]] double each_of(const Node& node, TaskId task) const;

  std::vector<Node> nodes_;                                // that most workers run, by name
  std::map<TaskId, std::map<std::string, Ratio>> ratios_;  // by op, and of all ops under all_ops_beside
  double all_ = 0, shared_ = 0;
  std::map<TaskId, double> times_;
};

}  // namespace tarry
