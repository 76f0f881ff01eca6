// `tarry compare`: two scenarios with the same seeds, with intervals, and what differs on the critical path.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "placer/core/text.hpp"
#include "results/critical_path.hpp"
#include "results/json_text.hpp"
#include "results/page/sweep_page.hpp"
#include "results/text_table.hpp"
#include "scenarios/cli/open_scenario.hpp"
#include "scenarios/cli/screen.hpp"
#include "scenarios/cli/shell_word.hpp"
#include "scenarios/cli/sweep_command.hpp"
#include "scenarios/cli/version.hpp"
#include "scenarios/file/make_job.hpp"
#include "scenarios/sweep/figures.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kPathRows = 8;

struct CompareArguments {
  std::string a, b, page;
  std::uint64_t seeds = 10;
  int at_once = 0;
  bool json = false;
};

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
  std::vector<std::vector<std::string>> lines{{"", "", "A", "B", "B against A", ""}};
  for (std::size_t m = 0; m < plan.measures.size(); ++m) {
    const MeasureSummary &a = arms[0].measures[m], &b = arms[1].measures[m];
    const Measure& measure = *plan.measures[m];
    lines.push_back({std::string(measure.name), measure.unit == measure.name ? "" : std::string(measure.unit),
                     mean_in_words(a, arms[0].runs), mean_in_words(b, arms[1].runs), in_words(b.first),
                     which_is_better(measure, b.first)});
  }
  lines.push_back({"verdicts", "", verdicts_in_words(arms[0]), verdicts_in_words(arms[1])});
  return table_text(lines);
}

std::string text_of_compare(const SweepPlan& plan, const std::vector<RunRow>& rows,
                            const std::vector<PathChange>& changes) {
  const std::string how = fmt::format(
      "{} each. Each number is a mean over the seeds, and ± the half-width of its {:.4g} % interval "
      "(Student's t); B against A is of the differences with the same seed, without % in the measure's unit; which is "
      "better is told by the difference in that unit.",
      counted(std::ssize(plan.seeds), "seed", "seeds"), 100 * plan.confidence);
  std::string out = fmt::format("A: {}\nB: {}\n{}\n{}", plan.arms[0].scenario.file, plan.arms[1].scenario.file,
                                wrapped(how, "", shown_here().width), table_of_measures(plan, summarise(plan, rows)));
  if (!changes.empty()) out += fmt::format("\nOn the critical path, with seed {}, A -> B:\n", plan.seeds[0]);
  for (std::size_t i = 0; i < std::min(changes.size(), kPathRows); ++i)
    out += fmt::format("{:>14.6f} s -> {:>12.6f} s  {:<12}  {}\n", in_seconds(changes[i].a), in_seconds(changes[i].b),
                       changes[i].kind, changes[i].who);
  return out;
}

Json json_of(const std::vector<PathChange>& changes) {
  Json all = Json::array();
  for (const PathChange& c : changes) all.push_back({{"kind", c.kind}, {"who", c.who}, {"a_ns", c.a}, {"b_ns", c.b}});
  return all;
}

Json json_of_compare(const SweepPlan& plan, const std::vector<RunRow>& rows, const std::vector<PathChange>& changes) {
  Json j = json_of_summary(plan, rows);
  for (std::size_t a = 0; a < plan.arms.size(); ++a) j["arms"][a]["file"] = plan.arms[a].scenario.file;
  j["path_changes"] = json_of(changes);
  return j;
}

std::string page_of(const CompareArguments& c, const SweepPlan& plan, const std::vector<RunRow>& rows,
                    const std::vector<PathChange>& changes, const std::string& interrupted) {
  Json figures = figures_of_sweep(plan, rows);
  figures["path_changes"] = json_of(changes);
  const std::string command = fmt::format("tarry compare {} {} --seeds {} --report {}", shell_word(c.a),
                                          shell_word(c.b), c.seeds, shell_word(c.page));
  const std::string title = fmt::format("A: {}, beside B: {}", c.a, c.b);
  return to_sweep_page({interrupted.empty() ? title : fmt::format("{} ({})", title, interrupted), command,
                        first_line_of_version(), figures});
}

// Writes the page, and prints. interrupted: "" = it was not.
Status give_out(const CompareArguments& c, const SweepPlan& plan, const std::vector<RunRow>& rows,
                const std::vector<PathChange>& changes, const std::string& interrupted = "") {
  if (!c.page.empty()) TARRY_RETURN_IF_ERROR(write_and_say(c.page, page_of(c, plan, rows, changes, interrupted)));
  Json j = c.json ? json_of_compare(plan, rows, changes) : Json{};
  if (!interrupted.empty()) j["interrupted"] = interrupted, j["exit_code"] = int{kInterrupted};
  fmt::print("{}", c.json ? json_text(j, 1) + "\n" : text_of_compare(plan, rows, changes));
  return {};
}

// What the seeds say that both scenarios were run with by then.
StatusOr<int> tell_interrupt(const CompareArguments& c, SweepPlan plan, const RowFile& file) {
  TARRY_ASSIGN(std::vector<RunRow> rows, file.rows());
  const std::size_t asked = plan.seeds.size();
  std::erase_if(rows, [](const RunRow& r) { return !r.error.empty(); });
  std::erase_if(plan.seeds, [&](std::uint64_t seed) { return std::ranges::count(rows, seed, &RunRow::seed) < 2; });
  std::erase_if(rows, [&](const RunRow& r) { return std::ranges::count(plan.seeds, r.seed) == 0; });
  const std::string said =
      fmt::format("interrupted: both scenarios have run with {} of {} seeds", plan.seeds.size(), asked);
  complain(fmt::format("tarry: {}{}\n", said, plan.seeds.empty() ? "" : ", of which this is told"));
  if (!plan.seeds.empty()) {
    TARRY_RETURN_IF_ERROR(give_out(c, plan, rows, {}, said));
  } else if (c.json) {
    fmt::print("{}\n", json_text({{"error", said}, {"exit_code", int{kInterrupted}}}));
  }
  return kInterrupted;
}

StatusOr<int> compare(const CompareArguments& c, const Home& home) {
  TARRY_ASSIGN(const ScenarioText a, open_scenario_text(c.a, home));
  TARRY_ASSIGN(const ScenarioText b, open_scenario_text(c.b, home));
  for (const ScenarioText& text : {a, b}) TARRY_RETURN_IF_ERROR(parse_scenario(text.text, text.file).status());
  TARRY_RETURN_IF_ERROR(check_outputs({{"--report", c.page}}, {{"scenario A", a.file}, {"scenario B", b.file}}));
  std::vector<std::uint64_t> seeds(c.seeds);
  std::iota(seeds.begin(), seeds.end(), std::uint64_t{1});
  const SweepPlan plan = plan_of_two(a, b, std::move(seeds));
  TARRY_ASSIGN(RowFile file, RowFile::open(":memory:", plan, program_of_rows()));
  TARRY_ASSIGN(const Batch compute, on_this_machine(home, c.at_once));
  const auto result = run_unless_interrupted(plan, file, until_interrupted(compute));
  if (!result) return tell_interrupt(c, plan, file);
  TARRY_ASSIGN(const std::vector<RunRow> rows, *result);
  for (const RunRow& r : rows)
    if (!r.error.empty()) return invalid("{}, seed {}: {}", plan.arms[r.arm].scenario.file, r.seed, r.error);
  TARRY_ASSIGN(const std::vector<PathChange> changes, path_changes(plan, home));
  TARRY_RETURN_IF_ERROR(give_out(c, plan, rows, changes));
  return kOk;
}

}  // namespace

void add_compare(CommandLine& line) {
  auto a = std::make_shared<CompareArguments>();
  CLI::App* c = &line.command;
  c->add_option("a", a->a, "A scenario's folder or file, or the name of one that ships")->required();
  c->add_option("b", a->b, "The scenario that is held against it")->required();
  c->add_option("--seeds", a->seeds, "Runs of each")->check(CLI::Range(1, 100'000))->capture_default_str();
  c->add_option("--report", a->page, "Write a page with a plot of each measure to this file, for any browser")
      ->check(new_file());
  c->add_option("-j", a->at_once, "Processes at a time [one for each core]")->check(CLI::Range(1, 1024));
  c->add_flag("--json", a->json, "Print one JSON object");
  c->callback([a, &line] {
    const StatusOr<int> code = compare(*a, line.home);
    line.exit_code = code.ok() ? *code : refuse(code.status());
  });
}

}  // namespace tarry
