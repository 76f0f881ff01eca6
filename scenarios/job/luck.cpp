#include "scenarios/job/luck.hpp"

#include <algorithm>
#include <map>

namespace tarry {
namespace {

constexpr std::uint64_t kOtherSeeds = 5;
constexpr double kLeastAgain = 0.5;  // of what a step took longer than the median's: in every other run

bool has_random_costs(const Job& job) {
  const CostRules& c = job.costs;
  return is_random(c.otherwise) || std::ranges::any_of(c.rules, is_random, &CostRule::amount) ||
         std::ranges::any_of(c.variations, [](const Variation& v) {
           const auto* factor = std::get_if<Amount>(&v.law);
           return factor == nullptr || is_random(*factor);
         });
}

// Whether anything is said of the task, or of its host, that is not said of most workers.
class SaidOf {
 public:
  SaidOf(const Job& job, TaskId task) : job_(job), task_(task), spec_(job.cluster.tasks[task.index()]) {}

  [[nodiscard]] bool alone() const {
    return job_.costs.measured.size() > 0 || has_own_costs() || is_disturbed() || has_own_devices() || has_own_fault();
  }

 private:
  [[nodiscard]] bool has_own_costs() const {
    return std::ranges::any_of(job_.costs.rules, [this](const CostRule& r) { return r.task == spec_.name; }) ||
           std::ranges::any_of(job_.costs.variations, [this](const Variation& v) { return v.task == task_; });
  }
  [[nodiscard]] bool is_disturbed() const {
    return std::ranges::any_of(job_.costs.interference,
                               [this](const Interference& i) { return i.task == task_ || i.host == spec_.host; });
  }
  [[nodiscard]] bool has_own_devices() const {
    const auto alike = std::ranges::count_if(job_.clients, [this](const ClientJob& c) {
      const TaskSpec& other = job_.cluster.tasks[c.task.index()];
      return other.cpu == spec_.cpu && other.gpus == spec_.gpus && other.inter_op_threads == spec_.inter_op_threads;
    });
    return 2 * alike <= std::ssize(job_.clients);
  }
  [[nodiscard]] bool has_own_fault() const {
    return std::ranges::any_of(job_.faults, [this](const Fault& f) { return lengthens_kernels(f, task_, spec_.host); });
  }

  const Job& job_;
  const TaskId task_;
  const TaskSpec& spec_;
};

// By how much of the median's time a step of each slow worker takes longer.
std::map<TaskId, double> excess_of(const std::vector<WhatIf>& all) {
  std::map<TaskId, double> excess;
  for (const WhatIf& w : all)
    if (w.proof.cause == Proof::Cause::slow_worker) excess[w.proof.task] = w.excess;
  return excess;
}

}  // namespace

StatusOr<std::set<TaskId>> slow_by_chance(const std::vector<WhatIf>& all, const Job& job, Beside& beside) {
  std::set<TaskId> lucky;
  std::map<TaskId, double> asked = excess_of(all);
  if (!has_random_costs(job)) return lucky;
  std::erase_if(asked, [&](const auto& slow) { return SaidOf(job, slow.first).alone(); });
  for (std::uint64_t i = 1; i <= kOtherSeeds && !asked.empty(); ++i) {
    Job other = job;
    other.seed = job.seed + i;
    const Proof tried{.instead = "with another seed"};
    TARRY_ASSIGN(const Beside::Ran ran, beside.run_and_keep(tried, other));
    if (!ran.outcome) return lucky;
    const std::map<TaskId, double> again = excess_of(what_ifs(other, *ran.outcome));
    std::erase_if(asked, [&](const auto& slow) {
      const auto it = again.find(slow.first);
      const bool is_slow = it != again.end() && it->second >= kLeastAgain * slow.second;
      if (!is_slow) lucky.insert(slow.first);
      return !is_slow;
    });
  }
  return lucky;
}

}  // namespace tarry
