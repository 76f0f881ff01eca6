#include "scenarios/file/keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placer/core/check.hpp"
#include "placer/core/text.hpp"
#include "scenarios/file/names.hpp"
#include "scenarios/job/what_if_parts.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;

// Of which cause, and where they are of the network or of several, whether the scenario has them.
struct Keys {
  Cause cause;
  const char* text;  // {0}: the cause's task; {1}: its op
};

constexpr Keys kKeys[] = {
    {Cause::faults, "faults"},
    {Cause::late_start, "training.workers.{0}.start_after, training.workers.{0}.first_step_after"},
    {Cause::data, "feeds.files"},
    {Cause::epochs, "none: tf.device, in the program that makes the graph"},
    {Cause::planned, "build.workers"},
    {Cause::absent, "training.workers.T.absent"},
    {Cause::stops, "stop.steps and stop.global_step"},
    {Cause::variations, "variations"},
    {Cause::card_variations, "cluster.network.variations"},
    {Cause::pcie, "cluster.hosts[].pcie.root"},
    {Cause::trunks, "cluster.network.rack_trunk, cluster.network.racks[].trunk"},
    {Cause::imbalance, "build.ps_strategy and build.ps"},
    {Cause::messages, "costs[] with 'op: _Send' and 'op: _Recv'"},
    {Cause::transport, "cluster.network.transport"},
    {Cause::threads, "cluster.tasks.T.inter_op_threads"},
    {Cause::checkpoints, "training.save_steps and training.save_every"},
    {Cause::polls, "training.start and training.workers.T.start_after (in a real job, recovery_wait_secs)"},
    {Cause::kernels, "costs; cluster.devices"},
    {Cause::op, "costs[] with 'op: {1}'"},
    {Cause::servers, "cluster.tasks and build.ps"},
    {Cause::replicas, "build.replicas_to_aggregate"},
    {Cause::tokens, "training.num_tokens"},
    {Cause::chiefs, "build.chiefs"},
    {Cause::interference, "interference"},
    {Cause::copies, "cluster.devices.gpu.copy_bandwidth"},
    {Cause::input, "costs[] of what queue runners run, such as 'op: {1}'"},
    {Cause::room, "none: the capacity of {1}, in the program that makes the graph"},
    {Cause::server_kernels, "costs[] with 'job: ps' or 'task'; cluster.tasks.T.cpu"},
};

// ---- workers ----

bool is_of(const CostRule& rule, const TaskSpec& task) { return rule.task == task.name; }

// What stands in the scenario of one worker and not of all, or may have drawn long times for it; what can be added.
class WorkerKeys {
 public:
  WorkerKeys(const Scenario& s, std::vector<TaskId> tasks) : s_(s), tasks_(std::move(tasks)) {}

  [[nodiscard]] std::string all() const {
    add("costs[] with " + whose("task"), of_some(s_.costs.rules, is_of));
    add("costs[].trace", !s_.traces.empty());
    add("variations[] with " + whose("task"), some([&](TaskId t) { return varies_alone(t); }));
    add("variations", std::ranges::any_of(s_.costs.variations, [](const Variation& v) { return !v.task.valid(); }));
    add("variations[].trace", !s_.step_traces.empty());
    add("interference", some([&](TaskId t) { return is_disturbed(t); }));
    add("measured", !s_.measured.empty());
    add("faults", some([&](TaskId t) { return is_lengthened(t); }));
    add(fmt::format("cluster.tasks.{0}.cpu, cluster.tasks.{0}.gpu", name()),
        some([&](TaskId t) { return has_own_devices(t); }));
    if (keys_.empty()) add("costs[] with " + whose("task") + ", which the scenario lacks", true);
    return join(keys_, "; ");
  }

 private:
  [[nodiscard]] std::string name() const {
    return tasks_.size() == 1 ? short_task(s_.cluster.tasks[tasks_.front().index()].name) : "T";
  }
  [[nodiscard]] std::string whose(const char* key) const {
    return tasks_.size() == 1 ? fmt::format("'{}: {}'", key, name()) : fmt::format("'{}'", key);
  }
  void add(std::string key, bool is_there) const {
    if (is_there) keys_.push_back(std::move(key));
  }
  template <class Is>
  [[nodiscard]] bool some(Is is) const {
    return std::ranges::any_of(tasks_, is);
  }
  template <class T, class Is>
  [[nodiscard]] bool of_some(const std::vector<T>& list, Is is) const {
    return some([&](TaskId t) {
      return std::ranges::any_of(list, [&](const T& one) { return is(one, s_.cluster.tasks[t.index()]); });
    });
  }
  [[nodiscard]] bool varies_alone(TaskId task) const {
    return std::ranges::any_of(s_.costs.variations, [&](const Variation& v) { return v.task == task; });
  }
  [[nodiscard]] bool is_disturbed(TaskId task) const {
    const HostId host = s_.cluster.tasks[task.index()].host;
    return std::ranges::any_of(s_.costs.interference, [&](const Interference& i) {
      return i.task == task || (!i.task.valid() && i.host == host);
    });
  }
  [[nodiscard]] bool is_lengthened(TaskId task) const {
    const HostId host = s_.cluster.tasks[task.index()].host;
    return std::ranges::any_of(s_.faults, [&](const Fault& f) { return lengthens_kernels(f, task, host); });
  }
  // Others than most tasks of its job.
  [[nodiscard]] bool has_own_devices(TaskId task) const {
    const TaskSpec& own = s_.cluster.tasks[task.index()];
    const auto job = [](const TaskSpec& t) { return t.name.substr(0, t.name.rfind(':')); };
    std::ptrdiff_t all = 0, alike = 0;
    for (const TaskSpec& t : s_.cluster.tasks)
      if (job(t) == job(own)) ++all, alike += t.cpu == own.cpu && t.gpus == own.gpus;
    return 2 * alike <= all;
  }

  const Scenario& s_;
  const std::vector<TaskId> tasks_;
  mutable std::vector<std::string> keys_ = {};
};

std::vector<TaskId> of_workers(const Scenario& s) {
  std::vector<TaskId> out;
  for (std::size_t t = 0; t < s.cluster.tasks.size(); ++t)
    if (!s.cluster.tasks[t].name.starts_with("/job:ps/")) out.push_back(TaskId{t});
  return out;
}

// ---- the network ----

bool any_path(const NetworkSpec& n, bool (*is)(const PathSpec&)) {
  return std::ranges::any_of(n.links, [&](const LinkSpec& l) { return is(l.path); });
}
bool any_trunk(const NetworkSpec& n, bool (*is)(const PathSpec&)) {
  return std::ranges::any_of(n.racks, [&](const RackSpec& r) { return is(r.trunk); });
}
bool is_limited(const PathSpec& p) { return p.bandwidth > 0; }
bool takes_time(const PathSpec& p) { return p.latency > 0; }

constexpr char kPlatform[] = "cluster.network.platform";

// Each with its section.
std::string of_network(const std::vector<const char*>& keys) {
  std::vector<std::string> whole;
  for (const char* key : keys) whole.push_back(fmt::format("cluster.network.{}", key));
  return join(whole, ", ");
}

// No message of theirs passes a card.
bool are_on_one_host(const ClusterSpec& c) {
  return std::ranges::all_of(c.tasks, [&](const TaskSpec& t) { return t.host == c.tasks.front().host; });
}

// Cards have a bandwidth of `network.nic` or of their own: what stands there is one value by now.
std::string keys_of_bandwidth(const Proof& p, const ClusterSpec& c) {
  if (!p.b.empty()) return "cluster.network.same_host";
  if (!c.network.platform.routes.empty()) return kPlatform;
  const auto is_limited_card = [](const HostSpec& h) { return h.nic_bandwidth > 0 || !h.further_nics.empty(); };
  const bool has_cards = std::ranges::any_of(c.hosts, is_limited_card) && !are_on_one_host(c);
  const bool are_alike = std::ranges::all_of(c.hosts, [&](const HostSpec& h) {
    return h.nic_bandwidth == c.hosts.front().nic_bandwidth && h.further_nics == c.hosts.front().further_nics;
  });
  std::vector<const char*> keys;
  if (has_cards) keys.push_back("nic");
  if (is_limited(c.network.between_hosts)) keys.push_back("bandwidth");
  if (any_trunk(c.network, is_limited)) keys.insert(keys.end(), {"rack_trunk", "racks[].trunk"});
  if (any_path(c.network, is_limited)) keys.push_back("links[].bandwidth");
  const std::string own = has_cards && !are_alike ? "cluster.hosts[].nic, cluster.hosts[].nics" : "",
                    all = of_network(keys);
  return own.empty() ? all : all.empty() ? own : all + "; " + own;
}

std::string keys_of_latency(const NetworkSpec& n) {
  if (!n.platform.routes.empty()) return kPlatform;
  std::vector<const char*> keys;
  if (takes_time(n.between_hosts)) keys.push_back("latency");
  if (takes_time(n.same_host)) keys.push_back("same_host");
  if (any_trunk(n, takes_time)) keys.insert(keys.end(), {"rack_latency", "racks[].latency"});
  if (any_path(n, takes_time)) keys.push_back("links[].latency");
  return of_network(keys);
}

// Of one host, or of several: "h3, h4". A link replaces what lies between hosts, and trunks stay.
std::string keys_of_far(const Proof& p, const ClusterSpec& c) {
  if (!c.network.platform.routes.empty()) return kPlatform;
  std::vector<std::string> racks;
  for (const HostSpec& h : c.hosts)
    if (has_word(p.a, h.name) && h.rack.valid()) {
      const RackSpec& rack = c.network.racks[h.rack.index()];
      if ((takes_time(rack.trunk) || is_limited(rack.trunk)) && std::ranges::find(racks, rack.name) == racks.end())
        racks.push_back(rack.name);
    }
  const bool has_links = std::ranges::any_of(c.network.links, [&](const LinkSpec& l) {
    return has_word(p.a, c.hosts[l.a.index()].name) || has_word(p.a, c.hosts[l.b.index()].name);
  });
  const std::string links = fmt::format("cluster.network.links[] between {} and the others", p.a),
                    trunks = racks.empty() ? ""
                                           : fmt::format("cluster.network.racks[] with 'name: {}': latency, trunk",
                                                         join(racks, "', '"));
  if (trunks.empty()) return links;
  return has_links ? trunks + "; " + links : trunks;
}

std::string keys_of_transport(std::string_view part) {
  if (part == "each")
    return "cluster.network.transport.send.per_message, cluster.network.transport.receive.per_message";
  if (part == "copies") return "cluster.network.transport.send.copy, cluster.network.transport.receive.copy";
  if (part == "windows") part = "window";
  return fmt::format("cluster.network.transport.{}", part);
}

// Of one host, or of several: "h3, h4". Something narrows them from time to time, or they have less than most hosts.
std::string keys_of_cards(const Proof& p, const ClusterSpec& c) {
  std::vector<HostId> slow;
  for (std::size_t h = 0; h < c.hosts.size(); ++h)
    if (has_word(p.a, c.hosts[h].name)) slow.push_back(HostId{h});
  const auto varies = [&](HostId host) {
    return std::ranges::find(c.network.variations, host, &CardVariation::host) != c.network.variations.end();
  };
  const auto has_less = [&](HostId host) {
    const std::uint64_t own = as_limit(c.hosts[host.index()].nic_bandwidth);
    const auto more =
        std::ranges::count_if(c.hosts, [&](const HostSpec& h) { return as_limit(h.nic_bandwidth) > own; });
    return 2 * more >= std::ssize(c.hosts);
  };
  const std::string nic = fmt::format("cluster.hosts[] with 'name: {}': {}", p.a, p.b.empty() ? "nic" : "nics, " + p.b);
  if (std::ranges::none_of(slow, varies)) return nic;
  const std::string variations = fmt::format("cluster.network.variations[] with 'host: {}'", p.a);
  return p.b.empty() && std::ranges::none_of(slow, has_less) ? variations : variations + "; " + nic;
}

}  // namespace

std::string keys_of(const Proof& p, const TaskNames& tasks, const Scenario& s) {
  const std::string task = p.task.valid() ? short_task(tasks.names.at(p.task.index())) : "T";
  if (p.b == "GPU") return fmt::format("cluster.tasks.{}.gpus", task);
  if (p.cause == Cause::slow_worker) return WorkerKeys(s, {p.task}).all();
  if (p.cause == Cause::workers) return WorkerKeys(s, of_workers(s)).all();
  if (p.cause == Cause::network) return keys_of_bandwidth(p, s.cluster);
  if (p.cause == Cause::latency) return keys_of_latency(s.cluster.network);
  if (p.cause == Cause::far_host) return keys_of_far(p, s.cluster);
  if (p.cause == Cause::slow_card) return keys_of_cards(p, s.cluster);
  if (p.cause == Cause::transport && !p.together) return keys_of_transport(p.b);
  if (p.cause == Cause::imbalance && p.instead.find("split") != p.instead.npos)
    return "no key: the graph splits its large variables, or does not";
  if (p.cause == Cause::imbalance && !s.build) return "programs";
  if (p.cause == Cause::checkpoints && !p.a.empty()) return "costs[] with 'op: SaveV2' and 'task'";
  if (p.cause == Cause::variations && p.instead.find("law") != p.instead.npos) return "costs[].time";
  if (p.cause == Cause::variations && p.instead.find("of the trace") != p.instead.npos) return "costs[].trace";
  if (p.cause == Cause::copies && p.together) return "cluster.hosts[].pcie.root; cluster.devices.gpu.copy_bandwidth";
  const auto* row = std::ranges::find(kKeys, p.cause, &Keys::cause);
  check(row != std::end(kKeys), "a cause without keys");
  return fmt::format(fmt::runtime(row->text), task, p.a);
}

}  // namespace tarry
