// Hosts that are farther away than the others: of workers, from the parameter servers; of parameter servers, from all
// workers or from the other parameter servers.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "results/loads.hpp"
#include "scenarios/job/difference.hpp"
#include "scenarios/job/what_if_parts.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;
using Paths = std::map<HostId, PathSpec>;

template <class T>
T median(std::vector<T> values) {
  std::ranges::sort(values);
  return values.empty() ? T() : values[(values.size() - 1) / 2];
}

PathSpec median_of(const Paths& paths) {
  std::vector<Nanos> latencies;
  std::vector<std::uint64_t> limits;
  for (const auto& [host, path] : paths) {
    latencies.push_back(path.latency);
    limits.push_back(as_limit(path.bandwidth));
  }
  std::ranges::sort(limits);
  return {median(latencies), from_limit(limits[limits.size() / 2])};
}

PathSpec worst_of(const std::vector<PathSpec>& paths) {
  PathSpec worst;
  for (const PathSpec& p : paths)
    worst = {std::max(worst.latency, p.latency),
             from_limit(std::min(as_limit(worst.bandwidth), as_limit(p.bandwidth)))};
  return worst;
}

bool has_much_more_latency(const PathSpec& path, const PathSpec& usual) {
  return kMuchWorse * static_cast<double>(path.latency) > static_cast<double>(usual.latency);
}
bool is_much_narrower(const PathSpec& path, const PathSpec& usual) {
  const auto limit = [](const PathSpec& p) { return static_cast<double>(as_limit(p.bandwidth)); };
  return limit(path) < kMuchWorse * limit(usual);
}
bool is_bad(const PathSpec& path, const PathSpec& usual) {
  return has_much_more_latency(path, usual) || is_much_narrower(path, usual);
}

// ---- what is worse ----

// What passed between a host and others.
struct Passed {
  double bytes = 0, steps = 0;
};

Passed passed_by(HostId host, const Job& job, const EventLog& log) {
  Passed all;
  const auto is_on_it = [&](TaskId t) { return job.cluster.tasks[t.index()].host == host; };
  for (const LoggedEvent& event : log.events()) {
    if (const auto* m = std::get_if<MessageDelivered>(&event.event);
        m != nullptr && is_on_it(m->from) != is_on_it(m->to))
      all.bytes += static_cast<double>(m->bytes);
    if (const auto* s = std::get_if<StepBegan>(&event.event); s != nullptr && s->purpose == Purpose::train) ++all.steps;
  }
  return all;
}

// A step's messages follow each other a few times; their bytes pass one after the other.
bool is_rather_narrow(const PathSpec& path, const PathSpec& usual, const Passed& passed, std::size_t workers) {
  if (!has_much_more_latency(path, usual) || !is_much_narrower(path, usual)) return is_much_narrower(path, usual);
  constexpr double kTimes = 4;
  const double longer = kTimes * passed.steps / static_cast<double>(std::max<std::size_t>(1, workers)) *
                        in_seconds(path.latency - usual.latency),
               narrower = passed.bytes / static_cast<double>(as_limit(path.bandwidth)) -
                          passed.bytes / static_cast<double>(as_limit(usual.bandwidth));
  return narrower > longer;
}

// With the latencies of trunks, and without what is shared: cards, and the bandwidth of trunks.
PathSpec path_of(const ClusterSpec& cluster, HostId from, HostId to) {
  PathSpec path = link_between(cluster.network, from, to);
  path.latency += trunk_path(cluster, from, to).latency;
  return path;
}

// ---- a host that is as near as others ----

// Hosts, and what is usual of the paths to them.
struct Ends {
  std::set<HostId> hosts;
  PathSpec usual;
};

Nanos longest_trunks(const ClusterSpec& cluster, HostId host, const std::set<HostId>& ends) {
  Nanos longest = 0;
  for (const HostId end : ends)
    if (end != host) longest = std::max(longest, trunk_path(cluster, host, end).latency);
  return longest;
}

// To the farthest rack that is near enough: the trunks of a nearer one may be wider than those of the others. Where
// none is, to the nearest.
void move_rack(ClusterSpec& cluster, HostId host, const std::set<HostId>& ends, Nanos near) {
  RackId& rack = cluster.hosts[host.index()].rack;
  std::vector<RackId> all{rack, RackId::none()};
  for (std::size_t r = 0; r < cluster.network.racks.size(); ++r) all.emplace_back(r);
  rack = std::ranges::min(all, {}, [&](RackId r) {
    rack = r;
    const Nanos takes = longest_trunks(cluster, host, ends);
    return std::pair(takes > near, takes > near ? takes : -takes);
  });
}

void improve_link(ClusterSpec& cluster, HostId host, HostId end, const PathSpec& path) {
  const PathSpec now = link_between(cluster.network, host, end);
  const Nanos left = std::max<Nanos>(0, path.latency - trunk_path(cluster, host, end).latency);
  const PathSpec better{std::min(now.latency, left),
                        from_limit(std::max(as_limit(now.bandwidth), as_limit(path.bandwidth)))};
  if (better != now) set_link(cluster.network, host, end, better);
}

// Its paths to these are at most as bad as usual: where trunks alone take longer, it moves to another rack, or out of
// its own. To the others its links are as good as usual where it is then.
void bring_near(ClusterSpec& cluster, HostId host, const Ends& ends, const Ends& others) {
  if (longest_trunks(cluster, host, ends.hosts) > ends.usual.latency)
    move_rack(cluster, host, ends.hosts, ends.usual.latency);
  for (const HostId end : ends.hosts)
    if (end != host) improve_link(cluster, host, end, ends.usual);
  for (const HostId end : others.hosts)
    if (end != host && !ends.hosts.contains(end)) improve_link(cluster, host, end, others.usual);
}

// ---- the candidates ----

class FarHosts {
 public:
  FarHosts(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome, const StepCosts& costs, Nanos trained)
      : out_(out), job_(job), outcome_(outcome), costs_(costs), trained_(trained) {
    for (std::size_t t = 0; t < job.cluster.tasks.size(); ++t)
      if (outcome.tasks.is_ps(TaskId{t})) servers_.push_back(TaskId{t});
  }

  // A host of workers, whose worst path to a partner is much longer or narrower than the median host's.
  void add_hosts() {
    Paths worst;
    for (const TaskId w : costs_.computing()) {
      if (job_.clients.size() == 1 && holds_all_partners(host_of(w))) continue;  // the client's own: it has no path
      if (const auto paths = paths_to_partners(host_of(w)); !paths.empty()) worst[host_of(w)] = worst_of(paths);
    }
    if (worst.size() < 2) return;
    Ends ends{{}, usual_of(worst)};
    for (const TaskId task : partners()) ends.hosts.insert(host_of(task));
    const Ends others = between(hosts_in(worst), ends.usual);
    for (const auto& [host, path] : worst) add_host(host, path, ends, others);
    add_far_partners(worst, ends);
  }

  // A host of a worker and of a partner that is far from all others makes the worst path of each of them bad: its
  // nearest partner tells it from them.
  void add_far_partners(const Paths& worst, const Ends& ends) {
    if (ends.hosts.size() < 2) return;  // it has no neighbour among them
    Paths nearest;
    for (const auto& [host, path] : worst) nearest[host] = nearest_of(host, ends.hosts);
    const Ends near{ends.hosts, median_of(nearest)}, others = between(hosts_in(worst), near.usual);
    for (const auto& [host, path] : nearest)
      if (holds_partner(host) && !is_bad(worst.at(host), ends.usual)) add_host(host, path, near, others);
  }

  // A host of parameter servers that is far from all workers, or from all other such hosts, and others are not.
  void add_servers(Scope scope) {
    Ends workers;
    for (const TaskId w : costs_.workers()) workers.hosts.insert(host_of(w));
    Paths to_workers;
    for (const TaskId ps : servers_)
      if (!workers.hosts.contains(host_of(ps))) to_workers[host_of(ps)] = nearest_of(host_of(ps), workers.hosts);
    if (to_workers.size() < 2 || workers.hosts.size() < 2) return;
    workers.usual = median_of(to_workers);
    const Ends servers = between(hosts_in(to_workers), workers.usual);
    const bool talk = servers_talk(), are_several = to_workers.size() > 2;
    for (const auto& [host, path] : to_workers) {
      const PathSpec to_servers = nearest_of(host, servers.hosts);
      const bool are_bad = is_bad(to_servers, servers.usual);
      if (is_bad(path, workers.usual))
        add_server(host, path, kOfWorkers, talk && are_bad ? "all" : "", workers, servers);
      else if (are_bad && are_several && (talk || scope == Scope::all))
        add_server(host, to_servers, kOfServers, "servers", servers, workers);
    }
  }

 private:
  static std::set<HostId> hosts_in(const Paths& paths) {
    std::set<HostId> hosts;
    for (const auto& [host, path] : paths) hosts.insert(host);
    return hosts;
  }
  // Hosts of a kind, and what is usual between them; of two there is one path, which is compared with another kind's.
  [[nodiscard]] Ends between(std::set<HostId> hosts, const PathSpec& usual_of_others) const {
    Paths nearest;
    for (const HostId host : hosts) nearest[host] = nearest_of(host, hosts);
    return {std::move(hosts), nearest.size() > 2 ? median_of(nearest) : usual_of_others};
  }
  // To the nearest one of these, another one than itself.
  [[nodiscard]] PathSpec nearest_of(HostId host, const std::set<HostId>& ends) const {
    PathSpec nearest{std::numeric_limits<Nanos>::max(), 1};
    for (const HostId end : ends) {
      if (end == host) continue;
      const PathSpec p = path_of(job_.cluster, end, host);
      nearest = {std::min(nearest.latency, p.latency),
                 from_limit(std::max(as_limit(nearest.bandwidth), as_limit(p.bandwidth)))};
    }
    return nearest;
  }

  [[nodiscard]] std::string show(HostId h) const { return with_its_tasks(job_, outcome_, h); }
  [[nodiscard]] std::string show(TaskId t) const { return outcome_.tasks.show(t); }
  [[nodiscard]] HostId host_of(TaskId t) const { return job_.cluster.tasks[t.index()].host; }

  // ---- of workers ----

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

  // The median; but where most have links of their own, and that of the others is much better, theirs.
  [[nodiscard]] PathSpec usual_of(const Paths& worst) const {
    const PathSpec of_all = median_of(worst);
    Paths others = worst;
    std::erase_if(others,
                  [this](const auto& of_host) { return has_own_link(of_host.first) || holds_partner(of_host.first); });
    if (others.empty()) return of_all;
    const PathSpec of_others = median_of(others);
    return {has_much_more_latency(of_all, of_others) ? of_others.latency : of_all.latency,
            is_much_narrower(of_all, of_others) ? of_others.bandwidth : of_all.bandwidth};
  }
  [[nodiscard]] bool is_rather_narrow(HostId host, const PathSpec& path, const PathSpec& usual) const {
    return tarry::is_rather_narrow(path, usual, passed_by(host, job_, outcome_.log), costs_.workers().size());
  }
  [[nodiscard]] bool holds_partner(HostId host) const {
    return std::ranges::any_of(partners(), [&](TaskId t) { return host_of(t) == host; });
  }
  [[nodiscard]] bool holds_all_partners(HostId host) const {
    return std::ranges::all_of(partners(), [&](TaskId t) { return host_of(t) == host; });
  }
  [[nodiscard]] bool has_own_link(HostId host) const {
    const auto is_of_it = [&](const LinkSpec& l) {
      return std::ranges::any_of(partners(), [&](TaskId t) {
        return (l.a == host && l.b == host_of(t)) || (l.b == host && l.a == host_of(t));
      });
    };
    return std::ranges::any_of(job_.cluster.network.links, is_of_it);
  }

  void add_host(HostId host, const PathSpec& path, const Ends& ends, const Ends& others) {
    const PathSpec& usual = ends.usual;
    if (!is_bad(path, usual)) return;
    const bool is_far = !is_rather_narrow(host, path, usual);
    const std::string where = partners_in_words(host, is_far ? has_much_more_latency : is_much_narrower, usual);
    const std::string what =
        is_far ? fmt::format("messages of {} take {} to {} and those of the others {}", show(host),
                             time_in_words(path.latency), where, time_in_words(usual.latency))
               : fmt::format("the path of {} to {} has {} and those of the others {}", show(host), where,
                             bandwidth_in_words(path.bandwidth), bandwidth_in_words(usual.bandwidth));
    add(host, path, usual, what, "");
    bring_near(out_.back().job.cluster, host, ends, others);
  }

  // ---- of parameter servers ----

  // For a tenth of the training.
  [[nodiscard]] bool servers_talk() const {
    return share(time_between(servers_, outcome_.log), trained_) >= kWorthTelling;
  }

  struct Words {
    const char *messages, *paths, *others;
  };
  static constexpr Words kOfWorkers = {"messages to", "the paths to", "those to the other parameter servers"},
                         kOfServers = {"messages from the other parameter servers to",
                                       "the paths from the other parameter servers to", "those between the others"};
  void add_server(HostId host, const PathSpec& path, const Words& words, const char* from, const Ends& ends,
                  const Ends& others) {
    const PathSpec& usual = ends.usual;
    const std::string what =
        !is_rather_narrow(host, path, usual)
            ? fmt::format("{} {} take {} and {} {}", words.messages, show(host), time_in_words(path.latency),
                          words.others, time_in_words(usual.latency))
            : fmt::format("{} {} have {} and {} {}", words.paths, show(host), bandwidth_in_words(path.bandwidth),
                          words.others, bandwidth_in_words(usual.bandwidth));
    add(host, path, usual, what, from);
    ClusterSpec& cluster = out_.back().job.cluster;
    bring_near(cluster, host, ends, others);
  }

  void add(HostId host, const PathSpec& path, const PathSpec& usual, const std::string& what, const char* from) {
    WhatIf& w = out_.emplace_back(WhatIf{{.cause = Cause::far_host,
                                          .a = job_.cluster.hosts[host.index()].name,
                                          .b = from,
                                          .what = what,
                                          .instead = fmt::format("with {} as near as the others", show(host))},
                                         job_});
    const auto in_words = [is_far = !is_rather_narrow(host, path, usual)](const PathSpec& p) {
      return is_far ? time_in_words(p.latency) : bandwidth_in_words(p.bandwidth);
    };
    w.amount = in_words(path);
    w.usual = "usual is " + in_words(usual);
  }

  std::vector<WhatIf>& out_;
  const Job& job_;
  const Outcome& outcome_;
  const StepCosts& costs_;
  const Nanos trained_;
  std::vector<TaskId> servers_;
};

}  // namespace

void add_far_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome, const StepCosts& costs,
                      Scope scope, Nanos trained) {
  FarHosts far(out, job, outcome, costs, trained);
  far.add_hosts();
  far.add_servers(scope);
}

}  // namespace tarry
