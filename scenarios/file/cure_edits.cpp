#include "scenarios/file/cure_edits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "placer/core/text.hpp"
#include "results/losses.hpp"
#include "results/to_do.hpp"
#include "results/trouble.hpp"
#include "scenarios/file/names.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kTimesAsOften = 4, kUsualSaveSteps = 10;
constexpr double kMargin = 1.2, kMostTimesAsLong = 100;

std::string show(const Ward& w, TaskId t) { return w.patient.outcome.tasks.show(t); }
std::int64_t trains(const Ward& w) { return std::ssize(w.contributions.workers); }

bool is_ps(const TaskSpec& t) { return t.name.starts_with("/job:ps/"); }
bool has_on(const Scenario& s, HostId host, bool ps) {
  return std::ranges::any_of(s.cluster.tasks, [&](const TaskSpec& t) { return t.host == host && is_ps(t) == ps; });
}

Status needs_build(const Scenario& s) {
  return s.build ? Status() : invalid("only a job that `build` makes can have it");
}

Status aggregate(std::int64_t gradients, Scenario& s, CuredJob& cured) {
  TARRY_RETURN_IF_ERROR(needs_build(s));
  if (gradients < 1) return invalid("there is no worker to spare");
  JobPlan& plan = s.build->plan;
  if (gradients == plan.replicas.value_or(plan.workers)) return invalid("it aggregates so many already");
  plan.replicas = static_cast<int>(gradients);
  cured.keys = s.build->says_backups
                   ? fmt::format("build.backup_workers: {}", std::max<std::int64_t>(0, plan.workers - gradients))
                   : fmt::format("build.replicas_to_aggregate: {}", gradients);
  cured.unlike = fmt::format(" for as many aggregates of {}", counted(gradients, "gradient", "gradients"));
  return {};
}

// The global step by the first time that it went back; else at the end.
std::int64_t steps_before_setback(const Ward& w) {
  const Losses losses = read_losses(w.patient.outcome.log);
  return losses.setbacks.empty() ? w.contributions.global_step : losses.setbacks.front().from;
}

void say_saves(const Scenario& s, CuredJob& cured) {
  cured.keys = s.training.save_every ? fmt::format("training.save_every: {:.6g}s", in_seconds(*s.training.save_every))
                                     : fmt::format("training.save_steps: {}", *s.training.save_steps);
}

// ---- faults that end processes ----

bool has_ended(const Job& job, const FaultKinds& what, TaskId task) {
  const HostId host = job.cluster.tasks[task.index()].host;
  if (const auto* k = std::get_if<Kill>(&what)) return k->task == task;
  if (const auto* p = std::get_if<Preempt>(&what)) return p->task == task;
  if (const auto* h = std::get_if<LoseHost>(&what)) return h->host == host;
  const auto* r = std::get_if<LoseRack>(&what);
  return r != nullptr && std::ranges::find(r->rack.hosts, host) != r->rack.hosts.end();
}

std::variant<Nanos, Trigger> later(std::variant<Nanos, Trigger> when, Nanos by) {
  if (auto* at = std::get_if<Nanos>(&when))
    *at += by;
  else
    std::get<Trigger>(when).delay += by;
  return when;
}

// What a fault that ended a process of `task` becomes.
void begin_again_after(Nanos soon, Job& job, std::size_t fault, TaskId task) {
  FaultKinds& what = job.faults[fault].what;
  if (auto* p = std::get_if<Preempt>(&what)) p->back_after = std::min(p->back_after, soon);
  if (auto* h = std::get_if<LoseHost>(&what)) h->back_after = std::min(h->back_after.value_or(soon), soon);
  if (auto* r = std::get_if<LoseRack>(&what)) r->back_after = std::min(r->back_after.value_or(soon), soon);
  if (std::holds_alternative<Kill>(what)) job.faults.push_back({later(job.faults[fault].when, soon), Restart{task}});
}

void restart(Job& job, TaskId task, Nanos soon) {
  const auto restarts = [&](const Fault& f) {
    const auto* r = std::get_if<Restart>(&f.what);
    return r != nullptr && r->task == task;
  };
  const bool was_killed = std::ranges::any_of(
      job.faults, [&](const Fault& f) { return std::holds_alternative<Kill>(f.what) && has_ended(job, f.what, task); });
  if (was_killed) std::erase_if(job.faults, restarts);
  for (std::size_t f = 0, n = job.faults.size(); f < n; ++f)
    if (has_ended(job, job.faults[f].what, task)) begin_again_after(soon, job, f, task);
}

// "worker 1" stands at the beginning of "worker 1; ..." and not of "worker 10".
bool begins_with(std::string_view text, std::string_view task) {
  const std::string_view rest = text.substr(std::min(text.size(), task.size()));
  return text.starts_with(task) && (rest.empty() || rest.front() < '0' || rest.front() > '9');
}

std::vector<TaskId> to_restart(const Ward& w, std::string_view to_do) {
  std::vector<TaskId> out;
  std::string_view after = to_do.substr(to_do.find("restart ") + std::string_view("restart ").size());
  for (bool is_named = true; is_named;) {  // "worker 2, worker 3 and worker 4"
    is_named = false;
    for (std::size_t t = 0; t < w.patient.job.cluster.tasks.size() && !is_named; ++t)
      if (const std::string name = show(w, TaskId{t}); begins_with(after, name)) {
        out.push_back(TaskId{t});
        after.remove_prefix(name.size());
        for (const std::string_view between : {", ", " and "})
          if (after.starts_with(between)) after.remove_prefix(between.size()), is_named = true;
        if (!is_named) return out;
      }
  }
  if (!out.empty()) return out;
  for (const Loss& l : read_losses(w.patient.outcome.log).processes)
    if (std::ranges::find(out, l.task) == out.end()) out.push_back(l.task);
  return out;
}

// How many workers the advice would restart: an aggregate that is to do without them needs as many gradients fewer.
std::int64_t workers_to_restart(const Ward& w, std::string_view to_do) {
  if (to_do.find("restart ") == to_do.npos) return 0;
  const auto& workers = w.contributions.workers;
  return std::ranges::count_if(to_restart(w, to_do), [&](TaskId t) {
    return std::ranges::find(workers, t, &WorkerStory::task) != workers.end();
  });
}

bool ends(const Job& job, TaskId task) {
  return std::ranges::any_of(job.faults, [&](const Fault& f) { return has_ended(job, f.what, task); });
}

// Those that no fault ends end with those that one does.
void end_together(Job& job, const std::vector<TaskId>& tasks) {
  for (const TaskId t : tasks) {
    if (ends(job, t)) continue;
    for (std::size_t f = 0, n = job.faults.size(); f < n; ++f)
      if (std::ranges::any_of(tasks, [&](TaskId other) { return has_ended(job, job.faults[f].what, other); }))
        job.faults.push_back({job.faults[f].when, Preempt{t, kSecond}});
  }
}

}  // namespace

Status restart_soon(const Ward& w, const Verdict& v, CuredJob& cured) {
  std::vector<std::string> names;
  const std::string_view to_do = to_do_in(v.text);
  const std::vector<TaskId> tasks = to_restart(w, to_do);
  if (to_do.find(" together, since ") != to_do.npos) end_together(cured.job, tasks);
  for (const TaskId t : tasks) {
    Job& job = cured.job;
    if (!ends(job, t)) continue;
    restart(job, t, kSecond);
    names.push_back(show(w, t));
  }
  if (names.empty()) return invalid("no fault of the scenario leaves it without a process");
  if (cured.job.faults == w.patient.job.faults) return invalid("it begins again that soon already");
  cured.advice = fmt::format("restart {} within a second", join(names, " and "));
  return {};
}

Status save_more_often(const Ward& w, const Verdict&, Scenario& s, CuredJob& cured) {
  TrainingSpec& t = s.training;
  if (t.save_steps == 1) return invalid("it saves after each step already");
  const bool is_exact = !t.save_steps || *t.save_steps % kTimesAsOften == 0;
  if (t.save_steps || t.save_every)
    cured.advice = is_exact ? "save checkpoints four times as often" : "save checkpoints more often";
  if (t.save_every) t.save_every = std::max<Nanos>(1, *t.save_every / kTimesAsOften);
  if (t.save_steps) t.save_steps = std::max<std::int64_t>(1, *t.save_steps / kTimesAsOften);
  if (!t.save_steps && !t.save_every)
    t.save_steps = std::clamp<std::int64_t>(steps_before_setback(w) / kTimesAsOften, 1, kUsualSaveSteps);
  say_saves(s, cured);
  return {};
}

Status save_less_often(const Ward&, const Verdict&, Scenario& s, CuredJob& cured) {
  TrainingSpec& t = s.training;
  if (!t.save_steps && !t.save_every) return invalid("the scenario saves no checkpoints");
  if (t.save_every) t.save_every = *t.save_every * kTimesAsOften;
  if (t.save_steps) t.save_steps = *t.save_steps * kTimesAsOften;
  say_saves(s, cured);
  return {};
}

Status aggregate_fewer(const Ward& w, const Verdict& v, Scenario& s, CuredJob& cured) {
  TARRY_RETURN_IF_ERROR(needs_build(s));
  const std::int64_t asked = s.build->plan.replicas.value_or(s.build->plan.workers);
  if (v.kind == "no_aggregate" && asked > trains(w)) return aggregate(trains(w), s, cured);
  return aggregate(std::min(asked, trains(w)) - std::max<std::int64_t>(1, workers_to_restart(w, to_do_in(v.text))), s,
                   cured);
}

Status aggregate_all(const Ward& w, const Verdict&, Scenario& s, CuredJob& cured) {
  // Where nobody came to train, each client of the job would.
  return aggregate(trains(w) > 0 ? trains(w) : std::ssize(w.patient.job.clients), s, cured);
}

Status find_files(const Ward&, const Verdict&, Scenario& s, CuredJob& cured) {
  if (s.input_files.empty()) return invalid("the scenario says nothing of files");
  const auto has_bytes = std::ranges::find_if(s.input_files, [](const InputFileSpec& f) { return !f.from.empty(); });
  if (has_bytes != s.input_files.end()) {
    const std::string folder = std::filesystem::path(s.file).parent_path() / "", &from = has_bytes->from;
    const std::size_t own = from.starts_with(folder) ? folder.size() : 0;  // paths start at the scenario's folder
    cured.keys = fmt::format("feeds.files[]: {{name: '*', from: {}}}", from.substr(own));
    s.input_files.push_back({.file = {.name = "*"}, .from = has_bytes->from});
    return {};
  }
  std::int64_t most = 1;
  for (const InputFileSpec& f : s.input_files) most = std::max(most, f.file.records);
  s.input_files.push_back({.file = {.name = "*", .records = most}});
  cured.keys = fmt::format("feeds.files[]: {{name: '*', records: {}}}", most);
  return {};
}

Status start_without_tokens(const Ward& w, const Verdict&, Scenario& s, CuredJob& cured) {
  if (w.contributions.initial_tokens.empty()) return invalid("there are none");
  s.training.num_tokens = 0;
  cured.keys = "training.num_tokens: 0";
  return {};
}

Status enough_tokens(const Ward&, const Verdict& v, Scenario& s, CuredJob& cured) {
  constexpr std::string_view kBefore = "give at least ";
  const std::string_view to_do = to_do_in(v.text), number = to_do.substr(std::min(to_do.size(), to_do.find(kBefore)));
  std::int64_t tokens = 0;
  const char* first = number.data() + std::min(number.size(), kBefore.size());
  if (std::from_chars(first, number.data() + number.size(), tokens).ec != std::errc())
    return invalid("it does not say how many");
  if (s.build) {
    s.build->plan.num_tokens = static_cast<int>(tokens);
    s.training.num_tokens.reset();
  } else {
    s.training.num_tokens = tokens;
  }
  cured.keys = fmt::format("{}.num_tokens: {}", s.build ? "build" : "training", tokens);
  return {};
}

Status put_servers_apart(const Ward&, const Verdict&, Scenario& s, CuredJob& cured) {
  const std::size_t hosts = s.cluster.hosts.size();
  for (TaskSpec& t : s.cluster.tasks) {
    if (!is_ps(t) || !has_on(s, t.host, false)) continue;
    t.host = add_host_like(s.cluster, t.host, "a host for " + short_task(t.name));
  }
  cured.keys = "cluster.hosts and cluster.tasks";
  return s.cluster.hosts.size() > hosts ? Status() : invalid("no parameter server shares a host with a worker");
}

Status put_servers_beside(const Ward&, const Verdict&, Scenario& s, CuredJob& cured) {
  TARRY_RETURN_IF_ERROR(needs_build(s));
  auto servers = std::ranges::count_if(s.cluster.tasks, is_ps);
  if (s.build->plan.protocol == Protocol::handwritten || servers == 0)
    return invalid("its graph has its servers in it");
  TaskSpec server = *std::ranges::find_if(s.cluster.tasks, is_ps);
  for (std::size_t h = 0; h < s.cluster.hosts.size(); ++h) {
    if (!has_on(s, HostId{h}, false) || has_on(s, HostId{h}, true)) continue;
    server.name = fmt::format("/job:ps/replica:0/task:{}", servers++);
    server.host = HostId{h};
    s.cluster.tasks.push_back(server);
  }
  s.build->plan.ps = static_cast<int>(servers);
  cured.keys = "cluster.tasks and build.ps";
  return {};
}

Status start_missing(const Ward&, const Verdict&, Scenario& s, CuredJob& cured) {
  bool was_absent = false;
  for (auto& [task, client] : s.training.workers) was_absent |= std::exchange(client.absent, false);
  cured.keys = "training.workers.T.absent";
  return was_absent ? Status() : invalid("the cluster has no task for it");
}

Status plan_for_those(const Ward& w, const Verdict&, Scenario& s, CuredJob& cured) {
  TARRY_RETURN_IF_ERROR(needs_build(s));
  s.build->plan.workers = static_cast<int>(trains(w));
  for (auto& [task, client] : s.training.workers) client.absent = false;  // the first ones train, whoever it was
  cured.keys = fmt::format("build.workers: {0}, and {0} of the workers in cluster.tasks", trains(w));
  return {};
}

Status filter_devices(const Ward&, const Verdict&, Scenario& s, CuredJob& cured) {
  cured.keys = "training.device_filters: true";
  return std::exchange(s.training.device_filters, true) ? invalid("the scenario has them already") : Status();
}

Status start_sync_thread(const Ward&, const Verdict&, Scenario& s, CuredJob& cured) {
  cured.keys = "training.sync_thread: true";
  return std::exchange(s.training.sync_thread, true) ? invalid("the scenario starts it already") : Status();
}

Status fetch_nothing_more(const Ward&, const Verdict&, Scenario& s, CuredJob& cured) {
  bool did = false;
  for (auto& [task, client] : s.training.workers) did |= !std::exchange(client.also, {}).empty();
  cured.keys = "training.workers.T.also";
  return did ? Status() : invalid("it is the graph itself that does");
}

namespace {

Status until(double time, bool of_aggregates, Scenario& s, CuredJob& cured) {
  s.stop = of_aggregates ? StopSpec{.aggregates = 1} : StopSpec{.steps = 1};
  s.stop.time = static_cast<Nanos>(time);
  cured.keys = fmt::format("stop.time: {:.6g}s", in_seconds(*s.stop.time));
  cured.to_its_end = true;
  return {};
}

Status until_the_first(bool of_aggregates, double ran, Scenario& s, CuredJob& cured) {
  cured.advice = fmt::format("let it run a hundred times as long, until {}",
                             of_aggregates ? "an aggregate is complete" : "a step ends");
  return until(kMostTimesAsLong * ran, of_aggregates, s, cured);
}

}  // namespace

// The run was looked at beyond its end; where nobody knows when the first comes, by the gradients that are there.
Status run_longer(const Ward& w, const Verdict& v, Scenario& s, CuredJob& cured) {
  const EventLog& log = w.patient.outcome.log;
  const auto ran = static_cast<double>(log.ended_at - log.started_at);
  const bool of_aggregates = v.kind != "not_started";
  if (log.goes_on_at >= 0) {
    if (!of_aggregates) cured.advice = "let it run until the first step should have ended";
    return until(kMargin * static_cast<double>(log.goes_on_at), of_aggregates, s, cured);
  }
  if (!of_aggregates) return until_the_first(false, ran, s, cured);
  if (w.contributions.accumulators.empty()) return invalid("no gradient came");
  const AccumulatorStory& a = w.contributions.accumulators.front();
  const std::int64_t came = sum(a.left);
  if (came == 0 || a.required == 0) return until_the_first(true, ran, s, cured);
  const double times = kMargin * static_cast<double>(a.required) / static_cast<double>(came);
  if (times > kMostTimesAsLong) return invalid("it would have to run for {:.0f} times as long", times);
  return until(times * ran, true, s, cured);
}

Status more_memory(const Ward&, const Verdict&, Scenario& s, CuredJob& cured) {
  for (TaskSpec& t : s.cluster.tasks)
    for (GpuSpec& gpu : t.gpus) gpu.memory_bytes = 0;
  cured.keys = "cluster.devices.gpu.memory; cluster.tasks.T.gpu_memory";
  return {};
}

Status take_out(const Ward& w, const Verdict& v, Scenario& s, CuredJob& cured) {
  const std::string_view text = v.text, who = text.substr(0, text.find(" pushed to "));
  std::vector<std::string> names, keys;
  for (const WorkerStory& worker : w.contributions.workers) {
    if (!has_word(who, show(w, worker.task))) continue;
    s.training.workers[worker.task].absent = true;
    names.push_back(show(w, worker.task));
    keys.push_back(fmt::format("training.workers.{}.absent: true", w.patient.outcome.tasks.as_written(worker.task)));
  }
  if (names.empty()) return invalid("it names no worker");
  cured.advice = fmt::format("take {} out", join(names, " and "));
  cured.keys = join(keys, "; ");
  return {};
}

}  // namespace tarry
