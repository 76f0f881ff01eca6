#include "scenarios/job/slow_kernels.hpp"

#include <algorithm>
#include <ranges>

namespace tarry {
namespace {

double lower_median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[(values.size() - 1) / 2];
}

// Of all values but `own`, which is one of them.
double median_of_others(const std::vector<double>& sorted, double own) {
  const auto skipped = static_cast<std::size_t>(std::ranges::lower_bound(sorted, own) - sorted.begin());
  const auto at = [&](std::size_t i) { return sorted[i < skipped ? i : i + 1]; };
  const std::size_t others = sorted.size() - 1;
  return (at((others - 1) / 2) + at(others / 2)) / 2;
}

}  // namespace

SlowKernels::SlowKernels(const Outcome& outcome, const std::map<TaskId, double>& steps) {
  std::map<std::string, std::map<TaskId, Use>> by_name;  // in an order that does not depend on ids
  for (const NodeUse& n : outcome.stats.nodes) {
    if (!steps.contains(n.task)) continue;
    Use& use = by_name[std::string(outcome.log.name(n.node))][n.task];
    use.time += static_cast<double>(n.time), use.executions += static_cast<double>(n.executions);
    all_ += static_cast<double>(n.time);
  }
  for (auto& [name, uses] : by_name)
    if (uses.size() > 1 && 2 * uses.size() > steps.size())
      sum_up(nodes_.emplace_back(Node{name, std::move(uses), 0, {}}), steps);
}

void SlowKernels::sum_up(Node& node, const std::map<TaskId, double>& steps) {
  std::vector<double> in_a_step;
  for (const auto& [task, use] : node.uses) {
    node.sorted.push_back(use.each());
    shared_ += use.time;
    if (const double did = steps.at(task); did > 0) in_a_step.push_back(use.executions / did);
  }
  std::ranges::sort(node.sorted);
  node.in_a_step = in_a_step.empty() ? 1 : lower_median(std::move(in_a_step));
  const double usual = lower_median(node.sorted);
  for (const TaskId task : std::views::keys(steps)) {
    const auto it = node.uses.find(task);
    times_[task] += node.in_a_step * (it == node.uses.end() ? usual : it->second.each());
  }
}

NodePaces SlowKernels::paces_of(TaskId task, double usual) const {
  NodePaces paces;
  double with = 0;
  for (const Node& node : nodes_) {
    const auto it = node.uses.find(task);
    const double own = it == node.uses.end() ? 0 : it->second.each();
    if (own <= 0) continue;
    const double other = median_of_others(node.sorted, own);
    paces[node.name] = other / own;
    with += node.in_a_step * other;
  }
  if (with > 0)
    for (double& pace : std::views::values(paces)) pace *= usual / with;
  return paces;
}

}  // namespace tarry
