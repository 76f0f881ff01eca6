#include "results/page/charts.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

std::size_t cells_of(std::size_t n, std::size_t each) { return (n + each - 1) / each; }

// How many of `columns` one cell stands for, so that rows * cells stay few enough.
std::size_t each_of(std::size_t rows, std::size_t columns) {
  return std::max<std::size_t>(1, cells_of(std::max<std::size_t>(rows, 1) * columns, kMostCells));
}

Json means_of(const std::vector<Nanos>& times, std::size_t each) {
  Json out = Json::array();
  for (std::size_t i = 0; i < times.size(); i += each) {
    const std::size_t n = std::min(each, times.size() - i);
    const auto first = times.begin() + static_cast<std::ptrdiff_t>(i);
    out.push_back(std::accumulate(first, first + static_cast<std::ptrdiff_t>(n), Nanos{0}) / static_cast<Nanos>(n));
  }
  return out;
}

// ---- aggregates ----

bool same_gradients(const AccumulatorStory& a, const AccumulatorStory& b) {
  return a.dropped == b.dropped &&
         std::ranges::equal(a.aggregates, b.aggregates, {}, &Aggregate::by_worker, &Aggregate::by_worker);
}

Json gradients_of(const AccumulatorStory& a, std::size_t worker, std::size_t each) {
  std::vector<std::int64_t> cells(cells_of(a.aggregates.size(), each));
  for (std::size_t i = 0; i < a.aggregates.size(); ++i) cells[i / each] += a.aggregates[i].by_worker[worker];
  return cells;
}

Json chart_of(const AccumulatorStory& a, const Contributions& c, const TaskNames& tasks) {
  const std::size_t each = each_of(c.workers.size(), a.aggregates.size());
  Json j{{"variables", {a.variable}}, {"needs", a.required}, {"each", each}, {"at", Json::array()}};
  for (std::size_t i = 0; i < a.aggregates.size(); i += each) j["at"].push_back(a.aggregates[i].at);
  j["rows"] = Json::array();
  for (std::size_t w = 0; w < c.workers.size(); ++w)
    j["rows"].push_back({{"worker", tasks.show(c.workers[w].task)},
                         {"gradients", gradients_of(a, w, each)},
                         {"dropped", a.dropped[w]}});
  return j;
}

// ---- staleness ----

using Counts = std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>>;  // staleness -> taken, dropped

Counts staleness_of_gradients(const EventLog& log) {
  Counts out;
  for (const LoggedEvent& e : log.events())
    if (const auto* g = std::get_if<GradientPushed>(&e.event)) {
      auto& [taken, dropped] = out[g->accumulator_step - g->local_step];
      ++(g->accepted ? taken : dropped);
    }
  return out;
}

Counts staleness_of_steps(const Contributions& c) {
  Counts out;
  for (const std::vector<std::int64_t>& of_worker : staleness_of_updates(c))
    for (std::size_t i = 1; i < of_worker.size(); ++i) ++out[of_worker[i]].first;
  return out;
}

}  // namespace

Json step_times_chart(const Contributions& c, const TaskNames& tasks) {
  std::size_t most = 0;
  for (const WorkerStory& w : c.workers) most = std::max(most, w.step_ended.size());
  const std::size_t each = each_of(c.workers.size(), most);
  Json j{{"each", each}, {"rows", Json::array()}};
  for (const WorkerStory& w : c.workers)
    j["rows"].push_back({{"worker", tasks.show(w.task)}, {"ns", means_of(w.step_times, each)}});
  return j;
}

Json aggregates_chart(const Contributions& c, const TaskNames& tasks) {
  Json out = Json::array();
  std::vector<const AccumulatorStory*> shown;
  for (const AccumulatorStory& a : c.accumulators) {
    const auto like = std::ranges::find_if(shown, [&](const AccumulatorStory* s) { return same_gradients(*s, a); });
    if (like != shown.end()) {
      out[static_cast<std::size_t>(like - shown.begin())]["variables"].push_back(a.variable);
      continue;
    }
    shown.push_back(&a);
    out.push_back(chart_of(a, c, tasks));
  }
  return out;
}

Json staleness_chart(const EventLog& log, const Contributions& c) {
  const bool is_sync = !c.accumulators.empty();
  Json rows = Json::array();
  for (const auto& [staleness, n] : is_sync ? staleness_of_gradients(log) : staleness_of_steps(c))
    rows.push_back({staleness, n.first, n.second});
  return {{"meaning", is_sync ? "aggregates that were taken since a gradient's values were read"
                              : "updates of other workers during a step, before its own"},
          {"unit", is_sync ? "gradients" : "steps"},
          {"rows", rows}};
}

Json traffic_chart(const EventLog& log, const TaskNames& tasks) {
  std::map<std::pair<TaskId, TaskId>, std::pair<std::uint64_t, std::uint64_t>> sent;
  for (const LoggedEvent& e : log.events())
    if (const auto* m = std::get_if<MessageDelivered>(&e.event)) {
      auto& [messages, bytes] = sent[{m->from, m->to}];
      ++messages, bytes += m->bytes;
    }
  Json j{{"tasks", Json::array()}, {"rows", Json::array()}};
  for (std::size_t t = 0; t < tasks.names.size(); ++t) j["tasks"].push_back(tasks.show(TaskId{t}));
  for (const auto& [pair, n] : sent) j["rows"].push_back({pair.first.value, pair.second.value, n.first, n.second});
  return j;
}

Json marks_chart(const EventLog& log, const TaskNames& tasks) {
  Json out = Json::array();
  for (const LoggedEvent& e : log.events()) {
    const auto put = [&](std::string what, const char* kind) {
      out.push_back({{"ns", e.at - log.started_at}, {"what", std::move(what)}, {"kind", kind}});
    };
    if (const auto* c = std::get_if<ConditionChanged>(&e.event)) put(std::string(log.name(c->what)), "fault");
    if (const auto* p = std::get_if<ProcessEnded>(&e.event)) put(tasks.show(p->task) + ": its process ends", "ends");
    if (const auto* p = std::get_if<ProcessBegan>(&e.event))
      if (p->number > 0) put(tasks.show(p->task) + ": a new process begins", "begins");
  }
  return out;
}

}  // namespace tarry
