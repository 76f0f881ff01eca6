#include "sim/world.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "placer/core/check.hpp"
#include "placer/core/flush_denormals.hpp"

namespace tarry {
namespace {

MessageCutOff cut_off(const MessageDelivered& m) { return {m.from, m.to, m.kind, m.bytes, m.sent, m.key, m.step}; }

}  // namespace

World::World(ClusterSpec cluster, CostRules costs, std::uint64_t seed, NameTable& names, EventSink sink)
    : cluster_(std::move(cluster)),
      names_(names),
      sink_(std::move(sink)),
      costs_(std::move(costs), Random(seed).fork("costs")),
      devices_(cluster_, heap_),
      transport_(cluster_, heap_, Random(seed).fork("cards")),
      threads_(cluster_),
      random_(Random(seed).fork("world")),
      paces_(cluster_, random_.fork("tails")),
      interference_(costs_.interference(), cluster_, random_.fork("interference")),
      variations_(costs_.variations(), cluster_, random_.fork("variations")),
      gpus_(cluster_),
      processes_(cluster_.tasks.size()) {
  transport_.on_broken = [this](const Continuation& delivered) { break_off(delivered.argument); };
}

Ended World::run(const std::function<bool()>& stop, Nanos until) {
  const FlushDenormals as_kernels_do;
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
  gpus_.add_use(s.devices);
  for (const Site& site : sites_)
    if (site.executions > 0) s.nodes.push_back({site.task, site.node, site.took, site.executions, site.took_before});
  return s;
}

KernelCost World::cost_of(const KernelSite& site) {
  check(site.task.index() < cluster_.tasks.size(), "a kernel of a task that the cluster doesn't have");
  const TaskSpec& task = cluster_.tasks[site.task.index()];
  const GpuSpec* gpu = find_gpu(task, site.device);
  const DeviceRates& rates = gpu == nullptr ? task.cpu : gpu->rates;
  if (site.op == "_Send" || site.op == "_Recv")
    return copy_cost(site, gpu == nullptr ? 0 : copy_limit(cluster_, task, *gpu), rates);
  return add_site(site, costs_.site(site, task.name, rates), site.device);
}

// Between a GPU's memory and the host's: a copy engine's time. Between two hosts' memories it is the network's.
KernelCost World::copy_cost(const KernelSite& site, std::uint64_t bandwidth, const DeviceRates& rates) {
  KernelSite copy = site;
  if (bandwidth == 0) copy.doing = Doing::nothing;
  const DeviceRates engine_rates{.flops = 0, .bandwidth = bandwidth, .launch = 0};
  KernelCost cost = costs_.site(copy, cluster_.tasks[site.task.index()].name, bandwidth == 0 ? rates : engine_rates);
  const bool copies = cost.source == CostSource::roofline && cost.id.valid();
  cost.on_arrival = copies && site.op == "_Recv";
  const CopyEngine engine = site.op == "_Recv" ? CopyEngine::to_device : CopyEngine::to_host;
  return add_site(site, cost, copies ? copy_engine_name(site.device, engine) : std::string(site.device));
}

KernelCost World::add_site(const KernelSite& site, const KernelCost& cost, std::string_view device) {
  if (!cost.id.valid() || cost.id.index() != sites_.size()) return cost;
  const GpuSpec* gpu = find_gpu(cluster_.tasks[site.task.index()], device);
  sites_.push_back({site.task, devices_.find(device), name(device), name(site.node), name(site.op),
                    gpu != nullptr && gpu->launches_ahead, costs_.pace_of(site, cluster_.tasks[site.task.index()].name),
                    turns_.find(site.task, site.one_at_a_time)});
  return cost;
}

void World::run_kernel(CostId cost, const Work& work, StepId step, Continuation done) {
  const Turns::Asked asked{cost, work, step, done};
  const TurnsId turns = sites_[cost.index()].turns;
  if (!turns.valid() || turns_.begin(turns, asked)) begin_kernel(asked);
}

void World::begin_kernel(const Turns::Asked& asked) {
  const auto& [cost, work, step, done] = asked;
  const Site& site = sites_[cost.index()];
  const Nanos launch = site.launches_ahead ? costs_.launch_of_next(cost) : 0, usual = costs_.next(cost, work);
  Nanos duration = site.pace == kUsualPace ? usual : times_millionths(usual, site.pace);
  if (!paces_.are_usual())
    duration = paces_.of(duration, cost,
                         {site.task, site.device, names_[site.node], names_[site.op], costs_.executions(cost)});
  if (variations_.is_any()) duration = variations_.of(duration, site.task, step);
  if (interference_.is_any()) duration = interference_.of(duration, site.task, now());
  const std::uint32_t life = processes_[site.task.index()].life;
  const std::uint32_t kernel = kernels_.take({cost, step, duration, now(), done, life});
  constexpr auto kFinish = [](void* self, std::uint64_t k) { static_cast<World*>(self)->finish_kernel(k); };
  const Nanos ahead = launch == 0 ? 0 : static_cast<Nanos>(__int128{launch} * duration / usual);
  devices_.run(site.device, {duration, usual, ahead}, {kFinish, this, kernel});
}

void World::finish_kernel(std::uint64_t kernel) {
  const Kernel k = std::exchange(kernels_[kernel], Kernel());
  kernels_.drop(kernel);
  Site& site = sites_[k.cost.index()];
  if (k.life != processes_[site.task.index()].life) return;
  site.took += k.duration, ++site.executions;
  note(KernelRan{site.task, site.device_name, site.node, site.op, k.step, now() - devices_.ran()});
  if (site.turns.valid())
    if (const auto next = turns_.end(site.turns)) begin_kernel(*next);
  k.done();
}

bool World::is_live(const Kernel& k) const {
  return k.cost.valid() && k.life == processes_[sites_[k.cost.index()].task.index()].life;
}

bool World::is_busy() const {
  return transport_.flows_alive() || std::ranges::any_of(kernels_, [this](const Kernel& k) {
           return is_live(k) && !stands_still(sites_[k.cost.index()].task);
         });
}

void World::note_cut_off_kernels(TaskId only) {
  for (const Kernel& k : kernels_) {
    if (!is_live(k)) continue;
    const Site& site = sites_[k.cost.index()];
    if (!only.valid() || site.task == only)
      note(KernelCutOff{site.task, site.device_name, site.node, site.op, k.step, k.asked});
  }
}

void World::note_cut_off() {
  note_cut_off_kernels({});
  for (const Message& m : messages_)
    if (m.done) note(cut_off(m.event));
}

void World::send(TaskId from, TaskId to, const MessageLabel& label, std::uint64_t bytes, StatusCallback&& done) {
  const std::uint32_t message = messages_.take();
  messages_[message].event = {from, to, label.kind, bytes, now(), label.key, label.step};
  messages_[message].done = std::move(done);
  messages_[message].manner = label.manner;
  if (!threads_.are_needed()) return transport_.send(from, to, bytes, then<&World::deliver>(message), label.manner);
  messages_[message].life = processes_[from.index()].life;
  at_end_of(threads_.send(from, now(), bytes, label.manner), from, then<&World::leave>(message));
}

void World::at_end_of(const TransportThreads::Turn& turn, TaskId task, Continuation next) {
  if (turn.ends == now()) return next();
  heap_.at(turn.ends, next, {Strand::Kind::process, task.index()},
           {.kind = WaitKind::transport, .first_until = turn.begins, .task = task});
}

// Its sender's threads are done with it. The end of a connection outlives the process whose end it tells of.
void World::leave(std::uint64_t message) {
  const Message& m = messages_[message];
  const auto& [life, park] = processes_[m.event.from.index()];
  if (m.life != life && m.manner != Manner::in_order) return forget(message);
  if (park.is_closed) return processes_[m.event.from.index()].park.events.push_back(then<&World::leave>(message));
  transport_.send(m.event.from, m.event.to, m.event.bytes, then<&World::arrive>(message), m.manner);
}

void World::arrive(std::uint64_t message) {
  const Message& m = messages_[message];
  const TaskId to = m.event.to;
  if (Park& park = processes_[to.index()].park; park.is_closed)
    return park.events.push_back(then<&World::arrive>(message));
  at_end_of(threads_.receive(to, now(), m.event.bytes, m.manner), to, then<&World::deliver>(message));
}

void World::deliver(std::uint64_t message) {
  Message& m = messages_[message];
  if (Park& park = processes_[m.event.to.index()].park; park.is_closed) [[unlikely]]
    return park.events.push_back(then<&World::deliver>(message));
  note(m.event);
  std::move(m.done)(Status());
  forget(message);
}

void World::forget(std::uint64_t message) {
  messages_[message].done = nullptr;
  messages_.drop(message);
}

// The connection that it was on is broken: a request's sender hears of it, a reply's receiver, and the server of a call
// or a connection that was to end.
void World::break_off(std::uint64_t message) {
  const Message& m = messages_[message];
  const bool is_request = m.manner == Manner::usual && text(m.event.kind).ends_with(" request");
  in_process(is_request ? m.event.from : m.event.to, [this, message] {
    std::move(messages_[message].done)(error(Code::kUnavailable, "Socket closed"));
    forget(message);
  });
}

TimerId World::after(Nanos delay, Callback&& done) { return heap_.after(delay, std::move(done)); }

TimerId World::after(TaskId process, Nanos delay, Callback&& done) {
  return process_timer(WaitKind::timer, process, delay, std::move(done));
}

void World::store(TaskId process, Nanos time, Callback&& done) {
  process_timer(WaitKind::storage, process, time, std::move(done));
}

TimerId World::process_timer(WaitKind kind, TaskId process, Nanos delay, Callback&& done) {
  if (timers_outlive_processes) return after(delay, std::move(done));
  return heap_.after(delay, std::move(done), guard_of(process), {Strand::Kind::process, process.index()},
                     {.kind = kind, .task = process});
}

void World::in_process(TaskId process, Callback&& go) {
  Park& park = processes_[process.index()].park;
  if (!park.is_closed) return std::move(go)();
  heap_.park(park, std::move(go), {});
}

void World::stand_still(TaskId task) {
  processes_[task.index()].park.is_closed = true;
  devices_.stand_still(task);
}

void World::go_on(TaskId task) {
  if (!stands_still(task)) return;
  heap_.open(processes_[task.index()].park);
  devices_.go_on(task);
}

void World::end_process(TaskId task) {
  ++processes_[task.index()].life;
  devices_.clear(task);
  turns_.clear(task);
  gpus_.renew(task);
  threads_.renew(task);
  if (stands_still(task)) heap_.open(processes_[task.index()].park);
}

void World::cancel(TimerId timer) { heap_.cancel(timer); }

void World::note(const Event& event) {
  if (variations_.is_any()) variations_.look(event);
  sink_(now(), event);
}

}  // namespace tarry
