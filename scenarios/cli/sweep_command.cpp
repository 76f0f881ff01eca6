#include "scenarios/cli/sweep_command.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "placer/core/text.hpp"
#include "results/json_text.hpp"
#include "results/page/sweep_page.hpp"
#include "scenarios/cli/held_interrupt.hpp"
#include "scenarios/cli/open_scenario.hpp"
#include "scenarios/cli/progress.hpp"
#include "scenarios/cli/screen.hpp"
#include "scenarios/cli/shell_word.hpp"
#include "scenarios/cli/version.hpp"
#include "scenarios/sweep/figures.hpp"
#include "sim/runner.hpp"

namespace tarry {
namespace {

struct SweepArguments {
  std::string plan, out, csv, page;
  int at_once = 0;
  bool json = false;
};

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
  const std::string beside = std::filesystem::path(plan).parent_path() / name;
  std::error_code none;
  const bool is_beside = std::filesystem::exists(beside, none) || std::filesystem::exists(beside + ".yaml", none);
  return open_scenario_text(is_beside ? beside : name, home);
}

std::string page_of(const SweepArguments& a, const SweepPlan& plan, const std::vector<RunRow>& rows) {
  const std::string title = plan.title.empty() ? std::filesystem::path(a.plan).stem().string() : plan.title;
  const std::string command = fmt::format("tarry sweep {} --report {}", shell_word(a.plan), shell_word(a.page));
  return to_sweep_page({title, command, first_line_of_version(), figures_of_sweep(plan, rows)});
}

nlohmann::ordered_json json_of(const SweepPlan& plan, const std::vector<RunRow>& rows) {
  nlohmann::ordered_json j = json_of_summary(plan, rows);
  if (plan.until)
    j["until"] = {{"of", plan.until->of->name},
                  {"half_width", plan.until->half_width},
                  {"arms_too_wide", arms_too_wide(plan, rows)}};
  return j;
}

std::string text_of(const SweepPlan& plan, const std::vector<RunRow>& rows, const std::string& out) {
  const std::string wide = too_wide_in_words(plan, rows);
  return fmt::format("{}\n{}Every run: {}\n", text_of_summary(plan, rows, shown_here().width), wide, out);
}

struct Interrupted {};

// The rows stay, with their errors: the same sweep does not run them again.
int code_of(const std::vector<RunRow>& rows, const std::string& out) {
  const auto failed = [](const RunRow& r) { return !r.error.empty(); };
  if (rows.empty() || !std::ranges::all_of(rows, failed)) return kOk;
  complain(fmt::format("tarry: each of the {} runs failed, the first one with: {}\nTo run them again, delete {}.\n",
                       rows.size(), rows.front().error, out));
  return kBadInput;
}

// The rows that are there by then stay.
StatusOr<int> tell_interrupt(const SweepPlan& plan, const RowFile& file, const std::string& out, bool json) {
  TARRY_ASSIGN(const std::vector<RunRow> rows, file.rows());
  const std::string said = fmt::format("interrupted: {}, they are in {}, and the same command goes on from there",
                                       done_in_words(plan, rows), out);
  complain("tarry: " + said + "\n");
  if (json) fmt::print("{}\n", json_text({{"error", said}, {"exit_code", int{kInterrupted}}}));
  return kInterrupted;
}

std::vector<NamedFile> inputs_of(const SweepPlan& plan, const std::string& file_of_plan) {
  const std::filesystem::path scenario = plan.arms.front().scenario.file;
  std::vector<NamedFile> inputs{{"the plan", file_of_plan}, {"the plan's scenario", scenario.string()}};
  for (const auto& [name, digest] : plan.files)
    inputs.push_back({"a file that the scenario names", (scenario.parent_path() / name).string()});
  return inputs;
}

StatusOr<int> sweep(const SweepArguments& a, const Home& home, const MakeBatch& by) {
  TARRY_ASSIGN(const std::string file_of_plan, plan_file(a.plan, home));
  const std::string out = a.out.empty() ? std::filesystem::path(a.plan).stem().string() + ".sqlite" : a.out;
  TARRY_ASSIGN(const SweepPlan plan,
               load_plan(file_of_plan, [&](const std::string& name) { return find_beside(file_of_plan, name, home); }));
  TARRY_RETURN_IF_ERROR(
      check_outputs({{"--out", out}, {"--csv", a.csv}, {"--report", a.page}}, inputs_of(plan, file_of_plan)));
  TARRY_ASSIGN(const Batch compute, by(home, a.at_once));
  TARRY_ASSIGN(RowFile file, RowFile::open(out, plan, program_of_rows()));
  const auto result = run_unless_interrupted(plan, file, compute);
  if (!result) return tell_interrupt(plan, file, out, a.json);
  TARRY_ASSIGN(const std::vector<RunRow> rows, *result);
  if (!a.csv.empty()) TARRY_RETURN_IF_ERROR(write_and_say(a.csv, csv_of(plan, rows)));
  if (!a.page.empty()) TARRY_RETURN_IF_ERROR(write_and_say(a.page, page_of(a, plan, rows)));
  fmt::print("{}", a.json ? json_text(json_of(plan, rows), 1) + "\n" : text_of(plan, rows, out));
  return code_of(rows, out);
}

}  // namespace

Batch until_interrupted(const Batch& compute) {
  return [compute](int count, const Request& request, const Answered& answered) {
    const HeldInterrupt interrupt;
    compute(count, request, [&](int n, const StatusOr<std::string>& answer) {
      answered(n, answer);
      if (interrupt.has_come()) throw Interrupted();
    });
  };
}

StatusOr<Batch> on_this_machine(const Home& home, int asked) {
  return in_children(home.graphs(), asked > 0 ? asked : good_at_once());
}

std::string program_of_rows() {
  std::string text = version_text();
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) text.replace(at, 1, ", ");
  return text;
}

StatusOr<std::vector<RunRow>> run_with_progress(const SweepPlan& plan, RowFile& file, const Batch& compute) {
  ProgressLine line;
  const auto watch = [&line](std::size_t done, std::size_t of) {
    line.show([&](double seconds) {
      const double left = seconds / static_cast<double>(done) * static_cast<double>(of - done);
      return fmt::format("{} of {} runs, about {:.0f} s left", done, of, left);
    });
  };
  return run_sweep(plan, file, {compute, watch});
}

std::optional<StatusOr<std::vector<RunRow>>> run_unless_interrupted(const SweepPlan& plan, RowFile& file,
                                                                    const Batch& compute) {
  try {
    return run_with_progress(plan, file, compute);
  } catch (const Interrupted&) {
    return std::nullopt;
  }
}

void add_sweep_by(CommandLine& line, MakeBatch by) {
  auto a = std::make_shared<SweepArguments>();
  CLI::App* c = &line.command;
  c->add_option(
       "plan", a->plan,
       "A file that says what is varied (docs/manual.md, section 12), or one that ships: policies, backup_workers")
      ->required();
  c->add_option("--out", a->out, "The SQLite file of the rows; a sweep that was stopped goes on there [PLAN.sqlite]")
      ->check(new_file());
  c->add_option("--csv", a->csv, "Also write the rows to this file")->check(new_file());
  c->add_option("--report", a->page, "Write a page with a plot of each measure to this file, for any browser")
      ->check(new_file());
  c->add_option("-j", a->at_once, "Processes at a time [one for each core]")->check(CLI::Range(1, 1024));
  c->add_flag("--json", a->json, "Print one JSON object");
  c->callback([a, by = std::move(by), &line] {
    const StatusOr<int> code = sweep(*a, line.home, by);
    line.exit_code = code.ok() ? *code : refuse(code.status());
  });
}

}  // namespace tarry
