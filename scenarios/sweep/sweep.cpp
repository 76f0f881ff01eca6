#include "scenarios/sweep/sweep.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "results/verdict.hpp"
#include "scenarios/file/make_job.hpp"
#include "scenarios/sweep/interval.hpp"
#include "sim/runner.hpp"

namespace tarry {
namespace {

constexpr std::size_t kFirstSeeds = 5;  // before an interval is looked at; then as many again

struct Task {
  std::size_t arm = 0;
  std::uint64_t seed = 0;
};

// ---- one run, in a child ----

std::string verdicts_of(const Outcome& o, const Contributions& c) {
  std::set<std::string> kinds;
  for (const Verdict& v : judge(o.log, c, o.tasks, {}, o.breaches)) kinds.insert(v.kind);
  return fmt::format("{}", fmt::join(kinds, " "));
}

StatusOr<std::string> run_task(const SweepPlan& plan, const Task& t, const std::string& graphs_folder) {
  const ScenarioText& text = plan.arms[t.arm].scenario;
  TARRY_ASSIGN(const Scenario scenario, parse_scenario(text.text, text.file));
  TARRY_ASSIGN(const Job job, make_job(scenario, {graphs_folder, false, t.seed}));
  const Outcome o = run_here(job);
  const RunFacts facts(o.log);
  nlohmann::json j{{"hash", to_string(o.log.hash())},
                   {"verdicts", verdicts_of(o, facts.contributions)},
                   {"measures", nlohmann::json::array()}};
  for (const Measure* m : plan.measures) {
    const auto value = m->of(facts);
    j["measures"].push_back(value ? nlohmann::json(*value) : nlohmann::json());
  }
  return j.dump();
}

RunRow row_of(const Task& t, const SweepPlan& plan, const StatusOr<std::string>& said) {
  RunRow row{t.arm, t.seed, "", "", "", std::vector<std::optional<double>>(plan.measures.size())};
  if (!said.ok()) {
    row.error = text_of(said.status());
    return row;
  }
  const auto j = nlohmann::json::parse(*said);
  row.hash = j["hash"];
  row.verdicts = j["verdicts"];
  for (std::size_t i = 0; i < row.measures.size(); ++i)
    if (!j["measures"][i].is_null()) row.measures[i] = j["measures"][i].get<double>();
  return row;
}

// ---- all of them ----

// Those of the first `seeds` seeds that have no row, seed by seed: what is there is always of all arms.
std::vector<Task> missing(const SweepPlan& plan, const std::vector<RunRow>& rows, std::size_t seeds) {
  std::set<std::pair<std::size_t, std::uint64_t>> there;
  for (const RunRow& r : rows) there.emplace(r.arm, r.seed);
  std::vector<Task> out;
  for (std::size_t s = 0; s < seeds; ++s)
    for (std::size_t arm = 0; arm < plan.arms.size(); ++arm)
      if (!there.contains({arm, plan.seeds[s]})) out.push_back({arm, plan.seeds[s]});
  return out;
}

std::vector<RunRow> of_seeds(std::vector<RunRow> rows, std::span<const std::uint64_t> seeds) {
  const std::set<std::uint64_t> wanted(seeds.begin(), seeds.end());
  std::erase_if(rows, [&](const RunRow& r) { return !wanted.contains(r.seed); });
  return rows;
}

bool is_narrow(const SweepPlan& plan, const std::vector<RunRow>& rows, std::size_t arm) {
  const auto column =
      static_cast<std::size_t>(std::ranges::find(plan.measures, plan.until->of) - plan.measures.begin());
  std::vector<double> numbers;
  for (const RunRow& r : rows)
    if (r.arm == arm && r.measures[column]) numbers.push_back(*r.measures[column]);
  if (numbers.empty()) return true;  // more seeds bring none
  const Interval i = mean_interval(numbers, plan.confidence);
  return i.half <= plan.until->half_width * std::abs(i.mean);
}

bool is_enough(const SweepPlan& plan, const std::vector<RunRow>& rows) {
  if (!plan.until) return false;
  for (std::size_t arm = 0; arm < plan.arms.size(); ++arm)
    if (!is_narrow(plan, rows, arm)) return false;
  return true;
}

Status run_missing(const SweepPlan& plan, const std::vector<Task>& tasks, RowFile& file, const SweepOptions& options) {
  Status first;
  std::size_t done = 0;
  run_in_pool(
      static_cast<int>(tasks.size()), options.at_once,
      [&](int n) {
        auto said = run_task(plan, tasks[static_cast<std::size_t>(n)], options.graphs_folder);
        return said.ok() ? *std::move(said) : throw Refused(std::string(text_of(said.status())));
      },
      [&](int n, const StatusOr<std::string>& said) {
        const bool is_row = said.ok() || said.status().code() != Code::kResourceExhausted;
        const Status s = is_row ? file.add(row_of(tasks[static_cast<std::size_t>(n)], plan, said)) : said.status();
        if (first.ok()) first = s;
        if (options.watch) options.watch(++done, tasks.size());
      });
  return first;
}

}  // namespace

StatusOr<std::vector<RunRow>> run_sweep(const SweepPlan& plan, RowFile& file, const SweepOptions& options) {
  for (std::size_t seeds = plan.until ? kFirstSeeds : plan.seeds.size();; seeds += kFirstSeeds) {
    seeds = std::min(seeds, plan.seeds.size());
    TARRY_ASSIGN(const std::vector<RunRow> before, file.rows());
    TARRY_RETURN_IF_ERROR(run_missing(plan, missing(plan, before, seeds), file, options));
    TARRY_ASSIGN(std::vector<RunRow> all, file.rows());
    std::vector<RunRow> rows = of_seeds(std::move(all), std::span(plan.seeds).first(seeds));
    if (seeds == plan.seeds.size() || is_enough(plan, rows)) return rows;
  }
}

}  // namespace tarry
