#include "scenarios/file/designs.hpp"

#include <algorithm>
#include <utility>

#include "placer/core/text.hpp"
#include "results/evidence.hpp"
#include "scenarios/file/names.hpp"
#include "scenarios/job/what_if_parts.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;

struct Design {
  Proof proof;
  std::optional<Scenario> scenario;  // nullopt = the job cannot have it
};

bool aggregates(const Scenario& s) {
  return s.build ? s.build->plan.protocol == Protocol::synchronous : s.stop.aggregates.has_value();
}

bool has_initial_tokens(const Scenario& s) {
  return aggregates(s) && s.training.num_tokens.value_or(s.build ? s.build->plan.num_tokens : -1) != 0;
}

Design without_tokens(const Scenario& s) {
  Design d{{.cause = Cause::tokens, .what = "the initial tokens", .instead = "without initial tokens"}, {}};
  if (has_initial_tokens(s)) d.scenario.emplace(s).training.num_tokens = 0;
  return d;
}

Design with_backup(const Scenario& s) {
  Design d{{.cause = Cause::replicas,
            .what = "an aggregate waits for a gradient of each worker",
            .instead = "with one gradient fewer in an aggregate"},
           {}};
  if (!s.build || !aggregates(s)) return d;
  const int replicas = s.build->plan.replicas.value_or(s.build->plan.workers);
  if (replicas == s.build->plan.workers && replicas > 1) d.scenario.emplace(s).build->plan.replicas = replicas - 1;
  return d;
}

// As many gradients as workers are built for bring one each.
Design with_one_of_each(const Scenario& s) {
  Design d{{.cause = Cause::replicas,
            .what = "an aggregate needs more gradients than there are workers",
            .instead = "with one gradient of each worker in an aggregate"},
           {}};
  if (!s.build || !aggregates(s)) return d;
  const int workers = s.build->plan.workers;
  if (s.build->plan.replicas.value_or(workers) > workers) d.scenario.emplace(s).build->plan.replicas = workers;
  return d;
}

// Of a job with backup workers, that nobody falls behind.
Design with_all_in_step(const Scenario& s) {
  const int workers = s.build ? s.build->plan.workers : 0,
            needed = s.build ? s.build->plan.replicas.value_or(workers) : 0;
  Design d{{.cause = Cause::replicas,
            .b = kForStandstills,
            .what = fmt::format("an aggregate needs {}, and there are {}, so that slow ones fall behind the others",
                                counted(needed, "gradient", "gradients"), counted(workers, "worker", "workers")),
            .instead = "with one gradient of each worker in an aggregate"},
           {}};
  if (s.build && aggregates(s) && needed < workers) d.scenario.emplace(s).build->plan.replicas = workers;
  return d;
}

Design with_one_chief(const Scenario& s) {
  Design d{{.cause = Cause::chiefs,
            .what = "several workers take themselves for the chief",
            .instead = "with one worker as the chief"},
           {}};
  if (s.build && s.build->plan.chiefs > 1) d.scenario.emplace(s).build->plan.chiefs = 1;
  return d;
}

bool has_barrier(Protocol p) { return p == Protocol::stale_synchronous || p == Protocol::replicated; }

// Of a job in which every worker of the plan has a part in what lets the others go on.
Design planned_for_those(const Scenario& s) {
  const auto is_worker = [](const TaskSpec& t) { return t.name.starts_with("/job:worker/"); };
  const auto workers = static_cast<int>(std::ranges::count_if(s.cluster.tasks, is_worker));
  const int planned = s.build ? s.build->plan.workers : 0;
  Design d{{.cause = Cause::planned,
            .what = fmt::format("the graph is built for {}, and the cluster has {}",
                                counted(planned, "worker", "workers"), workers),
            .instead = fmt::format("with a graph for {}", counted(workers, "worker", "workers"))},
           {}};
  if (s.build && has_barrier(s.build->plan.protocol) && workers > 0 && workers < planned)
    d.scenario.emplace(s).build->plan.workers = workers;
  return d;
}

// "worker 2".
std::string in_plain_words(const std::string& task) {
  std::string name = short_task(task);
  std::ranges::replace(name, '/', ' ');
  return name;
}

Design with_all_workers(const Scenario& s) {
  std::vector<std::string> who;
  Scenario all = s;
  for (auto& [task, client] : all.training.workers)
    if (std::exchange(client.absent, false)) who.push_back(in_plain_words(s.cluster.tasks[task.index()].name));
  if (who.empty()) return {{.cause = Cause::absent}, {}};
  const std::string names = who.size() == 1 ? who.front() : listed(who);
  return {{.cause = Cause::absent,
           .what = fmt::format("{} never {}", names, who.size() == 1 ? "comes" : "come"),
           .instead = "with " + names},
          std::move(all)};
}

// It is like the last one, on a host of its own.
void add_server(Scenario& s, int number) {
  const auto is_ps = [](const TaskSpec& t) { return t.name.starts_with("/job:ps/"); };
  TaskSpec server = *std::find_if(s.cluster.tasks.rbegin(), s.cluster.tasks.rend(), is_ps);
  server.name = fmt::format("/job:ps/replica:0/task:{}", number);
  server.host = add_host_like(s.cluster, server.host, fmt::format("a host for ps {}", number));
  s.cluster.tasks.push_back(std::move(server));
}

Design with_server(const Scenario& s) {
  Design d{{.cause = Cause::servers,
            .what = "the parameter servers share the work",
            .instead = "with one more parameter server"},
           {}};
  const int servers = s.build ? s.build->plan.ps.value_or(0) : 0;
  if (servers == 0 || s.build->plan.protocol == Protocol::handwritten) return d;
  const std::string name = fmt::format("/job:ps/replica:0/task:{}", servers);
  d.scenario.emplace(s).build->plan.ps = servers + 1;
  if (!find_task(s.cluster, name).valid()) add_server(*d.scenario, servers);
  return d;
}

StatusOr<std::vector<WhatIf>> made(const Scenario& s, const RunOptions& options,
                                   std::initializer_list<Design (*)(const Scenario&)> all) {
  std::vector<WhatIf> out;
  for (const auto& make : all)
    if (const Design d = make(s); d.scenario) {
      TARRY_ASSIGN(Job job, make_job(*d.scenario, options));
      out.push_back({d.proof, std::move(job)});
    }
  return out;
}

}  // namespace

StatusOr<std::vector<WhatIf>> likely_designs(const Scenario& s, const RunOptions& options) {
  return made(s, options, {with_one_chief, with_one_of_each, planned_for_those, with_all_workers, with_all_in_step});
}

StatusOr<std::vector<WhatIf>> other_designs(const Scenario& s, const RunOptions& options) {
  return made(s, options,
              {with_one_chief, without_tokens, with_backup, with_one_of_each, with_server, planned_for_those,
               with_all_workers});
}

}  // namespace tarry
