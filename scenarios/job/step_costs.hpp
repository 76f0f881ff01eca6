// What the kernels of a step cost on each task that computes, and which of these tasks is the usual one.
//
// The usual one is the median one. Where most workers are slow by what the job says of them alone (costs, variations
// and interference that name them, and rates of their devices), it is the median one of the others; whether they are
// slow by that, another run shows.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "results/contributions.hpp"
#include "scenarios/job/job.hpp"
#include "scenarios/job/slow_kernels.hpp"
#include "scenarios/job/steps_begun.hpp"

namespace tarry {

class StepCosts {
 public:
  // REQUIRES: both outlive it.
  StepCosts(const Job& job, const Outcome& outcome);

  [[nodiscard]] const std::vector<TaskId>& workers() const { return workers_; }  // that began a training step
  // Who computes the steps: the clients, or, where one client runs parts on others (in-graph), the tasks that compute.
  [[nodiscard]] const std::vector<TaskId>& computing() const { return computing_; }
  [[nodiscard]] const SlowKernels& kernels() const { return kernels_; }
  // Nanoseconds of a step; of a task in a long first step, what that took so far.
  [[nodiscard]] const std::map<TaskId, double>& of_all() const { return of_all_; }
  // It began one step, whose kernels that ended were no longer than those of others, and at least half of those that
  // compute have shown a whole one: it ended, or has given its gradients.
  [[nodiscard]] bool is_in_a_long_first_step(TaskId task) const;

  [[nodiscard]] std::int64_t begun_by(TaskId task) const { return steps_of(task).begun; }
  // So many times as long `task` takes for the ops that both run, as often as it runs them. 1: they share none.
  [[nodiscard]] double pace_beside(TaskId task, TaskId other) const;

  struct Usual {
    double cost = 0;
    TaskId task;
    std::string name = "the median worker";
  };
  // Runs the job once more where most workers may be slow by what is said of them alone. REQUIRES: somebody computes.
  [[nodiscard]] Usual usual() const;

 private:
  using CostOf = std::pair<double, TaskId>;
  [[nodiscard]] static CostOf median_one(std::vector<CostOf> all);
  [[nodiscard]] std::vector<TaskId> who_computes() const;
  [[nodiscard]] StepsDone steps_of(TaskId task) const;
  [[nodiscard]] std::map<TaskId, StepsDone> finished_steps() const;
  [[nodiscard]] bool reads_ahead(TaskId task) const;
  // Gradients to each accumulator; those of whole steps, where it reads ahead.
  [[nodiscard]] std::int64_t gave(TaskId task) const;
  [[nodiscard]] bool has_finished_a_step(TaskId task) const;
  [[nodiscard]] double shown_by(TaskId task) const;  // by kernels that ended
  [[nodiscard]] Nanos busy(TaskId task) const;       // without copies
  [[nodiscard]] double cost_of_a_step(TaskId task) const;
  void add_slow_otherwise(std::vector<CostOf>& others, const std::vector<CostOf>& finished) const;
  [[nodiscard]] std::map<TaskId, double> without_own(TaskId other) const;

  const Job& job_;
  const Outcome& outcome_;
  const Contributions contributions_;
  std::map<TaskId, StepsBegun> steps_;
  std::vector<TaskId> workers_, computing_;
  SlowKernels kernels_;
  std::map<TaskId, double> of_all_;
};

}  // namespace tarry
