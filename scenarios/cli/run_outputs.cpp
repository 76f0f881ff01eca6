#include "scenarios/cli/run_outputs.hpp"

#include <filesystem>

#include "results/stored_run.hpp"
#include "results/tables/csv.hpp"
#include "results/tables/run_database.hpp"
#include "results/tables/run_tables.hpp"
#include "results/trace.hpp"
#include "scenarios/cli/new_files.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

std::string csv_file(const std::string& folder, std::string_view table) {
  return fs::path(folder) / (std::string(table) + ".csv");
}

Status add_csv(const std::string& folder, const std::vector<Table>& tables, NewFiles& files) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return invalid("{}: cannot be made: {}", folder, failed.message());
  for (const Table& t : tables) TARRY_RETURN_IF_ERROR(files.add(csv_file(folder, t.name), csv_text(t)));
  return {};
}

Status add_sqlite(const std::string& file, const std::vector<Table>& tables, const ToldRun& run, NewFiles& files) {
  const EventLog& log = run.outcome.log;
  const auto database = run_database(tables, {{"title", cell(run.report.title)},
                                              {"hash", cell(run.report.hash)},
                                              {"seed", static_cast<std::int64_t>(run.report.seed)},
                                              {"events", static_cast<std::int64_t>(run.report.events)},
                                              {"started_at_ns", log.started_at},
                                              {"ended_ns", log.ended_at - log.started_at}});
  if (!database.ok()) return with_prefix(database.status(), file + ": ");
  return files.add(file, *database);
}

Status add_tables(const RunOutputs& o, const ToldRun& run, NewFiles& files) {
  if (o.csv.empty() && o.sqlite.empty()) return {};
  const RunRows rows = read_rows(run.outcome.log, run.outcome.tasks, run.report.verdicts);
  const std::vector<Table> tables = run_tables(rows);
  if (!o.csv.empty()) TARRY_RETURN_IF_ERROR(add_csv(o.csv, tables, files));
  return o.sqlite.empty() ? Status() : add_sqlite(o.sqlite, tables, run, files);
}

}  // namespace

void add_options(CLI::App& command, RunOutputs& o) {
  const auto a_folder = [](const std::string& name) { return name.empty() ? "needs the name of a folder" : ""; };
  command.add_option("--trace", o.trace, "Write a Chrome trace to this file; open it in ui.perfetto.dev");
  command.add_option("--log", o.log, "Write the run's log to this file, for `tarry judge`");
  command
      .add_option("--csv", o.csv,
                  "Write the run's tables to this folder, a CSV file each: steps, kernels, messages, ...")
      ->check(a_folder);
  command.add_option("--sqlite", o.sqlite,
                     "Write the same tables to this SQLite file, with views such as slowest_steps and traffic");
}

bool needs_kernels(const RunOutputs& o) { return !o.trace.empty() || !o.csv.empty() || !o.sqlite.empty(); }

Status check_outputs(const RunOutputs& o, const std::vector<NamedFile>& inputs) {
  std::vector<NamedFile> files{{"--trace", o.trace}, {"--log", o.log}, {"--sqlite", o.sqlite}};
  if (!o.csv.empty())
    for (const std::string& table : run_table_names()) files.push_back({"--csv", csv_file(o.csv, table), true});
  return check_outputs(files, inputs);
}

Status write_outputs(const RunOutputs& o, const ToldRun& run) {
  const auto& [outcome, report] = run;
  NewFiles files;
  if (!o.trace.empty()) TARRY_RETURN_IF_ERROR(files.add(o.trace, to_chrome_trace(outcome.log, outcome.tasks)));
  if (!o.log.empty())
    TARRY_RETURN_IF_ERROR(files.add(o.log, to_bytes(report.title, outcome.tasks, report.proofs, outcome.log)));
  TARRY_RETURN_IF_ERROR(add_tables(o, run, files));
  return files.replace();
}

}  // namespace tarry
