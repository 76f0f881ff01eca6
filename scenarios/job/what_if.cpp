#include "scenarios/job/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "placer/core/text.hpp"
#include "results/contributions.hpp"
#include "results/loads.hpp"
#include "scenarios/job/difference.hpp"
#include "scenarios/job/made_like.hpp"
#include "scenarios/job/overheads.hpp"
#include "scenarios/job/slow_kernels.hpp"
#include "scenarios/job/steps_begun.hpp"
#include "scenarios/job/what_if_parts.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;

// ---- numbers ----

template <class T>
T median(std::vector<T> values) {
  std::ranges::sort(values);
  return values.empty() ? T() : values[(values.size() - 1) / 2];
}

// ---- the candidates ----

class Candidates {
 public:
  Candidates(const Job& job, const Outcome& outcome, const std::set<TaskId>& by_chance)
      : job_(job),
        outcome_(outcome),
        by_chance_(by_chance),
        contributions_(read_contributions(outcome.log)),
        loads_(read_loads(outcome.log)) {
    for (const WorkerStory& w : contributions_.workers) workers_.push_back(w.task);
    for (std::size_t t = 0; t < job.cluster.tasks.size(); ++t)
      if (outcome.tasks.is_ps(TaskId{t})) servers_.push_back(TaskId{t});
    for (const LoggedEvent& e : outcome.log.events()) {
      if (const auto* began = std::get_if<StepBegan>(&e.event); began && began->purpose == Purpose::train)
        steps_[began->task].begin(began->step, e.at);
      if (const auto* ended = std::get_if<StepEnded>(&e.event))
        steps_[ended->task].end(ended->step, e.at, ended->code == 0);
      if (const auto* lost = std::get_if<ProcessEnded>(&e.event)) steps_[lost->task].lose(e.at);
    }
  }

  std::vector<WhatIf> all(Scope scope) {
    add_fault_what_ifs(out_, job_, outcome_);
    add_start_what_ifs(out_, job_, outcome_, scope);
    add_slow_workers();
    add_card_what_ifs(out_, job_, outcome_);
    add_far_hosts();
    add_far_servers();
    add_all_of_a_kind();
    add_imbalance_what_ifs(out_, job_, outcome_);
    add_device_what_ifs(out_, job_, outcome_);
    add_variation_what_ifs(out_, job_, outcome_, scope);
    add_overheads(scope);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string show(TaskId t) const { return outcome_.tasks.show(t); }
  [[nodiscard]] HostId host_of(TaskId t) const { return job_.cluster.tasks[t.index()].host; }
  [[nodiscard]] const std::string& name_of(HostId h) const { return job_.cluster.hosts[h.index()].name; }

  [[nodiscard]] std::string show(HostId h) const { return with_its_tasks(job_, outcome_, h); }

  WhatIf& add(Proof proof) { return out_.emplace_back(WhatIf{std::move(proof), job_}); }

  [[nodiscard]] HostId find_host(const std::string& name) const {
    const auto& hosts = job_.cluster.hosts;
    return HostId{static_cast<std::size_t>(std::ranges::find(hosts, name, &HostSpec::name) - hosts.begin())};
  }

  // ": 50 ms and 80 ms; usual is 1 ms", ": 0.060 s a step each"; of latencies beside bandwidths nothing is usual.
  [[nodiscard]] static std::string each_in_words(const std::vector<std::string>& amounts,
                                                 const std::set<std::string>& usual) {
    const bool are_equal = std::ranges::count(amounts, amounts[0]) == std::ssize(amounts);
    const bool is_told = usual.size() == 1 && !usual.begin()->empty();
    return fmt::format(": {}{}", are_equal ? amounts[0] + " each" : listed(amounts),
                       is_told ? "; usual is " + *usual.begin() : "");
  }

  // All of a kind, where there are several: where everybody waits for all of them, each alone gains nothing.
  void add_all(Cause kind, Cause as, const std::string& what, const std::string& instead) {
    Job job = job_;
    std::vector<std::string> names, hosts, amounts;
    std::set<std::string> usual;
    std::size_t count = 0;
    for (const WhatIf& w : out_) {
      if (w.proof.cause != kind) continue;
      make_difference(job, job_, w.job);
      ++count;
      if (!hosts.empty() && hosts.back() == w.proof.a) continue;  // another card of it
      names.push_back(w.proof.task.valid() ? show(w.proof.task) : show(find_host(w.proof.a)));
      amounts.push_back(w.amount);
      usual.insert(w.usual);
      if (!w.proof.a.empty()) hosts.push_back(w.proof.a);
    }
    if (count < 2) return;
    const std::string how_much = names.size() == 1 || names.size() > kMostNames ? "" : each_in_words(amounts, usual);
    const std::string who = names.size() == 1 ? names.front() : listed(std::move(names));
    out_.push_back({{.cause = as,
                     .a = join(hosts, ", "),
                     .what = fmt::format(fmt::runtime(what), who) + how_much,
                     .instead = instead,
                     .together = true},
                    std::move(job)});
  }
  void add_all_of_a_kind() {
    add_all(Cause::late_start, Cause::late_start, "{} began later than the worker that began first",
            "with all workers as early as the first");
    add_all(Cause::slow_worker, Cause::workers, "the kernels of {} take longer than those of " + usual_worker_,
            "with all workers as fast as " + usual_worker_);
    add_all(Cause::slow_card, Cause::slow_card, "the network cards of {} have less bandwidth than those of the others",
            "with network cards like the others'");
    add_all(Cause::far_host, Cause::far_host,
            "{} are farther from the tasks that they exchange messages with than the others",
            "with all of them as near as the others");
  }

  // Who computes the steps: the clients, or, where one client runs parts on others (in-graph), the tasks that compute.
  [[nodiscard]] std::vector<TaskId> computing() const {
    if (job_.clients.size() != 1) return workers_;
    std::set<TaskId> busy;
    for (const DeviceUse& d : outcome_.stats.devices)
      if (d.busy > 0 && !outcome_.tasks.is_ps(d.task)) busy.insert(d.task);
    return {busy.begin(), busy.end()};
  }
  // Those that are lost, or do not end, have computed as well.
  [[nodiscard]] StepsDone steps_of(TaskId task) const {
    const auto it = steps_.find(job_.clients.size() == 1 ? job_.clients[0].task : task);
    if (it == steps_.end()) return {};
    return {it->second.count(outcome_.log.ended_at), it->second.whole(), it->second.begun()};
  }
  // Busy time for each step, but that of copies: these wait for a PCIe root, or a copy engine, and not for the worker.
  [[nodiscard]] double cost_of_a_step(TaskId task) const {
    Nanos busy = 0;
    for (const DeviceUse& d : outcome_.stats.devices)
      if (d.task == task && d.name.find("memcpy") == d.name.npos) busy += d.busy - d.busy_before;
    const double steps = steps_of(task).count;
    return steps == 0 ? 0 : static_cast<double>(busy) / steps;
  }
  [[nodiscard]] bool has_finished_a_step(TaskId task) const {
    const auto it = std::ranges::find(contributions_.workers, task, &WorkerStory::task);
    return it == contributions_.workers.end() || it->steps > 0;
  }

  void add_slow_workers() {
    std::map<TaskId, StepsDone> steps;
    std::map<TaskId, double> cost;
    for (const TaskId task : computing()) steps[task] = has_finished_a_step(task) ? steps_of(task) : StepsDone();
    const SlowKernels kernels(job_, outcome_, steps);
    for (const TaskId task : computing())
      cost[task] = kernels.are_known() ? kernels.times().at(task) : cost_of_a_step(task);
    std::vector<double> costs, of_finished;
    for (const auto& [task, own] : cost) {
      costs.push_back(own);
      if (has_finished_a_step(task)) of_finished.push_back(own);
    }
    // One that finished no step has not shown all that a step costs.
    const double usual = usual_of(cost, median(of_finished.empty() ? costs : of_finished));
    const auto of_median = std::ranges::find(cost, usual, &std::pair<const TaskId, double>::second);
    for (const auto& [task, own] : cost) {
      WhatIf* w = add_slow_worker(task, own, usual);
      if (w == nullptr) continue;
      if (auto like = kernels.are_known() ? made_like(job_, task, of_median->first) : std::nullopt)
        w->job = *std::move(like);
      else
        set_pace(w->job, task, own, usual, kernels);
    }
  }
  // The median; where most workers are slow by rules that name them alone, that of those which no rule names.
  [[nodiscard]] double usual_of(const std::map<TaskId, double>& cost, double of_all) {
    std::vector<double> unnamed;
    for (const auto& [task, own] : cost)
      if (has_finished_a_step(task) && own > 0 && !is_named_by_a_cost(task)) unnamed.push_back(own);
    if (unnamed.empty() || median(unnamed) >= of_all) return of_all;
    const auto of_one = std::ranges::find(cost, median(unnamed), &std::pair<const TaskId, double>::second);
    usual_worker_ = unnamed.size() == 1 ? show(of_one->first) : "a worker without costs of its own";
    return of_one->second;
  }
  [[nodiscard]] bool is_named_by_a_cost(TaskId task) const {
    const auto is_of_it = [&](const auto& what) { return what.task == task; };
    return std::ranges::count(job_.costs.rules, job_.cluster.tasks[task.index()].name, &CostRule::task) > 0 ||
           std::ranges::any_of(job_.costs.interference, is_of_it) ||
           std::ranges::any_of(job_.costs.variations, is_of_it);
  }
  // So that its steps take the usual time on average.
  void set_pace(Job& job, TaskId task, double own, double usual, const SlowKernels& kernels) const {
    if (kernels.are_known())
      job.costs.node_paces[job_.cluster.tasks[task.index()].name] = kernels.paces_of(task, usual);
    else
      job.faults.push_back({Nanos{0}, Slow{task, {std::max<std::int64_t>(1, std::llround(100 * usual / own))}, {}}});
  }
  // nullptr where it is not slow.
  WhatIf* add_slow_worker(TaskId task, double cost, double usual) {
    if (usual <= 0 || kMuchWorse * cost <= usual || by_chance_.contains(task)) return nullptr;
    WhatIf& w = add({.cause = Cause::slow_worker,
                     .task = task,
                     .what = fmt::format("the kernels of a step of {} together take {:.3f} s and those of {} {:.3f} s",
                                         show(task), cost / kSecond, usual_worker_, usual / kSecond),
                     .instead = fmt::format("with {} as fast as {}", show(task), usual_worker_)});
    w.excess = cost / usual - 1;
    w.amount = fmt::format("{:.3f} s a step", cost / kSecond);
    w.usual = fmt::format("{:.3f} s a step", usual / kSecond);
    return &w;
  }

  // ---- paths ----

  // Whom those that compute exchange messages with: the parameter servers, and a client that runs parts on others.
  [[nodiscard]] std::vector<TaskId> partners() const {
    std::vector<TaskId> all = servers_;
    if (job_.clients.size() == 1) all.push_back(job_.clients[0].task);
    return all;
  }
  [[nodiscard]] std::string partners_in_words() const {
    const std::string client = job_.clients.size() == 1 ? show(job_.clients[0].task) : "";
    if (servers_.empty()) return client;
    return "the parameter servers" + (client.empty() ? "" : " and " + client);
  }
  // Those of them that are at the end of a bad path, or all.
  [[nodiscard]] std::string partners_in_words(HostId from, bool (*is_bad)(const PathSpec&, const PathSpec&),
                                              const PathSpec& usual) const {
    std::vector<std::string> names;
    for (const TaskId task : partners())
      if (is_bad(path_of(job_.cluster, from, host_of(task)), usual)) names.push_back(show(task));
    if (names.size() == partners().size()) return partners_in_words();
    return names.size() == 1 ? names.front() : listed(std::move(names));
  }
  [[nodiscard]] std::vector<PathSpec> paths_to_partners(HostId from) const {
    std::vector<PathSpec> paths;
    for (const TaskId task : partners()) paths.push_back(path_of(job_.cluster, from, host_of(task)));
    return paths;
  }
  // With the latencies of trunks, and without what is shared: cards, and the bandwidth of trunks.
  [[nodiscard]] static PathSpec path_of(const ClusterSpec& cluster, HostId from, HostId to) {
    PathSpec path = link_between(cluster.network, from, to);
    path.latency += trunk_path(cluster, from, to).latency;
    return path;
  }
  [[nodiscard]] static PathSpec worst_of(const std::vector<PathSpec>& paths) {
    PathSpec worst;
    for (const PathSpec& p : paths)
      worst = {std::max(worst.latency, p.latency),
               from_limit(std::min(as_limit(worst.bandwidth), as_limit(p.bandwidth)))};
    return worst;
  }

  [[nodiscard]] static PathSpec median_of(const std::map<HostId, PathSpec>& paths) {
    std::vector<Nanos> latencies;
    std::vector<std::uint64_t> limits;
    for (const auto& [host, path] : paths) {
      latencies.push_back(path.latency);
      limits.push_back(as_limit(path.bandwidth));
    }
    std::ranges::sort(limits);
    return {median(latencies), from_limit(limits[limits.size() / 2])};
  }
  [[nodiscard]] static bool has_much_more_latency(const PathSpec& path, const PathSpec& usual) {
    return kMuchWorse * static_cast<double>(path.latency) > static_cast<double>(usual.latency);
  }
  [[nodiscard]] static bool is_much_narrower(const PathSpec& path, const PathSpec& usual) {
    const auto limit = [](const PathSpec& p) { return static_cast<double>(as_limit(p.bandwidth)); };
    return limit(path) < kMuchWorse * limit(usual);
  }

  // A host of workers, whose worst path to a partner is much longer or narrower than the median host's.
  void add_far_hosts() {
    std::map<HostId, PathSpec> worst;
    for (const TaskId w : computing())
      if (const auto paths = paths_to_partners(host_of(w)); !paths.empty()) worst[host_of(w)] = worst_of(paths);
    if (worst.size() < 2) return;
    const PathSpec usual = median_of(worst);
    for (const auto& [host, path] : worst) add_far_host(host, path, usual);
  }

  void add_far_host(HostId host, const PathSpec& path, const PathSpec& usual) {
    const bool is_far = has_much_more_latency(path, usual);
    if (!is_far && !is_much_narrower(path, usual)) return;
    const std::string where = partners_in_words(host, is_far ? has_much_more_latency : is_much_narrower, usual);
    const std::string what =
        is_far ? fmt::format("messages of {} take {} to {} and those of the others {}", show(host),
                             time_in_words(path.latency), where, time_in_words(usual.latency))
               : fmt::format("the path of {} to {} has {} and those of the others {}", show(host), where,
                             bandwidth_in_words(path.bandwidth), bandwidth_in_words(usual.bandwidth));
    WhatIf& w = add({.cause = Cause::far_host,
                     .a = name_of(host),
                     .what = what,
                     .instead = fmt::format("with {} as near as the others", show(host))});
    w.amount = is_far ? time_in_words(path.latency) : bandwidth_in_words(path.bandwidth);
    w.usual = is_far ? time_in_words(usual.latency) : bandwidth_in_words(usual.bandwidth);
    for (const TaskId task : partners())
      if (host_of(task) != host) improve_link(w.job.cluster, host, host_of(task), usual);
  }

  // A host of parameter servers that is far from all workers, and others are not.
  void add_far_servers() {
    std::set<HostId> from;
    for (const TaskId w : workers_) from.insert(host_of(w));
    std::map<HostId, PathSpec> nearest;
    for (const TaskId ps : servers_)
      if (!from.contains(host_of(ps))) nearest[host_of(ps)] = nearest_of(host_of(ps), from);
    if (nearest.size() < 2 || from.size() < 2) return;
    const PathSpec usual = median_of(nearest);
    for (const auto& [host, path] : nearest) add_far_server(host, path, usual, from);
  }

  [[nodiscard]] PathSpec nearest_of(HostId server, const std::set<HostId>& from) const {
    PathSpec nearest{std::numeric_limits<Nanos>::max(), 1};
    for (const HostId host : from) {
      const PathSpec p = path_of(job_.cluster, host, server);
      nearest = {std::min(nearest.latency, p.latency),
                 from_limit(std::max(as_limit(nearest.bandwidth), as_limit(p.bandwidth)))};
    }
    return nearest;
  }

  void add_far_server(HostId host, const PathSpec& path, const PathSpec& usual, const std::set<HostId>& from) {
    const bool is_far = has_much_more_latency(path, usual);
    if (!is_far && !is_much_narrower(path, usual)) return;
    const std::string what =
        is_far ? fmt::format("messages to {} take {} and those to the other parameter servers {}", show(host),
                             time_in_words(path.latency), time_in_words(usual.latency))
               : fmt::format("the paths to {} have {} and those to the other parameter servers {}", show(host),
                             bandwidth_in_words(path.bandwidth), bandwidth_in_words(usual.bandwidth));
    WhatIf& w = add({.cause = Cause::far_host,
                     .a = name_of(host),
                     .what = what,
                     .instead = fmt::format("with {} as near as the others", show(host))});
    w.amount = is_far ? time_in_words(path.latency) : bandwidth_in_words(path.bandwidth);
    w.usual = is_far ? time_in_words(usual.latency) : bandwidth_in_words(usual.bandwidth);
    for (const HostId worker : from) improve_link(w.job.cluster, worker, host, usual);
  }

  // At most as bad as `path`: where its rack's trunk alone takes longer, the host leaves the rack.
  static void improve_link(ClusterSpec& cluster, HostId host, HostId server, const PathSpec& path) {
    if (trunk_path(cluster, host, server).latency > path.latency) cluster.hosts[host.index()].rack = RackId::none();
    const PathSpec now = link_between(cluster.network, host, server);
    const Nanos left = std::max<Nanos>(0, path.latency - trunk_path(cluster, host, server).latency);
    set_link(cluster.network, host, server,
             {std::min(now.latency, left), from_limit(std::max(as_limit(now.bandwidth), as_limit(path.bandwidth)))});
  }

  // ---- what all wait for ----

  [[nodiscard]] Proof proof_of(const Overhead& o) const {
    const std::string odd = o.odd == nullptr ? "" : o.odd(job_, outcome_.tasks);
    return {.cause = o.cause,
            .b = odd.empty() ? "" : "one",
            .what = odd.empty() ? std::string(o.what) : fmt::format("{}; {}", o.what, odd),
            .instead = o.instead};
  }
  void add_overheads(Scope scope) {
    const StepTimes all = sum_of(loads_);
    for (const Overhead& o : overheads())
      if (o.is_there(job_) && (scope == Scope::all || o.shows(all))) o.take_away(add(proof_of(o)).job);
  }

  const Job& job_;
  const Outcome& outcome_;
  const std::set<TaskId>& by_chance_;
  std::string usual_worker_ = "the median worker";  // that slow ones are compared with
  const Contributions contributions_;
  const Loads loads_;
  std::vector<TaskId> workers_, servers_;
  std::map<TaskId, StepsBegun> steps_;
  std::vector<WhatIf> out_;
};

}  // namespace

std::vector<WhatIf> what_ifs(const Job& job, const Outcome& outcome, Scope scope, const std::set<TaskId>& by_chance) {
  return Candidates(job, outcome, by_chance).all(scope);
}

}  // namespace tarry
