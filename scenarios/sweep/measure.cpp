#include "scenarios/sweep/measure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "results/work_done.hpp"

namespace tarry {
namespace {

using Number = std::optional<double>;

std::int64_t steps_done(const RunFacts& r) {
  return std::accumulate(r.contributions.workers.begin(), r.contributions.workers.end(), std::int64_t{0},
                         [](std::int64_t n, const WorkerStory& w) { return n + w.steps; });
}

// Aggregates of all variables, or steps where nothing aggregates.
std::int64_t updates(const RunFacts& r) {
  return r.contributions.accumulators.empty() ? gradients_used(r.contributions) : r.aggregates;
}

// Of training: the two minutes in which a chief may wait for its sync thread when all have left are not of it. What did
// not do what its stop asks for has all the time that it was given, and what stands still for ever without such a time
// has no pace.
Number a_second(const RunFacts& r, std::int64_t n) {
  Nanos counted = training_time(r.contributions, r.time);
  if (!r.ending.did_what_stop_asks) {
    if (!r.ending.latest) return r.ending.stands_still ? Number(0) : std::nullopt;
    counted = std::max(r.time, *r.ending.latest);
  }
  if (counted <= 0) return std::nullopt;
  return static_cast<double>(n) / in_seconds(counted);
}

Number time_of_steps(const RunFacts& r) {
  if (!r.ending.did_what_stop_asks || r.last_update < 0) return std::nullopt;
  return in_seconds(r.last_update);
}

// The least time that is not exceeded by `percent` of the steps.
Number step_time(const RunFacts& r, double percent) {
  if (r.steps.empty()) return std::nullopt;
  const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(r.steps.size())));
  return in_seconds(r.steps[std::max<std::size_t>(rank, 1) - 1]);
}

// In synchronous training a gradient is of the value that it changes. In the first step of each worker all begin.
Number staleness(const RunFacts& r) {
  const Contributions& c = r.contributions;
  if (!c.accumulators.empty()) return 0;
  double sum = 0, count = 0;
  for (const std::vector<std::int64_t>& of_worker : staleness_of_updates(c))
    for (std::size_t i = 1; i < of_worker.size(); ++i) sum += static_cast<double>(of_worker[i]), ++count;
  return count > 0 ? Number(sum / count) : std::nullopt;
}

Number dropped_share(const RunFacts& r) {
  double pushed = 0, dropped = 0;
  for (const AccumulatorStory& a : r.contributions.accumulators) {
    pushed += static_cast<double>(std::accumulate(a.pushed.begin(), a.pushed.end(), std::int64_t{0}));
    dropped += static_cast<double>(std::accumulate(a.dropped.begin(), a.dropped.end(), std::int64_t{0}));
  }
  if (pushed == 0) return 0;
  return dropped / pushed;
}

Number bytes(const RunFacts& r) {
  return std::accumulate(r.loads.tasks.begin(), r.loads.tasks.end(), 0.0,
                         [](double n, const auto& task) { return n + static_cast<double>(task.second.bytes); });
}

constexpr Measure kTable[] = {
    {"gradients_per_second", "1/s", "gradients that became part of the variables", Better::more,
     [](const RunFacts& r) { return a_second(r, gradients_used(r.contributions)); }},
    {"updates_per_second", "1/s", "aggregates; without aggregates, steps of all workers", Better::more,
     [](const RunFacts& r) { return a_second(r, updates(r)); }, true},
    {"steps_per_second", "1/s", "training steps of all workers", Better::more,
     [](const RunFacts& r) { return a_second(r, steps_done(r)); }},
    {"global_steps_per_second", "1/s", "the global step at the end, by the time of training", Better::more,
     [](const RunFacts& r) { return a_second(r, r.contributions.global_step); }, true},
    {"global_step", "", "the global step at the end", Better::more,
     [](const RunFacts& r) { return Number(r.contributions.global_step); }, true},
    {"lost_steps", "", "that the global step went back by, all setbacks together", Better::less,
     [](const RunFacts& r) { return Number(r.lost_steps); }, true},
    {"step_time_p50", "s", "half of all steps take at most this time", Better::less,
     [](const RunFacts& r) { return step_time(r, 50); }},
    {"step_time_p90", "s", "90 % of all steps take at most this time", Better::less,
     [](const RunFacts& r) { return step_time(r, 90); }},
    {"step_time_p99", "s", "99 % of all steps take at most this time", Better::less,
     [](const RunFacts& r) { return step_time(r, 99); }},
    {"staleness", "", "updates of others during a step, before its own; 0 in synchronous training", Better::less,
     staleness},
    {"dropped_share", "", "gradients that were dropped as stale, of those that were pushed", Better::less,
     dropped_share},
    {"bytes", "bytes", "sent from task to task since training began", Better::neither, bytes},
    {"time_of_steps", "s",
     "until the last aggregate; without aggregates, the last step; or the global step at which the job stops",
     Better::neither, time_of_steps},
    {"time", "s", "simulated time of the run, with what closing the sessions takes", Better::neither,
     [](const RunFacts& r) { return r.ending.reached_stop() ? Number(in_seconds(r.time)) : std::nullopt; }},
    {"slowdown", "", "the run's time, of what the same work takes without all that can be taken away", Better::less,
     [](const RunFacts& r) { return r.slowdown; }, false, true},
};

}  // namespace

namespace {

// nullopt where clients do not stop by it, or it was never there.
std::optional<Nanos> time_of_global_step(const Job& job, const EventLog& log) {
  std::int64_t goal = 0;
  for (const ClientJob& c : job.clients) {
    if (!c.options.last_global_step) return std::nullopt;
    goal = std::max(goal, *c.options.last_global_step);
  }
  for (const LoggedEvent& e : log.events()) {
    const auto* moved = std::get_if<ScalarAssigned>(&e.event);
    if (moved != nullptr && moved->value >= goal && log.name(moved->variable) == "global_step")
      return e.at - log.started_at;
  }
  return std::nullopt;
}

}  // namespace

RunFacts::RunFacts(const Job& job, const Outcome& outcome)
    : time(outcome.log.ended_at - outcome.log.started_at),
      contributions(read_contributions(outcome.log)),
      loads(read_loads(outcome.log)) {
  Evidence e = read_evidence(outcome.log, contributions, outcome.tasks);
  e.breaches = outcome.breaches;
  const std::vector<Verdict> said = judge(e);
  for (const Verdict& v : said) verdicts.insert(v.kind);
  ending = ending_of(job, e, said);
  for (const Setback& s : e.losses.setbacks) lost_steps += s.from - s.to;
  const std::vector<Nanos> progress = progress_of(e);
  if (!contributions.accumulators.empty()) aggregates = std::ssize(progress);
  if (!progress.empty()) last_update = time_of_global_step(job, outcome.log).value_or(progress.back());
  for (const WorkerStory& w : contributions.workers)
    steps.insert(steps.end(), w.step_times.begin(), w.step_times.end());
  std::ranges::sort(steps);
}

std::span<const Measure> measure_table() { return kTable; }

std::vector<const Measure*> usual_measures() {
  std::vector<const Measure*> out;
  for (const Measure& m : kTable)
    if (!m.asks_ideal) out.push_back(&m);
  return out;
}

const Measure* find_measure(std::string_view name) {
  const auto it = std::ranges::find(kTable, name, &Measure::name);
  return it == std::end(kTable) ? nullptr : &*it;
}

}  // namespace tarry
