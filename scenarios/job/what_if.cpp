#include "scenarios/job/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "placer/core/text.hpp"
#include "results/contributions.hpp"
#include "results/loads.hpp"
#include "scenarios/job/overheads.hpp"
#include "workers/train/build/device_setter.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;

constexpr double kMuchWorse = 0.8;  // of the others' median: a card, a path or a worker that is looked at
constexpr double kUneven = 1.2;     // the busiest parameter server beside the mean

// ---- who a fault is about ----

struct Subject {
  TaskId task;
  std::string a, b;  // hosts, or tasks
  friend auto operator<=>(const Subject&, const Subject&) = default;
};

class SubjectReader {
 public:
  explicit SubjectReader(const ClusterSpec& cluster) : cluster_(cluster) {}

  Subject of(const Fault& fault) {
    std::visit(
        [this]<class K>(const K& kind) {
          std::apply([&](const auto&... field) { (take(kind.*field.member), ...); }, K::fields());
        },
        fault.what);
    return subject_;
  }

 private:
  void take(TaskId task) { subject_.task = task; }
  void take(HostId host) { subject_.a = cluster_.hosts[host.index()].name; }
  void take(const HostList& list) {
    for (const HostId host : list.hosts)
      subject_.a += (subject_.a.empty() ? "" : ", ") + cluster_.hosts[host.index()].name;
  }
  void take(const HostPair& p) {
    subject_.a = cluster_.hosts[p.a.index()].name, subject_.b = cluster_.hosts[p.b.index()].name;
  }
  void take(const TaskPair& p) {
    subject_.a = cluster_.tasks[p.a.index()].name, subject_.b = cluster_.tasks[p.b.index()].name;
  }
  template <class Other>
  void take(const Other&) {}

  const ClusterSpec& cluster_;
  Subject subject_;
};

// ---- numbers ----

template <class T>
T median(std::vector<T> values) {
  std::ranges::sort(values);
  return values.empty() ? T() : values[(values.size() - 1) / 2];
}

// 0 = unlimited, which is more than anything.
std::uint64_t as_limit(std::uint64_t bandwidth) {
  return bandwidth == 0 ? std::numeric_limits<std::uint64_t>::max() : bandwidth;
}
std::uint64_t from_limit(std::uint64_t limit) { return limit == std::numeric_limits<std::uint64_t>::max() ? 0 : limit; }

std::string in_words(std::uint64_t bandwidth) {
  return bandwidth == 0 ? std::string("no limit")
                        : fmt::format("{:.6g} Mb/s", static_cast<double>(bandwidth) * 8 / 1e6);
}

// ---- the candidates ----

class Candidates {
 public:
  Candidates(const Job& job, const Outcome& outcome)
      : job_(job), outcome_(outcome), contributions_(read_contributions(outcome.log)), loads_(read_loads(outcome.log)) {
    for (const WorkerStory& w : contributions_.workers) workers_.push_back(w.task);
    for (std::size_t t = 0; t < job.cluster.tasks.size(); ++t)
      if (outcome.tasks.is_ps(TaskId{t})) servers_.push_back(TaskId{t});
    for (const LoggedEvent& e : outcome.log.events())
      if (const auto* began = std::get_if<StepBegan>(&e.event); began && began->purpose == Purpose::train)
        ++began_[began->task];
  }

  std::vector<WhatIf> all(Scope scope) {
    add_faults();
    add_late_starts();
    add_slow_workers();
    add_slow_cards();
    add_far_hosts();
    add_imbalance();
    add_overheads(scope);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string show(TaskId t) const { return outcome_.tasks.show(t); }
  [[nodiscard]] HostId host_of(TaskId t) const { return job_.cluster.tasks[t.index()].host; }
  [[nodiscard]] const std::string& name_of(HostId h) const { return job_.cluster.hosts[h.index()].name; }

  // "host1 (worker 0, worker 1)".
  [[nodiscard]] std::string show(HostId h) const {
    std::vector<std::string> tasks;
    for (std::size_t t = 0; t < job_.cluster.tasks.size(); ++t)
      if (host_of(TaskId{t}) == h) tasks.push_back(show(TaskId{t}));
    return fmt::format("{} ({})", name_of(h), join(tasks, ", "));
  }

  // A host's name, or a task's as people read it.
  [[nodiscard]] std::string show_end(const std::string& name) const {
    const TaskId task = outcome_.tasks.find(name);
    return task.valid() ? show(task) : name;
  }

  [[nodiscard]] std::string show_subject(const Subject& s) const {
    if (s.task.valid()) return "of " + show(s.task);
    if (s.a.empty()) return "of the checkpoints";
    return s.b.empty() ? "of " + s.a : fmt::format("between {} and {}", show_end(s.a), show_end(s.b));
  }

  WhatIf& add(Proof proof) { return out_.emplace_back(WhatIf{std::move(proof), job_}); }

  void add_faults() {
    std::set<Subject> known;
    for (const Fault& f : job_.faults)
      if (const Subject s = SubjectReader(job_.cluster).of(f); known.insert(s).second) {
        const std::string who = show_subject(s);
        WhatIf& w = add({.cause = Cause::faults,
                         .task = s.task,
                         .a = s.a,
                         .b = s.b,
                         .what = "there were faults " + who,
                         .instead = "without the faults " + who});
        std::erase_if(w.job.faults, [&](const Fault& o) { return SubjectReader(job_.cluster).of(o) == s; });
      }
  }

  static Nanos lateness(const ClientJob& c) {
    return c.lets_others_look ? 0 : std::max(c.options.start_after, c.options.first_step_after);
  }

  // Later than the first one: all that begin together are on time, however late that is.
  void add_late_starts() {
    Nanos first = std::numeric_limits<Nanos>::max();
    for (const ClientJob& c : job_.clients) first = std::min(first, lateness(c));
    for (std::size_t i = 0; i < job_.clients.size(); ++i)
      if (const Nanos late = lateness(job_.clients[i]) - first; late > 0) {
        const std::string who = show(job_.clients[i].task);
        WhatIf& w = add({.cause = Cause::late_start,
                         .task = job_.clients[i].task,
                         .what = fmt::format("{} began {:.3f} s after the first", who, in_seconds(late)),
                         .instead = fmt::format("with {} there with the first", who)});
        TrainOptions& options = w.job.clients[i].options;
        options.start_after = std::min(options.start_after, first);
        options.first_step_after = std::min(options.first_step_after, first);
        options.joins_gate = options.start_after == 0;
      }
  }

  // Busy time for each step that began: those that are lost, or do not end, have computed as well. What
  // others took of a PCIe root is not the worker's.
  [[nodiscard]] double cost_of_a_step(std::size_t worker) const {
    Nanos busy = 0;
    for (const DeviceUse& d : outcome_.stats.devices)
      if (d.task == workers_[worker]) busy += d.busy - d.shared;
    const auto it = began_.find(workers_[worker]);
    const std::int64_t steps = it == began_.end() ? 0 : it->second;
    return steps == 0 ? 0 : static_cast<double>(busy) / static_cast<double>(steps);
  }

  void add_slow_workers() {
    std::vector<double> costs;
    for (std::size_t w = 0; w < workers_.size(); ++w) costs.push_back(cost_of_a_step(w));
    const double usual = median(costs);
    for (std::size_t w = 0; w < workers_.size(); ++w)
      if (usual > 0 && kMuchWorse * costs[w] > usual)
        add({.cause = Cause::slow_worker,
             .task = workers_[w],
             .what = fmt::format("the kernels of a step of {} take {:.3f} s and those of the median worker {:.3f} s",
                                 show(workers_[w]), costs[w] / kSecond, usual / kSecond),
             .instead = fmt::format("with {} as fast as the median worker", show(workers_[w]))})
            .job.faults.push_back(
                {Nanos{0}, Slow{workers_[w], {std::max<std::int64_t>(1, std::llround(100 * usual / costs[w]))}, {}}});
  }

  void add_slow_cards() {
    std::vector<std::uint64_t> cards;
    for (const HostSpec& h : job_.cluster.hosts) cards.push_back(as_limit(h.nic_bandwidth));
    std::vector<std::uint64_t> sorted = cards;
    std::ranges::sort(sorted);
    const std::uint64_t usual = sorted[sorted.size() / 2];
    for (std::size_t h = 0; h < cards.size(); ++h)
      if (static_cast<double>(cards[h]) < kMuchWorse * static_cast<double>(usual))
        add({.cause = Cause::slow_card,
             .a = job_.cluster.hosts[h].name,
             .what = fmt::format("the network card of {} has {} and those of the others {}", show(HostId{h}),
                                 in_words(from_limit(cards[h])), in_words(from_limit(usual))),
             .instead = fmt::format("with {} there", in_words(from_limit(usual)))})
            .job.cluster.hosts[h]
            .nic_bandwidth = from_limit(usual);
  }

  // ---- paths ----

  [[nodiscard]] std::vector<PathSpec> paths_to_servers(HostId from) const {
    std::vector<PathSpec> paths;
    for (const TaskId ps : servers_) paths.push_back(path_of(job_.cluster, from, host_of(ps)));
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

  // A host of workers, whose worst path to a parameter server is much longer or narrower than the median host's.
  void add_far_hosts() {
    std::map<HostId, PathSpec> worst;
    for (const TaskId w : workers_)
      if (const auto paths = paths_to_servers(host_of(w)); !paths.empty()) worst[host_of(w)] = worst_of(paths);
    if (worst.size() < 2) return;
    std::vector<Nanos> latencies;
    std::vector<std::uint64_t> limits;
    for (const auto& [host, path] : worst) {
      latencies.push_back(path.latency);
      limits.push_back(as_limit(path.bandwidth));
    }
    std::ranges::sort(limits);
    const PathSpec usual{median(latencies), from_limit(limits[limits.size() / 2])};
    for (const auto& [host, path] : worst) add_far_host(host, path, usual);
  }

  void add_far_host(HostId host, const PathSpec& path, const PathSpec& usual) {
    const bool is_far = kMuchWorse * static_cast<double>(path.latency) > static_cast<double>(usual.latency);
    const bool is_narrow =
        static_cast<double>(as_limit(path.bandwidth)) < kMuchWorse * static_cast<double>(as_limit(usual.bandwidth));
    if (!is_far && !is_narrow) return;
    const std::string what =
        is_far ? fmt::format("messages of {} take {:.6g} s to the parameter servers and those of the others {:.6g} s",
                             show(host), in_seconds(path.latency), in_seconds(usual.latency))
               : fmt::format("the path of {} to the parameter servers has {} and those of the others {}", show(host),
                             in_words(path.bandwidth), in_words(usual.bandwidth));
    WhatIf& w = add({.cause = Cause::far_host,
                     .a = name_of(host),
                     .what = what,
                     .instead = fmt::format("with {} as near as the others", show(host))});
    for (const TaskId ps : servers_)
      if (host_of(ps) != host) improve_link(w.job.cluster, host, host_of(ps), usual);
  }

  static void set_link(NetworkSpec& network, HostId a, HostId b, const PathSpec& path) {
    std::erase_if(network.links, [&](const LinkSpec& l) { return (l.a == a && l.b == b) || (l.a == b && l.b == a); });
    network.links.push_back({a, b, path});
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

  void add_overheads(Scope scope) {
    const StepTimes all = sum_of(loads_);
    for (const Overhead& o : overheads())
      if (o.is_there(job_) && (scope == Scope::all || o.shows(all)))
        o.take_away(add({.cause = o.cause, .what = o.what, .instead = o.instead}).job);
  }

  [[nodiscard]] double sent(TaskId t) const {
    const auto it = loads_.tasks.find(t);
    return it == loads_.tasks.end() ? 0 : static_cast<double>(it->second.bytes);
  }

  void add_imbalance() {
    double all = 0, most = 0;
    for (const TaskId t : servers_) all += sent(t), most = std::max(most, sent(t));
    if (servers_.size() < 2 || most * static_cast<double>(servers_.size()) < kUneven * all) return;
    add_spread();
    if (has_flows(job_.cluster) && std::ranges::all_of(servers_, [this](TaskId t) { return is_alone(t); }))
      add_even(all / static_cast<double>(servers_.size()));
  }

  // The variables go to the parameter server with the fewest bytes so far, in place of where they are.
  void add_spread() {
    Job spread = job_;
    for (ClientJob& c : spread.clients)
      if (!set_ps(c.program, static_cast<int>(servers_.size()), PsStrategy::greedy).ok()) return;
    add({.cause = Cause::imbalance,
         .what = "unequal bytes",
         .instead = "with the variables spread by bytes over the parameter servers"})
        .job = std::move(spread);
  }

  [[nodiscard]] bool is_alone(TaskId task) const {
    return std::ranges::count(job_.cluster.tasks, host_of(task), &TaskSpec::host) == 1;
  }

  // A variable may be split, too: what a server sends takes as long as an even share of the bytes would.
  void add_even(double share) {
    ClusterSpec& cluster = add({.cause = Cause::imbalance,
                                .what = "unequal bytes",
                                .instead = "with the bytes split evenly over the parameter servers"})
                               .job.cluster;
    for (const TaskId t : servers_) {
      const double factor = std::max(1.0, sent(t) / share);
      const auto scaled = [&](std::uint64_t bandwidth) {
        return static_cast<std::uint64_t>(std::llround(static_cast<double>(bandwidth) * factor));
      };
      HostSpec& host = cluster.hosts[host_of(t).index()];
      host.nic_bandwidth = scaled(host.nic_bandwidth);
      if (host.rack.valid() && std::ranges::count(cluster.hosts, host.rack, &HostSpec::rack) == 1) {
        PathSpec& trunk = cluster.network.racks[host.rack.index()].trunk;
        trunk.bandwidth = scaled(trunk.bandwidth);
      }
      for (std::size_t h = 0; h < cluster.hosts.size(); ++h) {
        PathSpec path = link_between(cluster.network, HostId{h}, host_of(t));
        path.bandwidth = scaled(path.bandwidth);
        if (HostId{h} != host_of(t)) set_link(cluster.network, HostId{h}, host_of(t), path);
      }
    }
  }

  const Job& job_;
  const Outcome& outcome_;
  const Contributions contributions_;
  const Loads loads_;
  std::vector<TaskId> workers_, servers_;
  std::map<TaskId, std::int64_t> began_;  // training steps
  std::vector<WhatIf> out_;
};

}  // namespace

std::vector<WhatIf> what_ifs(const Job& job, const Outcome& outcome, Scope scope) {
  return Candidates(job, outcome).all(scope);
}

}  // namespace tarry
