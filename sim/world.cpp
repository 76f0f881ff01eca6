#include "sim/world.hpp"

#include <algorithm>
#include <utility>

#include "placer/core/check.hpp"

namespace tarry {

World::World(ClusterSpec cluster, CostRules costs, std::uint64_t seed, NameTable& names, EventSink sink)
    : cluster_(std::move(cluster)),
      names_(names),
      sink_(std::move(sink)),
      costs_(std::move(costs), Random(seed).fork("costs")),
      devices_(cluster_, heap_),
      transport_(cluster_, heap_),
      random_(Random(seed).fork("world")),
      processes_(cluster_.tasks.size()) {}

Ended World::run(const std::function<bool()>& stop, Nanos until) {
  for (;;) {
    if (stop()) return Ended::stopped;
    if (!prepare_next(until)) return leave_at(until);
    heap_.run_next();
  }
}

bool World::prepare_next(Nanos until) {
  if (transport_.flows_alive()) {
    const Nanos next = heap_.empty() ? until : std::min(until, heap_.next_time());
    if (next > heap_.now()) transport_.advance_flows(next);
  }
  return !heap_.empty() && heap_.next_time() <= until;
}

Ended World::leave_at(Nanos until) {
  if (heap_.empty() && !transport_.flows_alive()) return Ended::idle;
  heap_.pass_time_to(until);
  return Ended::time_up;
}

WorldStats World::stats() const { return {now(), heap_.executed(), devices_.use(), transport_.traffic(), costs_.unpriced()}; }

CostId World::cost_of(const KernelSite& site) {
  check(site.task.index() < cluster_.tasks.size(), "a kernel of a task that the cluster doesn't have");
  const CostId id = costs_.site(site, cluster_.tasks[site.task.index()].name);
  if (id.valid() && id.index() == sites_.size())
    sites_.push_back({site.task, devices_.find(site.device), name(site.device), name(site.node), name(site.op)});
  return id;
}

void World::run_kernel(CostId cost, StepId step, Continuation done) {
  const Process& process = processes_[sites_[cost.index()].task.index()];
  const Nanos duration = costs_.next(cost) * process.pace / 100;
  const std::uint32_t kernel = kernels_.take({cost, step, duration, done, process.life});
  constexpr auto kFinish = [](void* self, std::uint64_t k) { static_cast<World*>(self)->finish_kernel(k); };
  devices_.run(sites_[cost.index()].device, duration, {kFinish, this, kernel});
}

void World::finish_kernel(std::uint64_t kernel) {
  const Kernel k = kernels_.give_back(kernel);
  const Site& site = sites_[k.cost.index()];
  if (k.life != processes_[site.task.index()].life) return;
  note(KernelRan{site.task, site.device_name, site.node, site.op, k.step, now() - k.duration});
  k.done();
}

void World::send(TaskId from, TaskId to, NameId kind, std::uint64_t bytes, StatusCallback done) {
  const std::uint32_t message = messages_.take({{from, to, kind, bytes, now()}, std::move(done)});
  constexpr auto kDeliver = [](void* self, std::uint64_t m) { static_cast<World*>(self)->deliver(m); };
  transport_.send(from, to, bytes, {kDeliver, this, message});
}

void World::deliver(std::uint64_t message) {
  Message m = messages_.give_back(message);
  note(m.event);
  std::move(m.done)(Status());
}

TimerId World::after(Nanos delay, Callback done) { return heap_.after(delay, std::move(done)); }

TimerId World::after(TaskId process, Nanos delay, Callback done) {
  const std::uint32_t& life = processes_[process.index()].life;
  return heap_.after(delay, std::move(done), {&life, life});
}

void World::end_process(TaskId task) {
  ++processes_[task.index()].life;
  devices_.clear(task);
}

void World::set_pace(TaskId task, std::int64_t percent) { processes_[task.index()].pace = percent; }
void World::set_latency(HostId from, HostId to, std::optional<Nanos> latency) { transport_.set_latency(from, to, latency); }
void World::part(HostId a, HostId b) { transport_.part(a, b); }
void World::join(HostId a, HostId b) { transport_.join(a, b); }

void World::cancel(TimerId timer) { heap_.cancel(timer); }

void World::note(const Event& event) { sink_(now(), event); }

}  // namespace tarry
