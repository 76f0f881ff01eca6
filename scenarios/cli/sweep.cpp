// `tarry sweep` and `tarry compare`: many runs of a scenario and its variants, with intervals.

#include "scenarios/sweep/sweep.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "placer/core/text.hpp"
#include "results/critical_path.hpp"
#include "results/json_text.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/open_scenario.hpp"
#include "scenarios/cli/progress.hpp"
#include "scenarios/cli/version.hpp"
#include "scenarios/file/make_job.hpp"
#include "scenarios/sweep/summary.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kPathRows = 8;

struct SweepArguments {
  std::string plan, out, csv;
  int at_once = 0;
  bool json = false;
};
struct CompareArguments {
  std::string a, b;
  std::uint64_t seeds = 10;
  int at_once = 0;
  bool json = false;
};

int processes(int asked) { return asked > 0 ? asked : std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))); }

// What made the rows: release, commit, compiler, SimGrid.
std::string program_of_rows() {
  std::string text = version_text();
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) text.replace(at, 1, ", ");
  return text;
}

StatusOr<std::vector<RunRow>> run_with_progress(const SweepPlan& plan, RowFile& file, int at_once, const Home& home) {
  ProgressLine line;
  const auto watch = [&line](std::size_t done, std::size_t of) {
    line.show([&](double seconds) {
      const double left = seconds / static_cast<double>(done) * static_cast<double>(of - done);
      return fmt::format("{} of {} runs, about {:.0f} s left", done, of, left);
    });
  };
  return run_sweep(plan, file, {home.graphs(), processes(at_once), watch});
}

// ---- sweep ----

// The file of a plan, or the name of one that ships.
StatusOr<std::string> plan_file(const std::string& name, const Home& home) {
  std::error_code none;
  if (std::filesystem::exists(name, none)) return name;
  std::vector<std::string> shipped;
  for (const auto& entry : std::filesystem::directory_iterator(home.plans(), none))
    if (entry.path().extension() == ".yaml") shipped.push_back(entry.path().stem());
  std::ranges::sort(shipped);
  if (std::ranges::find(shipped, name) != shipped.end()) return fmt::format("{}/{}.yaml", home.plans(), name);
  return error(Code::kNotFound, "{}: no such plan{}; expected a file, or one that ships: {}", name,
               did_you_mean(name, shipped), join(shipped, ", "));
}

// A scenario beside the plan, or one that ships.
StatusOr<ScenarioText> find_beside(const std::string& plan, const std::string& name, const Home& home) {
  const std::filesystem::path beside = std::filesystem::path(plan).parent_path() / name;
  std::error_code none;
  return open_scenario_text(std::filesystem::exists(beside, none) ? beside.string() : name, home);
}

StatusOr<int> sweep(const SweepArguments& a, const Home& home) {
  TARRY_ASSIGN(const std::string file_of_plan, plan_file(a.plan, home));
  const std::string out = a.out.empty() ? std::filesystem::path(a.plan).stem().string() + ".sqlite" : a.out;
  TARRY_RETURN_IF_ERROR(check_outputs({{"--out", out}, {"--csv", a.csv}}, {{"the plan", file_of_plan}}));
  TARRY_ASSIGN(const SweepPlan plan,
               load_plan(file_of_plan, [&](const std::string& name) { return find_beside(file_of_plan, name, home); }));
  TARRY_ASSIGN(RowFile file, RowFile::open(out, plan, program_of_rows()));
  TARRY_ASSIGN(const std::vector<RunRow> rows, run_with_progress(plan, file, a.at_once, home));
  if (!a.csv.empty()) TARRY_RETURN_IF_ERROR(write_file(a.csv, csv_of(plan, rows)));
  fmt::print("{}", a.json ? json_text(json_of_summary(plan, rows), 1) + "\n"
                          : text_of_summary(plan, rows) + fmt::format("\nEvery run: {}\n", out));
  return kOk;
}

// ---- compare ----

struct PathChange {
  std::string kind, who;
  Nanos a = 0, b = 0;
};

// What the critical path of a run is spent on.
Status add_path(const ScenarioText& text, std::uint64_t seed, const Home& home, Nanos PathChange::*side,
                std::map<std::pair<std::string, std::string>, PathChange>& out) {
  TARRY_ASSIGN(const Scenario scenario, parse_scenario(text.text, text.file));
  TARRY_ASSIGN(Job job, make_job(scenario, {home.graphs(), true, seed}));
  job.keep_causes = true;
  TARRY_ASSIGN(const Outcome o, run_apart(job));
  const auto ends = ends_of_run(o.log);
  if (!ends) return {};
  for (const PathSum& s : sums(critical_path(o.log, o.causes, *ends), o.log, o.tasks)) {
    PathChange& change = out[{std::string(row_of(s.kind).name), s.who}];
    change.kind = row_of(s.kind).name;
    change.who = s.who.empty() ? row_of(s.kind).meaning : s.who;
    change.*side += s.time;
  }
  return {};
}

// With the first seed: what changed most, first.
StatusOr<std::vector<PathChange>> path_changes(const SweepPlan& plan, const Home& home) {
  std::map<std::pair<std::string, std::string>, PathChange> all;
  TARRY_RETURN_IF_ERROR(add_path(plan.arms[0].scenario, plan.seeds[0], home, &PathChange::a, all));
  TARRY_RETURN_IF_ERROR(add_path(plan.arms[1].scenario, plan.seeds[0], home, &PathChange::b, all));
  std::vector<PathChange> out;
  for (auto& [key, change] : all) out.push_back(std::move(change));
  std::erase_if(out, [](const PathChange& c) { return c.a == c.b; });
  std::ranges::stable_sort(out, std::greater(), [](const PathChange& c) { return std::abs(c.b - c.a); });
  return out;
}

std::string table_of_measures(const SweepPlan& plan, const std::vector<ArmSummary>& arms) {
  const auto cell = [](const std::optional<Interval>& i) { return i ? with_half_width(*i) : std::string("-"); };
  std::vector<std::vector<std::string>> lines{{"", "", "A", "B", "B against A", ""}};
  for (std::size_t m = 0; m < plan.measures.size(); ++m) {
    const MeasureSummary &a = arms[0].measures[m], &b = arms[1].measures[m];
    const Measure& measure = *plan.measures[m];
    lines.push_back({std::string(measure.name), measure.unit == measure.name ? "" : std::string(measure.unit),
                     cell(a.mean), cell(b.mean), b.change ? change_in_words(*b.change) : "-",
                     b.change ? which_is_better(measure, *b.change) : ""});
  }
  lines.push_back({"verdicts", "", verdicts_in_words(arms[0]), verdicts_in_words(arms[1])});
  return table_text(lines);
}

std::string text_of_compare(const SweepPlan& plan, const std::vector<RunRow>& rows,
                            const std::vector<PathChange>& changes) {
  std::string out = fmt::format(
      "A: {}\nB: {}\n{} seeds each. Each number is a mean over the seeds, and ± the half-width of its {:.4g} % "
      "interval (Student's t); B against A is of the differences with the same seed.\n\n{}",
      plan.arms[0].scenario.file, plan.arms[1].scenario.file, plan.seeds.size(), 100 * plan.confidence,
      table_of_measures(plan, summarise(plan, rows)));
  if (!changes.empty()) out += fmt::format("\nOn the critical path, with seed {}, A -> B:\n", plan.seeds[0]);
  for (std::size_t i = 0; i < std::min(changes.size(), kPathRows); ++i)
    out += fmt::format("{:>14.6f} s -> {:>12.6f} s  {:<12}  {}\n", in_seconds(changes[i].a), in_seconds(changes[i].b),
                       changes[i].kind, changes[i].who);
  return out;
}

Json json_of_compare(const SweepPlan& plan, const std::vector<RunRow>& rows, const std::vector<PathChange>& changes) {
  Json j = json_of_summary(plan, rows);
  j["path_changes"] = Json::array();
  for (const PathChange& c : changes)
    j["path_changes"].push_back({{"kind", c.kind}, {"who", c.who}, {"a_ns", c.a}, {"b_ns", c.b}});
  return j;
}

StatusOr<int> compare(const CompareArguments& c, const Home& home) {
  TARRY_ASSIGN(const ScenarioText a, open_scenario_text(c.a, home));
  TARRY_ASSIGN(const ScenarioText b, open_scenario_text(c.b, home));
  for (const ScenarioText& text : {a, b}) TARRY_RETURN_IF_ERROR(parse_scenario(text.text, text.file).status());
  std::vector<std::uint64_t> seeds(c.seeds);
  std::iota(seeds.begin(), seeds.end(), std::uint64_t{1});
  const SweepPlan plan = plan_of_two(a, b, std::move(seeds));
  TARRY_ASSIGN(RowFile file, RowFile::open(":memory:", plan, program_of_rows()));
  TARRY_ASSIGN(const std::vector<RunRow> rows, run_with_progress(plan, file, c.at_once, home));
  for (const RunRow& r : rows)
    if (!r.error.empty()) return invalid("{}, seed {}: {}", plan.arms[r.arm].scenario.file, r.seed, r.error);
  TARRY_ASSIGN(const std::vector<PathChange> changes, path_changes(plan, home));
  fmt::print("{}",
             c.json ? json_text(json_of_compare(plan, rows, changes), 1) + "\n" : text_of_compare(plan, rows, changes));
  return kOk;
}

int exit_code_of(const StatusOr<int>& code) { return code.ok() ? *code : refuse(code.status()); }

}  // namespace

void add_sweep(CommandLine& line) {
  auto a = std::make_shared<SweepArguments>();
  CLI::App* c = &line.command;
  c->add_option(
       "plan", a->plan,
       "A file that says what is varied (docs/manual.md, section 12), or one that ships: policies, backup_workers")
      ->required();
  c->add_option("--out", a->out, "The SQLite file of the rows; a sweep that was stopped goes on there [PLAN.sqlite]");
  c->add_option("--csv", a->csv, "Also write the rows to this file");
  c->add_option("-j", a->at_once, "Processes at a time [one for each core]")->check(CLI::Range(1, 1024));
  c->add_flag("--json", a->json, "Print one JSON object");
  c->callback([a, &line] { line.exit_code = exit_code_of(sweep(*a, line.home)); });
}

void add_compare(CommandLine& line) {
  auto a = std::make_shared<CompareArguments>();
  CLI::App* c = &line.command;
  c->add_option("a", a->a, "A scenario's folder or file, or the name of one that ships")->required();
  c->add_option("b", a->b, "The scenario that is held against it")->required();
  c->add_option("--seeds", a->seeds, "Runs of each")->check(CLI::Range(1, 100'000))->capture_default_str();
  c->add_option("-j", a->at_once, "Processes at a time [one for each core]")->check(CLI::Range(1, 1024));
  c->add_flag("--json", a->json, "Print one JSON object");
  c->callback([a, &line] { line.exit_code = exit_code_of(compare(*a, line.home)); });
}

}  // namespace tarry
