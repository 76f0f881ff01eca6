// Parameter servers whose part of a checkpoint takes longer to save than that of the others.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "placer/device/name.hpp"
#include "scenarios/job/cost_users.hpp"
#include "scenarios/job/what_if_parts.hpp"
#include "sim/costs.hpp"

namespace tarry {
namespace {

constexpr std::string_view kSave = "SaveV2";

// What a parameter server spent on saves. Its nodes run side by side: the longest counts.
struct Saves {
  double each = 0;
  Nanos all = 0;
  std::vector<std::string> nodes = {};
};

// Costs that are drawn are longer on one server than on another by chance.
bool are_drawn(const Job& job) {
  return std::ranges::any_of(job.costs.rules, [](const CostRule& r) {
    const bool is_of_saves =
        r.op.empty() ? r.node.empty() || r.node.find(kSave) != r.node.npos : matches_glob(kSave, r.op);
    return is_of_saves && !std::holds_alternative<Constant>(r.amount);
  });
}

// That is told of the fault.
bool is_slowed_by_fault(const Job& job, TaskId task) {
  return std::ranges::any_of(job.faults, [&](const Fault& f) {
    const auto* slow = std::get_if<Slow>(&f.what);
    return slow != nullptr && slow->task == task;
  });
}

std::map<TaskId, Saves> saves_of(const Job& job, const Outcome& outcome) {
  const OpNames ops = ops_of(job);
  std::map<TaskId, Saves> out;
  for (const NodeUse& n : outcome.stats.nodes) {
    const auto op = ops.find(outcome.log.name(n.node));
    if (op == ops.end() || op->second != kSave || n.time <= 0 || !outcome.tasks.is_ps(n.task)) continue;
    Saves& own = out[n.task];
    const double each = static_cast<double>(n.time) / static_cast<double>(n.executions);
    if (each > own.each) own.each = each, own.all = n.time;
    own.nodes.emplace_back(op->first);
  }
  return out;
}

// What is saved in no time is in no count of kernels: each parameter server that the graph has save is one.
void add_quick_ones(std::map<TaskId, Saves>& saves, const Job& job, const Outcome& outcome) {
  if (job.clients.empty() || job.clients.front().program.graph == nullptr) return;
  for (const NodeSpec& n : job.clients.front().program.graph->nodes) {
    const auto device = n.op == kSave ? parse_device_name(n.device) : std::nullopt;
    if (!device || !device->job || !device->task) continue;
    const TaskId task = outcome.tasks.find(fmt::format("/job:{}/replica:0/task:{}", *device->job, *device->task));
    if (task.valid() && outcome.tasks.is_ps(task)) saves.try_emplace(task);
  }
}

double median_save(const std::map<TaskId, Saves>& all) {
  std::vector<double> each;
  for (const auto& [task, own] : all) each.push_back(own.each);
  std::ranges::sort(each);
  return each[(each.size() - 1) / 2];
}

void make_usual(Job& job, const std::string& task, const Saves& own, double usual) {
  for (const std::string& node : own.nodes)
    job.costs.node_paces[task][node] = std::max(1LL, std::llround(static_cast<double>(kUsualPace) * usual / own.each));
}

}  // namespace

void add_save_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome) {
  std::map<TaskId, Saves> all = saves_of(job, outcome);
  if (all.empty() || are_drawn(job)) return;
  add_quick_ones(all, job, outcome);
  if (all.size() < 2) return;
  const double usual = median_save(all);
  const double shows = kNoticed * static_cast<double>(outcome.log.ended_at - outcome.log.started_at);
  WhatIf w{{.cause = Proof::Cause::checkpoints}, job};
  std::vector<std::string> who;
  double longest = 0;
  for (const auto& [task, own] : all) {
    if (kMuchWorse * own.each <= usual || static_cast<double>(own.all) < shows || is_slowed_by_fault(job, task))
      continue;
    make_usual(w.job, job.cluster.tasks[task.index()].name, own, usual);
    longest = std::max(longest, own.each);
    w.proof.task = who.empty() ? task : TaskId::none();
    who.push_back(outcome.tasks.show(task));
  }
  if (who.empty()) return;
  const std::string names = who.size() == 1 ? who.front() : listed(who);
  w.proof.a = names;
  w.proof.what = fmt::format("a save takes {} {:.3f} s{}, and the median parameter server {:.3f} s", names,
                             longest / kSecond, who.size() == 1 ? "" : " at the most", usual / kSecond);
  w.proof.instead = fmt::format("with saves of {} as short as those of the median parameter server", names);
  out.push_back(std::move(w));
}

}  // namespace tarry
