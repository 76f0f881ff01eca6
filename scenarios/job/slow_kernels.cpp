#include "scenarios/job/slow_kernels.hpp"

#include <algorithm>
#include <cmath>

#include "scenarios/job/cost_users.hpp"
#include "scenarios/job/step_nodes.hpp"

namespace tarry {
namespace {

double lower_median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[(values.size() - 1) / 2];
}

// The median, of two in the middle their mean.
template <class At>
double median(std::size_t count, const At& at) {
  return (at((count - 1) / 2) + at(count / 2)) / 2;
}

// Of all values but `own`, which is one of them.
double median_of_others(const std::vector<double>& sorted, double own) {
  const auto skipped = static_cast<std::size_t>(std::ranges::lower_bound(sorted, own) - sorted.begin());
  return median(sorted.size() - 1, [&](std::size_t i) { return sorted[i < skipped ? i : i + 1]; });
}

// A whole number, where the steps that were cut off leave room for it: one of these has run the node or not, and not a
// part of it.
double per_step(double executions, const StepsDone& steps) {
  const double mean = executions / steps.count, whole = std::max(1.0, std::round(mean));
  const bool is_possible =
      executions >= whole * static_cast<double>(steps.whole) && executions <= whole * static_cast<double>(steps.begun);
  return is_possible ? whole : mean;
}

// The first of the rules that apply to it, on one of the devices of the task, names the task.
bool has_own_cost(const Job& job, TaskId task, std::string_view node, std::string_view op) {
  return std::ranges::any_of(rules_for(job, task, node, op), [](const CostRule* r) { return !r->task.empty(); });
}

}  // namespace

class StepNodes {
 public:
  explicit StepNodes(const Job& job) : job_(job) {}
  [[nodiscard]] bool contain(TaskId task, std::string_view node) {
    const auto& [of_a_step, of_its_input] = of(task);
    return of_a_step.contains(node) || of_its_input.contains(node);
  }
  // Whether it is of the examples that the task's queue runners prepare.
  [[nodiscard]] bool prepare(TaskId task, std::string_view node) { return of(task).second.contains(node); }

 private:
  [[nodiscard]] const std::pair<NodeNames, std::set<std::string_view>>& of(TaskId task) {
    const auto [it, is_new] = found_.try_emplace(task);
    const auto client = std::ranges::find(job_.clients, task, &ClientJob::task);
    if (is_new && client != job_.clients.end()) it->second = {nodes_of_a_step(*client), nodes_of_its_input(*client)};
    return it->second;
  }

  const Job& job_;
  std::map<TaskId, std::pair<NodeNames, std::set<std::string_view>>> found_;  // and what prepares its examples
};

SlowKernels::SlowKernels(const Job& job, const Outcome& outcome, const std::map<TaskId, StepsDone>& steps) {
  std::map<std::string, std::map<TaskId, Use>> by_name;  // in an order that does not depend on ids
  for (const NodeUse& n : outcome.stats.nodes) {
    if (!steps.contains(n.task)) continue;
    Use& use = by_name[std::string(outcome.log.name(n.node))][n.task];
    use.time += static_cast<double>(n.time), use.executions += static_cast<double>(n.executions);
    all_ += static_cast<double>(n.time);
  }
  const OpNames ops = ops_of(job);
  StepNodes of_steps(job);
  for (auto& [name, uses] : by_name) {
    const auto op = ops.find(name);
    Node node{name, std::string(op == ops.end() ? "" : op->second), std::move(uses)};
    node.is_input = !node.uses.empty() && of_steps.prepare(node.uses.begin()->first, name);
    add_free_uses(node, job, steps, of_steps);
    if (!is_of_most(node.uses, steps)) continue;
    nodes_.push_back(std::move(node));
    sum_up(nodes_.back(), steps);
  }
  for (const Node& node : nodes_)
    for (const auto& [task, did] : steps) times_[task] += node.in_a_step * each_of(node, task);
}

void SlowKernels::add_free_uses(Node& node, const Job& job, const std::map<TaskId, StepsDone>& steps,
                                StepNodes& of_steps) {
  if (job.clients.size() < 2 || node.op.empty()) return;
  const auto is_own = [&](const auto& use) { return has_own_cost(job, use.first, node.name, node.op); };
  if (!std::ranges::all_of(node.uses, is_own)) return;
  for (const auto& [task, did] : steps)
    if (did.whole > 0 && !node.uses.contains(task) && of_steps.contain(task, node.name)) node.uses[task] = {0, 1, true};
}

// Of those that finished a step; before anybody did, of all.
bool SlowKernels::is_of_most(const std::map<TaskId, Use>& uses, const std::map<TaskId, StepsDone>& steps) {
  const auto finished = std::ranges::count_if(steps, [](const auto& step) { return step.second.count > 0; });
  if (finished == 0) return uses.size() > 1 && 2 * uses.size() > steps.size();
  return 2 * std::ranges::count_if(uses, [&](const auto& use) { return steps.at(use.first).count > 0; }) > finished;
}

void SlowKernels::sum_up(Node& node, const std::map<TaskId, StepsDone>& steps) {
  std::vector<double> in_a_step;
  for (const auto& [task, use] : node.uses) {
    node.sorted.push_back(use.each());
    shared_ += use.time;
    if (const StepsDone& did = steps.at(task); did.count > 0 && !use.is_free)
      in_a_step.push_back(per_step(use.executions, did));
  }
  std::ranges::sort(node.sorted);
  if (!in_a_step.empty())  // examples that are read ahead are none of a step's
    node.in_a_step = node.is_input ? std::ranges::min(in_a_step) : lower_median(std::move(in_a_step));
  node.usual = lower_median(node.sorted);
  for (const auto& [task, use] : node.uses)
    for (const std::string& op : {node.op, all_ops_beside(node)}) {
      Ratio& ratio = ratios_[task][op];
      ratio.own += use.each(), ratio.usual += node.usual;
    }
}

double SlowKernels::each_of(const Node& node, TaskId task) const {
  if (const auto it = node.uses.find(task); it != node.uses.end()) return it->second.each();
  const auto ratios = ratios_.find(task);
  if (ratios == ratios_.end()) return node.usual;
  auto ratio = ratios->second.find(node.op);
  if (ratio == ratios->second.end()) ratio = ratios->second.find(all_ops_beside(node));
  const bool is_known = ratio != ratios->second.end() && ratio->second.usual > 0;
  return is_known ? node.usual * ratio->second.own / ratio->second.usual : node.usual;
}

double SlowKernels::time_of(TaskId task, const std::set<std::string_view>& nodes) const {
  double time = 0;
  for (const Node& node : nodes_)
    if (nodes.contains(node.name)) time += node.in_a_step * each_of(node, task);
  return time;
}

NodePaces SlowKernels::paces_of(TaskId task, double usual) const {
  std::map<std::string_view, double> paces;
  double with = 0;
  for (const Node& node : nodes_) {
    const double own = each_of(node, task);
    if (own <= 0) continue;
    const double other = node.uses.contains(task) ? median_of_others(node.sorted, own) : node.usual;
    paces[node.name] = other / own;
    with += node.in_a_step * other;
  }
  NodePaces out;
  for (const auto& [name, pace] : paces)
    out[std::string(name)] = std::max(1LL, std::llround(kUsualPace * pace * (with > 0 ? usual / with : 1)));
  return out;
}

}  // namespace tarry
