// Smaller cases of drawn clusters.

#include <algorithm>
#include <span>

#include "properties/cluster/drawn.hpp"

namespace tarry {
namespace {

// ---- faults of a cluster that has a task or a host less ----

// Ids as they become; none: it is no longer there.
struct Renaming {
  std::function<TaskId(TaskId)> task;
  std::function<HostId(HostId)> host;

  bool rename(TaskId& id) const { return (id = task(id)).valid(); }
  bool rename(HostId& id) const { return (id = host(id)).valid(); }
  bool rename(TaskPair& p) const { return rename(p.a) && rename(p.b); }
  bool rename(HostPair& p) const { return rename(p.a) && rename(p.b) && p.a != p.b; }
  bool rename(HostList& list) const {
    for (HostId& h : list.hosts)
      if (!rename(h)) return false;
    std::vector<HostId> sorted = list.hosts;
    std::ranges::sort(sorted);
    return std::ranges::adjacent_find(sorted) == sorted.end();
  }
  template <class Value>
  bool rename(std::optional<Value>& v) const {
    return !v || rename(*v);
  }
  template <class Value>
  bool rename(Value&) const {  // an amount
    return true;
  }
  bool rename(Fault& f) const {
    if (auto* t = std::get_if<Trigger>(&f.when); t != nullptr && !rename(t->task)) return false;
    const auto fields = [&]<class K>(K& kind) {
      return std::apply([&](const auto&... field) { return (rename(kind.*field.member) && ...); }, K::fields());
    };
    return std::visit(fields, f.what);
  }
};

// Whether all that the faults name is still there.
bool rename(Schedule& s, const Renaming& to) {
  return std::ranges::all_of(s.faults, [&](Fault& f) { return to.rename(f); });
}

// The ids behind the one that is left out move up by one.
template <class Id>
std::function<Id(Id)> without(std::size_t left_out) {
  return [left_out](Id id) {
    if (id.index() == left_out) return Id::none();
    return Id{id.index() - (id.index() > left_out ? 1 : 0)};
  };
}
template <class Id>
Id same(Id id) {
  return id;
}

// ---- a task or a host less ----

// Leaves out hosts that have no task any more.
bool drop_empty_hosts(DrawnCase& c) {
  for (std::size_t h = c.cluster.hosts; h-- > 0;) {
    const auto at_h = [h](const DrawnWorker& w) { return w.host == h; };
    if (std::ranges::count(c.cluster.ps, h) > 0 || std::ranges::any_of(c.cluster.workers, at_h)) continue;
    const auto renamed = without<HostId>(h);
    if (!rename(c.schedule, {same<TaskId>, renamed})) return false;
    for (std::size_t& at : c.cluster.ps) at -= at > h ? 1 : 0;
    for (DrawnWorker& w : c.cluster.workers) w.host -= w.host > h ? 1 : 0;
    std::erase_if(c.cluster.links, [h](const LinkSpec& l) { return l.a.index() == h || l.b.index() == h; });
    for (LinkSpec& l : c.cluster.links) l.a = renamed(l.a), l.b = renamed(l.b);
    --c.cluster.hosts;
  }
  return true;
}

using Each = std::function<bool(const DrawnCase&)>;

template <class List>
void erase_at(List& list, std::size_t i) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
}

// With a gradient less to aggregate, too: else a job of fewer workers may never have an aggregate.
bool one_worker_less(const DrawnCase& c, const Each& each) {
  for (std::size_t i = c.cluster.workers.size(); c.cluster.workers.size() > 1 && i-- > 0;) {
    DrawnCase less = c;
    erase_at(less.cluster.workers, i);
    if (!rename(less.schedule, {without<TaskId>(c.cluster.ps.size() + i), same<HostId>})) continue;
    if (!drop_empty_hosts(less)) continue;
    if (each(less)) return true;
    if (less.cluster.replicas.value_or(1) == 1) continue;
    --*less.cluster.replicas;
    if (each(less)) return true;
  }
  return false;
}

bool one_server_less(const DrawnCase& c, const Each& each) {
  for (std::size_t i = c.cluster.ps.size(); c.cluster.ps.size() > 1 && i-- > 0;) {
    DrawnCase less = c;
    erase_at(less.cluster.ps, i);
    if (rename(less.schedule, {without<TaskId>(i), same<HostId>}) && drop_empty_hosts(less) && each(less)) return true;
  }
  return false;
}

// The tasks of a host move to the first one.
bool one_host_less(const DrawnCase& c, const Each& each) {
  for (std::size_t h = c.cluster.hosts; h-- > 1;) {
    DrawnCase less = c;
    std::ranges::replace(less.cluster.ps, h, std::size_t{0});
    for (DrawnWorker& w : less.cluster.workers) w.host = w.host == h ? 0 : w.host;
    if (drop_empty_hosts(less) && each(less)) return true;
  }
  return false;
}

// ---- one part plainer ----

// Half of it, rounded down to a whole number; at least one.
template <class Value>
void halve(std::optional<Value>& v) {
  if (v) v = std::max<Value>(Value{1}, *v / 2);
}

using Change = void (*)(DrawnCluster&);
constexpr Change kPlainer[] = {
    [](DrawnCluster& c) { c.nic = 0; },
    [](DrawnCluster& c) { c.links.clear(); },
    [](DrawnCluster& c) { c.same_host = 0; },
    [](DrawnCluster& c) { c.gpus = 0; },
    [](DrawnCluster& c) { c.gpu_memory = 0; },
    [](DrawnCluster& c) { c.threads = 0; },
    [](DrawnCluster& c) { c.graph = DrawnCluster().graph; },
    [](DrawnCluster& c) { c.strategy = PsStrategy::round_robin; },
    [](DrawnCluster& c) { c.ps_cost = 0; },
    [](DrawnCluster& c) { c.assign_cost = 0; },
    [](DrawnCluster& c) { c.training.start = Start::together; },
    [](DrawnCluster& c) { c.training.queue_runner = QueueRunnerEra::closes_token_queue; },
    [](DrawnCluster& c) { c.training.device_filters = true; },
    [](DrawnCluster& c) { c.training.fail_fast = true; },
    [](DrawnCluster& c) { c.training.save_steps.reset(); },
    [](DrawnCluster& c) { c.training.save_every.reset(); },
    [](DrawnCluster& c) { c.replicas.reset(); },
    [](DrawnCluster& c) { c.num_tokens.reset(); },
    [](DrawnCluster& c) { c.staleness = 0; },
    [](DrawnCluster& c) {
      c.protocol = Protocol::asynchronous;
      c.replicas.reset(), c.num_tokens.reset(), c.stop.aggregates.reset();
    },
    [](DrawnCluster& c) { c.stop.steps.reset(); },
    [](DrawnCluster& c) { c.stop.global_step.reset(); },
    [](DrawnCluster& c) { c.stop.aggregates.reset(); },
    [](DrawnCluster& c) { halve(c.stop.steps); },
    [](DrawnCluster& c) { halve(c.stop.global_step); },
    [](DrawnCluster& c) { halve(c.stop.aggregates); },
    [](DrawnCluster& c) { c.stop.time = std::max(kSecond, *c.stop.time / 2 / kSecond * kSecond); },
    [](DrawnCluster& c) { c.cost = Constant{kSecond}; },
    [](DrawnCluster& c) { c.latency = 0; },
    [](DrawnCluster& c) { c.latency = std::min(c.latency, kSecond / 1000); },
    [](DrawnCluster& c) { c.seed = 1; },
};

using WorkerChange = void (*)(DrawnWorker&);
constexpr WorkerChange kPlainerWorker[] = {
    [](DrawnWorker& w) { w.client = {}; },
    [](DrawnWorker& w) { w.cost.reset(); },
    [](DrawnWorker& w) { w.client.absent = false; },
    [](DrawnWorker& w) { w.client.start_after = 0; },
    [](DrawnWorker& w) { w.client.first_step_after = 0; },
    [](DrawnWorker& w) { w.client.steps.reset(); },
    [](DrawnWorker& w) { w.client.poll_first = false; },
};

bool one_part_plainer(const DrawnCase& c, const Each& each) {
  const std::string text = scenario_text(c.cluster, "");
  DrawnCase plainer = c;
  const auto differs_and_fits = [&] { return scenario_text(plainer.cluster, "") != text && each(plainer); };
  for (const Change change : kPlainer) {
    plainer.cluster = c.cluster;
    change(plainer.cluster);
    if (differs_and_fits()) return true;
  }
  for (std::size_t i = 0; i < c.cluster.workers.size(); ++i)
    for (const WorkerChange change : kPlainerWorker) {
      plainer.cluster = c.cluster;
      change(plainer.cluster.workers[i]);
      if (differs_and_fits()) return true;
    }
  return false;
}

}  // namespace

void for_each_smaller(const DrawnCase& c, const std::function<bool(const DrawnCase&)>& each) {
  bool is_over = false;
  for_each_smaller(c.schedule, [&](const Schedule& s) { return is_over = each({c.cluster, s}); });
  (void)(is_over || one_worker_less(c, each) || one_server_less(c, each) || one_host_less(c, each) ||
         one_part_plainer(c, each));
}

}  // namespace tarry
