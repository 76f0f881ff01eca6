#include "scenarios/job/difference.hpp"

#include <algorithm>

#include "sim/cards.hpp"

namespace tarry {

void set_link(NetworkSpec& network, HostId a, HostId b, const PathSpec& path) {
  std::erase_if(network.links, [&](const LinkSpec& l) { return (l.a == a && l.b == b) || (l.a == b && l.b == a); });
  network.links.push_back({a, b, path});
}

namespace {

template <class T>
void set_if_changed(T& target, const T& from, const T& to) {
  if (!(from == to)) target = to;
}

template <class T>
bool has(const std::vector<T>& all, const T& one) {
  return std::ranges::find(all, one) != all.end();
}

// Each is as it was, or has become one that was not there.
template <class T>
bool is_changed_in_place(const std::vector<T>& from, const std::vector<T>& to) {
  if (from.size() != to.size()) return false;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (!(from[i] == to[i]) && (has(to, from[i]) || has(from, to[i]))) return false;
  return true;
}

// One that became another stays in its place: among cost rules it fits no kernel that it did not fit before.
template <class T>
void change_in_place(std::vector<T>& target, const std::vector<T>& from, const std::vector<T>& to) {
  for (std::size_t i = 0; i < from.size(); ++i)
    if (!(from[i] == to[i])) std::ranges::replace(target, from[i], to[i]);
}

// New ones come first, since the first cost rule that fits wins, and faults are given by their times.
template <class T>
void change_list(std::vector<T>& target, const std::vector<T>& from, const std::vector<T>& to) {
  if (is_changed_in_place(from, to)) return change_in_place(target, from, to);
  std::erase_if(target, [&](const T& one) { return has(from, one) && !has(to, one); });
  std::vector<T> added;
  for (const T& one : to)
    if (!has(from, one) && !has(target, one)) added.push_back(one);
  target.insert(target.begin(), added.begin(), added.end());
}

bool are_of(const std::vector<Variation>& all, TaskId task) {
  return std::ranges::find(all, task, &Variation::task) != all.end();
}

// Where `to` has none of a task's variations, it has none, however an earlier difference changed them.
void change_variations(std::vector<Variation>& target, const std::vector<Variation>& from,
                       const std::vector<Variation>& to) {
  change_list(target, from, to);
  for (const Variation& v : to)  // also where `target` had none of the task to change
    if (v.task.valid() && !has(from, v) && !has(target, v)) target.push_back(v);
  std::erase_if(target,
                [&](const Variation& v) { return v.task.valid() && are_of(from, v.task) && !are_of(to, v.task); });
}

bool fits_the_same(const CostRule& a, const CostRule& b) {
  return a.task == b.task && a.op == b.op && a.node == b.node && a.device_type == b.device_type && a.job == b.job;
}
// Whether there is such a rule with factors, or without.
bool has_like(const std::vector<CostRule>& all, const CostRule& rule, bool with_factors) {
  return std::ranges::any_of(
      all, [&](const CostRule& r) { return fits_the_same(r, rule) && r.factors.empty() != with_factors; });
}

// What `to` has before all of `from`.
std::vector<CostRule> put_first(const std::vector<CostRule>& from, const std::vector<CostRule>& to) {
  if (to.size() < from.size() || !std::equal(from.rbegin(), from.rend(), to.rbegin())) return {};
  return {to.begin(), to.end() - std::ssize(from)};
}

// Some rules are put first once more, so that others before them do not take their place: in `target` as they are
// there.
void put_first_too(std::vector<CostRule>& target, const std::vector<CostRule>& from,
                   const std::vector<CostRule>& first) {
  std::vector<CostRule> added;
  for (const CostRule& r : first) {
    const auto now = std::ranges::find_if(target, [&](const CostRule& t) { return fits_the_same(t, r); });
    if (has(from, r) && now != target.end()) added.push_back(*now);
    if (!has(from, r) && !has(target, r)) added.push_back(r);
  }
  target.insert(target.begin(), added.begin(), added.end());
}

// The same of the factors of a trace.
void change_rules(std::vector<CostRule>& target, const std::vector<CostRule>& from, const std::vector<CostRule>& to) {
  const std::vector<CostRule> first = put_first(from, to);
  if (std::ranges::any_of(first, [&](const CostRule& r) { return has(from, r); }))
    return put_first_too(target, from, first);
  change_list(target, from, to);
  for (const CostRule& r : to) {  // also where an earlier difference had changed it
    if (has(from, r) || has(target, r)) continue;
    const auto it = std::ranges::find_if(target, [&](const CostRule& t) { return fits_the_same(t, r); });
    if (it != target.end()) *it = r;
  }
  for (CostRule& r : target)
    if (has_like(from, r, true) && has_like(to, r, false)) r.factors.clear();
}

void change_path(PathSpec& target, const PathSpec& from, const PathSpec& to) {
  set_if_changed(target.latency, from.latency, to.latency);
  set_if_changed(target.bandwidth, from.bandwidth, to.bandwidth);
}

// What lies between all hosts first: then few pairs differ from it.
void change_links(NetworkSpec& target, const NetworkSpec& from, const NetworkSpec& to, std::size_t hosts) {
  const NetworkSpec before = target;
  change_path(target.between_hosts, from.between_hosts, to.between_hosts);
  for (std::size_t a = 0; a < hosts; ++a)
    for (std::size_t b = a + 1; b < hosts; ++b) {
      const HostId x{a}, y{b};
      PathSpec path = link_between(before, x, y);
      change_path(path, link_between(from, x, y), link_between(to, x, y));
      if (!(path == link_between(target, x, y))) set_link(target, x, y, path);
    }
}

void change_transport(TransportSpec& target, const TransportSpec& from, const TransportSpec& to) {
  set_if_changed(target.send, from.send, to.send);
  set_if_changed(target.receive, from.receive, to.receive);
  set_if_changed(target.threads, from.threads, to.threads);
  set_if_changed(target.window, from.window, to.window);
  set_if_changed(target.incast, from.incast, to.incast);
}

void change_gpus(std::vector<GpuSpec>& target, const std::vector<GpuSpec>& from, const std::vector<GpuSpec>& to) {
  if (from.size() != to.size()) target = to;
  for (std::size_t g = 0; g < target.size() && g < from.size() && from.size() == to.size(); ++g) {
    set_if_changed(target[g].memory_bytes, from[g].memory_bytes, to[g].memory_bytes);
    set_if_changed(target[g].rates, from[g].rates, to[g].rates);
    set_if_changed(target[g].copy_bandwidth, from[g].copy_bandwidth, to[g].copy_bandwidth);
    set_if_changed(target[g].launches_ahead, from[g].launches_ahead, to[g].launches_ahead);
  }
}

void change_task(TaskSpec& target, const TaskSpec& from, const TaskSpec& to) {
  set_if_changed(target.inter_op_threads, from.inter_op_threads, to.inter_op_threads);
  set_if_changed(target.cpu, from.cpu, to.cpu);
  set_if_changed(target.has_own_rates, from.has_own_rates, to.has_own_rates);
  change_gpus(target.gpus, from.gpus, to.gpus);
}

// Of one file: both have the same links and routes.
void change_platform(PlatformSpec& target, const PlatformSpec& from, const PlatformSpec& to) {
  for (std::size_t l = 0; l < target.links.size(); ++l)
    set_if_changed(target.links[l].bandwidth, from.links[l].bandwidth, to.links[l].bandwidth);
  for (std::size_t r = 0; r < target.routes.size(); ++r)
    set_if_changed(target.routes[r].latency, from.routes[r].latency, to.routes[r].latency);
}

void change_cluster(ClusterSpec& target, const ClusterSpec& from, const ClusterSpec& to) {
  for (std::size_t h = 0; h < target.hosts.size(); ++h) {
    for (std::uint32_t n = 0; n < card_count(target.hosts[h]); ++n)
      set_if_changed(bandwidth_of(target.hosts[h], n), bandwidth_of(from.hosts[h], n), bandwidth_of(to.hosts[h], n));
    set_if_changed(target.hosts[h].rack, from.hosts[h].rack, to.hosts[h].rack);
    set_if_changed(target.hosts[h].pcie, from.hosts[h].pcie, to.hosts[h].pcie);
  }
  for (std::size_t t = 0; t < target.tasks.size(); ++t) change_task(target.tasks[t], from.tasks[t], to.tasks[t]);
  change_links(target.network, from.network, to.network, target.hosts.size());
  for (std::size_t r = 0; r < target.network.racks.size(); ++r)
    change_path(target.network.racks[r].trunk, from.network.racks[r].trunk, to.network.racks[r].trunk);
  change_platform(target.network.platform, from.network.platform, to.network.platform);
  change_transport(target.network.transport, from.network.transport, to.network.transport);
  change_list(target.network.variations, from.network.variations, to.network.variations);
  change_path(target.network.same_host, from.network.same_host, to.network.same_host);
}

void change_paces(CostRules& target, const CostRules& from, const CostRules& to) {
  for (const auto& [task, paces] : from.node_paces)
    if (!to.node_paces.contains(task)) target.node_paces.erase(task);
  for (const auto& [task, paces] : to.node_paces)
    if (const auto it = from.node_paces.find(task); it == from.node_paces.end() || it->second != paces)
      for (const auto& [node, pace] : paces) target.node_paces[task][node] = pace;
}

void change_client(ClientJob& target, const ClientJob& from, const ClientJob& to) {
  if (from.program.graph != to.program.graph) target.program = to.program;
  TrainOptions& t = target.options;
  const TrainOptions &f = from.options, &o = to.options;
  set_if_changed(t.num_tokens, f.num_tokens, o.num_tokens);
  set_if_changed(t.recovery_wait, f.recovery_wait, o.recovery_wait);
  set_if_changed(t.save_steps, f.save_steps, o.save_steps);
  set_if_changed(t.save_every, f.save_every, o.save_every);
  set_if_changed(t.start_after, f.start_after, o.start_after);
  set_if_changed(t.first_step_after, f.first_step_after, o.first_step_after);
  set_if_changed(t.joins_gate, f.joins_gate, o.joins_gate);
}

void change_inputs(InputFiles& target, const InputFiles& from, const InputFiles& to) {
  std::vector<InputFile> files = target.all();
  change_list(files, from.all(), to.all());
  target = InputFiles(std::move(files));
}

}  // namespace

void make_difference(Job& target, const Job& from, const Job& to) {
  change_list(target.faults, from.faults, to.faults);
  change_rules(target.costs.rules, from.costs.rules, to.costs.rules);
  set_if_changed(target.costs.otherwise, from.costs.otherwise, to.costs.otherwise);
  change_list(target.costs.interference, from.costs.interference, to.costs.interference);
  change_variations(target.costs.variations, from.costs.variations, to.costs.variations);
  change_paces(target.costs, from.costs, to.costs);
  change_inputs(target.inputs, from.inputs, to.inputs);
  change_cluster(target.cluster, from.cluster, to.cluster);
  for (std::size_t c = 0; c < target.clients.size(); ++c)
    change_client(target.clients[c], from.clients[c], to.clients[c]);
}

}  // namespace tarry
