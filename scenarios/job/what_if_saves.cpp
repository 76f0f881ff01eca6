// Parameter servers whose part of a checkpoint takes longer to save than that of the others.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "scenarios/job/cost_users.hpp"
#include "scenarios/job/what_if_parts.hpp"
#include "sim/costs.hpp"

namespace tarry {
namespace {

constexpr std::string_view kSave = "SaveV2";

// What a parameter server spent on saves.
struct Saves {
  Nanos time = 0;
  std::uint64_t executions = 0;
  std::vector<std::string> nodes = {};
  [[nodiscard]] double each() const { return static_cast<double>(time) / static_cast<double>(executions); }
};

std::map<TaskId, Saves> saves_of(const Job& job, const Outcome& outcome) {
  const OpNames ops = ops_of(job);
  std::map<TaskId, Saves> out;
  for (const NodeUse& n : outcome.stats.nodes) {
    const auto op = ops.find(outcome.log.name(n.node));
    if (op == ops.end() || op->second != kSave || n.time <= 0 || !outcome.tasks.is_ps(n.task)) continue;
    Saves& own = out[n.task];
    own.time += n.time, own.executions = std::max(own.executions, n.executions);
    own.nodes.emplace_back(op->first);
  }
  return out;
}

double median_save(const std::map<TaskId, Saves>& all) {
  std::vector<double> each;
  for (const auto& [task, own] : all) each.push_back(own.each());
  std::ranges::sort(each);
  return each[(each.size() - 1) / 2];
}

void make_usual(Job& job, const std::string& task, const Saves& own, double usual) {
  for (const std::string& node : own.nodes)
    job.costs.node_paces[task][node] =
        std::max(1LL, std::llround(static_cast<double>(kUsualPace) * usual / own.each()));
}

}  // namespace

void add_save_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome) {
  const std::map<TaskId, Saves> all = saves_of(job, outcome);
  if (all.size() < 2) return;
  const double usual = median_save(all);
  const double shows = kNoticed * static_cast<double>(outcome.log.ended_at - outcome.log.started_at);
  WhatIf w{{.cause = Proof::Cause::checkpoints}, job};
  std::vector<std::string> who;
  double longest = 0;
  for (const auto& [task, own] : all) {
    if (kMuchWorse * own.each() <= usual || static_cast<double>(own.time) < shows) continue;
    make_usual(w.job, job.cluster.tasks[task.index()].name, own, usual);
    longest = std::max(longest, own.each());
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
