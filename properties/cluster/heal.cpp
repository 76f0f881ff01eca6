#include "properties/cluster/heal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/by_design.hpp"
#include "results/credits.hpp"

namespace tarry {
namespace {

// docs/rules/runtime.md#E.6.5: any error but ABORTED and UNAVAILABLE ends the client.
constexpr FaultHealth kHealth[] = {
    {"kill", Remains::process},
    {"restart", Remains::nothing},
    {"preempt", Remains::process},
    {"pause", Remains::condition},
    {"leave", Remains::process, "F.6.5"},
    {"lose_host", Remains::process},
    {"lose_rack", Remains::process},
    {"slow", Remains::condition},
    {"slow_host", Remains::condition},
    {"throttle", Remains::condition},
    {"lose_gpu", Remains::process, "E.6.5"},
    {"take_memory", Remains::condition, "E.6.5"},
    {"heavy_tail", Remains::condition},
    {"disconnect", Remains::nothing},
    {"resend", Remains::nothing},
    {"delay", Remains::condition},
    {"narrow", Remains::condition},
    {"part", Remains::condition},
    {"part_one_way", Remains::condition},
    {"part_breaking", Remains::condition},
    {"jam", Remains::ends},
    {"swizzle", Remains::ends},
    {"reorder", Remains::condition},
    {"order", Remains::nothing},
    {"fail_save", Remains::condition, "E.6.5"},
    {"slow_save", Remains::condition},
    {"tear_save", Remains::nothing, "E.6.5"},
    {"lose_checkpoints", Remains::nothing},
};

const FaultHealth& health_of(std::string_view key) { return *std::ranges::find(kHealth, key, &FaultHealth::key); }

// ---- durations ----

// How long the fault lasts by itself; nullopt = for good.
template <class K>
std::optional<Nanos> own_time(const K& kind) {
  if constexpr (std::is_same_v<K, Swizzle>)
    return 2 * kind.steps(kind.held.hosts.size() - 1) + kind.lasts;
  else if constexpr (requires { kind.lasts; })
    return kind.lasts;
  else
    return Nanos{0};
}

// What began under the fault may end so much later: a kernel, a message, a save.
template <class K>
Nanos left_behind(const K& kind, Nanos step) {
  if constexpr (std::is_same_v<K, Narrow>)
    return step * 100 / kind.percent.value;
  else if constexpr (requires { kind.percent.value; })
    return step / 100 * kind.percent.value;
  else if constexpr (requires { kind.latency; })
    return 4 * kind.latency;
  else if constexpr (std::is_same_v<K, Reorder>)
    return 4 * kind.within;
  else if constexpr (requires { kind.time; })
    return 4 * kind.time;
  else if constexpr (requires { kind.breaks_after; })
    return kind.breaks_after;
  else
    return 0;
}

// Set again for no time: it replaces the one before, and is over.
template <class K>
std::optional<FaultKinds> ended(K kind) {
  if constexpr (requires { kind.lasts; }) {
    kind.lasts = 0;
    if constexpr (std::is_same_v<K, FailSave>) kind.count.reset();
    if constexpr (std::is_same_v<K, PartBreaking>) kind.breaks_after = kSecond;
    return kind;
  } else {
    return std::nullopt;
  }
}

// ---- a run up to now ----

bool has_started(const EventLog& log) {
  return std::ranges::any_of(log.events(), [](const LoggedEvent& e) {
    const auto* moved = std::get_if<SessionMoved>(&e.event);
    return moved != nullptr && moved->stage == SessionStage::looping;
  });
}

struct Standing {
  std::set<TaskId> gone;          // tasks without a process
  std::set<TaskId> unhealthy;     // whose client left training with an error
  std::map<TaskId, Nanos> began;  // the present process, where it is not the first
};
Standing standing(const EventLog& log) {
  Standing s;
  for (const LoggedEvent& e : log.events()) {
    if (const auto* ended = std::get_if<ProcessEnded>(&e.event)) s.gone.insert(ended->task);
    if (const auto* began = std::get_if<ProcessBegan>(&e.event)) {
      s.gone.erase(began->task);
      s.unhealthy.erase(began->task);
      s.began[began->task] = e.at;
    }
    const auto* moved = std::get_if<SessionMoved>(&e.event);
    if (moved != nullptr && moved->stage == SessionStage::failed) s.unhealthy.insert(moved->task);
  }
  return s;
}

// Workers that made their steps since, or left training as they were told to.
std::set<TaskId> who_goes_on(const EventLog& log, Nanos since) {
  std::set<TaskId> well;
  for (const LoggedEvent& e : log.events()) {
    const auto* moved = std::get_if<SessionMoved>(&e.event);
    if (moved != nullptr && moved->stage == SessionStage::left_loop) well.insert(moved->task);
    if (const auto* began = std::get_if<ProcessBegan>(&e.event)) well.erase(began->task);
  }
  for (const WorkerStory& w : read_contributions(log).workers)
    if (std::ranges::count_if(w.step_ended, [&](Nanos at) { return at > since; }) >= kStepsAfterHealing)
      well.insert(w.task);
  return well;
}

Nanos slowest_step(const Contributions& c) {
  Nanos slowest = 0;
  for (const WorkerStory& w : c.workers) {
    Nanos before = w.first_step;
    for (const Nanos at : w.step_ended) slowest = std::max(slowest, at - std::exchange(before, at));
  }
  return slowest;
}

}  // namespace

std::span<const FaultHealth> fault_health() { return kHealth; }

// ---- what recovers by itself ----

namespace {

// The queue runner of 2.15.1: a chief that gives up its session closes the token queue, and finds it closed where that
// has lived on (docs/rules/runtime.md#E.6.6).
bool closes_tokens(const Job& job) {
  return std::ranges::any_of(job.clients, [](const ClientJob& c) {
    return c.program.sync && c.options.era == QueueRunnerEra::closes_token_queue;
  });
}
bool is_ps_but_the_first(const ClusterSpec& cluster, TaskId task) {
  const std::string& name = cluster.tasks[task.index()].name;
  return name.starts_with("/job:ps/") && !name.ends_with("/task:0");
}
bool is_chief(const Job& job, TaskId task) {
  return std::ranges::any_of(job.clients, [&](const ClientJob& c) { return c.task == task && c.program.is_chief; });
}
bool is_chief(const Job& job, HostId host) {
  for (std::size_t t = 0; t < job.cluster.tasks.size(); ++t)
    if (job.cluster.tasks[t].host == host && is_chief(job, TaskId{t})) return true;
  return false;
}
// Its connections may break.
template <class Pair>
bool may_break(const Job& job, const Pair& ends) {
  return !closes_tokens(job) || (!is_chief(job, ends.a) && !is_chief(job, ends.b));
}
// Its process may end and come back.
bool may_come_back(const Job& job, TaskId task) {
  return !closes_tokens(job) || !is_ps_but_the_first(job.cluster, task);
}
bool may_come_back(const Job& job, HostId host) {
  for (std::size_t t = 0; t < job.cluster.tasks.size(); ++t)
    if (job.cluster.tasks[t].host == host && !may_come_back(job, TaskId{t})) return false;
  return true;
}
bool may_come_back(const Job& job, const HostList& rack) {
  return std::ranges::all_of(rack.hosts, [&](HostId h) { return may_come_back(job, h); });
}

// The kind with an end; nullopt: it is not recovered from.
template <class K>
std::optional<FaultKinds> with_end(K kind, Nanos longest, const Job& job) {
  if (!health_of(K::kKey).why_not.empty()) return std::nullopt;
  if constexpr (std::is_same_v<K, Kill> || std::is_same_v<K, Restart> || std::is_same_v<K, Preempt>)
    if (!may_come_back(job, kind.task)) return std::nullopt;
  if constexpr (std::is_same_v<K, LoseHost>)
    if (!may_come_back(job, kind.host)) return std::nullopt;
  if constexpr (std::is_same_v<K, LoseRack>)
    if (!may_come_back(job, kind.rack)) return std::nullopt;
  if constexpr (std::is_same_v<K, Disconnect> || std::is_same_v<K, Resend> || std::is_same_v<K, PartBreaking>)
    if (!may_break(job, kind.ends)) return std::nullopt;
  if constexpr (std::is_same_v<K, Kill>) return Preempt{kind.task, longest};
  if constexpr (requires { kind.back_after; })
    kind.back_after = std::min(Nanos(std::optional<Nanos>(kind.back_after).value_or(longest)), longest);
  if constexpr (requires { kind.lasts; })
    kind.lasts = std::min(Nanos(std::optional<Nanos>(kind.lasts).value_or(longest)), longest);
  return kind;
}

}  // namespace

Schedule recoverable(const Schedule& schedule, const Course& course, const Job& job) {
  Schedule out;
  const Nanos longest = std::max<Nanos>(kSecond / 1000, course.time / 4);
  for (const Fault& f : schedule.faults)
    if (auto kind = std::visit([&](const auto& what) { return with_end(what, longest, job); }, f.what))
      out.faults.push_back({f.when, *std::move(kind)});
  return out;
}

// ---- the core ----

struct Healing::Core {
  std::vector<TaskId> workers;
  std::set<TaskId> tasks;  // the workers' among them
  std::set<HostId> hosts;

  [[nodiscard]] bool has(TaskId t) const { return tasks.contains(t); }
  [[nodiscard]] bool has(HostId h) const { return hosts.contains(h); }
  template <class Pair>
  [[nodiscard]] bool has_both(const Pair& p) const {
    return has(p.a) && has(p.b);
  }
  // Whether the core needs that the fault is over.
  template <class K>
  [[nodiscard]] bool concerns(const K& kind) const {
    if constexpr (requires { kind.ends; })
      return has_both(kind.ends);
    else if constexpr (requires { kind.task; })
      return has(kind.task);
    else if constexpr (requires { kind.host; })
      return has(kind.host);
    else
      return false;
  }
};

Healing::Healing(const Job& job, const Outcome& usual, Run run) : job_(job), run_(std::move(run)) {
  const Contributions c = read_contributions(usual.log);
  const Evidence e = read_evidence(usual.log, c, usual.tasks);
  length_ = usual.log.ended_at - usual.log.started_at;
  step_ = slowest_step(c);
  start_up_ = usual.log.started_at;
  for (const WorkerStory& w : c.workers) start_up_ = std::max(start_up_, usual.log.started_at + w.first_step);
  workers_needed_ = job.clients.size();
  if (e.training == Training::asynchronous) workers_needed_ = 1;
  const auto& sync = job.clients.front().program.sync;
  if (sync) workers_needed_ = static_cast<std::size_t>(std::min(sync->replicas_to_aggregate, sync->total_replicas));
  for (const ClientJob& client : job.clients)
    give_up_ = std::max(give_up_, client.options.recovery_wait + (sync ? client.options.stop_grace : 0));
}

std::vector<TaskId> Healing::core_workers(const EventLog& log) const {
  const Standing now = standing(log);
  std::vector<TaskId> workers;
  for (const bool is_chief : {true, false})
    for (const bool is_well : {true, false})
      for (const ClientJob& c : job_.clients) {
        const bool well = !now.gone.contains(c.task) && !now.unhealthy.contains(c.task);
        if (c.program.is_chief == is_chief && well == is_well) workers.push_back(c.task);
      }
  if (job_.start_together && !has_started(log)) return workers;
  const auto chiefs = std::ranges::count_if(job_.clients, [](const ClientJob& c) { return c.program.is_chief; });
  workers.resize(std::min(workers.size(), std::max(workers_needed_, static_cast<std::size_t>(chiefs))));
  return workers;
}

Healing::Core Healing::core(const EventLog& log) const {
  Core core{core_workers(log), {}, {}};
  for (std::size_t t = 0; t < job_.cluster.tasks.size(); ++t)
    if (std::ranges::find(job_.clients, TaskId{t}, &ClientJob::task) == job_.clients.end()) core.tasks.emplace(t);
  core.tasks.insert(core.workers.begin(), core.workers.end());
  for (const TaskId task : core.tasks) core.hosts.insert(job_.cluster.tasks[task.index()].host);
  return core;
}

// ---- healing ----

Nanos Healing::bound(const std::vector<Fault>& faults) const {
  Nanos left = 0;
  for (const Fault& f : faults) left += std::visit([&](const auto& what) { return left_behind(what, step_); }, f.what);
  return 2 * (give_up_ + start_up_) + 2 * kStepsAfterHealing * step_ + left;
}

// After all that fell by the length of the run without faults, and not before what always ends by itself has ended.
Nanos Healing::moment(const Schedule& schedule) const {
  Nanos longest = 0;
  for (const Fault& f : schedule.faults)
    std::visit(
        [&]<class K>(const K& what) {
          if (health_of(K::kKey).remains == Remains::ends) longest = std::max(longest, *own_time(what));
        },
        f.what);
  return length_ + longest;
}

// Times count from the start of training. Where that has not come, only faults after a moment have happened, and the
// healing counts from the last of them.
std::variant<Nanos, Trigger> Healing::when(const std::vector<Fault>& faults, const std::vector<Nanos>& happened,
                                           const EventLog& log, Nanos at) const {
  if (!job_.start_together || faults.empty() || has_started(log)) return at;
  const auto last = static_cast<std::size_t>(std::ranges::max_element(happened) - happened.begin());
  const auto* trigger = std::get_if<Trigger>(&faults[last].when);
  if (trigger == nullptr) return at;
  return Trigger{trigger->moment, trigger->task, trigger->count, trigger->delay + at};
}

bool Healing::has_client(TaskId task) const {
  return std::ranges::any_of(job_.clients, [task](const ClientJob& c) { return c.task == task; });
}

std::vector<Fault> Healing::heals(const Core& core, const std::vector<Fault>& faults,
                                  const std::vector<Nanos>& happened, const EventLog& log, Nanos at) const {
  const Standing now = standing(log);
  const std::variant<Nanos, Trigger> moment = when(faults, happened, log, at);
  std::set<TaskId> anew;
  for (const TaskId t : core.tasks)
    if (now.gone.contains(t) || now.unhealthy.contains(t)) anew.insert(t);
  std::vector<Fault> out;
  for (std::size_t i = 0; i < faults.size(); ++i)
    std::visit(
        [&]<class K>(const K& what) {
          if (!core.concerns(what)) return;
          const Remains remains = health_of(K::kKey).remains;
          const auto time = own_time(what);
          if (remains == Remains::condition && (!time || happened[i] + *time >= at))
            out.push_back({moment, *ended(what)});
          if constexpr (std::is_same_v<K, Leave>)
            if (!has_client(what.task)) return;
          if constexpr (std::is_same_v<K, Leave> || std::is_same_v<K, LoseGpu>)
            if (!now.began.contains(what.task) || now.began.at(what.task) - log.started_at <= happened[i])
              anew.insert(what.task);
        },
        faults[i].what);
  for (const TaskId t : anew) out.push_back({moment, Restart{t}});
  return out;
}

StatusOr<HealedRun> Healing::heal(const Schedule& schedule, const IsTimeUp& is_time_up) const {
  Healed out{.at = moment(schedule)};
  TARRY_ASSIGN(const Outcome before, run_(schedule.faults, StopRule{.time = out.at}, is_time_up));
  std::vector<Nanos> happened;
  for (std::size_t i = 0; i < schedule.faults.size(); ++i) {
    const Nanos at = before.faults_at[i];
    if (at < 0 || at - before.log.started_at >= out.at) continue;
    out.faults.push_back(schedule.faults[i]);
    happened.push_back(at - before.log.started_at);
  }
  out.until = out.at + bound(out.faults);
  const Core core = this->core(before.log);
  const std::vector<Fault> healing = heals(core, out.faults, happened, before.log, out.at);
  out.healing = healing.size();
  out.faults.insert(out.faults.end(), healing.begin(), healing.end());
  TARRY_ASSIGN(Outcome after, run_(out.faults, StopRule{.time = out.until}, is_time_up));
  out.broken = judged(core, after, has_started(before.log) ? out.at : 0);
  return HealedRun{std::move(out), std::move(after.log), after.audit.marks};
}

// ---- judging ----

std::vector<Breach> Healing::judged(const Core& core, const Outcome& o, Nanos healed_at) {
  std::vector<Breach> laws, hazards;
  for (const BrokenLaw& b : o.breaches) laws.push_back({"law " + b.law, b.text + "."});
  const std::set<TaskId> well = who_goes_on(o.log, healed_at);
  for (const TaskId worker : core.workers) {
    if (well.contains(worker)) continue;
    const std::string still = fmt::format("{} stands still after all that it needs was back", o.tasks.show(worker));
    const auto why = why_by_design(o.log, o.audit, o.tasks, worker);
    if (!why) {
      laws.push_back({kDefect, still + ". No rule of TensorFlow explains it."});
      return laws;
    }
    hazards.push_back({fmt::format("{} ({})", kHazard, why->section),
                       fmt::format("{}. {}. Cure: {}.", still, in_words(*why), why->cure)});
  }
  if (!hazards.empty()) laws.push_back(hazards.front());
  return laws;
}

}  // namespace tarry
