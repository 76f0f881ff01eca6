#include "scenarios/job/step_costs.hpp"

#include <algorithm>
#include <set>

#include "scenarios/job/cost_users.hpp"
#include "scenarios/job/made_like.hpp"
#include "scenarios/job/step_nodes.hpp"

namespace tarry {
namespace {

std::map<TaskId, StepsBegun> steps_begun(const EventLog& log) {
  std::map<TaskId, StepsBegun> steps;
  for (const LoggedEvent& e : log.events()) {
    if (const auto* began = std::get_if<StepBegan>(&e.event); began && began->purpose == Purpose::train)
      steps[began->task].begin(began->step, e.at);
    if (const auto* ended = std::get_if<StepEnded>(&e.event))
      steps[ended->task].end(ended->step, e.at, ended->code == 0);
    if (const auto* lost = std::get_if<ProcessEnded>(&e.event)) steps[lost->task].lose(e.at);
  }
  return steps;
}

std::vector<TaskId> tasks_of(const std::vector<WorkerStory>& workers) {
  std::vector<TaskId> tasks;
  for (const WorkerStory& w : workers) tasks.push_back(w.task);
  return tasks;
}

// Of its devices those of `other` are the usual ones.
void take_own_costs(Job& job, TaskId task, TaskId other) {
  copy_rates(job.cluster.tasks[task.index()], job.cluster.tasks[other.index()]);
  const auto is_of_it = [&](const auto& what) { return what.task == task; };
  std::erase_if(job.costs.rules, [&](const CostRule& r) { return r.task == job.cluster.tasks[task.index()].name; });
  std::erase_if(job.costs.interference, is_of_it);
  std::erase_if(job.costs.variations, is_of_it);
}

}  // namespace

StepCosts::StepCosts(const Job& job, const Outcome& outcome)
    : job_(job),
      outcome_(outcome),
      contributions_(read_contributions(outcome.log)),
      steps_(steps_begun(outcome.log)),
      workers_(tasks_of(contributions_.workers)),
      computing_(who_computes()),
      kernels_(job, outcome, finished_steps()) {
  for (const TaskId task : computing_)
    of_all_[task] = is_in_a_long_first_step(task) ? static_cast<double>(busy(task)) : shown_by(task);
}

double StepCosts::shown_by(TaskId task) const {
  return kernels_.are_known() ? kernels_.times().at(task) : cost_of_a_step(task);
}

bool StepCosts::is_in_a_long_first_step(TaskId task) const {
  if (has_finished_a_step(task) || steps_of(task).begun != 1) return false;
  std::ptrdiff_t finished = 0;
  double most = 0;
  for (const TaskId t : computing_)
    if (has_finished_a_step(t)) ++finished, most = std::max(most, shown_by(t));
  return shown_by(task) <= most && 2 * finished >= std::ssize(computing_);
}

std::vector<TaskId> StepCosts::who_computes() const {
  if (job_.clients.size() != 1) return workers_;
  std::set<TaskId> busy;
  for (const DeviceUse& d : outcome_.stats.devices)
    if (d.busy > 0 && !outcome_.tasks.is_ps(d.task)) busy.insert(d.task);
  return {busy.begin(), busy.end()};
}

// Those that are lost, or do not end, have computed as well: all of it where they have given their gradients, and wait
// for a token.
StepsDone StepCosts::steps_of(TaskId task) const {
  const auto it = steps_.find(job_.clients.size() == 1 ? job_.clients[0].task : task);
  if (it == steps_.end()) return {};
  const auto computed = static_cast<double>(std::min(gave(task), it->second.begun()));
  return {std::max(computed, it->second.count(outcome_.log.ended_at)), it->second.whole(), it->second.begun()};
}

// What it reads after its step has its examples is none of the step's.
bool StepCosts::reads_ahead(TaskId task) const {
  const auto client = std::ranges::find(job_.clients, task, &ClientJob::task);
  return client != job_.clients.end() && !nodes_of_its_input(*client).empty();
}

std::int64_t StepCosts::gave(TaskId task) const {
  const auto it = std::ranges::find(contributions_.workers, task, &WorkerStory::task);
  const auto& accumulators = contributions_.accumulators;
  if (it == contributions_.workers.end() || accumulators.empty()) return 0;
  const auto pushed = [w = it - contributions_.workers.begin()](const AccumulatorStory& a) { return a.pushed[w]; };
  const std::int64_t given = pushed(*std::ranges::min_element(accumulators, {}, pushed));
  return given > it->steps && reads_ahead(task) ? it->steps : given;
}

bool StepCosts::has_finished_a_step(TaskId task) const {
  const auto it = std::ranges::find(contributions_.workers, task, &WorkerStory::task);
  return it == contributions_.workers.end() || it->steps > 0 || gave(task) > 0;
}

std::map<TaskId, StepsDone> StepCosts::finished_steps() const {
  std::map<TaskId, StepsDone> steps;
  for (const TaskId task : computing_) steps[task] = has_finished_a_step(task) ? steps_of(task) : StepsDone();
  return steps;
}

// Busy time for each step, but that of copies: these wait for a PCIe root, or a copy engine, and not for the worker.
double StepCosts::cost_of_a_step(TaskId task) const {
  const double steps = steps_of(task).count;
  return steps == 0 ? 0 : static_cast<double>(busy(task)) / steps;
}

Nanos StepCosts::busy(TaskId task) const {
  Nanos all = 0;
  for (const DeviceUse& d : outcome_.stats.devices)
    if (d.task == task && d.name.find("memcpy") == d.name.npos) all += d.busy - d.busy_before;
  return all;
}

double StepCosts::pace_beside(TaskId task, TaskId other) const {
  struct Use {
    double time = 0, executions = 0;
  };
  const OpNames ops = ops_of(job_);
  std::map<std::string_view, Use> own, its;  // by op
  for (const NodeUse& n : outcome_.stats.nodes) {
    const auto op = ops.find(outcome_.log.name(n.node));
    if (op == ops.end() || (n.task != task && n.task != other)) continue;
    Use& use = (n.task == task ? own : its)[op->second];
    use.time += static_cast<double>(n.time), use.executions += static_cast<double>(n.executions);
  }
  double took = 0, would_take = 0;
  for (const auto& [op, use] : own)
    if (const auto it = its.find(op); it != its.end() && it->second.executions > 0)
      took += use.time, would_take += use.executions * it->second.time / it->second.executions;
  return would_take > 0 ? took / would_take : 1;
}

// Of equal ones the first.
StepCosts::CostOf StepCosts::median_one(std::vector<CostOf> all) {
  std::ranges::sort(all);
  return *std::ranges::find(all, all[(all.size() - 1) / 2].first, &CostOf::first);
}

StepCosts::Usual StepCosts::usual() const {
  std::vector<CostOf> all, finished, others;
  for (const auto& [task, own] : of_all_) {
    all.emplace_back(own, task);
    if (!has_finished_a_step(task)) continue;
    finished.emplace_back(own, task);
    if (own > 0 && !has_own_costs(job_, task)) others.emplace_back(own, task);
  }
  // One that finished no step has not shown all that a step costs.
  const CostOf of_all = median_one(finished.empty() ? all : finished);
  if (others.empty() || median_one(others).first >= of_all.first) return {of_all.first, of_all.second};
  add_slow_otherwise(others, finished);
  const CostOf usual = median_one(others);
  if (usual.first >= of_all.first) return {of_all.first, of_all.second};
  return {usual.first, usual.second, outcome_.tasks.show(usual.second)};
}

// To those of whom nothing is said alone, those that are slow, and without what is said of them nearly as slow.
void StepCosts::add_slow_otherwise(std::vector<CostOf>& others, const std::vector<CostOf>& finished) const {
  const double usual = median_one(others).first;
  const std::map<TaskId, double> without = without_own(median_one(others).second);
  for (const auto& [own, task] : finished) {
    const auto it = without.find(task);
    const double by_its_own = it == without.end() ? 0 : own - it->second;
    if (own > usual && has_own_costs(job_, task) && 2 * by_its_own < own - usual) others.emplace_back(own, task);
  }
}

// In a run of the job without what is said of single workers, which does as many steps; none where it fails.
std::map<TaskId, double> StepCosts::without_own(TaskId other) const {
  Job job = job_;
  for (const TaskId task : computing_) take_own_costs(job, task, other);
  job.stop.time = outcome_.log.ended_at - outcome_.log.started_at;
  job.stop.began = 0;
  for (const auto& [task, steps] : steps_) *job.stop.began += steps.begun();
  job.keep_kernels = job.keep_causes = job.audits = false;
  job.watch = nullptr;
  const auto outcome = run_apart(job);
  return outcome.ok() ? StepCosts(job, *outcome).of_all() : std::map<TaskId, double>();
}

}  // namespace tarry
