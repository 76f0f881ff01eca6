// The files that `tarry run` writes besides its answer.
#pragma once

#include <string>
#include <vector>

#include "results/report.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/file/spec.hpp"
#include "scenarios/job/job.hpp"

namespace tarry {

struct RunOutputs {  // "" = not asked for
  std::string page, trace, log;
  std::string csv;  // a folder
  std::string sqlite;
  std::string metadata, step;  // `step`: of the metadata; "" = the last whole one of the first worker
};

void add_options(CLI::App& command, RunOutputs& outputs);

// Whether the log must keep its kernels for what is asked for.
[[nodiscard]] bool needs_kernels(const RunOutputs& outputs);

// Before the run. Fails: as check_outputs of commands.hpp; INVALID_ARGUMENT when the folder is a file.
[[nodiscard]] Status check_outputs(const RunOutputs& outputs, const std::vector<NamedFile>& inputs);

// Once the job is known. Fails: INVALID_ARGUMENT for a step that no task of the cluster can have.
[[nodiscard]] Status check_step(const RunOutputs& outputs, const Job& job);

struct ToldRun {
  const Scenario& scenario;
  const Job& job;
  const Outcome& outcome;
  const Report& report;
  std::string command;  // that makes the page again
};
// All of them, with a line for each on standard error, or, when something fails, none: what was there stays then.
// Fails: INVALID_ARGUMENT `PATH: cannot be written`, or when the step of the metadata did not end.
[[nodiscard]] Status write_outputs(const RunOutputs& outputs, const ToldRun& run);

}  // namespace tarry
