#include "sim/world.hpp"

#include <algorithm>
#include <utility>

#include "placer/core/check.hpp"

namespace tarry {
namespace {

constexpr Nanos kLongest = 100LL * 365 * 24 * 3600 * 1'000'000'000;  // a hundred years: no kernel takes longer

Nanos at_pace(Nanos duration, std::int64_t percent) {
  const __int128 exact = static_cast<__int128>(duration) * percent / 100;
  return static_cast<Nanos>(std::min<__int128>(exact, kLongest));
}

MessageCutOff cut_off(const MessageDelivered& m) { return {m.from, m.to, m.kind, m.bytes, m.sent, m.key, m.step}; }

}  // namespace

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
    if (heap_.next_time() > now()) instant_began_ = heap_.executed();
    if (heap_.executed() - instant_began_ > events_in_an_instant()) return Ended::endless;
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

std::uint64_t World::events_in_an_instant() const { return 1'000'000 + 100'000 * cluster_.tasks.size(); }

WorldStats World::stats() const {
  WorldStats s{now(), heap_.executed(), devices_.use(), transport_.traffic(), costs_.unpriced()};
  for (DeviceUse& d : s.devices)
    for (const Memory& m : memories_)
      if (m.memory->device == d.name)
        d.peak_bytes = std::max(d.peak_bytes, m.memory->peak()), d.memory_bytes = m.memory->capacity();
  return s;
}

KernelCost World::cost_of(const KernelSite& site) {
  check(site.task.index() < cluster_.tasks.size(), "a kernel of a task that the cluster doesn't have");
  const TaskSpec& task = cluster_.tasks[site.task.index()];
  const GpuSpec* gpu = find_gpu(task, site.device);
  const DeviceRates& rates = gpu == nullptr ? task.cpu : gpu->rates;
  if (site.op == "_Send" || site.op == "_Recv") return copy_cost(site, gpu == nullptr ? GpuSpec{} : *gpu, rates);
  return add_site(site, costs_.site(site, task.name, rates), site.device);
}

// Between a GPU's memory and the host's: a copy engine's time. Between two hosts' memories it is the network's.
KernelCost World::copy_cost(const KernelSite& site, const GpuSpec& gpu, const DeviceRates& rates) {
  KernelSite copy = site;
  if (gpu.copy_bandwidth == 0) copy.doing = Doing::nothing;
  const DeviceRates engine_rates{.flops = 0, .bandwidth = gpu.copy_bandwidth, .launch = 0};
  KernelCost cost =
      costs_.site(copy, cluster_.tasks[site.task.index()].name, gpu.copy_bandwidth == 0 ? rates : engine_rates);
  const bool copies = cost.source == CostSource::roofline && cost.id.valid();
  cost.on_arrival = copies && site.op == "_Recv";
  const CopyEngine engine = site.op == "_Recv" ? CopyEngine::to_device : CopyEngine::to_host;
  return add_site(site, cost, copies ? copy_engine_name(site.device, engine) : std::string(site.device));
}

KernelCost World::add_site(const KernelSite& site, const KernelCost& cost, std::string_view device) {
  if (cost.id.valid() && cost.id.index() == sites_.size())
    sites_.push_back({site.task, devices_.find(device), name(device), name(site.node), name(site.op)});
  return cost;
}

DeviceMemoryRef World::memory_of(TaskId task, std::string_view device) {
  const std::uint32_t life = processes_[task.index()].life;
  for (const Memory& m : memories_)
    if (m.task == task && m.life == life && m.memory->device == device) return m.memory;
  const GpuSpec* gpu = find_gpu(cluster_.tasks[task.index()], device);
  if (gpu == nullptr || gpu->memory_bytes == 0) return nullptr;
  const std::string allocator = fmt::format("GPU_{}_bfc", device.substr(device.rfind(':') + 1));
  return memories_
      .emplace_back(
          Memory{task, life, DeviceMemoryRef(new DeviceMemory(std::string(device), allocator, gpu->memory_bytes))})
      .memory;
}

void World::run_kernel(CostId cost, const Work& work, StepId step, Continuation done) {
  const Process& process = processes_[sites_[cost.index()].task.index()];
  const Nanos duration = at_pace(costs_.next(cost, work), process.pace);
  const std::uint32_t kernel = kernels_.take({cost, step, duration, now(), done, process.life});
  constexpr auto kFinish = [](void* self, std::uint64_t k) { static_cast<World*>(self)->finish_kernel(k); };
  devices_.run(sites_[cost.index()].device, duration, {kFinish, this, kernel});
}

void World::finish_kernel(std::uint64_t kernel) {
  const Kernel k = std::exchange(kernels_[kernel], Kernel());
  kernels_.drop(kernel);
  const Site& site = sites_[k.cost.index()];
  if (k.life != processes_[site.task.index()].life) return;
  note(KernelRan{site.task, site.device_name, site.node, site.op, k.step, now() - k.duration});
  k.done();
}

bool World::is_live(const Kernel& k) const {
  return k.cost.valid() && k.life == processes_[sites_[k.cost.index()].task.index()].life;
}

bool World::is_busy() const {
  return transport_.flows_alive() || std::ranges::any_of(kernels_, [this](const Kernel& k) { return is_live(k); });
}

void World::note_cut_off() {
  for (const Kernel& k : kernels_) {
    if (!is_live(k)) continue;
    const Site& site = sites_[k.cost.index()];
    note(KernelCutOff{site.task, site.device_name, site.node, site.op, k.step, k.asked});
  }
  for (const Message& m : messages_)
    if (m.done) note(cut_off(m.event));
}

void World::send(TaskId from, TaskId to, const MessageLabel& label, std::uint64_t bytes, StatusCallback&& done) {
  const std::uint32_t message = messages_.take();
  messages_[message].event = {from, to, label.kind, bytes, now(), label.key, label.step};
  messages_[message].done = std::move(done);
  constexpr auto kDeliver = [](void* self, std::uint64_t m) { static_cast<World*>(self)->deliver(m); };
  transport_.send(from, to, bytes, {kDeliver, this, message});
}

void World::deliver(std::uint64_t message) {
  Message& m = messages_[message];
  note(m.event);
  std::move(m.done)(Status());
  m.done = nullptr;
  messages_.drop(message);
}

TimerId World::after(Nanos delay, Callback&& done) { return heap_.after(delay, std::move(done)); }

TimerId World::after(TaskId process, Nanos delay, Callback&& done) {
  const std::uint32_t& life = processes_[process.index()].life;
  return heap_.after(delay, std::move(done), {&life, life});
}

void World::end_process(TaskId task) {
  ++processes_[task.index()].life;
  devices_.clear(task);
}

void World::set_pace(TaskId task, std::int64_t percent) { processes_[task.index()].pace = percent; }
void World::set_latency(HostId from, HostId to, std::optional<Nanos> latency) {
  transport_.set_latency(from, to, latency);
}
void World::part(HostId a, HostId b) { transport_.part(a, b); }
void World::part_one_way(HostId from, HostId to) { transport_.part_one_way(from, to); }
void World::join_one_way(HostId from, HostId to) { transport_.join_one_way(from, to); }
void World::join(HostId a, HostId b) { transport_.join(a, b); }

void World::cancel(TimerId timer) { heap_.cancel(timer); }

void World::note(const Event& event) { sink_(now(), event); }

}  // namespace tarry
