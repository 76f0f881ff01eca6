#include "scenarios/cli/run_outputs.hpp"

#include <algorithm>
#include <filesystem>

#include "results/stored_run.hpp"
#include "results/tables/csv.hpp"
#include "results/tables/run_database.hpp"
#include "results/tables/run_tables.hpp"
#include "results/trace.hpp"
#include "scenarios/cli/new_files.hpp"
#include "scenarios/cli/page_of_run.hpp"
#include "scenarios/cli/step_option.hpp"
#include "scenarios/job/step_metadata.hpp"

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

// ---- the metadata of a step ----

StatusOr<NumberedStep> wanted_step(const RunOutputs& o, const ToldRun& run) {
  if (!o.step.empty()) return parse_step(o.step, run.job.cluster);
  const auto last = last_whole_step(run.outcome.log);
  if (!last) return invalid("{}: --run-metadata: no training step succeeded in this run", o.metadata);
  return *last;
}

// What the client of a task runs; an empty graph where there is none.
GraphSpec graph_of(const Job& job, TaskId task) {
  const auto client = std::ranges::find(job.clients, task, &ClientJob::task);
  return client == job.clients.end() ? GraphSpec() : own_graph(client->program);
}

Status add_metadata(const RunOutputs& o, const ToldRun& run, NewFiles& files) {
  if (o.metadata.empty()) return {};
  TARRY_ASSIGN(const NumberedStep step, wanted_step(o, run));
  const auto times = times_of_step(run.outcome.log, step, graph_of(run.job, step.task));
  if (!times)
    return invalid("{}: --run-metadata: step {} of {} did not end in this run", o.metadata, step.number,
                   run.outcome.tasks.show(step.task));
  return files.add(o.metadata,
                   o.metadata.ends_with(".pbtxt") ? run_metadata_text(*times) : run_metadata_binary(*times));
}

// In the order of the options.
std::vector<std::string> written(const RunOutputs& o) {
  const std::string tables = o.csv.empty() ? "" : csv_file(o.csv, "*");
  std::vector<std::string> all{o.page, o.trace, o.log, tables, o.sqlite, o.metadata};
  std::erase(all, "");
  return all;
}

}  // namespace

void add_options(CLI::App& command, RunOutputs& o) {
  const auto a_folder = [](const std::string& name) { return name.empty() ? "needs the name of a folder" : ""; };
  command.add_option("--report", o.page, "Write a page with charts to this file, for any browser")->check(new_file());
  command.add_option("--trace", o.trace, "Write a Chrome trace to this file; open it in ui.perfetto.dev")
      ->check(new_file());
  command.add_option("--log", o.log, "Write the run's log to this file, for `tarry judge`")->check(new_file());
  command
      .add_option("--csv", o.csv,
                  "Write the run's tables to this folder, a CSV file each: steps, kernels, messages, ...")
      ->check(a_folder);
  command
      .add_option("--sqlite", o.sqlite,
                  "Write the same tables to this SQLite file, with views such as slowest_steps and traffic")
      ->check(new_file());
  CLI::Option* metadata = command
                              .add_option("--run-metadata", o.metadata,
                                          "Write a training step to this file as TensorFlow's RunMetadata: binary or, "
                                          "if its name ends in .pbtxt, text")
                              ->check(new_file());
  command
      .add_option("--step", o.step,
                  "The step of --run-metadata: worker/1:7 is the seventh of worker 1 [the last of the first worker]")
      ->needs(metadata);
}

bool needs_kernels(const RunOutputs& o) {
  return !o.page.empty() || !o.trace.empty() || !o.csv.empty() || !o.sqlite.empty() || !o.metadata.empty();
}

Status check_outputs(const RunOutputs& o, const std::vector<NamedFile>& inputs) {
  std::vector<NamedFile> files{{"--report", o.page},
                               {"--trace", o.trace},
                               {"--log", o.log},
                               {"--sqlite", o.sqlite},
                               {"--run-metadata", o.metadata}};
  if (!o.csv.empty())
    for (const std::string& table : run_table_names()) files.push_back({"--csv", csv_file(o.csv, table), true});
  return check_outputs(files, inputs);
}

Status check_step(const RunOutputs& o, const Job& job) {
  return o.step.empty() ? Status() : parse_step(o.step, job.cluster).status();
}

Status write_outputs(const RunOutputs& o, const ToldRun& run) {
  const Outcome& outcome = run.outcome;
  const Report& report = run.report;
  NewFiles files;
  if (!o.page.empty())
    TARRY_RETURN_IF_ERROR(files.add(o.page, page_of_run(run.scenario, report, outcome, run.command)));
  if (!o.trace.empty()) TARRY_RETURN_IF_ERROR(files.add(o.trace, to_chrome_trace(outcome.log, outcome.tasks)));
  if (!o.log.empty())
    TARRY_RETURN_IF_ERROR(files.add(o.log, to_bytes(report.title, outcome.tasks, report.proofs, outcome.log)));
  TARRY_RETURN_IF_ERROR(add_tables(o, run, files));
  TARRY_RETURN_IF_ERROR(add_metadata(o, run, files));
  TARRY_RETURN_IF_ERROR(files.replace());
  for (const std::string& path : written(o)) say_written(path);
  return {};
}

}  // namespace tarry
