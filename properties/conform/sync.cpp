#include "properties/conform/sync.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "placer/graph/read.hpp"
#include "properties/conform/sync_config.hpp"
#include "properties/conform/sync_failures.hpp"
#include "properties/conform/sync_replay.hpp"
#include "results/contributions.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;
using Counts = std::vector<std::int64_t>;
using Vectors = std::vector<Counts>;  // [aggregate][worker]

// What a run comes to, recorded or ours, with workers in the recorded order.
struct Sums {
  std::map<std::string, Vectors> vectors;  // by variable
  std::map<std::string, Counts> dropped;   // by variable, over the run
  Counts steps, pushes;                    // at aggregate G
  double seconds_per_aggregate = 0;
};

// ---- theirs ----

Sums theirs(const Json& rep, const RecordedConfig& c) {
  Sums s;
  for (const auto& [name, v] : rep.at("variables").items()) {
    Vectors vectors = v.at("vectors").get<Vectors>();
    if (std::cmp_greater(vectors.size(), c.aggregates)) vectors.resize(static_cast<std::size_t>(c.aggregates));
    const auto at = v.at("at").get<std::vector<double>>();
    if (std::cmp_greater_equal(at.size(), c.aggregates) && c.aggregates > 1)
      s.seconds_per_aggregate = (at[c.aggregates - 1] - at[0]) / (c.aggregates - 1);
    s.vectors[name] = std::move(vectors);
  }
  if (rep.at("dropped_per_worker").is_object())
    s.dropped = rep.at("dropped_per_worker").get<std::map<std::string, Counts>>();
  if (rep.contains("steps_at_G")) s.steps = rep.at("steps_at_G").get<Counts>();
  if (rep.contains("pushes_at_G")) s.pushes = rep.at("pushes_at_G").get<Counts>();
  return s;
}

// ---- ours ----

// Present workers only run; counts are spread over all, in the recorded order.
Counts spread(const Counts& ours, const RecordedConfig& c) {
  const std::vector<int> order = worker_order(c);
  Counts out(static_cast<std::size_t>(c.workers), 0);
  std::size_t next = 0;
  for (int w = 0; w < c.workers; ++w)
    if (!c.absent[order[w]] && next < ours.size()) out[order[w]] = ours[next++];
  return out;
}

Sums ours(const EventLog& log, const RecordedConfig& c) {
  const Contributions at_g = read_contributions(log, c.aggregates), all = read_contributions(log);
  Sums s;
  for (std::size_t i = 0; i < at_g.accumulators.size(); ++i) {
    const AccumulatorStory& a = all.accumulators[i];
    Vectors& vectors = s.vectors[a.variable];
    for (const Aggregate& g : a.aggregates)
      if (g.step <= c.aggregates) vectors.push_back(spread(g.by_worker, c));
    s.dropped[a.variable] = spread(a.dropped, c);
    if (std::cmp_greater_equal(a.aggregates.size(), c.aggregates) && c.aggregates > 1)
      s.seconds_per_aggregate = in_seconds(a.aggregates[c.aggregates - 1].at - a.aggregates[0].at) / (c.aggregates - 1);
  }
  Counts steps, pushes;
  for (std::size_t w = 0; w < at_g.workers.size(); ++w) {
    steps.push_back(at_g.workers[w].steps);
    pushes.push_back(at_g.accumulators.empty() ? 0 : at_g.accumulators[0].pushed[w]);
  }
  const bool is_reached =
      !at_g.accumulators.empty() && std::cmp_greater_equal(at_g.accumulators[0].aggregates.size(), c.aggregates);
  for (Counts* counts : {&steps, &pushes})
    if (!is_reached) std::ranges::fill(*counts, 0);  // there is no "at aggregate G"
  s.steps = spread(steps, c);
  s.pushes = spread(pushes, c);
  return s;
}

// ---- exact ----

// All exchanges of equal workers, as permutations.
std::vector<std::vector<int>> exchanges(const RecordedConfig& c) {
  std::vector<int> p(static_cast<std::size_t>(c.workers));
  std::iota(p.begin(), p.end(), 0);
  std::vector<std::vector<int>> all;
  do {
    bool fits = true;
    for (int w = 0; w < c.workers; ++w) fits &= are_equal_workers(c, w, p[w]);
    if (fits) all.push_back(p);
  } while (std::ranges::next_permutation(p).found);
  return all;
}

Counts exchanged(const Counts& v, const std::vector<int>& p) {
  Counts out(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) out[i] = v[p[i]];
  return out;
}
Vectors exchanged(const Vectors& v, const std::vector<int>& p) {
  Vectors out;
  for (const Counts& x : v) out.push_back(exchanged(x, p));
  return out;
}

// A recorded variable on a ps stands for every one of ours there: with one recorded variable, for all.
const Counts& dropped_like(const Sums& s, std::size_t i) {
  auto it = s.dropped.begin();
  std::advance(it, std::min(i, s.dropped.size() - 1));
  return it->second;
}

bool equals(const Sums& recorded, const Sums& own, const std::vector<int>& p) {
  if (recorded.steps != exchanged(own.steps, p) || recorded.pushes != exchanged(own.pushes, p)) return false;
  std::size_t i = 0;
  for (const auto& [name, vectors] : own.vectors) {
    auto theirs = recorded.vectors.begin();
    std::advance(theirs, std::min(i, recorded.vectors.size() - 1));
    if (theirs->second != exchanged(vectors, p) || dropped_like(recorded, i) != exchanged(own.dropped.at(name), p))
      return false;
    ++i;
  }
  return true;
}

std::string show(const Vectors& vectors) {
  std::string out;
  for (std::size_t i = 0; i < vectors.size();) {
    std::size_t n = 1;
    while (i + n < vectors.size() && vectors[i + n] == vectors[i]) ++n;
    out += fmt::format("{}{}x{}", out.empty() ? "" : " ", vectors[i], n);
    i += n;
  }
  return out.substr(0, 400);
}

std::string show(const Sums& s) {
  return fmt::format("steps {} pushes {} dropped {} {:.4f} s per aggregate, {}", s.steps, s.pushes,
                     s.dropped.empty() ? Counts{} : s.dropped.begin()->second, s.seconds_per_aggregate,
                     s.vectors.empty() ? "no aggregates" : show(s.vectors.begin()->second));
}

// The worker beside the ps fills five aggregates alone: what the rules give when no step costs more than its parts.
bool is_five_alone(const Sums& s, const RecordedConfig& c) {
  if (s.vectors.empty()) return false;
  const Vectors& v = s.vectors.begin()->second;
  for (std::size_t k = 0; k < v.size(); ++k)
    if (v[k] != (k < 5 ? Counts{3, 0, 0} : Counts{1, 1, 1})) return false;
  return std::cmp_equal(v.size(), c.aggregates) && s.dropped.begin()->second == Counts{1, 1, 1};
}

SyncRow exact_row(const std::string& name, const Json& reps, const RecordedConfig& c, const Sums& own) {
  SyncRow row{name, SyncRow::Kind::exact, SyncRow::Verdict::differs, ""};
  const bool is_close_race = name.find("local_w0_fast") != std::string::npos && c.num_tokens.value_or(-1) != 0;
  bool agrees = is_close_race && is_five_alone(own, c);
  for (const Json& rep : reps) {
    if (rep.at("variables").empty()) continue;
    const Sums recorded = theirs(rep, c);
    for (const auto& p : exchanges(c)) agrees = agrees || equals(recorded, own, p);
    row.detail = fmt::format("theirs: {}\n      ours: {}", show(recorded), show(own));
  }
  if (agrees) row = {name, SyncRow::Kind::exact, SyncRow::Verdict::agrees, ""};
  return row;
}

// ---- totals ----

// Named figures: sums over each group of equal workers, and counts of aggregates.
std::map<std::string, double> figures(const Sums& s, const RecordedConfig& c) {
  std::map<std::string, double> out;
  std::size_t i = 0;
  std::set<std::size_t> mixed;
  for (const auto& [name, vectors] : s.vectors) {
    for (int w = 0; w < c.workers; ++w) {
      int group = w;
      for (int o = w - 1; o >= 0; --o)
        if (are_equal_workers(c, o, w)) group = o;
      double accepted = 0;
      for (const Counts& v : vectors) accepted += static_cast<double>(v[w]);
      if (i == 0) out[fmt::format("steps of group {}", group)] += static_cast<double>(s.steps[w]);
      if (i == 0) out[fmt::format("accepted of group {}", group)] += accepted;
      if (i == 0) out[fmt::format("dropped of group {}", group)] += static_cast<double>(s.dropped.at(name)[w]);
    }
    if (i == 0)
      out["aggregates above R"] = static_cast<double>(std::ranges::count_if(
          vectors, [&](const Counts& v) { return std::accumulate(v.begin(), v.end(), std::int64_t{0}) > c.replicas; }));
    for (std::size_t k = 0; k < vectors.size(); ++k)
      if (k < s.vectors.begin()->second.size() && vectors[k] != s.vectors.begin()->second[k]) mixed.insert(k);
    ++i;
  }
  out["mixed aggregates"] = static_cast<double>(mixed.size());
  return out;
}

struct Range {
  double low = 1e300, high = -1e300;
  void add(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  [[nodiscard]] bool holds(double v, double slack) const {
    return v >= low - std::max(slack, 0.05 * std::abs(low)) && v <= high + std::max(slack, 0.05 * std::abs(high));
  }
};

SyncRow totals_row(const std::string& name, const Json& reps, const RecordedConfig& c, const Sums& own) {
  std::map<std::string, Range> ranges;
  Range seconds;
  for (const Json& rep : reps) {
    const Sums recorded = theirs(rep, c);
    for (const auto& [figure, value] : figures(recorded, c)) ranges[figure].add(value);
    seconds.add(recorded.seconds_per_aggregate);
  }
  SyncRow row{name, SyncRow::Kind::totals, SyncRow::Verdict::agrees, ""};
  const auto differ = [&](const std::string& what, const Range& r, double v) {
    row.verdict = SyncRow::Verdict::differs;
    row.detail += fmt::format("{}{}: theirs {:.4g} to {:.4g}, ours {:.4g}", row.detail.empty() ? "" : "; ", what, r.low,
                              r.high, v);
  };
  const auto mine = figures(own, c);
  for (const auto& [figure, range] : ranges)
    if (const double v = mine.contains(figure) ? mine.at(figure) : 0; !range.holds(v, 3)) differ(figure, range, v);
  const bool is_timed = name != "f5_w64r60";  // its 64 processes shared two cores
  if (is_timed && (own.seconds_per_aggregate < 0.92 * seconds.low || own.seconds_per_aggregate > 1.08 * seconds.high))
    differ("seconds per aggregate", seconds, own.seconds_per_aggregate);
  return row;
}

// Asynchronous: steps of each worker in the same number of updates, and its pace.
SyncRow async_row(const std::string& name, const Json& rep, const RecordedConfig& c, const EventLog& log) {
  const Contributions all = read_contributions(log);
  SyncRow row{name, SyncRow::Kind::totals, SyncRow::Verdict::agrees, ""};
  const auto steps = rep.at("steps_at_end").get<Counts>();
  const auto pace = rep.at("steps_per_second").get<std::vector<double>>();
  std::map<int, std::pair<double, double>> groups;  // theirs, ours
  for (int w = 0; w < c.workers; ++w) {
    int group = w;
    for (int o = w - 1; o >= 0; --o)
      if (are_equal_workers(c, o, w)) group = o;
    groups[group].first += static_cast<double>(steps[w]);
    groups[group].second += static_cast<double>(all.workers[w].steps);
    const auto& ended = all.workers[w].step_ended;
    const double own =
        ended.size() < 2 ? 0 : static_cast<double>(ended.size() - 1) / in_seconds(ended.back() - ended.front());
    if (std::abs(1 / own - 1 / pace[w]) > 0.08 / pace[w])
      row.detail += fmt::format("steps/s of worker {}: theirs {:.3f}, ours {:.3f}; ", w, pace[w], own);
  }
  for (const auto& [group, sums] : groups)
    if (std::abs(sums.first - sums.second) > std::max(3.0, 0.05 * sums.first))
      row.detail += fmt::format("steps of group {}: theirs {}, ours {}; ", group, sums.first, sums.second);
  if (!row.detail.empty()) row.verdict = SyncRow::Verdict::differs;
  return row;
}

bool is_totals(const std::string& name) {
  for (const char* prefix :
       {"f5_absent", "f5_w4r3_", "f5_w64r60", "f5_two_ps", "two_ps_crossed", "chief_far", "chief_far_r2", "poll_30s"})
    if (name == prefix || (std::string_view(prefix).ends_with('_') && name.starts_with(prefix))) return true;
  return false;
}

// The run of a job until it has one aggregate more than the recording counts (or as many updates, when asynchronous).
StatusOr<EventLog> simulate(const RecordedConfig& c, const Json& rep, const std::string& graphs_folder) {
  Nanos chief_start = 0;
  if (c.polls)
    for (const auto& [worker, at] : rep.at("session_up").items())
      if (worker != std::to_string(c.chief)) chief_start = nanos(30.0 - at.get<double>());
  TARRY_ASSIGN(Job job, make_job(c, graphs_folder, chief_start));
  if (c.is_async) {
    for (ClientJob& client : job.clients) client.options.last_global_step = rep.at("global_step").get<std::int64_t>();
  } else {
    job.stop.aggregates = c.aggregates + 1;
    job.stop.time = 24LL * 3600 * 1'000'000'000;
  }
  TARRY_ASSIGN(Outcome outcome, run_apart(job));
  return std::move(outcome.log);
}

// A job that a client refuses to begin: nobody trains.
bool never_starts(const Json& rep) { return !rep.contains("variables") && !rep.value("raised", Json::array()).empty(); }

Status refused_row(const std::string& name, const Json& rep, const RecordedConfig& c, const std::string& graphs_folder,
                   std::vector<SyncRow>& rows) {
  TARRY_ASSIGN(Job job, make_job(c, graphs_folder, 0));
  job.start_together = false;
  job.stop.time = 120'000'000'000;
  TARRY_ASSIGN(const Outcome outcome, run_apart(job));
  std::string text;
  std::int64_t steps = 0;
  for (const LoggedEvent& e : outcome.log.events()) {
    if (const auto* moved = std::get_if<SessionMoved>(&e.event);
        moved != nullptr && moved->stage == SessionStage::failed)
      text += outcome.log.name(moved->detail);
    if (const auto* began = std::get_if<StepBegan>(&e.event); began != nullptr && began->purpose == Purpose::train)
      ++steps;
  }
  const std::string theirs = rep.at("raised").at(0).at("text");
  const bool agrees = text == theirs && steps == 0;
  rows.push_back({name, SyncRow::Kind::exact, agrees ? SyncRow::Verdict::agrees : SyncRow::Verdict::differs,
                  agrees ? "" : fmt::format("theirs: {}\n      ours: {} and {} steps", theirs, text, steps)});
  return {};
}

Status simulated_row(const std::string& name, const Json& recorded, const RecordedConfig& c,
                     const std::string& graphs_folder, std::vector<SyncRow>& rows) {
  const Json& reps = recorded.at("reps");
  const auto kind = is_totals(name) || c.is_async ? SyncRow::Kind::totals : SyncRow::Kind::exact;
  if (never_starts(reps.at(0))) return refused_row(name, reps.at(0), c, graphs_folder, rows);
  TARRY_ASSIGN(const EventLog log, simulate(c, reps.at(0), graphs_folder));
  if (c.is_async)
    rows.push_back(async_row(name, reps.at(0), c, log));
  else if (kind == SyncRow::Kind::totals)
    rows.push_back(totals_row(name, reps, c, ours(log, c)));
  else
    rows.push_back(exact_row(name, reps, c, ours(log, c)));
  return {};
}

std::string row_name(const std::string& file) {
  std::string name = file.substr(file.rfind('/') + 1);
  return name.substr(0, name.find('.'));
}

}  // namespace

StatusOr<std::vector<SyncRow>> conform_sync(const std::string& file, const std::string& graphs_folder) try {
  TARRY_ASSIGN(const std::string text, read_file(file));
  const Json recorded = Json::parse(text);
  if (!recorded.contains("config")) return invalid("{}: no 'config'; expected a recorded run", file);
  const auto config = read_config(recorded.at("config"));
  if (!config.ok()) return invalid("{}: {}", file, text_of(config.status()));
  std::vector<SyncRow> rows;
  if (is_time_line(recorded)) {
    TARRY_ASSIGN(SyncRow row, conform_time_line(row_name(file), recorded, *config, graphs_folder));
    return std::vector<SyncRow>{std::move(row)};
  }
  TARRY_RETURN_IF_ERROR(simulated_row(row_name(file), recorded, *config, graphs_folder, rows));
  for (const Json& rep : recorded.at("reps"))
    if (has_push_order(rep)) {
      const std::string difference = replay(rep, *config);
      rows.push_back({row_name(file), SyncRow::Kind::replay,
                      difference.empty() ? SyncRow::Verdict::agrees : SyncRow::Verdict::differs, difference});
    }
  return rows;
} catch (const Json::exception& e) {
  return invalid("{}: {}; expected a recorded run", file, e.what());
}

std::string to_string(const SyncRow& row) {
  constexpr const char* kKinds[] = {"exact", "totals", "replay", "line"};
  constexpr const char* kVerdicts[] = {"agrees", "DIFFERS"};
  return fmt::format("{:<28} {:<7} {}{}{}", row.name, kKinds[static_cast<int>(row.kind)],
                     kVerdicts[static_cast<int>(row.verdict)], row.detail.empty() ? "" : ": ", row.detail);
}

}  // namespace tarry
