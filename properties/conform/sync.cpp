#include "properties/conform/sync.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "placer/graph/read.hpp"
#include "properties/conform/apart.hpp"
#include "properties/conform/checked.hpp"
#include "properties/conform/judged.hpp"
#include "properties/conform/sync_failures.hpp"
#include "properties/conform/sync_layout.hpp"
#include "properties/conform/sync_replay.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;

// When the chief's session is created: the others look once more, 30 s after they found nothing.
Nanos chief_start(const RecordedConfig& c, const Json& rep) {
  Nanos start = 0;
  if (c.polls)
    for (const auto& [worker, at] : rep.at("session_up").items())
      if (worker != std::to_string(c.chief))
        start = nanos(30.0 - within(at.get<double>(), -kLongestSeconds, 30.0, "session_up"));
  return start;
}

// As many updates as were recorded; a run that does not count them ends as well.
void set_asynchronous_end(Job& job, const RecordedConfig& c, const Json& rep) {
  constexpr std::int64_t kMostSteps = 1'000'000'000;
  const std::int64_t last = integer_within(rep.at("global_step"), 0, kMostSteps, "global_step");
  for (ClientJob& client : job.clients) client.options.last_global_step = last;
  const Counts steps = counts_of(rep.at("steps_at_end"), c.workers, "steps_at_end");
  const auto pace = rep.at("steps_per_second").get<std::vector<double>>();
  double longest = 0;
  for (std::size_t w = 0; w < std::min(steps.size(), pace.size()); ++w)
    if (pace[w] > 0) longest = std::max(longest, static_cast<double>(steps[w]) / pace[w]);
  job.stop.time = nanos(60 + 2 * seconds_within(longest, "steps_at_end / steps_per_second"));
}

// Until there are as many aggregates as were recorded, and one more than the recording counts.
void set_end(Job& job, const RecordedConfig& c, const Json& reps) {
  if (c.is_async) return set_asynchronous_end(job, c, reps.at(0));
  std::int64_t aggregates = c.aggregates + 1;
  for (const Json& rep : reps) aggregates = std::max(aggregates, recorded_aggregates(rep));
  job.stop.aggregates = aggregates;
  job.stop.time = 24LL * 3600 * 1'000'000'000;
}

StatusOr<std::vector<RunPair>> run_pairs(const RecordedConfig& c, const Json& reps, const std::string& graphs_folder) {
  TARRY_ASSIGN(Job job, make_job(c, graphs_folder, chief_start(c, reps.at(0))));
  set_end(job, c, reps);
  TARRY_ASSIGN(const Outcome outcome, run_apart(job));
  if (job.clients.empty()) return invalid("config: every worker is absent");
  const auto stands_for = stand_ins(job.clients[0].program, c.vars);
  std::vector<RunPair> pairs;
  for (const Json& rep : reps) pairs.push_back({recorded_sums(rep, c), our_sums(outcome.log, rep, c, stands_for)});
  return pairs;
}

// A job that a client refuses to begin: nobody trains.
bool never_starts(const Json& rep) { return !rep.contains("variables") && !rep.value("raised", Json::array()).empty(); }

// What the clients' sessions failed with, and how many training steps began.
std::pair<std::string, std::int64_t> failures_and_steps(const EventLog& log) {
  std::pair<std::string, std::int64_t> out;
  for (const LoggedEvent& e : log.events()) {
    if (const auto* moved = std::get_if<SessionMoved>(&e.event);
        moved != nullptr && moved->stage == SessionStage::failed)
      out.first += log.name(moved->detail);
    if (const auto* began = std::get_if<StepBegan>(&e.event); began != nullptr && began->purpose == Purpose::train)
      ++out.second;
  }
  return out;
}

StatusOr<std::string> compare_refusal(const Json& rep, const RecordedConfig& c, const std::string& graphs_folder) {
  TARRY_ASSIGN(Job job, make_job(c, graphs_folder, 0));
  job.start_together = false;
  job.stop.time = 120'000'000'000;
  TARRY_ASSIGN(const Outcome outcome, run_apart(job));
  const auto [text, steps] = failures_and_steps(outcome.log);
  const std::string theirs = rep.at("raised").at(0).at("text");
  if (text == theirs && steps == 0) return "";
  return fmt::format("theirs: {}\n      ours: {} and {} steps", theirs, text, steps);
}

SyncRow row(std::string name, SyncRow::Kind kind, std::string difference) {
  const auto verdict = difference.empty() ? SyncRow::Verdict::agrees : SyncRow::Verdict::differs;
  return {std::move(name), kind, verdict, std::move(difference)};
}

StatusOr<SyncRow> simulated_row(const std::string& name, const Json& recorded, const RecordedConfig& c,
                                const std::string& graphs_folder) {
  TARRY_ASSIGN(const Judged judged, read_judged(recorded, c.aggregates));
  TARRY_RETURN_IF_ERROR(check_also(judged, c.workers));
  const Json& reps = recorded.at("reps");
  const auto kind = judged.by == Judged::Class::exact ? SyncRow::Kind::exact : SyncRow::Kind::totals;
  if (never_starts(reps.at(0))) {
    TARRY_ASSIGN(std::string difference, compare_refusal(reps.at(0), c, graphs_folder));
    return row(name, kind, std::move(difference));
  }
  TARRY_ASSIGN(const std::vector<RunPair> pairs, run_pairs(c, reps, graphs_folder));
  return row(name, kind, compare_runs(judged, pairs, c));
}

StatusOr<std::vector<SyncRow>> rows_of(const std::string& name, const Json& recorded,
                                       const std::string& graphs_folder) {
  if (!recorded.contains("config")) return invalid("no 'config'; expected a recorded run");
  TARRY_ASSIGN(const RecordedConfig config, read_config(recorded.at("config")));
  if (is_time_line(recorded)) {
    TARRY_ASSIGN(SyncRow line, conform_time_line(name, recorded, config, graphs_folder));
    return std::vector<SyncRow>{std::move(line)};
  }
  TARRY_ASSIGN(SyncRow simulated, simulated_row(name, recorded, config, graphs_folder));
  std::vector<SyncRow> rows = {std::move(simulated)};
  for (const Json& rep : recorded.at("reps"))
    if (has_push_order(rep)) rows.push_back(row(name, SyncRow::Kind::replay, replay(rep, config)));
  return rows;
}

std::string row_name(const std::string& file) {
  std::string name = file.substr(file.rfind('/') + 1);
  return name.substr(0, name.find('.'));
}

}  // namespace

StatusOr<std::vector<SyncRow>> conform_sync_text(const std::string& text, const std::string& file,
                                                 const std::string& graphs_folder) {
  return refused(file, [&]() -> StatusOr<std::vector<SyncRow>> {
    const auto recorded = parse_recording<Json>(text, kLongestText);
    auto rows = recorded.ok() ? rows_of(row_name(file), *recorded, graphs_folder) : recorded.status();
    if (!rows.ok()) return with_prefix(rows.status(), file + ": ");
    return rows;
  });
}

StatusOr<std::vector<SyncRow>> conform_sync(const std::string& file, const std::string& graphs_folder) {
  TARRY_ASSIGN(const std::string text, read_file(file));
  const auto judged = judge_apart([&]() -> StatusOr<Json> {
    TARRY_ASSIGN(const std::vector<SyncRow> rows, conform_sync_text(text, file, graphs_folder));
    Json all = Json::array();
    for (const SyncRow& r : rows) all.push_back({r.name, r.kind, r.verdict, r.detail});
    return all;
  });
  if (!judged.ok()) return judged.status();
  std::vector<SyncRow> rows;
  for (const Json& r : *judged)
    rows.push_back({r.at(0), r.at(1).get<SyncRow::Kind>(), r.at(2).get<SyncRow::Verdict>(), r.at(3)});
  return rows;
}

std::string to_string(const SyncRow& row) {
  constexpr const char* kKinds[] = {"exact", "totals", "replay", "line"};
  constexpr const char* kVerdicts[] = {"agrees", "DIFFERS"};
  return fmt::format("{:<28} {:<7} {}{}{}", row.name, kKinds[static_cast<int>(row.kind)],
                     kVerdicts[static_cast<int>(row.verdict)], row.detail.empty() ? "" : ": ", row.detail);
}

}  // namespace tarry
