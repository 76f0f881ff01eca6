#include "scenarios/job/fault_run.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tarry {

FaultRun::FaultRun(World& world, Directory& directory, std::span<const Fault> faults, Processes processes)
    : world_(world), directory_(directory), faults_(faults), processes_(std::move(processes)) {
  for (const Fault& f : faults)
    if (const auto* t = std::get_if<Trigger>(&f.when)) waiting_.push_back({*t, 0, &f});
  directory.may_resend =
      std::ranges::any_of(faults, [](const Fault& f) { return std::holds_alternative<Resend>(f.what); });
}

void FaultRun::start() {
  for (const Fault& f : faults_)
    if (const auto* at = std::get_if<Nanos>(&f.when)) schedule(f, *at);
}

void FaultRun::schedule(const Fault& fault, Nanos delay) {
  ++pending_;
  world_.after(delay, [this, &fault] {
    --pending_;
    std::visit([this](const auto& what) { on(what); }, fault.what);
  });
}

// ---- faults that wait for something ----

void FaultRun::look_at(const Event& event) {
  if (const auto* began = std::get_if<StepBegan>(&event)) steps_[began->step] = began->task;
  for (Waiting& w : waiting_)
    if (whose(event, w.trigger.moment) == w.trigger.task && ++w.seen == w.trigger.count)
      schedule(*w.fault, w.trigger.delay);
  std::erase_if(waiting_, [](const Waiting& w) { return w.seen == w.trigger.count; });
}

void FaultRun::finish() {
  for (const Waiting& w : waiting_)
    say(fmt::format("a fault never happened: it waited for something of {} for time {} of {}",
                    directory_.tasks[w.trigger.task.index()].name, w.seen, w.trigger.count));
}

// The client to which the moment came with this event; none when it is another event. Pushes and tokens are noted where
// the accumulator or the queue is.
TaskId FaultRun::whose(const Event& event, Moment moment) const {
  const auto client = [this](StepId step) {
    const auto it = steps_.find(step);
    return it == steps_.end() ? TaskId::none() : it->second;
  };
  if (const auto* e = std::get_if<GradientPushed>(&event); e != nullptr && moment == Moment::pushed)
    return client(e->step);
  if (const auto* e = std::get_if<Dequeued>(&event); e != nullptr && moment == Moment::token_taken)
    return world_.text(e->queue).ends_with("sync_token_q") ? client(e->step) : TaskId::none();
  if (const auto* e = std::get_if<SessionMoved>(&event);
      e != nullptr && moment == Moment::session_ready && e->stage == SessionStage::ready)
    return e->task;
  return TaskId::none();
}

// ---- what happens ----

void FaultRun::say(std::string_view what) { world_.note(ConditionChanged{world_.name(what)}); }

void FaultRun::undo_after(std::optional<Nanos> lasts, Callback undo) {
  if (lasts) world_.after(*lasts, std::move(undo));
}

void FaultRun::on(const Kill& k) {
  if (directory_.is_present(k.task)) processes_.end(k.task);
}
void FaultRun::on(const Restart& r) {
  if (directory_.is_present(r.task)) processes_.end(r.task);
  processes_.begin(r.task);
}

void FaultRun::on(const Disconnect& d) {
  say(fmt::format("the connections between {} and {} broke", directory_.tasks[d.a.index()].name,
                  directory_.tasks[d.b.index()].name));
  directory_.disconnect(d.a, d.b);
}

void FaultRun::on(const Resend& r) {
  say(fmt::format("the connection from {} to {} broke, and its open calls were sent again",
                  directory_.tasks[r.caller.index()].name, directory_.tasks[r.server.index()].name));
  directory_.resend(r.caller, r.server);
}

void FaultRun::on(const Slow& s) {
  const std::string name = directory_.tasks[s.task.index()].name;
  say(fmt::format("the kernels of {} take {} % of their time", name, s.percent));
  world_.set_pace(s.task, s.percent);
  undo_after(s.lasts, [this, s, name] {
    say(fmt::format("the kernels of {} take their usual time", name));
    world_.set_pace(s.task, 100);
  });
}

void FaultRun::on(const Delay& d) {
  const auto set = [this, d](std::optional<Nanos> latency) {
    const auto& hosts = world_.cluster().hosts;
    say(fmt::format("messages between {} and {} take {}", hosts[d.a.index()].name, hosts[d.b.index()].name,
                    latency ? fmt::format("{} ns", *latency) : "their usual time"));
    world_.set_latency(d.a, d.b, latency);
    world_.set_latency(d.b, d.a, latency);
  };
  set(d.latency);
  undo_after(d.lasts, [set] { set(std::nullopt); });
}

void FaultRun::on(const Part& p) {
  const auto& hosts = world_.cluster().hosts;
  const std::string between = fmt::format("between {} and {}", hosts[p.a.index()].name, hosts[p.b.index()].name);
  say("nothing passes " + between);
  world_.part(p.a, p.b);
  undo_after(p.lasts, [this, p, between] {
    say("messages pass again " + between);
    world_.join(p.a, p.b);
  });
}

}  // namespace tarry
