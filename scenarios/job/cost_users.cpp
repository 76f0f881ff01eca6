#include "scenarios/job/cost_users.hpp"

#include <algorithm>

namespace tarry {

OpNames ops_of(const Job& job) {
  OpNames ops;
  if (!job.clients.empty() && job.clients.front().program.graph != nullptr)
    for (const NodeSpec& n : job.clients.front().program.graph->nodes) ops.emplace(n.name, n.op);
  return ops;
}

std::vector<const CostRule*> rules_for(const Job& job, TaskId task, std::string_view node, std::string_view op) {
  const TaskSpec& spec = job.cluster.tasks[task.index()];
  std::vector<std::string> devices{spec.name + "/device:CPU:0"};
  if (!spec.gpus.empty()) devices.push_back(spec.name + "/device:GPU:0");
  std::vector<const CostRule*> out;
  for (const std::string& device : devices) {
    const auto applies = [&](const CostRule& r) { return applies_to(r, {task, device, node, op}, spec.name); };
    if (const auto first = std::ranges::find_if(job.costs.rules, applies); first != job.costs.rules.end())
      out.push_back(&*first);
  }
  return out;
}

bool has_own_costs(const Job& job, TaskId task) {
  return has_own_kernels(job, task) || std::ranges::count(job.costs.interference, task, &Interference::task) > 0;
}

bool has_own_kernels(const Job& job, TaskId task) {
  const TaskSpec& spec = job.cluster.tasks[task.index()];
  return spec.has_own_rates || std::ranges::count(job.costs.rules, spec.name, &CostRule::task) > 0 ||
         std::ranges::count(job.costs.variations, task, &Variation::task) > 0;
}

bool is_of_servers(const CostRule& rule, const Job& job, const Outcome& outcome) {
  if (!rule.job.empty() || !rule.task.empty()) return rule.job == "ps" || rule.task.starts_with("/job:ps/");
  const OpNames ops = ops_of(job);
  bool has_run = false;
  for (const NodeUse& use : outcome.stats.nodes) {
    const auto op = ops.find(outcome.log.name(use.node));
    if (op == ops.end() || std::ranges::count(rules_for(job, use.task, op->first, op->second), &rule) == 0) continue;
    if (!outcome.tasks.is_ps(use.task)) return false;
    has_run = true;
  }
  return has_run;
}

double share_of_own_costs(const Job& job, const Outcome& outcome, TaskId task) {
  const OpNames ops = ops_of(job);
  const std::string& name = job.cluster.tasks[task.index()].name;
  double all = 0, own = 0;
  for (const NodeUse& use : outcome.stats.nodes) {
    if (use.task != task) continue;
    const auto time = static_cast<double>(use.time - use.time_before);
    all += time;
    const std::string_view node = outcome.log.name(use.node);
    const auto op = ops.find(node);  // sends and receives are not of the graph
    const std::vector<const CostRule*> rules = rules_for(job, task, node, op == ops.end() ? "" : op->second);
    if (std::ranges::any_of(rules, [&](const CostRule* r) { return r->task == name; })) own += time;
  }
  return all > 0 ? own / all : 0;
}

}  // namespace tarry
